package policy_test

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/policy"
)

func Example() {
	a, err := adapter.Parse([]byte(`{"server_id":"desk","resource_class":"ticket","observation_tool":"get_ticket","id_param":"id"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	server := desk{"T-1": "open", "T-2": "closed", "T-3": "closed", "T-4": "closed", "T-5": "open"}
	p := policy.New(adapter.Set{a}, policy.Options{Mode: policy.Block})
	s := p.Session("s1", "desk", server)
	for _, id := range []string{"T-1", "T-2", "T-3", "T-4", "T-5"} {
		c := &calllog.Call{Tool: "close_ticket", Args: jsontext.Value(`{"id":"` + id + `"}`)}
		d := s.Check(c)
		if d.Action != policy.Forward {
			why, _, _ := strings.Cut(d.Text, ". ") // the first sentence
			fmt.Println(id, why)
			continue
		}
		server.close(id, c)
		s.Observe(c, d)
		fmt.Println(id, c.Outcome)
	}
	// Output:
	// T-1 ok
	// T-2 rejected
	// T-3 rejected
	// T-4 mcpg refused close_ticket; it was not sent to the server
	// T-5 ok
}

// desk is a server of tickets: the status of each.
type desk map[string]string

func (d desk) Read(_ string, args jsontext.Value) adapter.Reading {
	id := strings.Split(string(args), `"`)[3]
	return adapter.Reading{Text: `{"status":"` + d[id] + `"}`}
}

func (d desk) Fingerprint(string) string { return "" }

func (d desk) close(id string, c *calllog.Call) {
	if d[id] == "closed" {
		c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.StateCause, "the ticket is closed already"
	}
	d[id] = "closed"
}
