package modellint_test

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/learn"
	"mcpg/mcptree"
	"mcpg/mcptree/modellint"
)

func Example() {
	a, err := adapter.Parse([]byte(`{"server_id":"desk","resource_class":"ticket","observation_tool":"get_ticket","id_param":"id"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	adapters := adapter.Set{a}
	var e learn.Evidence
	for i, status := range []string{"open", "open", "closed", "closed"} {
		c := &calllog.Call{ID: fmt.Sprint(i), Session: fmt.Sprint(i), Server: "desk", Tool: "close_ticket", Args: jsontext.Value(`{"id":"T-1"}`)}
		c.Before = jsontext.Value(fmt.Sprintf(`{"ticket":{"status":%q}}`, status))
		if status == "closed" {
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.StateCause, "the ticket is closed already"
		}
		e.Add(c, adapters.View(c))
	}
	doc := mcptree.Parse("close.yaml", []byte(`mcptree: "0.2"
id: close
title: Close a ticket
entry: which
nodes:
  which: {type: ask, prompt: "Which ticket?", capture: id, next: close}
  close: {type: action, tool: close_ticket, args: {id: "{{ id }}"}, next: done}
  done: {type: terminal, outcome: closed, summary: "{{ id }} is closed."}
`))
	modellint.Check(doc, &modellint.Model{Graph: e.Induce(), Adapters: adapters})
	for _, f := range doc.Findings {
		fmt.Println(f.Finding)
	}
	// Output:
	// close.yaml:7:31: close_ticket needs status is not closed (2 worked, 2 refused), and no way to it makes sure of that: read the ticket and branch on status [model-guard]
}
