package redact_test

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/calllog/redact"
)

func Example() {
	c := &calllog.Call{
		Tool:       "log_in",
		Args:       jsontext.Value(`{"user":"ann","password":"hunter2","badge":"4711"}`),
		ResultText: `{"user":"ann","access_token":"abc","next_page_token":"2"}`,
	}
	r := redact.Redactor{On: true, Names: []string{"badge"}}
	r.Call(c)
	fmt.Println(string(c.Args))
	fmt.Println(c.ResultText)
	// Output:
	// {"user":"ann","password":"[redacted]","badge":"[redacted]"}
	// {"user":"ann","access_token":"[redacted]","next_page_token":"2"}
}
