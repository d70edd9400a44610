package explore_test

import (
	"context"
	"fmt"

	"mcpg/adapter"
	"mcpg/simulate"
	"mcpg/simulate/explore"
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
	result, err := explore.Explore(context.Background(), &subject{s: server}, explore.Options{
		Adapters: adapters,
		Allowed:  func(t simulate.Tool) bool { return t.Name == "run_tests" },
		Values:   map[string][]string{"release_id": {"app-1.0", "app-1.1", "app-1.2", "app-0.9"}},
		Calls:    10,
		Seed:     1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(result.Calls), "calls, stopped:", result.Stopped)
	for _, t := range result.Model.Tools {
		fmt.Println(t.Name, "worked", t.OK(), "times, was refused", t.Rejected(), "times")
		for _, f := range t.Guard.Failures {
			fmt.Printf("  %q: %s\n", f.Cluster, f.Needs())
		}
	}
	// Output:
	// 10 calls, stopped: that was the number of calls
	// run_tests worked 7 times, was refused 3 times
	//   "Release ‹release_id› not found": needs exists=true
	//   "Release ‹release_id› cannot be tested: status is ARCHIVED, only a DRAFT can be tested": needs status is not ARCHIVED
	//   "Release ‹release_id› cannot be tested: status is PUBLISHED, only a DRAFT can be tested": needs status is not PUBLISHED
}
