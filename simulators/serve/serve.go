// Package serve publishes a simulator as an MCP server of both protocol eras.
package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpg/simulate"
)

// Version is what the servers call themselves.
const Version = "1"

// New makes an MCP server of a simulator, which it owns from then on. Its
// sessions share the world. Every call is a step of the simulator's time, and
// chance comes from seed: the same calls in the same order get the same answers.
func New(sim simulate.Server, seed uint64) (*mcp.Server, error) {
	h := &host{sim: sim, coin: rand.New(rand.NewPCG(seed, 41)), listed: map[string]string{}}
	h.server = mcp.NewServer(&mcp.Implementation{Name: sim.Name(), Version: Version},
		&mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}}})
	if err := h.register(); err != nil {
		return nil, err
	}
	h.server.AddReceivingMiddleware(h.asServed)
	return h.server, nil
}

// host is one simulator, and who may use it now.
type host struct {
	server *mcp.Server

	mu     sync.Mutex // of all below
	sim    simulate.Server
	coin   *rand.Rand
	step   int
	listed map[string]string // tools as the SDK knows them
}

// register tells the SDK of tools that are new or have changed, and it the
// clients.
func (h *host) register() error {
	for _, t := range h.sim.Tools() {
		if h.listed[t.Name] == string(t.Raw) {
			continue
		}
		tool, err := sdkTool(t)
		if err != nil {
			return err
		}
		h.listed[t.Name] = string(t.Raw)
		h.server.AddTool(tool, h.call)
	}
	return nil
}

// sdkTool is a tool as far as the SDK can express it; clients get the simulator's
// own words, by asServed.
func sdkTool(t simulate.Tool) (*mcp.Tool, error) {
	var schemas struct {
		Input  json.RawMessage `json:"inputSchema"`
		Output json.RawMessage `json:"outputSchema"`
	}
	tool := &mcp.Tool{}
	for _, into := range []any{tool, &schemas} {
		if err := json.Unmarshal(t.Raw, into); err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.Name, err)
		}
	}
	tool.InputSchema = schemas.Input
	if schemas.Output != nil {
		tool.OutputSchema = schemas.Output
	}
	return tool, nil
}

// asServed lists the tools in the simulator's own words and order, and gives it
// calls of tools that it doesn't have, which it refuses in its own words too.
func (h *host) asServed(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, ok := req.(*mcp.CallToolRequest); ok && !h.has(call.Params.Name) {
			return h.unknown(ctx, call)
		}
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
			return h.list(list), nil
		}
		return res, err
	}
}

func (h *host) has(tool string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.listed[tool] != ""
}

func (h *host) list(as *mcp.ListToolsResult) *listed {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := &listed{ListToolsResult: as}
	for _, t := range h.sim.Tools() {
		l.tools = append(l.tools, json.RawMessage(t.Raw))
	}
	return l
}

// listed is a tools/list answer whose tools are written as they are: the SDK's
// Tool leaves members out that it doesn't know, and adds others.
type listed struct {
	*mcp.ListToolsResult
	tools []json.RawMessage
}

func (l *listed) MarshalJSON() ([]byte, error) {
	type frame mcp.ListToolsResult // without methods
	return json.Marshal(struct {
		*frame
		Tools []json.RawMessage `json:"tools"`
	}{(*frame)(l.ListToolsResult), l.tools})
}

func (h *host) call(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	raw, err := h.play(req.Params)
	if err != nil {
		return nil, err
	}
	res := &mcp.CallToolResult{}
	return res, read(raw, res)
}

// play makes one call, one at a time.
func (h *host) play(p *mcp.CallToolParamsRaw) (jsontext.Value, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sim.At(h.step)
	h.step++
	a := h.sim.Call(p.Name, jsontext.Value(bytes.TrimSpace(p.Arguments)), h.coin.Float64())
	return a.Raw, h.register() // a drift may have changed tools
}

// read takes a result; what is structured in it stays as it is written.
func read(raw jsontext.Value, into *mcp.CallToolResult) error {
	var structured struct {
		Content json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("the simulator's answer: %w", err)
	}
	if err := json.Unmarshal(raw, &structured); err != nil {
		return fmt.Errorf("the simulator's answer: %w", err)
	}
	if structured.Content != nil {
		into.StructuredContent = structured.Content
	}
	return nil
}

// stateless is the first revision whose results say that they are complete.
const stateless = "2026-07-28"

// unknown answers a call that the SDK would refuse with an error of the
// protocol. It writes what the SDK writes into results of tools that it knows.
func (h *host) unknown(_ context.Context, req *mcp.CallToolRequest) (mcp.Result, error) {
	raw, err := h.play(req.Params)
	if err != nil {
		return nil, err
	}
	if p := req.Session.InitializeParams(); p == nil || p.ProtocolVersion >= stateless {
		raw = append(jsontext.Value(`{"resultType":"complete",`), bytes.TrimPrefix(raw, []byte("{"))...)
	}
	res := &mcp.CallToolResult{}
	return res, read(raw, res)
}
