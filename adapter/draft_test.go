package adapter

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/internal/golden"
)

func toolsIn(t testing.TB, file string) []Tool {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := ParseTools(b)
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

const (
	filesystemTools = "../simulators/filesystem/tools.json"
	strangers       = "../examples/adapter/task-manager"
)

// TestDraft drafts adapters of servers that nobody made for it.
func TestDraft(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/draft/*.tools.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range append(files, filesystemTools, strangers+".tools.json") {
		name := strings.TrimSuffix(filepath.Base(file), ".tools.json")
		if file == filesystemTools {
			name = "filesystem"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools := toolsIn(t, file)
			d, err := Propose(name, tools, nil)
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("draft", name+".draft"), fmt.Appendf(nil, "%s\n\n%s", strings.Join(d.Said, "\n"), d.JSON))
			if again, err := Propose(name, tools, nil); err != nil || string(again.JSON) != string(d.JSON) {
				t.Errorf("another draft the second time: %v", err)
			}
			for _, f := range d.Adapter.CheckTools(name, tools) {
				if f.Rule != "no-resource" {
					t.Error(f)
				}
			}
		})
	}
}

// TestPutRight: fewer than ten lines make a draft of a stranger's server right.
func TestPutRight(t *testing.T) {
	t.Parallel()
	tools := toolsIn(t, strangers+".tools.json")
	d, err := Propose("task-manager-server", tools, nil)
	if err != nil {
		t.Fatal(err)
	}
	right, err := os.ReadFile(strangers + ".json")
	if err != nil {
		t.Fatal(err)
	}
	drafted := strings.Split(string(d.JSON), "\n")
	var changed []string
	for line := range strings.Lines(string(right)) {
		if line = strings.TrimSuffix(line, "\n"); !slices.Contains(drafted, line) {
			changed = append(changed, line)
		}
	}
	if len(changed) == 0 || len(changed) >= 10 {
		t.Errorf("%d lines are changed:\n%s", len(changed), strings.Join(changed, "\n"))
	}
	a, err := Parse(right)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.CheckTools("task-manager.json", tools) {
		if !f.Note {
			t.Error(f)
		}
	}
	// What the server answers, as it does.
	read := func(string, jsontext.Value) Reading {
		return Reading{Text: `{"status": "task_details", "requestId": "req-1", "completed": false, "task": {"id": "task-1", "title": "a", "done": true, "approved": false, "completedDetails": ""}}`}
	}
	args := jsontext.Value(`{"requestId":"req-1","taskId":"task-1"}`)
	c := &calllog.Call{Tool: "delete_task", Args: args, ResultText: `{"status": "error", "message": "Cannot delete completed task"}`}
	c.Before = a.Observe(c.Tool, c.Args, read)
	if got := a.View(c).State.String(); got != "[exists=true, status=task_details, task={}, task.approved=false, task.done=true]" {
		t.Error(got)
	}
	if Classify(c, calllog.Evidence{}, a); c.Outcome != calllog.Rejected || c.Cause != calllog.StateCause {
		t.Error(c.Outcome, c.Cause)
	}
}

// TestShippedFit: shipped adapters fit the tools that their servers list.
func TestShippedFit(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"filesystem": filesystemTools, "memory": "testdata/draft/memory.tools.json"} {
		a, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.CheckTools(name, toolsIn(t, file)) {
			t.Error(f)
		}
	}
}

// TestMemory: ids within lists, and a read that wants a list.
func TestMemory(t *testing.T) {
	t.Parallel()
	a, err := Load("memory")
	if err != nil {
		t.Fatal(err)
	}
	read := func(tool string, args jsontext.Value) Reading {
		switch string(args) {
		case `{"names":["ann"]}`:
			return Reading{Text: `{"entities":[{"name":"ann","entityType":"person","observations":[]}],"relations":[]}`}
		case `{"names":["zed"]}`:
			return Reading{Text: `{"entities":[],"relations":[]}`}
		}
		t.Errorf("%s is read with %s", tool, args)
		return Reading{Failed: true}
	}
	for _, tt := range []struct{ tool, args, names, state string }{
		{"add_observations", `{"observations":[{"entityName":"ann","contents":["x"]}]}`, "entity:ann", "[entities.length=1, exists=true]"},
		{"add_observations", `{"observations":[{"entityName":"zed","contents":["x"]}]}`, "entity:zed", "[entities.length=0, exists=true]"},
		{"delete_entities", `{"entityNames":["zed"]}`, "entity:zed", "[entities.length=0, exists=true]"},
		{"create_entities", `{"entities":[{"name":"ann"},{"name":"ann"}]}`, "entity:ann", "[entities.length=1, exists=true]"},
		{"create_relations", `{"relations":[{"from":"ann","to":"zed"}]}`, "entity:ann entity:zed", "[from.entities.length=1, from.exists=true, to.entities.length=0, to.exists=true]"},
		{"open_nodes", `{"names":["ann"]}`, "entity:ann", "[entities.length=1, exists=true]"},
		{"read_graph", `{}`, "", "[]"},
	} {
		c := &calllog.Call{Tool: tt.tool, Args: jsontext.Value(tt.args)}
		c.Before = a.Observe(c.Tool, c.Args, read)
		v := a.View(c)
		if got := a.Names(c); got != tt.names {
			t.Errorf("%s is about %q, want %q", tt.tool, got, tt.names)
		}
		// Of a list it is also told whether any of it is so.
		state := regexp.MustCompile(`(\w+\.)?any exists=\w+, `).ReplaceAllString(v.State.String(), "")
		if state != tt.state {
			t.Errorf("%s %s: %s, want %s", tt.tool, tt.args, state, tt.state)
		}
		if len(v.Args.Features) > 0 {
			t.Errorf("%s: arguments %s", tt.tool, v.Args)
		}
	}
}

// one is a tool of a list, as short as it can be written: name(arg*, …).
func listOf(t testing.TB, tools ...string) []Tool {
	t.Helper()
	var list []string
	for _, s := range tools {
		name, rest, _ := strings.Cut(s, "(")
		var props, required []string
		args, notes, _ := strings.Cut(rest, ")")
		for _, arg := range strings.Fields(args) {
			kind := `{"type":"string"}`
			if p, ok := strings.CutSuffix(arg, "*"); ok {
				arg = p
				required = append(required, fmt.Sprintf("%q", strings.TrimSuffix(arg, "[]")))
			}
			if p, ok := strings.CutSuffix(arg, "[]"); ok {
				arg, kind = p, `{"type":"array","items":{"type":["null","integer"]}}`
			}
			props = append(props, fmt.Sprintf("%q:%s", arg, kind))
		}
		hints := map[string]string{"r": `"readOnlyHint":true`, "w": `"readOnlyHint":false`, "d": `"destructiveHint":true`}[strings.TrimSpace(notes)]
		list = append(list, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{%s},"required":[%s]},"annotations":{%s}}`, name, strings.Join(props, ","), strings.Join(required, ","), hints))
	}
	out, err := ParseTools([]byte("[" + strings.Join(list, ",") + "]"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDraftRules shows what is concluded from what.
func TestDraftRules(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tools []string
		want  []string // parts of the draft
	}{
		"annotations before names": {[]string{"delete_x(x_id*) r", "get_x(x_id*) w", "read_x(x_id*) r"}, []string{`"delete_x": "READ_ONLY"`, `"get_x": "MUTATING"`}},
		"destructive":              {[]string{"drop_x(x_id*)", "put_x(x_id*) d", "set_x(x_id*) w"}, []string{`"drop_x": "DESTRUCTIVE"`, `"put_x": "DESTRUCTIVE"`, `"set_x": "MUTATING"`, `"approval_required": ["drop_x", "put_x"]`}},
		"spelling":                 {[]string{"getOrder(orderId*)", "cancelOrder(order_id*)", "shipOrders(orderIds[]*)"}, []string{`"resource_class": "order"`, `"observation_tool": "getOrder"`, `"id_param": "orderId"`, `"id_param_aliases": ["order_id", "orderIds"]`}},
		"a bare id":                {[]string{"get_order(id*)", "cancel_order(id*)", "pay(order_id*)"}, []string{`"resource_class": "order"`, `"id_param": "id"`, `"id_param_aliases": ["order_id"]`}},
		"the better reader":        {[]string{"list_order_items(order_id*)", "get_order_history(order_id*)", "get_order(order_id*)", "cancel_order(order_id*)"}, []string{`"observation_tool": "get_order"`}},
		"read by a list":           {[]string{"get_orders(order_ids[]*) r", "cancel_order(order_id*)"}, []string{`"id_param": "order_ids[]"`, `"id_param_aliases": ["order_id"]`}},
		"two kinds":                {[]string{"get_order(order_id*)", "get_user(user_id*)", "give_order(order_id* user_id*)", "pay_order(order_id*)"}, []string{`"resource_class": "order"`, `{"class": "user", "id_params": ["user_id"], "observations": [{"tool": "get_user"}]}`, `{"tools": ["give_order"], "param": "order_id", "class": "order"}`, `{"tools": ["give_order"], "param": "user_id", "role": "user", "class": "user"}`}},
		"files":                    {[]string{"file_stat(file_path*) r", "copy(src* dst*)", "write(file_path* content*)"}, []string{`"id_param": "file_path"`, `"param": "src", "role": "src"`, `"param": "dst", "role": "dst"`}},
		"several in common":        {[]string{"get_issue(owner* repo_name* issue_number*)", "close_issue(owner* repo_name* issue_number*)"}, []string{`"close_issue": "MUTATING"`}},
		"a role that is taken":     {[]string{"get_x(x_id*)", "get_relation(relation_id*)", "set_x(x_id* relation_id*)", "swap_x(x_id* other_x_id*)"}, []string{`"role": "the_relation"`, `"role": "other_x"`}},
		"other things of it":       {[]string{"get_next_task(request_id*)", "close_request(request_id*)"}, []string{`"get_next_task": "READ_ONLY"`}},
		"texts are no ids":         {[]string{"get_answer(question*)", "ask(question*)", "search(query*)", "save(query*)"}, []string{`"get_answer": "READ_ONLY"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := Propose("s", listOf(t, tt.tools...), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range tt.want {
				if !strings.Contains(string(d.JSON), part) {
					t.Errorf("no %s in\n%s%s", part, d.JSON, strings.Join(d.Said, "\n"))
				}
			}
			if strings.HasPrefix(name, "several") || strings.HasPrefix(name, "texts") || strings.HasPrefix(name, "other things") {
				if d.Adapter.IDParam != "" {
					t.Errorf("it names things:\n%s", d.JSON)
				}
			}
		})
	}
}

// TestDraftFormats tells the format from answers.
func TestDraftFormats(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"status":"open","n":3}`: "x: from 1 answer its state is status",
		"status: open\nsize: 3":   "x: from 1 answer its state is status",
		"It is open.":             "get_x answers with neither a JSON object nor lines of key: value: its states can't be read",
		`{"n":1}`:                 "x: from 1 answer its state is that it exists, and nothing else; name fields that count in features",
		"":                        "no answer of get_x was seen: taken to be a JSON object",
	} {
		answers := map[string][]string{}
		if answer != "" {
			answers["get_x"] = []string{answer}
		}
		d, err := Propose("s", listOf(t, "get_x(x_id*)", "set_x(x_id*)"), answers)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(d.Said, want) {
			t.Errorf("%q: it says\n%s\nwant %s", answer, strings.Join(d.Said, "\n"), want)
		}
		if kv := d.Adapter.ObservationFormat == KVText; kv != strings.HasPrefix(answer, "status") {
			t.Errorf("%q: format %q", answer, d.Adapter.ObservationFormat)
		}
	}
}

// TestSeen tells tools from calls.
func TestSeen(t *testing.T) {
	t.Parallel()
	var s Seen
	for _, c := range []calllog.Call{
		{Tool: "get_x", Args: jsontext.Value(`{"x_id":"a"}`), ResultText: `{"status":"open"}`},
		{Tool: "set_x", Args: jsontext.Value(`{"x_id":"a","note":"n"}`)},
		{Tool: "set_x", Args: jsontext.Value(`{"x_id":"a"}`)},
		{Tool: "set_x", Args: jsontext.Value(`{}`), Outcome: calllog.Rejected, Cause: calllog.ArgumentCause},
		{Tool: "sets", Args: jsontext.Value(`{"x_ids":["a"],"rows":[{"x_id":"b"}],"e":[]}`)},
		{Tool: "gone", Outcome: calllog.Rejected, Cause: calllog.UnknownTool},
		{Tool: "bad", Args: jsontext.Value(`{"a`)},
	} {
		s.Add(&c)
	}
	var got []string
	for _, tool := range s.Tools {
		for _, p := range tool.Params {
			got = append(got, fmt.Sprint(tool.Name, " ", p.Path, " ", p.Kind, " ", p.Required))
		}
	}
	want := []string{"get_x x_id string true", "set_x x_id string true", "set_x note string false", "sets x_ids[] string true", "sets rows [ true", "sets rows[].x_id string true", "sets e [ true"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	d, err := Propose("s", s.Tools, s.Answers)
	if err != nil || d.Adapter.ObservationTool != "get_x" || len(d.Adapter.Resources) != 2 {
		t.Errorf("%v\n%s", err, d.JSON)
	}
}

// TestProbe: readers are called with ids that lists gave, and only those.
func TestProbe(t *testing.T) {
	t.Parallel()
	tools := listOf(t, "list_orders() r", "get_order(order_id*) r", "get_user(user_id*) r", "get_weather(city*) r", "pay_order(order_id* user_id*) w", "tidy() w", "read_orders(order_id*) r")
	answers := map[string]string{
		`list_orders {}`: `{"orders":[{"id":"A1"},{"id":"A2"}]}`, `get_order {"order_id":"A1"}`: `{"order_id":"A1","user_id":"u7","status":"open"}`,
		`get_order {"order_id":"A2"}`: `{"order_id":"A2","user_id":"u8"}`, `get_user {"user_id":"u7"}`: `{"name":"ann"}`, `get_user {"user_id":"u8"}`: "!gone",
	}
	for n, want := range map[int]int{0: 0, 2: 2, 50: 5} {
		var made []string
		got, err := Probe(tools, n, func(tool string, args jsontext.Value) (string, bool, error) {
			made = append(made, tool+" "+string(args))
			text, failed := strings.CutPrefix(answers[tool+" "+string(args)], "!")
			if text == "" {
				t.Errorf("it calls %s %s", tool, args)
			}
			return text, failed, nil
		})
		if err != nil || len(made) != want {
			t.Errorf("%d: %v %q", n, err, made)
		}
		if n == 50 && (len(got["get_order"]) != 2 || len(got["get_user"]) != 1) {
			t.Error(got)
		}
	}
	broken := fmt.Errorf("broken")
	if _, err := Probe(tools, 5, func(string, jsontext.Value) (string, bool, error) { return "", false, broken }); err != broken {
		t.Error(err)
	}
}

func TestParseTools(t *testing.T) {
	t.Parallel()
	const tool = `{"name":"a","inputSchema":{"properties":{"x":{"anyOf":[{"type":"null"},{"type":"string","enum":["y"]}]},"z":{"$ref":"#/x"},"l":{"type":"array","items":{"type":"object","properties":{"n":{"type":"number"},"m":{"type":"array","items":{"type":"string"}}}}}},"required":["x",5]}}`
	for _, src := range []string{`[` + tool + `,` + tool + `]`, `{"tools":[` + tool + `]}`, `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + tool + `]}}`} {
		tools, err := ParseTools([]byte(src))
		if err != nil || len(tools) != 1 || fmt.Sprint(tools[0].Params) != `[{x string true true} {z invalid false false} {l [ false false} {l[].n number false false} {l[].m [ false false}]` {
			t.Errorf("%v %v", err, tools)
		}
	}
	for src, want := range map[string]string{
		`{`: "not JSON", `{"a":[]}`: "no tools: ", `[5]`: "tool 1: ", `[{}]`: "tool 1: it has no name", `{"error":{"code":-32601}}`: "no tools: ",
	} {
		if _, err := ParseTools([]byte(src)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}

// FuzzDraft: whatever tools there are, the draft loads.
func FuzzDraft(f *testing.F) {
	f.Add([]byte(`{"tools":[{"name":"open_x","annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"names":{"type":"array","items":{"type":"string"}}},"required":["names"]}},{"name":"add","inputSchema":{"properties":{"xs":{"type":"array","items":{"type":"object","properties":{"xName":{"type":"string"}}}}}}}]}`), "a: b")
	f.Add([]byte(`[{"name":"get_=.","inputSchema":{"properties":{"=.#_id":{"type":"string"}},"required":["=.#_id"]}},{"name":"set","inputSchema":{"properties":{"=.#_id":{"type":"string"},"relation_=.#_id":{"type":"string"}}}}]`), `{"a":1}`)
	f.Fuzz(func(t *testing.T, list []byte, answer string) {
		tools, err := ParseTools(list)
		if err != nil {
			return
		}
		answers := map[string][]string{}
		for _, tool := range tools {
			answers[tool.Name] = []string{answer}
		}
		d, err := Propose("", tools, answers)
		if err != nil {
			t.Fatal(err)
		}
		d.Adapter.CheckTools("f", tools)
		if _, err := Probe(tools, 5, func(string, jsontext.Value) (string, bool, error) { return answer, false, nil }); err != nil {
			t.Fatal(err)
		}
	})
}
