package format_test

import (
	"context"
	"fmt"
	"strings"

	"mcpg/ingest/format"
)

func Example() {
	const log = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish","arguments":{"id":"app-1"}}}
{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"tests have not passed"}],"isError":true}}
`
	f, err := format.Detect([]byte(log), "session.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	in := &format.Input{
		Ctx: context.Background(), File: "session.jsonl", Scope: "session", R: strings.NewReader(log),
		Emit: func(r *format.Record) error {
			fmt.Println(r.Call.Pos, r.Call.Tool, string(r.Call.Args), r.Call.ResultText)
			return nil
		},
	}
	if err := f.Read(in); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Name, in.Lines, in.Uses)
	// Output:
	// session.jsonl:1 publish {"id":"app-1"} tests have not passed
	// jsonrpc 2 map[calls:2]
}
