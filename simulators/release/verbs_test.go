package release

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
)

const invalidArguments = "MCP error -32602: Input validation error: Invalid arguments for tool "

// TestRefusals goes through every check of every verb. The order of the checks
// shows where two of them fail: old is neither a draft nor there to publish.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tool, args, check, text string }{
		{"get_release", `{"release_id":"no"}`, "missing", "Release no not found"},
		{"get_channel", `{"channel":"no"}`, "missing", "Channel no not found"},

		{"create_release", `{"release_id":"raw","channel":"no"}`, "exists", "Release raw already exists"},
		{"create_release", `{"release_id":"new","channel":"no"}`, "channel_missing", "Channel no not found"},

		{"push_commit", `{"release_id":"no"}`, "missing", "Release no not found"},
		{"push_commit", `{"release_id":"out"}`, "not_draft", "Release out takes no commits: status is PUBLISHED, only a DRAFT can change"},
		{"run_tests", `{"release_id":"no"}`, "missing", "Release no not found"},
		{"run_tests", `{"release_id":"old"}`, "not_draft", "Release old cannot be tested: status is ARCHIVED, only a DRAFT can be tested"},

		{"approve_release", `{"release_id":"no","reviewer":"al"}`, "missing", "Release no not found"},
		{"approve_release", `{"release_id":"out","reviewer":"al"}`, "not_draft", "Release out cannot be approved: status is PUBLISHED, only a DRAFT can be approved"},
		{"approve_release", `{"release_id":"ready","reviewer":"al"}`, "approved_before", "Release ready already has the approval of al; ask another reviewer"},

		{"update_notes", `{"release_id":"no","notes":"x"}`, "missing", "Release no not found"},
		{"update_notes", `{"release_id":"old","notes":"x","expected_revision":1}`, "archived", "Release old is ARCHIVED: its notes cannot change"},
		{"update_notes", `{"release_id":"raw","notes":"x","expected_revision":2}`, "revision", "Release raw has revision 1, not 2; read it again with get_release"},

		{"add_comment", `{"release_id":"no","text":"x"}`, "missing", "Release no not found"},

		{"publish_release", `{"release_id":"no"}`, "missing", "Release no not found"},
		{"publish_release", `{"release_id":"out"}`, "not_draft", "Release out cannot be published: status is PUBLISHED, only a DRAFT can be published"},
		{"publish_release", `{"release_id":"raw"}`, "untested", "Release raw cannot be published: tests have not passed; run run_tests first"}, // nor approved
		{"publish_release", `{"release_id":"alone"}`, "approvals", "Release alone cannot be published: it has 1 of 2 approvals; get one with approve_release"},
		{"publish_release", `{"release_id":"orphan"}`, "dependency_missing", "Release orphan cannot be published: its dependency ghost not found"},
		{"publish_release", `{"release_id":"waiting"}`, "dependency", "Release waiting cannot be published: its dependency raw is DRAFT; publish that one first"},
		{"publish_release", `{"release_id":"shut"}`, "locked", "Release shut cannot be published: channel gold is locked by ops; unlock_channel opens it"},

		{"archive_release", `{"release_id":"no"}`, "missing", "Release no not found"},
		{"archive_release", `{"release_id":"ready"}`, "not_published", "Release ready cannot be archived: status is DRAFT, only a PUBLISHED release can be archived"},
		{"archive_release", `{"release_id":"old"}`, "not_published", "Release old cannot be archived: status is ARCHIVED, only a PUBLISHED release can be archived"},

		{"lock_channel", `{"channel":"no","owner":"me"}`, "missing", "Channel no not found"},
		{"lock_channel", `{"channel":"gold","owner":"ops"}`, "locked", "Channel gold is already locked by ops"},
		{"unlock_channel", `{"channel":"no","owner":"me"}`, "missing", "Channel no not found"},
		{"unlock_channel", `{"channel":"beta","owner":"me"}`, "unlocked", "Channel beta is not locked"},
		{"unlock_channel", `{"channel":"gold","owner":"me"}`, "owner", "Channel gold is locked by another owner; only its owner can unlock it, see get_channel"},

		{"publish", `{}`, "unknown_tool", "MCP error -32602: Tool publish not found"},
		{"", ``, "unknown_tool", "MCP error -32602: Tool  not found"},
		{"get_release", ``, "arguments", invalidArguments + "get_release: Invalid input: expected string, received undefined at release_id"},
		{"get_release", `null`, "arguments", invalidArguments + "get_release: Invalid input: expected string, received undefined at release_id"},
		{"get_release", `[]`, "arguments", invalidArguments + "get_release: Invalid input: expected object"},
		{"get_release", `{"release_id":"raw"`, "arguments", invalidArguments + "get_release: Invalid input: not an object"},
		{"get_release", `{"Release_id":"raw"}`, "arguments", invalidArguments + "get_release: Invalid input: expected string, received undefined at release_id"},
		{"get_release", `{"release_id":5}`, "arguments", invalidArguments + "get_release: Invalid input: expected string, received number at release_id"},
		{"get_release", `{"release_id":null}`, "arguments", invalidArguments + "get_release: Invalid input: expected string, received null at release_id"},
		{"get_release", `{"release_id":true}`, "arguments", invalidArguments + "get_release: Invalid input: expected string, received boolean at release_id"},
		{"get_release", `{"release_id":["raw"]}`, "arguments", invalidArguments + "get_release: Invalid input: expected string, received array at release_id"},
		{"approve_release", `{"reviewer":{}}`, "arguments", invalidArguments + "approve_release: Invalid input: expected string, received undefined at release_id"},
		{"approve_release", `{"release_id":"raw","reviewer":{}}`, "arguments", invalidArguments + "approve_release: Invalid input: expected string, received object at reviewer"},
		{"update_notes", `{"release_id":"no","notes":"x","expected_revision":1.5}`, "arguments", invalidArguments + "update_notes: Invalid input: expected integer, received number at expected_revision"},
		{"update_notes", `{"release_id":"no","notes":"x","expected_revision":"1"}`, "arguments", invalidArguments + "update_notes: Invalid input: expected integer, received string at expected_revision"},
		{"update_notes", `{"release_id":"no","notes":"x","expected_revision":99999999999999999999}`, "arguments", invalidArguments + "update_notes"},
	} {
		s := newServer(t, "")
		before := string(s.Snapshot())
		truth := s.Check(tt.tool, jsontext.Value(tt.args), 0)
		a := s.Call(tt.tool, jsontext.Value(tt.args), 0)
		if !a.IsError || a.Text != tt.text {
			t.Errorf("%s %s: %q\nwant %q", tt.tool, tt.args, a.Text, tt.text)
		}
		if truth != (simulate.Truth{Check: tt.check, Kind: simulate.Visible, Text: tt.text}) {
			t.Errorf("%s %s: %+v, want the check %s", tt.tool, tt.args, truth, tt.check)
		}
		if string(s.Snapshot()) != before {
			t.Errorf("%s %s changed the world", tt.tool, tt.args)
		}
	}
}

