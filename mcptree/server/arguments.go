package server

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"mcpg/mcptree/value"
)

// parameter is one argument of a tool.
type parameter struct {
	name     string
	required bool
	schema   string                               // JSON
	read     func(*arguments, value.Value) string // what is wanted, if it is of another type
}

// arguments of a call, of whichever tool.
type arguments struct {
	tree, session string
	step          int
	value         value.Value
	rationale     *string
	isError       bool
}

var (
	treeID = parameter{"tree_id", true, `{"type":"string","description":"Id of a tree, as tree_list gives it."}`,
		func(a *arguments, v value.Value) string { return readString(&a.tree, v) }}
	sessionID = parameter{"session_id", true, `{"type":"string","description":"Id of the session, from tree_start's envelope."}`,
		func(a *arguments, v value.Value) string { return readString(&a.session, v) }}
	stepNumber = parameter{"step", true, `{"type":"integer","description":"The step of the envelope that is answered."}`,
		func(a *arguments, v value.Value) string {
			if v.Kind == value.Float && v.Float == math.Trunc(v.Float) && math.Abs(v.Float) < 1<<53 {
				v = value.OfInt(int64(v.Float))
			}
			a.step = int(v.Int)
			if v.Kind != value.Int || v.Big != nil {
				return "an integer"
			}
			return ""
		}}
	answerValue = parameter{"value", true, `{"description":"An option's id, an answer, or a tool's result: any JSON value."}`,
		func(a *arguments, v value.Value) string {
			a.value = v
			if deeper(v, maxDepth) {
				return fmt.Sprintf("at most %d levels deep", maxDepth)
			}
			return ""
		}}
	rationale = parameter{"rationale", false, `{"type":["string","null"],"default":null,"description":"Why: for judgments, where expects.require_rationale may ask for it."}`,
		func(a *arguments, v value.Value) string {
			if v.Kind == value.Null {
				return ""
			}
			a.rationale = new(string)
			if fault := readString(a.rationale, v); fault != "" {
				return "a string or null"
			}
			return ""
		}}
	isError = parameter{"is_error", false, `{"type":"boolean","default":false,"description":"The tool call failed, and value says how. Actions only."}`,
		func(a *arguments, v value.Value) string {
			a.isError = v.Bool
			if v.Kind != value.Bool {
				return "a boolean"
			}
			return ""
		}}
)

// maxDepth leaves room for the levels around a value in a trace: readers of
// JSON stop at a thousand.
const maxDepth = 900

func deeper(v value.Value, than int) bool {
	switch {
	case v.Kind != value.List && v.Kind != value.Map:
		return false
	case than == 0:
		return true
	}
	for i := range v.List {
		if deeper(v.List[i], than-1) {
			return true
		}
	}
	for i := range v.Members {
		if deeper(v.Members[i].Value, than-1) {
			return true
		}
	}
	return false
}

func readString(to *string, v value.Value) string {
	if v.Kind != value.String {
		return "a string"
	}
	*to = v.Str
	return ""
}

func inputSchema(params []parameter) json.RawMessage {
	var props, required []string
	for _, p := range params {
		props = append(props, fmt.Sprintf("%q:%s", p.name, p.schema))
		if p.required {
			required = append(required, fmt.Sprintf("%q", p.name))
		}
	}
	s := `{"type":"object","properties":{` + strings.Join(props, ",") + `}`
	if len(required) > 0 {
		s += `,"required":[` + strings.Join(required, ",") + `]`
	}
	return json.RawMessage(s + `,"additionalProperties":false}`)
}

// readArguments reads what a call sent, as it was spelled.
func readArguments(tool string, params []parameter, text json.RawMessage) (*arguments, error) {
	v := value.OfMap()
	if len(text) > 0 && string(text) != "null" {
		var err error
		if v, err = value.ParseJSON(text); err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", tool, err)
		}
	}
	if v.Kind != value.Map {
		return nil, fmt.Errorf("arguments of %s: expected an object, got %s", tool, v.Kind)
	}
	a := &arguments{}
	for _, p := range params {
		arg, ok := v.Get(p.name)
		if !ok {
			if p.required {
				return nil, fmt.Errorf("%s needs the argument %s", tool, p.name)
			}
			continue
		}
		if want := p.read(a, arg); want != "" {
			return nil, fmt.Errorf("argument %s of %s must be %s, got %s", p.name, tool, want, shown(arg))
		}
	}
	for _, m := range v.Members {
		if !known(params, m.Name) {
			return nil, fmt.Errorf("%s has no argument %q; it has %s", tool, m.Name, names(params))
		}
	}
	return a, nil
}

func known(params []parameter, name string) bool {
	for _, p := range params {
		if p.name == name {
			return true
		}
	}
	return false
}

func names(params []parameter) string {
	if len(params) == 0 {
		return "none"
	}
	var b []string
	for _, p := range params {
		b = append(b, p.name)
	}
	return strings.Join(b, ", ")
}

// shown is a value of the wrong type, for a message.
func shown(v value.Value) string {
	if v.Kind == value.List || v.Kind == value.Map || value.DumpsLen(v, 40) > 40 {
		return "a " + v.Kind.String()
	}
	return string(value.AppendJSON(nil, v))
}

var (
	listSchema = json.RawMessage(`{"type":"object","properties":{"result":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"}},"required":["id","title","description"]}}},"required":["result"]}`)

	envelopeSchema = json.RawMessage(`{"type":"object","properties":{
"session_id":{"type":"string","pattern":"^ses_[0-9a-f]{12}$"},
"tree_id":{"type":"string"},
"node":{"type":"string"},
"step":{"type":"integer","minimum":1},
"error":{"type":["string","null"],"description":"Why the submission was rejected; the state is unchanged."},
"outcome":{"type":["string","null"]},
"evidence":{"type":"object"},
"state":{"type":"string","enum":["awaiting_answer","awaiting_tool_result","awaiting_judgment","done"]},
"instruction":{"type":"string"},
"expects":{"type":["object","null"],"properties":{"kind":{"type":"string","enum":["enum","text","tool_result"]},"options":{"type":"array","items":{"type":"string"}},"require_rationale":{"type":"boolean"},"tool":{"type":"string"},"args":{"type":"object"},"schema":{"type":["object","null"]}},"required":["kind"]}},
"required":["session_id","tree_id","node","step","error","outcome","evidence","state","instruction","expects"]}`)

	traceSchema = json.RawMessage(`{"type":"object","properties":{
"session_id":{"type":"string"},
"tree_id":{"type":"string"},
"tree_hash":{"type":"string","pattern":"^[0-9a-f]{64}$"},
"outcome":{"type":["string","null"]},
"trace":{"type":"array","items":{"type":"object","properties":{"seq":{"type":"integer","minimum":1},"node":{"type":"string"},"input":{},"resolved_branch":{"type":["string","null"]},"rationale":{"type":["string","null"]},"timestamp":{"type":"string"},"source":{"type":["string","null"],"enum":["elicitation","tree_answer",null]}},"required":["seq","node","input","resolved_branch","rationale","timestamp","source"]}}},
"required":["session_id","tree_id","tree_hash","outcome","trace"]}`)
)
