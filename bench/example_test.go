package bench_test

import (
	"context"
	"fmt"
	"os"

	"mcpg/bench"
	"mcpg/policy"
)

func Example() {
	dir, err := os.MkdirTemp("", "suite")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := bench.InitSuite(dir); err != nil {
		fmt.Println(err)
		return
	}
	suite, err := bench.OpenSuite(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer suite.Close()
	const agent = "naive-retrier"
	arms := []string{bench.ArmNone, "block"}
	result, err := bench.Run(context.Background(), suite, bench.Options{Agents: []string{agent}, Arms: arms, Evidence: policy.First})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer result.Close()
	for _, arm := range arms {
		r := result.Find(agent, arm)
		fmt.Printf("%s: %d invalid calls reached the server, %d valid ones were blocked\n", arm, r.InvalidReached, r.ValidBlocked)
	}
	fmt.Println(result.Verdict)
	// Output:
	// none: 6 invalid calls reached the server, 0 valid ones were blocked
	// block: 2 invalid calls reached the server, 0 valid ones were blocked
	// trustworthy
}
