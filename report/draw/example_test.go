package draw_test

import (
	"fmt"
	"os"

	"mcpg/report/draw"
)

func Example() {
	g := draw.Graph{
		Title: "ticket",
		Nodes: []draw.Node{
			{ID: "open", Lines: []string{"status=open"}},
			{ID: "closed", Lines: []string{"status=closed"}},
		},
		Edges: []draw.Edge{
			{From: "open", To: "closed", Name: "close", Calls: 7, Tone: draw.Works},
			{From: "closed", To: "open", Name: "reopen", Calls: 2, Tone: draw.Works},
			{From: "closed", To: "closed", Name: "close", Calls: 3, Tone: draw.Fails},
		},
	}
	if err := draw.Mermaid(os.Stdout, draw.Support(g, 3)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ---
	// title: "ticket"
	// ---
	// flowchart LR
	//   n0("status=closed")
	//   n1("status=open")
	//   n0 --x|"close#58; 3 "| n0
	//   n1 -->|"close#58; 7 "| n0
	//   linkStyle 1 stroke:#1a7f37,color:#1a7f37
	//   linkStyle 0 stroke:#cf222e,color:#cf222e
	//   note0["cut#58; 2 states of 2 shown, support #62;= 3"]
	//   style note0 fill:none,stroke:none
}
