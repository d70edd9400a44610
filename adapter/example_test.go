package adapter_test

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
)

func Example() {
	a, err := adapter.Parse([]byte(`{
		"server_id": "desk",
		"resource_class": "ticket", "observation_tool": "get_ticket", "id_param": "ticket_id",
		"features": ["status"],
		"error_patterns": [{"pattern": "is closed", "cause": "state"}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	c := &calllog.Call{Server: "desk", Tool: "close_ticket", Args: jsontext.Value(`{"ticket_id":"T-7"}`)}
	c.Before = a.Observe(c.Tool, c.Args, func(tool string, args jsontext.Value) adapter.Reading {
		fmt.Println("read:", tool, string(args)) // a client would ask the server here
		return adapter.Reading{Text: `{"status":"closed","title":"printer on fire"}`}
	})
	c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, "ticket T-7 is closed"
	adapter.Classify(c, calllog.Evidence{}, a)

	v := a.View(c)
	fmt.Println(v.Resource, v.State.Short(), c.Outcome, c.Cause)
	// Output:
	// read: get_ticket {"ticket_id":"T-7"}
	// ticket:T-7 [status=closed] rejected state
}
