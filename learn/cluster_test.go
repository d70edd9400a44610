package learn

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

func TestCluster(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, args, before, want string }{
		{"ENOENT: no such file or directory, open '/srv/a.txt'", `{"path":"/srv/a.txt"}`, "", "ENOENT: no such file or directory, open '‹path›'"},
		{"ENOENT: no such file or directory, open '/srv/a.txt'", `{"path":"a.txt"}`, "", "ENOENT: no such file or directory, open ‹quoted›"},
		{"Release demo-0-5 cannot be published: tests have not passed. Run them.", `{"release_id":"demo-0-5"}`, "", "Release ‹release_id› cannot be published: tests have not passed."},
		{"it has 1 of 2 approvals", `{}`, "", "it has ‹id› of ‹id› approvals"},
		{"channel beta is locked by ops", `{}`, `{"channel":{"locked_by":"ops"},"release":{"channel":"beta"}}`, "channel beta is locked by ops"},
		{"payment method is wrong", `{}`, `{"order":{"history":[{"type":"payment"}]}}`, "payment method is wrong"},
		{`{"error": "Ticket with ID 7 not found."}`, `{"id":7}`, "", "Ticket with ID ‹id› not found."},
		{`[{'error': 'User not authenticated. Please log in.'}]`, `{}`, "", "User not authenticated."},
		{`{"error": {"code": 4, "message": "no seats"}}`, `{}`, "", "no seats"},
		{"run tests first", `{"a":"run"}`, "", "‹a› tests first"},
		{"run_tests first", `{"a":"run"}`, "", "run_tests first"},
		{"item A1 and A1B2", `{"xs":["A1B2","A1"]}`, "", "item ‹id› and ‹xs›"},
		{"first line\nsecond", `{}`, "", "first line"},
		{"", `{}`, "", ""},
	} {
		call := &calllog.Call{ErrorText: c.text, Args: jsontext.Value(c.args), Before: jsontext.Value(c.before)}
		got, example := Cluster(call)
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
		if filled := Expected(example, call); strings.Contains(filled, "‹") {
			t.Errorf("%q: the example %q isn't filled by its own call: %q", c.text, example, filled)
		}
	}
}

func TestExpectedSpeaksOfTheCallAtHand(t *testing.T) {
	t.Parallel()
	seen := &calllog.Call{ErrorText: "Release demo-1 cannot be published: it has 0 of 2 approvals", Args: jsontext.Value(`{"release_id":"demo-1"}`)}
	_, example := Cluster(seen)
	got := Expected(example, &calllog.Call{Args: jsontext.Value(`{"release_id":"atlas-9"}`)})
	if got != "Release atlas-9 cannot be published: it has 0 of 2 approvals" {
		t.Error(got)
	}
}

func FuzzCluster(f *testing.F) {
	f.Add("a 'b' c/d 1", `{"a":"b"}`, `{"x":{"y":"z"}}`)
	f.Add("‹a› {\"error\":\"", `[[["\ud83d\ude00"]]]`, `{`)
	f.Fuzz(func(t *testing.T, text, args, before string) {
		call := &calllog.Call{ErrorText: text, Args: jsontext.Value(args), Before: jsontext.Value(before)}
		got, example := Cluster(call)
		if len(got) > maxCluster || utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("cluster %q", got)
		}
		Expected(example, call)
	})
}
