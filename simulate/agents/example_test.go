package agents

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// This file is of the package itself, for TestAgentsKnowNoGuards lets none of the
// folder import a package of the module.

func Example() {
	kind, err := Find("error-reader")
	if err != nil {
		fmt.Println(err)
		return
	}
	runTests := Step{Tool: "run_tests", Args: jsontext.Value(`{"id":"${arg.id}"}`)}
	repair := &Repair{On: "tests have not passed", Do: []Step{runTests}, Then: "retry"}
	if err := repair.Compile(); err != nil {
		fmt.Println(err)
		return
	}
	brief := &Brief{Plan: []Step{{Tool: "publish", Args: jsontext.Value(`{"id":"app-1"}`)}}, Repairs: []*Repair{repair}}
	agent := kind.New(brief, func(string) float64 { return 0 }) // chance is always on its side

	step, done := agent.Next("", false)
	for tested := false; !done; {
		text := "done"
		switch {
		case step.Tool == "run_tests":
			tested = true
		case !tested:
			text = "tests have not passed"
		}
		fmt.Println(step.Tool, string(step.Args), "->", text)
		step, done = agent.Next(text, text != "done")
	}
	// Output:
	// publish {"id":"app-1"} -> tests have not passed
	// run_tests {"id":"app-1"} -> done
	// publish {"id":"app-1"} -> done
}
