package format

import "testing"

// TestClaudeRouters: behind a router other models count ids from 0, in the main
// chain and in every sub-agent; a copied call's answer may stand behind the copy.
func TestClaudeRouters(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ log, want string }{
		"chains with one id": {`{"type":"assistant","sessionId":"S","uuid":"00000000-0000-4000-8000-000000000001","message":{"content":[{"type":"tool_use","id":"call_0","name":"Task","input":{}}]}}
{"type":"assistant","sessionId":"S","uuid":"00000000-0000-4000-8000-000000000011","isSidechain":true,"agentId":"ag1","message":{"content":[{"type":"tool_use","id":"call_0","name":"Bash","input":{}}]}}
{"type":"user","sessionId":"S","uuid":"00000000-0000-4000-8000-000000000012","isSidechain":true,"agentId":"ag1","message":{"content":[{"type":"tool_result","tool_use_id":"call_0","content":"no such dir","is_error":true}]}}
{"type":"user","sessionId":"S","uuid":"00000000-0000-4000-8000-000000000002","message":{"content":[{"type":"tool_result","tool_use_id":"call_0","content":"sub done"}]}}
`, `
1 S|claude-code|Task call_0 {} ok "sub done"
2 S/ag1|claude-code|Bash call_0 {} failed "no such dir"
4 calls`},
		"the answer stands behind the copy": {`{"type":"assistant","sessionId":"S","uuid":"00000000-0000-4000-8000-000000000001","message":{"content":[{"type":"tool_use","id":"toolu_01AAAAAAAAAAAAAAAAAA","name":"Task","input":{}}]}}
{"type":"assistant","sessionId":"T","uuid":"00000000-0000-4000-8000-000000000001","message":{"content":[{"type":"tool_use","id":"toolu_01AAAAAAAAAAAAAAAAAA","name":"Task","input":{}}]}}
{"type":"user","sessionId":"T","uuid":"00000000-0000-4000-8000-000000000002","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_01AAAAAAAAAAAAAAAAAA","content":"done"}]}}
{"type":"user","sessionId":"T","uuid":"00000000-0000-4000-8000-000000000002","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_01AAAAAAAAAAAAAAAAAA","content":"done"}]}}
`, `
1 S|claude-code|Task toolu_01AAAAAAAAAAAAAAAAAA {} ok "done"
2 calls, 1 copied answers, 1 copied calls`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compare(t, show(t, &claudeCodeFormat, tt.log), tt.want)
		})
	}
}
