package ingest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"mcpg/adapter"
	"mcpg/calllog"
)

// FuzzRun reads anything as anything, with and without an adapter: no input may
// do more than give findings or an error.
func FuzzRun(f *testing.F) {
	f.Add("", []byte(`{"tool":"get_order_details","args":{"order_id":"1"},"is_error":false,"result_text":"{\"status\":\"open\"}"}`))
	f.Add("", []byte(tauLog))
	f.Add("tau-bench", []byte(`[{"task_id":1,"trial":0,"traj":[{"role":"tool","content":[]},{"tool_calls":[{"function":{"arguments":"{'a':1}"}}]}`))
	f.Add("native", []byte("\xff\xfe{\x00"))
	set, err := adapter.LoadSet([]string{"tau-retail"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, from string, in []byte) {
		for _, s := range []adapter.Set{nil, set} {
			n := 0
			rep, _ := Run(context.Background(), []string{"-"}, Options{From: from, Adapters: s, Stdin: bytes.NewReader(in)}, func(c *calllog.Call) error {
				n++
				s.View(c)
				return nil
			})
			if rep.Calls != n {
				t.Fatalf("%d calls reported, %d given", rep.Calls, n)
			}
		}
	})
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
