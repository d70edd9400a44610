package serve_test

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpg/simulators/release"
	"mcpg/simulators/serve"
)

func Example() {
	ctx := context.Background()
	sim, err := release.New(release.Demo())
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := serve.New(sim, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	there, here := mcp.NewInMemoryTransports() // a program would serve mcp.StdioTransport
	if _, err := server.Connect(ctx, serve.InOrder(there), nil); err != nil {
		fmt.Println(err)
		return
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	answer, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "publish_release", Arguments: jsontext.Value(`{"release_id":"app-2.0"}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.IsError, answer.Content[0].(*mcp.TextContent).Text)
	// Output:
	// true Release app-2.0 cannot be published: channel beta is locked by ops; unlock_channel opens it
}