func TestSuccesses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tool, args, text string }{
		{"get_release", `{"release_id":"led","notes":5}`, `{"id":"led","status":"DRAFT","tests_passed":true,"approvals":2,"approved_by":["al","bo"],"depends_on":"out","channel":"beta","has_notes":false,"revision":1}`},
		{"list_releases", ``, `{"releases":[{"id":"alone","status":"DRAFT"},{"id":"led","status":"DRAFT"},{"id":"old","status":"ARCHIVED"},{"id":"orphan","status":"DRAFT"},{"id":"out","status":"PUBLISHED"},{"id":"raw","status":"DRAFT"},{"id":"ready","status":"DRAFT"},{"id":"shut","status":"DRAFT"},{"id":"waiting","status":"DRAFT"}]}`},
		{"get_channel", `{"channel":"gold"}`, `{"channel":"gold","locked":true,"locked_by":"ops"}`},
		{"create_release", `{"release_id":"new","channel":"gold"}`, `{"id":"new","status":"DRAFT","tests_passed":false,"approvals":0,"approved_by":[],"depends_on":null,"channel":"gold","has_notes":false,"revision":1}`},
		{"push_commit", `{"release_id":"ready"}`, `{"id":"ready","status":"DRAFT","tests_passed":false,"approvals":2,"approved_by":["al","bo"],"depends_on":null,"channel":"beta","has_notes":false,"revision":4}`},
		{"run_tests", `{"release_id":"raw"}`, `{"id":"raw","status":"DRAFT","tests_passed":true,"approvals":0,"approved_by":[],"depends_on":null,"channel":"beta","has_notes":false,"revision":2}`},
		{"approve_release", `{"release_id":"raw","reviewer":"al"}`, `{"id":"raw","status":"DRAFT","tests_passed":false,"approvals":1,"approved_by":["al"],"depends_on":null,"channel":"beta","has_notes":false,"revision":2}`},
		{"update_notes", `{"release_id":"out","notes":"x","expected_revision":5}`, `{"id":"out","status":"PUBLISHED","tests_passed":true,"approvals":2,"approved_by":["al","bo"],"depends_on":null,"channel":"beta","has_notes":true,"revision":6}`},
		{"add_comment", `{"release_id":"old","text":"x"}`, `{"id":"old","status":"ARCHIVED","tests_passed":true,"approvals":2,"approved_by":["al","bo"],"depends_on":null,"channel":"beta","has_notes":true,"revision":9}`},
		{"publish_release", `{"release_id":"led"}`, `{"id":"led","status":"PUBLISHED","tests_passed":true,"approvals":2,"approved_by":["al","bo"],"depends_on":"out","channel":"beta","has_notes":false,"revision":2}`},
		{"archive_release", `{"release_id":"out"}`, `{"id":"out","status":"ARCHIVED","tests_passed":true,"approvals":2,"approved_by":["al","bo"],"depends_on":null,"channel":"beta","has_notes":false,"revision":6}`},
		{"lock_channel", `{"channel":"beta","owner":"me"}`, `{"channel":"beta","locked":true,"locked_by":"me"}`},
		{"unlock_channel", `{"channel":"gold","owner":"ops"}`, `{"channel":"gold","locked":false,"locked_by":null}`},
	} {
		s := newServer(t, "")
		if truth := s.Check(tt.tool, jsontext.Value(tt.args), 0); truth != (simulate.Truth{Valid: true}) {
			t.Errorf("%s %s: %+v", tt.tool, tt.args, truth)
		}
		a := s.Call(tt.tool, jsontext.Value(tt.args), 0)
		if a.IsError || a.Text != tt.text {
			t.Errorf("%s %s: %s\nwant %s", tt.tool, tt.args, a.Text, tt.text)
		}
		if verbs[tt.tool].readOnly != (string(s.Snapshot()) == string(newServer(t, "").Snapshot())) {
			t.Errorf("%s: read-only is %v", tt.tool, verbs[tt.tool].readOnly)
		}
	}
}

func TestAnswerDocuments(t *testing.T) {
	t.Parallel()
	s := newServer(t, "")
	for _, tt := range []struct{ tool, args, raw string }{
		{"get_channel", `{"channel":"beta"}`, `{"content":[{"type":"text","text":"{\"channel\":\"beta\",\"locked\":false,\"locked_by\":null}"}],"structuredContent":{"channel":"beta","locked":false,"locked_by":null}}`},
		{"get_channel", `{"channel":"no"}`, `{"content":[{"type":"text","text":"Channel no not found"}],"isError":true}`},
		{"no\xff", ``, `{"content":[{"type":"text","text":"MCP error -32602: Tool no� not found"}],"isError":true}`},
	} {
		if a := s.Call(tt.tool, jsontext.Value(tt.args), 0); string(a.Raw) != tt.raw {
			t.Errorf("%s\nwant %s", a.Raw, tt.raw)
		}
	}
}
