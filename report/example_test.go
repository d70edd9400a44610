package report_test

import (
	"fmt"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/learn"
	"mcpg/report"
)

func Example() {
	var e learn.Evidence
	for i, status := range []string{"open", "open", "open", "closed", "closed"} {
		c := &calllog.Call{
			ID: fmt.Sprint(i), Session: fmt.Sprint(i), Server: "desk", Tool: "close_ticket",
			Before: jsontext.Value(fmt.Sprintf(`{"ticket":{"status":%q}}`, status)),
		}
		if status == "closed" {
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.StateCause, "the ticket is closed already"
		}
		e.Add(c, adapter.Set(nil).View(c))
	}
	if err := report.Guards(os.Stdout, e.Induce()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// desk/close_ticket: 3 calls worked, 2 refused
	//   every refusal is explained by needing: ticket.status is not closed
	//   ticket.status: seen working only at open (3 calls); proven refused: closed (2)
	//   2 times "the ticket is closed already", e.g. 4
}
