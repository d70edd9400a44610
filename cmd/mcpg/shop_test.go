package main

import (
	"context"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// shopServer is a small MCP server over stdio, to be explored: orders are paid, then
// shipped. With SHOP_DIES it ends in the middle of its tenth call.
func shopServer() {
	orders := map[string]string{"A1": "open", "A2": "open", "A3": "paid"}
	s := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	type order struct {
		ID string `json:"order_id"`
	}
	calls := 0
	add := func(name string, readOnly bool, run func(id, status string) (string, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly}}, func(_ context.Context, _ *mcp.CallToolRequest, o order) (*mcp.CallToolResult, any, error) {
			if calls++; calls == 10 && os.Getenv("SHOP_DIES") != "" {
				os.Exit(1)
			}
			status, ok := orders[o.ID]
			if !ok {
				return nil, nil, fmt.Errorf("order %s not found", o.ID)
			}
			text, err := run(o.ID, status)
			if err != nil {
				return nil, nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	}
	add("get_order", true, func(id, status string) (string, error) {
		return fmt.Sprintf(`{"order_id":%q,"status":%q}`, id, status), nil
	})
	add("pay_order", false, func(id, status string) (string, error) {
		if status != "open" {
			return "", fmt.Errorf("order %s is %s and can't be paid", id, status)
		}
		orders[id] = "paid"
		return "paid", nil
	})
	add("ship_order", false, func(id, status string) (string, error) {
		if status != "paid" {
			return "", fmt.Errorf("order %s is %s and can't be shipped", id, status)
		}
		orders[id] = "shipped"
		return "shipped", nil
	})
	add("delete_order", false, func(id, _ string) (string, error) {
		fmt.Fprintln(os.Stderr, "DELETED", id)
		delete(orders, id)
		return "gone", nil
	})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}
