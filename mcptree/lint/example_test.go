package lint_test

import (
	"fmt"

	"mcpg/mcptree"
	"mcpg/mcptree/lint"
)

func Example() {
	doc := mcptree.Parse("deploy.yaml", []byte(`mcptree: "0.2"
id: deploy
title: Deploy or not
entry: ci
nodes:
  ci: {type: action, tool: get_ci, args: {branch: main}, result: {capture: ci}, next: jobs}
  jobs:
    type: condition
    on: ci.failed
    branches:
      - {when: {gte: 1}, then: wait}
      - {when: {gte: 5}, then: alarm}
    default: go
  go: {type: terminal, outcome: go, summary: Deploy.}
  wait: {type: terminal, outcome: wait, summary: Not yet.}
  alarm: {type: terminal, outcome: alarm, summary: Call somebody.}
`))
	fmt.Println("the protocol rejects it:", doc.Errors())
	lint.Check(doc)
	for _, f := range doc.Findings {
		fmt.Println(f.Severity, f.Finding)
	}
	// Output:
	// the protocol rejects it: false
	// warning deploy.yaml:12:9: this branch is never taken: whatever is gte 5 is taken by an earlier one [shadowed-branch]
}
