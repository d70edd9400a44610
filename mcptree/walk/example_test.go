package walk_test

import (
	"errors"
	"fmt"

	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/walk"
)

func Example() {
	m, err := machine()
	if err != nil {
		fmt.Println(err)
		return
	}
	script, findings := walk.Parse("deploy.walks.yaml", []byte(`tree: deploy.yaml
walks:
  - name: green
    steps: [{at: ask, answer: green}]
    outcome: go
  - name: green again
    steps: [{at: ask, answer: green}]
    outcome: wait
`))
	if len(findings) > 0 {
		fmt.Println(findings)
		return
	}
	covered := walk.NewCoverage(m.Tree())
	for i := range script.Walks {
		r := walk.Run(m, &script.Walks[i])
		covered.Add(r)
		fmt.Println(r.Walk.Name, r.Path(), r.Failures)
	}
	fmt.Println("not covered:", covered.Missing())
	// Output:
	// green [ask go] []
	// green again [ask go] [deploy.walks.yaml:6:5: green again: the outcome is "go", not "wait" [walk]]
	// not covered: [node wait way ask -> wait (red)]
}

func machine() (*engine.Machine, error) {
	doc := mcptree.Parse("deploy.yaml", []byte(`{mcptree: "0.2", id: deploy, title: Deploy or not, entry: ask, nodes: {
		ask: {type: ask, prompt: "Are the tests green?", options: [{id: green, then: go}, {id: red, then: wait}]},
		go: {type: terminal, outcome: go, summary: Deploy.},
		wait: {type: terminal, outcome: wait, summary: Not yet.}}}`))
	if doc.Errors() {
		return nil, errors.New(doc.Reason())
	}
	return engine.New(doc.Tree)
}
