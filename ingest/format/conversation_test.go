package format

import "testing"

// TestTurns: answers without ids go to a call of the last turn, of the tool that
// they name; and a record that tells the last one again adds what is new.
func TestTurns(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ log, want string }{
		"an earlier turn stays open": {`[{"role":"assistant","tool_calls":[{"name":"get_balance","args":{}}]},
{"role":"user","content":"never mind, send it"},
{"role":"assistant","tool_calls":[{"name":"send_money","args":{"to":"x"}}]},
{"role":"tool","name":"send_money","content":"ValueError('Recipient unknown')"}]
`, `
1 log||get_balance log/0 {} unanswered ""
3 log||send_money log/1 {"to":"x"} words "ValueError('Recipient unknown')"
3 calls, 1 other messages`},
		"answers name their tools": {`[{"role":"assistant","tool_calls":[{"name":"g","args":{}},{"name":"h","args":{}}]},
{"role":"tool","name":"h","content":"H"},
{"role":"tool","name":"g","content":"G"}]
`, `
1 log||g log/0 {} words "G"
1 log||h log/1 {} words "H"
3 calls`},
		"a log of requests": {`{"model":"m","messages":[{"role":"user","content":"` + long + `"},{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}}]}]}
{"model":"m","messages":[{"role":"user","content":"` + long + `"},{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"x"}]}
{"model":"m","messages":[{"role":"user","content":"other"}]}
`, `
1 log/1||f c1 {} words "x"
2 calls, 2 messages told again, 2 other messages; 1 silent`},
		"a bad line among others": {`{"messages":[{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}}]}]}
{"messages":[{"role":"assist
{"messages":[{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"g","arguments":"{}"}}]}],"trajectory":[{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"g","arguments":"{}"}}]}]}
`, `
1 log/1||f c1 {} unanswered ""
3 log/2||g c1 {} unanswered ""
log:2: not JSON: it ends too early [bad-line]
2 calls, 1 findings`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compare(t, show(t, &chatFormat, tt.log), tt.want)
		})
	}
}

const long = "a question that is long enough for the list of messages to be taken for the beginning of the next one, as it would be in a log of what an agent sent to its model, turn after turn"
