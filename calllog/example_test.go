package calllog_test

import (
	"fmt"
	"strings"

	"mcpg/calllog"
)

func Example() {
	const log = `{"tool":"get_release","args":{"release_id":"app-1"},"is_error":false,"result_text":"{}"}
{"tool":"publish_release","args":{"release_id":"app-1"},"is_error":true,"result_text":"tests have not passed"}
{"tool":"run_tests","args":{"release_id":"app-1"}}
{"tool":
`
	r := calllog.NewReader(strings.NewReader(log), "calls.jsonl")
	for r.Scan() {
		c := r.Call()
		fmt.Printf("%s %s: %s %q\n", c.Pos, c.Tool, c.Outcome, c.ErrorText)
	}
	if err := r.Err(); err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range r.Findings() {
		fmt.Println(f.Pos, f.Rule) // a bad line doesn't end the reading
	}
	// Output:
	// calls.jsonl:1 get_release: ok ""
	// calls.jsonl:2 publish_release: rejected "tests have not passed"
	// calls.jsonl:3 run_tests: unanswered ""
	// calls.jsonl:4 bad-line
}
