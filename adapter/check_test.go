package adapter

import (
	"slices"
	"strings"
	"testing"

	"mcpg/calllog"
)

// TestCheckTools: what an adapter can have wrong about its server.
func TestCheckTools(t *testing.T) {
	t.Parallel()
	tools := []string{"get_x(x_id*) r", "get_xs(x_ids[]*) r", "get_page(x_id* page*) r", "peek_x(x_id*) w", "set_x(x_id* note) w", "drop_x(x_id*) d", "add(title*) w", "link(y_id*) w"}
	const head = `{"server_id":"s","id_param":"x_id","observation_tool":"get_x"`
	const rest = `,"resources":[{"tools":["link"],"param":"y_id","class":"resource"}],"effect_classes":{"link":"MUTATING","peek_x":"MUTATING"}}`
	for name, tt := range map[string]struct {
		src  string
		want []string // of findings that count; all that there are
	}{
		"fine":              {head + rest, nil},
		"no such tool":      {`{"server_id":"s","id_param":"x_id","observation_tool":"getX"` + rest, []string{"a:1: /observation_tool: the server has no tool getX; it has get_x [unknown-tool]"}},
		"it writes":         {`{"server_id":"s","id_param":"x_id","observation_tool":"peek_x","resources":[{"tools":["link"],"param":"y_id","class":"resource"}],"effect_classes":{"peek_x":"READ_ONLY"}}`, []string{"a:1: /observation_tool: the server says that peek_x doesn't only read [observation-writes]", "a:1: /effect_classes: the server says that link doesn't only read, the adapter takes it to [effect]"}},
		"no such id":        {`{"server_id":"s","id_param":"id","id_param_aliases":["x_id"],"observation_tool":"get_x"` + rest, []string{"a:1: /observation_tool: get_x has no argument id; it has x_id [observation-param]", "a:1: /observation_tool: get_x needs x_id too, which the read doesn't give [observation-param]", "a:1: /id_param: no tool has an argument id [unknown-argument]"}},
		"a list":            {`{"server_id":"s","id_param":"x_ids","id_param_aliases":["x_id"],"observation_tool":"get_xs"` + rest, []string{"a:1: /observation_tool: get_xs wants a list in x_ids: write x_ids[] [observation-param]"}},
		"more needed":       {head + `,"observations":[{"tool":"get_page","as":"page"}]` + rest, []string{"a:1: /observations/0/tool: get_page needs page too, which the read doesn't give [observation-param]"}},
		"given":             {head + `,"observations":[{"tool":"get_page","as":"page","args":{"page":"1"}}]` + rest, nil},
		"further arguments": {head + `,"observation_args":{"deep":true}` + rest, []string{"a:1: /observation_tool: get_x has no argument deep; it has x_id [observation-param]"}},
		"ambient":           {head + `,"ambient":[{"tool":"get_me","as":"me"}]` + rest, []string{"a:1: /ambient/0/tool: the server has no tool get_me [unknown-tool]"}},
		"other class":       {head + `,"classes":[{"class":"y","id_params":["z_id"],"observations":[{"tool":"get_x","id_param":"z_id","tools":["sets"]}]}]` + rest, []string{"a:1: /classes/0/observations/0/tool: get_x has no argument z_id; it has x_id [observation-param]", "a:1: /classes/0/observations/0/tool: get_x needs x_id too, which the read doesn't give [observation-param]", "a:1: /classes/0/observations/0/tools/0: the server has no tool sets [unknown-tool]", "a:1: /classes/0/id_params/0: no tool has an argument z_id [unknown-argument]"}},
		"named elsewhere": {head + `,"approval_required":["drop"],"returns":["get"],"argument_features":{"*":["n"],"set_x":["note","n"],"put":["n"]},"relations":[{"tools":["set_x"],"op":"less","arg":"n","arg2":"note"}],"error_patterns":[{"pattern":"x","tools":["e"]}],"soft_error_patterns":[{"pattern":"x","tools":["f"]}]` + rest, []string{
			"a:1: /approval_required/0: the server has no tool drop [unknown-tool]", "a:1: /returns/0: the server has no tool get [unknown-tool]", "a:1: /relations/0/arg: set_x has no argument n; it has x_id, note [unknown-argument]",
			"a:1: /error_patterns/0/tools/0: the server has no tool e [unknown-tool]", "a:1: /soft_error_patterns/0/tools/0: the server has no tool f [unknown-tool]", "a:1: /argument_features/put: the server has no tool put [unknown-tool]", "a:1: /argument_features/set_x/1: set_x has no argument n; it has x_id, note [unknown-argument]"}},
		"effects":    {head + "\n,\"effect_classes\":{\"drop_x\":\n\"READ_ONLY\",\"peek_x\":\"MUTATING\",\"put\":\"MUTATING\",\"link\":\"READ_ONLY\"}}", []string{"a:2: /effect_classes/drop_x: READ_ONLY, but the server says that drop_x destroys [effect]", "a:3: /effect_classes/put: the server has no tool put [unknown-tool]", "a: link changes something, and no argument of it names a thing; it has y_id [no-resource]"}},
		"no class":   {`{"server_id":"s","effect_classes":{"link":"MUTATING","peek_x":"MUTATING"}}`, nil},
		"no such of": {head + `,"resources":[{"tools":["link"],"param":"x_id","class":"resource"}],"effect_classes":{"link":"MUTATING","peek_x":"MUTATING"}}`, []string{"a:1: /resources/0/param: link has no argument x_id; it has y_id [unknown-argument]", "a: link changes something, and no argument of it names a thing; it has y_id [no-resource]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := parse(t, tt.src)
			var got []string
			for _, f := range a.CheckTools("a", listOf(t, tools...)) {
				if !f.Note {
					got = append(got, f.String())
				}
			}
			want := slices.Sorted(slices.Values(tt.want))
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestCheckCalls: of a log it isn't known what wasn't called.
func TestCheckCalls(t *testing.T) {
	t.Parallel()
	var s Seen
	s.Add(&calllog.Call{Tool: "set_x", Args: []byte(`{"x_id":"a"}`)})
	s.Add(&calllog.Call{Tool: "move", Args: []byte(`{"to_id":"a"}`)})
	a := parse(t, `{"server_id":"s","id_param":"x_id","observation_tool":"get_x","id_param_aliases":["id"],"argument_features":{"set_x":["note"]}}`)
	var counted, noted int
	for _, f := range a.CheckTools("a", s.Tools) {
		if f.Note {
			noted++
		} else if counted++; f.Rule != "no-resource" {
			t.Error(f)
		}
	}
	if counted != 1 || noted != 3 {
		t.Errorf("%d and %d", counted, noted)
	}
}
