package buildinfo

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	t.Parallel()
	full := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "arm64"}, {Key: "vcs.revision", Value: "0123456789abcdef"},
		{Key: "vcs.time", Value: "2026-11-30T12:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	for want, info := range map[string]*debug.BuildInfo{
		"mcpg v1.2.3, commit 0123456789ab of 2026-11-30T12:00:00Z with changes, go1.26.8, linux/arm64": full,
		"mcpg (development), go1.26.8": {GoVersion: "go1.26.8", Main: debug.Module{Version: "(devel)"}},
	} {
		if got := text("mcpg", info); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if got := Text("mcpg"); !strings.HasPrefix(got, "mcpg ") || !strings.Contains(got, "go1") {
		t.Error(got)
	}
}
