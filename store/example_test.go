package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/store"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, _, err := store.Open(ctx, filepath.Join(dir, "mcpg.sqlite"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	c := &calllog.Call{ID: "1", Server: "desk", Tool: "close_ticket", Args: jsontext.Value(`{"id":"T-1"}`)}
	if err := s.Add(c, store.Warned); err != nil { // once Add returns, the call is kept
		fmt.Println(err)
		return
	}
	for row, err := range s.Calls(ctx, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(row.ID, row.Decision, row.Call.Tool, string(row.Call.Args), row.Call.Outcome)
	}
	// Output:
	// 1 warned close_ticket {"id":"T-1"} ok
}
