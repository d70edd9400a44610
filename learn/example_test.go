package learn_test

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/learn"
)

func Example() {
	var adapters adapter.Set // without an adapter all of a state counts
	var e learn.Evidence
	for i, status := range []string{"open", "open", "closed", "closed"} {
		c := &calllog.Call{
			ID: fmt.Sprint(i), Session: fmt.Sprint(i), Server: "desk", Tool: "close_ticket",
			Before: jsontext.Value(fmt.Sprintf(`{"ticket":{"status":%q}}`, status)),
		}
		if status == "closed" {
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.StateCause, "the ticket is closed already"
		}
		e.Add(c, adapters.View(c))
	}
	for _, t := range e.Induce().Tools {
		fmt.Printf("%s: worked %d times, refused %d times\n", t.Name, t.OK(), t.Rejected())
		for _, f := range t.Guard.Failures {
			fmt.Printf("%q: %s\n", f.Cluster, f.Needs())
		}
	}
	// Output:
	// close_ticket: worked 2 times, refused 2 times
	// "the ticket is closed already": needs ticket.status is not closed
}
