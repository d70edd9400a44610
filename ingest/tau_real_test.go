package ingest

import (
	"context"
	"os"
	"testing"

	"mcpg/adapter"
	"mcpg/calllog"
)

const retailLog = "../../shared/data/logs/tau_bench/avaljotsingh_retail_tool-calling_0-100.json"

func TestTauBenchRetailLog(t *testing.T) {
	if _, err := os.Stat(retailLog); err != nil {
		t.Skipf("no shared data: %v", err)
	}
	set, err := adapter.LoadSet([]string{"tau-retail"})
	if err != nil {
		t.Fatal(err)
	}
	sessions := map[string]bool{}
	failed := 0
	var lastLine int
	rep, err := Run(context.Background(), []string{retailLog}, Options{Adapters: set}, func(c *calllog.Call) error {
		sessions[c.Session] = true
		if c.Outcome != calllog.OK {
			failed++
		}
		if c.Pos.Line < lastLine {
			t.Errorf("line %d after %d", c.Pos.Line, lastLine)
		}
		lastLine = c.Pos.Line
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Calls != 793 || len(sessions) != 100 || failed != 34 || rep.Bad() != 0 {
		t.Errorf("%d calls, %d sessions, %d failed, %v", rep.Calls, len(sessions), failed, rep.Findings)
	}
	t.Logf("%d observed, last line %d", rep.Observed, lastLine)
}
