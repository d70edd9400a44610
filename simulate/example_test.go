package simulate_test

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/policy"
	"mcpg/simulate"
	"mcpg/simulators/release"
)

func Example() {
	server, err := release.New(release.Demo())
	if err != nil {
		fmt.Println(err)
		return
	}
	adapters, err := adapter.LoadSet([]string{"release"})
	if err != nil {
		fmt.Println(err)
		return
	}
	trace, err := simulate.Run(context.Background(), &simulate.Episode{
		ID: "e1", Server: server, Agent: &script{"publish_release", "run_tests", "publish_release"},
		Gate:     simulate.Under(policy.New(adapters, policy.Options{})),
		Adapters: adapters, Budget: 10, Coin: func(int) float64 { return 1 },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range trace.Attempts {
		fmt.Printf("%s: %s %q\n", a.Call.Tool, a.Call.Outcome, a.Call.ErrorText)
	}
	// Output:
	// publish_release: rejected "Release app-1.2 cannot be published: tests have not passed; run run_tests first"
	// run_tests: ok ""
	// publish_release: rejected "Release app-1.2 cannot be published: it has 1 of 2 approvals; get one with approve_release"
}

// script is an agent that calls tools on one release, whatever it reads.
type script []string

func (s *script) Next(string, bool) (tool string, args jsontext.Value, done bool) {
	if len(*s) == 0 {
		return "", nil, true
	}
	tool, *s = (*s)[0], (*s)[1:]
	return tool, jsontext.Value(`{"release_id":"app-1.2"}`), false
}
