package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpg/adapter"
)

// ask asks a server for its tools, and nothing else.
func (s *toolSource) ask(ctx context.Context) (*told, error) {
	said := &tail{}
	over, name := mcp.Transport(&mcp.StreamableClientTransport{Endpoint: s.url}), s.url
	if len(s.command) > 0 {
		cmd := exec.Command(s.command[0], s.command[1:]...) // ended by close, which lets it end by itself
		cmd.Stderr = said
		over, name = &mcp.CommandTransport{Command: cmd}, s.command[0]
	}
	lists := &tap{Transport: over}
	live, err := connectServer(ctx, name, lists)
	if err != nil {
		return nil, said.explain(err)
	}
	tools, err := lists.all()
	if err != nil {
		_ = live.Close()
		return nil, fmt.Errorf("the tools of %s: %w", live.name, err)
	}
	return &told{server: live.name, tools: tools, live: live}, nil
}

// tap keeps the tools/list answers that come through as they are: the SDK's own
// type doesn't tell an annotation that is missing from one that is false.
type tap struct {
	mcp.Transport
	mu    sync.Mutex
	pages []json.RawMessage
}

func (t *tap) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &tapped{c, t}, nil
}

type tapped struct {
	mcp.Connection
	t *tap
}

func (c *tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if r, ok := msg.(*jsonrpc.Response); ok && r.Error == nil {
		var page struct {
			Tools []json.RawMessage `json:"tools"`
		}
		if json.Unmarshal(r.Result, &page) == nil && page.Tools != nil {
			c.t.mu.Lock()
			c.t.pages = append(c.t.pages, page.Tools...)
			c.t.mu.Unlock()
		}
	}
	return msg, err
}

func (t *tap) all() ([]adapter.Tool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return adapter.ParseTools(fmt.Appendf(nil, "[%s]", bytes.Join(rawPages(t.pages), []byte(","))))
}

func rawPages(pages []json.RawMessage) [][]byte {
	out := make([][]byte, len(pages))
	for i, p := range pages {
		out[i] = p
	}
	return out
}

// tail keeps the end of what a server says on stderr, for when it fails.
type tail struct {
	mu  sync.Mutex
	end []byte
}

// tailKept is how much of it is worth reading.
const tailKept = 1 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, p...)
	t.end = t.end[max(len(t.end)-tailKept, 0):]
	return len(p), nil
}

func (t *tail) explain(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := strings.TrimSpace(strings.ToValidUTF8(string(t.end), "\uFFFD")); text != "" {
		return fmt.Errorf("%w; it said: %s", err, text)
	}
	return err
}
