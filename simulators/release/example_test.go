package release_test

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulators/release"
)

func Example() {
	world, err := release.ParseWorld(jsontext.Value(`{
		"releases": {"app-1": {"status": "DRAFT", "tests_passed": false, "approved_by": ["ann", "bob"], "channel": "beta", "revision": 1}},
		"channels": {"beta": {"locked": false}}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := release.New(world)
	if err != nil {
		fmt.Println(err)
		return
	}
	args := jsontext.Value(`{"release_id":"app-1"}`)
	truth := server.Check("publish_release", args, 0) // changes nothing
	fmt.Println(truth.Valid, truth.Kind, truth.Check)
	for step, tool := range []string{"publish_release", "run_tests", "publish_release", "publish_release"} {
		server.At(step)
		answer := server.Call(tool, args, 0)
		if answer.IsError {
			fmt.Println("refused:", answer.Text)
		} else {
			fmt.Println("done:", tool)
		}
	}
	// Output:
	// false visible untested
	// refused: Release app-1 cannot be published: tests have not passed; run run_tests first
	// done: run_tests
	// done: publish_release
	// refused: Release app-1 cannot be published: status is PUBLISHED, only a DRAFT can be published
}
