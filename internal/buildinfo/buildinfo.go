// Package buildinfo says what a program was built from.
package buildinfo

import (
	"runtime/debug"
	"strings"
)

// Text is one line on the running program: its version, commit, Go and platform, as far
// as the build has kept them.
func Text(program string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return program + ", built without information on its version"
	}
	return text(program, info)
}

func text(program string, info *debug.BuildInfo) string {
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	version := info.Main.Version
	if version == "" || version == "(devel)" {
		version = "(development)"
	}
	words := []string{program + " " + version}
	if commit := set["vcs.revision"]; commit != "" {
		commit = "commit " + commit[:min(len(commit), 12)]
		if at := set["vcs.time"]; at != "" {
			commit += " of " + at
		}
		if set["vcs.modified"] == "true" {
			commit += " with changes"
		}
		words = append(words, commit)
	}
	words = append(words, info.GoVersion)
	if set["GOOS"] != "" {
		words = append(words, set["GOOS"]+"/"+set["GOARCH"])
	}
	return strings.Join(words, ", ")
}
