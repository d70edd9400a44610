package server_test

import (
	"context"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpg/mcptree"
	"mcpg/mcptree/server"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	doc := mcptree.Parse("deploy.yaml", []byte(`{mcptree: "0.2", id: deploy, title: Deploy or not, entry: ask, nodes: {
		ask: {type: ask, prompt: "Are the tests green?", options: [{id: green, then: go}, {id: red, then: wait}]},
		go: {type: terminal, outcome: go, summary: Deploy.},
		wait: {type: terminal, outcome: wait, summary: Not yet.}}}`))
	if doc.Errors() {
		fmt.Println(doc.Reason())
		return
	}
	s, err := server.New([]*mcptree.Tree{doc.Tree}, server.Options{Sessions: dir, NoElicit: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	envelope, err := start(ctx, s, "deploy")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(envelope["node"], envelope["state"], envelope["instruction"])
	// Output:
	// ask awaiting_answer Are the tests green?
}

// start is what an agent's client does; a program runs the server on mcp.StdioTransport.
func start(ctx context.Context, s *mcp.Server, tree string) (envelope map[string]any, err error) {
	there, here := mcp.NewInMemoryTransports()
	if _, err := s.Connect(ctx, there, nil); err != nil {
		return nil, err
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	answer, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "tree_start", Arguments: map[string]any{"tree_id": tree}})
	if err != nil {
		return nil, err
	}
	return answer.StructuredContent.(map[string]any), nil
}
