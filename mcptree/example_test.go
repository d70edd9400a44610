package mcptree_test

import (
	"fmt"

	"mcpg/mcptree"
)

func Example() {
	const src = `mcptree: "0.2"
id: deploy
title: Deploy or not
entry: ask
nodes:
  ask:
    type: ask
    prompt: Are the tests green?
    options:
      - {id: "yes", then: go}
      - {id: "no", then: wait}
  go: {type: terminal, outcome: go, summary: Deploy.}
`
	doc := mcptree.Parse("deploy.yaml", []byte(src))
	for _, f := range doc.Findings {
		fmt.Println(f.Severity, f.Finding)
	}
	fmt.Println("no tree:", doc.Tree == nil)

	doc = mcptree.Parse("deploy.yaml", []byte(src+"  wait: {type: terminal, outcome: wait, summary: Not yet.}\n"))
	for _, n := range doc.Tree.Nodes {
		fmt.Println(n.ID, n.Type, n.Targets())
	}
	// Output:
	// error deploy.yaml:11:26: reference to unknown node 'wait' [reference]
	// no tree: true
	// ask ask [go wait]
	// go terminal []
	// wait terminal []
}
