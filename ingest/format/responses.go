package format

import "github.com/go-json-experiment/json/jsontext"

// responsesFormat is items of the OpenAI Responses API, as the Agents SDK keeps
// them too: a list, lines, or whole responses with their output.
var responsesFormat = Format{
	Name: "openai-responses",
	What: "OpenAI Responses and Agents items: function_call, function_call_output, mcp_call; lists, lines or responses",
	detect: func(h *Head) (bool, string) {
		return h.record(isItem) || h.record(func(o object) bool {
			return o.str("object") == "response" || anyElement(o, []string{"output", "input", "items", "new_items"}, isItem)
		}) || itemInList(h.bytes), `no item of type "function_call", "function_call_output" or "mcp_call"`
	},
	read: func(in *Input) error {
		s := newConversations(in, "")
		err := in.document().each(nil, nil, func(line int, rec jsontext.Value) error {
			o := objectOf(rec)
			switch {
			case o == nil:
				return s.list(rec, line)
			case o.has("type") && !o.hasAny("output", "input", "items") || isItem(o) || o.has("role", "content"):
				return s.loose(o, line)
			}
			return s.record(o, rec, line)
		})
		if err != nil {
			return err
		}
		return s.end()
	},
}

var itemTypes = map[string]bool{"function_call": true, "function_call_output": true, "mcp_call": true, "custom_tool_call": true,
	"custom_tool_call_output": true, "mcp_list_tools": true, "mcp_approval_request": true}

func isItem(o object) bool { return itemTypes[o.str("type")] }

// anyElement tells whether one of the named members is a list with an element
// for which ok holds.
func anyElement(o object, names []string, ok func(object) bool) bool {
	for _, n := range names {
		for _, e := range elements(o.get(n)) {
			if ok(objectOf(e)) {
				return true
			}
		}
	}
	return false
}

// itemInList looks at the elements of a list that are in the head.
func itemInList(head []byte) bool { return headElement(head, isItem) }

// headElement tells whether ok holds for one of a list's first elements.
func headElement(head []byte, ok func(object) bool) bool {
	d := newDecoder(head)
	if d.PeekKind() != '[' {
		return false
	}
	_, _ = d.ReadToken()
	for range headLines {
		v, err := d.ReadValue()
		if err != nil {
			return false
		}
		if ok(objectOf(v)) {
			return true
		}
	}
	return false
}
