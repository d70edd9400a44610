package sarif

import (
	"bytes"
	"encoding/json"
	"testing"

	"mcpg/internal/diag"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	err := Write(&b, "tool", []Rule{{"bad-line", "a line that can't be read"}}, []Result{
		{diag.Finding{Pos: diag.Pos{File: "a b/ü.jsonl", Line: 3, Col: 2}, Rule: "bad-line", Message: "no JSON\x00\xff"}, "warning"},
		{diag.Finding{Pos: diag.Pos{File: "stdin"}, Rule: "bad-line", Message: "x"}, "note"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Version string
		Runs    []struct {
			Results []struct {
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	r := doc.Runs[0].Results
	if doc.Version != "2.1.0" || len(r) != 2 || r[0].Level != "warning" || r[0].Locations[0].PhysicalLocation.ArtifactLocation.URI != "a%20b/%C3%BC.jsonl" ||
		r[0].Locations[0].PhysicalLocation.Region.StartLine != 3 || r[1].Locations[0].PhysicalLocation.Region.StartLine != 1 {
		t.Errorf("%s", b.String())
	}
	if got := uri("/tmp/x y"); got != "file:///tmp/x%20y" {
		t.Errorf("%s", got)
	}
}
