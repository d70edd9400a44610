package viz_test

import (
	"fmt"
	"os"

	"mcpg/mcptree"
	"mcpg/mcptree/viz"
)

func Example() {
	doc := mcptree.Parse("deploy.yaml", []byte(`{mcptree: "0.2", id: deploy, title: Deploy or not, entry: ask, nodes: {
		ask: {type: ask, prompt: "Are the tests green?", options: [{id: green, then: go}, {id: red, then: wait}]},
		go: {type: terminal, outcome: go, summary: Deploy.},
		wait: {type: terminal, outcome: wait, summary: Not yet.}}}`))
	if doc.Errors() {
		fmt.Println(doc.Reason())
		return
	}
	path := []viz.Step{{Node: "ask", To: "go", Label: "green"}, {Node: "go"}}
	if err := viz.Mermaid(os.Stdout, doc.Tree, path); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flowchart TD
	//   ask["ask<br/>ask"]
	//   go(["go<br/>go"])
	//   wait(["wait<br/>wait"])
	//   ask -- green --> go
	//   ask -- red --> wait
	//   ask:::taken
	//   go:::taken
	//   classDef taken stroke:#0969da,stroke-width:3px
	//   linkStyle 0 stroke:#0969da,stroke-width:3px
}
