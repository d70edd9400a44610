package batch_test

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/learn/batch"
)

func Example() {
	l := batch.New()
	for i := range 1000 {
		c := &calllog.Call{
			ID: fmt.Sprint(i), Session: fmt.Sprint(i % 10), Server: "desk", Tool: "close_ticket",
			Before: jsontext.Value(`{"ticket":{"status":"open"}}`),
		}
		if i%4 == 0 {
			c.Before = jsontext.Value(`{"ticket":{"status":"closed"}}`)
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.StateCause, "the ticket is closed already"
		}
		l.Add(c, nil)
	}
	e, err := l.Evidence() // ends the workers
	if err != nil {
		fmt.Println(err)
		return
	}
	g := e.Induce()
	t := g.Tools[0]
	fmt.Println(g.Calls, "calls,", t.Rejected(), "refused:", t.Guard.Failures[0].Needs())
	// Output:
	// 1000 calls, 250 refused: needs ticket.status is not closed
}
