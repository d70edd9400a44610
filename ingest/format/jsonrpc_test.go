package format

import "testing"

const rpcHello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
{"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"files"},"capabilities":{}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func TestJSONRPC(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ log, want string }{
		"out of order, ids by type and value, unanswered": {rpcHello + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}
{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"cut","inputSchema":{"type":"object"}}]}}
{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"cut","arguments":{"n":9007199254740993}}}
{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{"name":"cut"}}
{"jsonrpc":"2.0","id":7.5,"method":"tools/call","params":{"name":"paste","arguments":{}}}
{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"paste","arguments":{}}}
{"jsonrpc":"2.0","id":9007199254740992,"method":"tools/call","params":{"name":"paste","arguments":{}}}
{"jsonrpc":"2.0","id":9007199254740993,"result":{"content":[{"type":"text","text":"…993"}]}}
{"jsonrpc":"2.0","id":7.5,"error":{"code":-32602,"message":"bad","data":"really"}}
{"jsonrpc":"2.0","id":"7","result":{"content":[{"type":"text","text":"string"}],"isError":true}}
{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"xx"}]}}
`, `
6 log|files|cut 7 {"n":9007199254740993} ok "a\n[image image/png]" result={"content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"xx"}]} tool=f11efd8cbeda
7 log|files|cut 7 null failed "string" tool=f11efd8cbeda
8 log|files|paste 7.5 {} failed code=-32602 "bad: really"
9 log|files|paste 9007199254740993 {} ok "…993"
10 log|files|paste 9007199254740992 {} unanswered ""
9 calls, 1 handshakes, 1 notifications, 2 other requests, 1 tool lists`},
		"the server asks with an id of the client's": {rpcHello + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{}}}
{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}
{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}
`, `
4 log|files|ask 1 {} ok "done"
2 calls, 1 handshakes, 1 notifications, 1 other answers, 2 other requests`},
		"the server samples and pings with ids of the client's": {`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":{}}}
{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"role":"assistant","content":{"type":"text","text":"sampled"},"model":"m"}}
{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"REAL"}]}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"b","arguments":{}}}
{"jsonrpc":"2.0","id":3,"method":"ping"}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"c","arguments":{}}}
{"jsonrpc":"2.0","id":4,"method":"elicitation/create","params":{}}
{"jsonrpc":"2.0","id":4,"error":{"code":-1,"message":"User rejected"}}
{"jsonrpc":"2.0","id":4.0,"result":{"content":[{"type":"text","text":"c"}]}}
`, `
1 log||a 2 {} ok "REAL"
5 log||b 3 {} failed "no"
9 log||c 4 {} ok "c"
6 calls, 3 other answers, 3 other requests`},
		"two calls alike that want input": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"buy","arguments":{"x":1}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"buy","arguments":{"x":1}}}
{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s1"}}
{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"s2"}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"buy","arguments":{"x":1},"requestState":"s2","inputResponses":{}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"buy","arguments":{"x":1},"requestState":"s1","inputResponses":{}}}
{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"two"}],"isError":true}}
{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"one"}]}}
`, `
1 log||buy 1 {"x":1} ok "one"
2 log||buy 2 {"x":1} failed "two"
8 calls`},
		"a ping before a call with its id, and a task that fails": {`{"jsonrpc":"2.0","id":1,"method":"ping"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{}}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"card expired"}],"isError":true}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{},"task":{}}}
{"jsonrpc":"2.0","id":2,"result":{"task":{"taskId":"T","status":"working"}}}
{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"T","status":"failed","statusMessage":"disk full"}}
`, `
2 log||pay 1 {} failed "card expired"
5 log||slow 2 {} failed "disk full"
5 calls, 1 other answers, 1 other requests`},
		"connections restart their ids": {rpcHello + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}
` + rpcHello + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"b","arguments":{}}}
{"jsonrpc":"2.0","id":1,"result":{"content":[]}}
`, `
4 log|files|a 1 {} unanswered ""
8 log#2|files|b 1 {} ok ""
3 calls, 2 handshakes, 2 notifications, 2 other requests`},
		"2026-07-28: no handshake, input required": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{"n":1},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"till"}}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pay","arguments":{"n":1},"inputResponses":{"x":1}}}
{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"paid"}]}}
`, `
1 log|till|pay 1 {"n":1} ok "paid"
4 calls`},
		"tasks": {rpcHello + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{},"task":{}}}
{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t","status":"working"}}}
{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"t"}}
{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"late"}]}}
`, `
4 log|files|slow 1 {} ok "late"
4 calls, 1 handshakes, 1 notifications, 1 other requests`},
		"batches, a cancelled call, noise, faults": {`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}]
[{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"Request timed out"}}]
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"user"}}
{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}
{"jsonrpc":"2.0","id":8,"result":{"content":[]}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}
{"jsonrpc":"2.0"}
nonsense with a secret
7

{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"c"}}
{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"d"}}
{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"d"}]}}
{"jsonrpc":"2.0","id":6,"meth`, `
1 log||a 1 null unanswered "" error="cancelled: user"
1 log||b 2 null failed code=-32001 "Request timed out"
11 log||c 5 null unanswered ""
12 log||d 5 null ok "d"
log:4: an answer to no open request [unpaired]
log:5: an answer to no open request [unpaired]
log:6: a tools/call without the name of a tool [bad-message]
log:7: a message that is no request, notification or answer [bad-message]
log:8: not JSON: invalid character 'o' in literal null (expecting 'u') after offset 1 [bad-line]
log:9: a message that is no JSON object [bad-message]
log:12: the id of the call in line 11, which has no answer yet, is used again [duplicate-id]
log:14: not JSON: it ends too early [bad-line]
1 blank, 6 calls, 7 findings`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compare(t, show(t, &jsonrpcFormat, tt.log), tt.want)
		})
	}
}

func FuzzJSONRPC(f *testing.F) {
	f.Add(rpcHello + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}` + "\n" + `[{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}}]`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":1}}}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tasks/result","params":{"taskId":1}}`)
	f.Fuzz(func(t *testing.T, log string) { accounted(t, &jsonrpcFormat, log) })
}
