package behavior_test

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
)

func Example() {
	g, err := behavior.Read(bytes.NewReader(model()))
	if err != nil {
		fmt.Println(err)
		return
	}
	tool := g.Find("desk", "close_ticket", "")
	for _, status := range []string{"open", "closed", "held"} {
		x := view(closing(status)).Features()
		v := tool.Guard.Judge(x)
		fmt.Println(x.Short(), v.Outcome)
		for _, f := range v.By {
			fmt.Println("refused", f.Calls, "times, it", f.Needs())
		}
	}
	// Output:
	// [ticket.status=open] works
	// [ticket.status=closed] fails
	// refused 2 times, it needs ticket.status is not closed
	// [ticket.status=held] undetermined
}

// model is a model.json, learnt from a few calls.
func model() []byte {
	var e learn.Evidence
	for i, status := range []string{"open", "open", "closed", "closed"} {
		c := closing(status)
		c.ID, c.Session = fmt.Sprint(i), fmt.Sprint(i)
		if status == "closed" {
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.StateCause, "the ticket is closed already"
		}
		e.Add(c, view(c))
	}
	var b bytes.Buffer
	if err := e.Induce().Write(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func closing(status string) *calllog.Call {
	return &calllog.Call{Server: "desk", Tool: "close_ticket", Before: jsontext.Value(fmt.Sprintf(`{"ticket":{"status":%q}}`, status))}
}

// view is what there is to see of a call, without an adapter: all of its state.
func view(c *calllog.Call) *behavior.View { return adapter.Set(nil).View(c) }
