package release

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
)

// param is one argument of a tool; all are strings but expected_revision.
type param struct {
	name     string
	optional bool
	integer  bool
}

type entry struct {
	name, title, description string
	params                   []param
	destructive              bool
}

var releaseID = param{name: "release_id"}

var entries = []entry{
	{"get_release", "Get release", "Show a release: status, tests, approvals, dependency, channel, revision.", []param{releaseID}, false},
	{"list_releases", "List releases", "List the ids and statuses of all releases.", nil, false},
	{"get_channel", "Get channel", "Show whether a channel is locked, and by whom.", []param{{name: "channel"}}, false},
	{"create_release", "Create release", "Create a draft release on a channel.", []param{releaseID, {name: "channel"}}, false},
	{"push_commit", "Push commit", "Add a commit to a release.", []param{releaseID}, false},
	{"run_tests", "Run tests", "Run the tests of a release.", []param{releaseID}, false},
	{"approve_release", "Approve release", "Record a reviewer's approval of a release.", []param{releaseID, {name: "reviewer"}}, false},
	{"update_notes", "Update notes", "Replace the notes of a release; with expected_revision, only if it has that revision.",
		[]param{releaseID, {name: "notes"}, {name: "expected_revision", optional: true, integer: true}}, false},
	{"add_comment", "Add comment", "Comment on a release.", []param{releaseID, {name: "text"}}, false},
	{"publish_release", "Publish release", "Publish a release on its channel.", []param{releaseID}, true},
	{"archive_release", "Archive release", "Archive a release.", []param{releaseID}, true},
	{"lock_channel", "Lock channel", "Lock a channel for an owner.", []param{{name: "channel"}, {name: "owner"}}, false},
	{"unlock_channel", "Unlock channel", "Unlock a channel.", []param{{name: "channel"}, {name: "owner"}}, false},
}

var catalogs = map[string][]simulate.Tool{
	"": buildCatalog(""), Strict: buildCatalog(""), Swap: buildCatalog(""),
	Lenient: buildCatalog(Lenient), Direct: buildCatalog(Direct),
}

// catalog lists the tools as they are under the rules.
func catalog(rules string) []simulate.Tool { return catalogs[rules] }

func buildCatalog(rules string) []simulate.Tool {
	out := make([]simulate.Tool, 0, len(entries))
	for _, e := range entries {
		params := e.params
		switch {
		case rules == Lenient && e.name == "publish_release":
			params = append(slices.Clone(params), param{name: "skip_reason", optional: true})
		case rules == Direct && e.name == "archive_release":
			params = append(slices.Clone(params), param{name: "reason", optional: true})
		}
		out = append(out, simulate.Tool{Name: e.name, Raw: e.raw(params)})
	}
	return out
}

func (e *entry) raw(params []param) jsontext.Value {
	props := map[string]any{}
	required := []string{}
	for _, p := range params {
		kind := "string"
		if p.integer {
			kind = "integer"
		}
		props[p.name] = map[string]string{"type": kind}
		if !p.optional {
			required = append(required, p.name)
		}
	}
	b, err := json.Marshal(map[string]any{
		"name": e.name, "title": e.title, "description": e.description,
		"inputSchema": map[string]any{"type": "object", "properties": props, "required": required},
		"annotations": map[string]bool{"readOnlyHint": verbs[e.name].readOnly, "destructiveHint": e.destructive, "openWorldHint": false},
	}, json.Deterministic(true))
	if err != nil {
		panic(err) // plain maps
	}
	return b
}

// validate checks arguments as MCP servers do, the first fault first, and gives
// those that the tool declares.
func validate(tool string, raw jsontext.Value) (map[string]jsontext.Value, *failure) {
	i := slices.IndexFunc(entries, func(e entry) bool { return e.name == tool })
	given := map[string]jsontext.Value{}
	if len(raw) > 0 && raw.Kind() == '{' {
		if err := json.Unmarshal(raw, &given, jsontext.AllowDuplicateNames(true)); err != nil {
			return nil, invalid(tool, "not an object")
		}
	} else if len(raw) > 0 && raw.Kind() != 'n' {
		return nil, invalid(tool, "expected object")
	}
	declared := map[string]jsontext.Value{}
	for _, p := range entries[i].params {
		v, ok := given[p.name]
		switch {
		case !ok && p.optional:
		case !ok:
			return nil, invalid(tool, "expected "+p.kind()+", received undefined at "+p.name)
		case p.integer && (v.Kind() != '0' || strings.ContainsAny(string(v), ".eE")), !p.integer && v.Kind() != '"':
			return nil, invalid(tool, "expected "+p.kind()+", received "+kindName(v.Kind())+" at "+p.name)
		default:
			declared[p.name] = v
		}
	}
	return declared, nil
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 't', 'f':
		return "boolean"
	case '{':
		return "object"
	case '[':
		return "array"
	}
	return k.String()
}

func (p *param) kind() string {
	if p.integer {
		return "integer"
	}
	return "string"
}

func invalid(tool, what string) *failure {
	return &failure{"arguments", simulate.Visible, fmt.Sprintf("MCP error -32602: Input validation error: Invalid arguments for tool %s: Invalid input: %s", tool, what)}
}
