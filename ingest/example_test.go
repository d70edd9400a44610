package ingest_test

import (
	"context"
	"fmt"
	"strings"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/ingest"
)

func Example() {
	const log = `{"server":"release","tool":"get_release","args":{"release_id":"app-1"},"is_error":false,"result_text":"{\"status\":\"DRAFT\"}"}
{"server":"release","tool":"publish_release","args":{"release_id":"app-1"},"is_error":true,"result_text":"tests have not passed"}
`
	adapters, err := adapter.LoadSet([]string{"release"})
	if err != nil {
		fmt.Println(err)
		return
	}
	opts := ingest.Options{Adapters: adapters, Stdin: strings.NewReader(log)}
	report, err := ingest.Run(context.Background(), []string{"-"}, opts, func(c *calllog.Call) error {
		fmt.Printf("%s: %s, cause %q\n", c.Tool, c.Outcome, c.Cause)
		if c.Before != nil {
			fmt.Printf("state %s, %s\n", c.Before, c.StateSource)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Files[0].Format, report.Calls, "calls")
	// Output:
	// get_release: ok, cause ""
	// publish_release: rejected, cause "unclear"
	// state {"release":{"status":"DRAFT"}}, reconstructed
	// native 2 calls
}
