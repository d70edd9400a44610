// Package server publishes decision trees as five tools on a Go MCP server.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/session"
	"mcpg/mcptree/value"
)

// Options of a server. The zero value is right.
type Options struct {
	Name     string // of the server that New makes; "mcptree" if empty
	Version  string
	Sessions string // directory; ~/.mcptree/sessions if empty
	NoElicit bool   // leave asks to the agent
	Sync     bool   // wait for the disk after every change
	Now      func() time.Time
	Logger   *slog.Logger
}

const instructions = `Decision trees walked step by step. Start one with tree_start, do what the envelope's instruction and expects say, and report it with tree_answer and the envelope's step. tree_status gives the current envelope again at any time. Results are reported by you, not observed by the server: the trace is testimony.`

// New makes a server that publishes trees.
func New(trees []*mcptree.Tree, opts Options) (*mcp.Server, error) {
	impl := &mcp.Implementation{Name: opts.Name, Version: opts.Version}
	if impl.Name == "" {
		impl.Name = "mcptree"
	}
	if impl.Version == "" {
		impl.Version = "0.2"
	}
	s := mcp.NewServer(impl, &mcp.ServerOptions{Instructions: instructions, Logger: opts.Logger, Capabilities: &mcp.ServerCapabilities{}})
	return s, Mount(s, trees, opts)
}

// Mount adds the five tools to a server. The error is a tree that can't be
// served: two with the same id, or references to nodes that aren't there.
func Mount(s *mcp.Server, trees []*mcptree.Tree, opts Options) error {
	dir := opts.Sessions
	if dir == "" {
		var err error
		if dir, err = session.DefaultDir(); err != nil {
			return err
		}
	}
	h := &host{
		machines: map[string]*engine.Machine{},
		store:    session.New(dir, mcptree.FromValue, session.Options{Sync: opts.Sync, Now: opts.Now}),
		elicit:   !opts.NoElicit,
		seal:     newSeal(),
	}
	for _, t := range trees {
		if other := h.machines[t.ID]; other != nil {
			return fmt.Errorf("two trees have the id %q: %s and %s", t.ID, other.Tree().File, t.File)
		}
		m, err := engine.New(t)
		if err != nil {
			return err
		}
		h.machines[t.ID] = m
		h.trees = append(h.trees, t)
	}
	slices.SortFunc(h.trees, func(a, b *mcptree.Tree) int { return strings.Compare(a.ID, b.ID) })
	h.mount(s)
	if h.elicit {
		s.AddSendingMiddleware(keepReply)
	}
	return nil
}

// host is what the tools of one server share.
type host struct {
	machines map[string]*engine.Machine
	trees    []*mcptree.Tree // by id
	store    *session.Store
	elicit   bool
	seal     seal

	mu     sync.Mutex
	recent []string // sessions begun here, the newest last
}

func (h *host) mount(s *mcp.Server) {
	add := func(t *mcp.Tool, params []parameter, call func(context.Context, *mcp.CallToolRequest, *arguments) (*mcp.CallToolResult, error)) {
		t.InputSchema = inputSchema(params)
		s.AddTool(t, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			args, err := readArguments(t.Name, params, req.Params.Arguments)
			if err == nil {
				var res *mcp.CallToolResult
				if res, err = call(ctx, req, args); err == nil {
					return res, nil
				}
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return toolError(h.explain(err)), nil
		})
	}
	reading := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)}
	writing := &mcp.ToolAnnotations{DestructiveHint: new(bool), OpenWorldHint: new(bool)}
	add(&mcp.Tool{Name: "tree_list", Description: "List the published decision trees.", OutputSchema: listSchema, Annotations: reading}, nil, h.list)
	add(&mcp.Tool{Name: "tree_start", Description: "Start a session on a decision tree. Gives the first step's envelope.", OutputSchema: envelopeSchema, Annotations: writing},
		[]parameter{treeID}, h.start)
	add(&mcp.Tool{Name: "tree_answer", Description: "Submit what the session's envelope asked for: an option's id, an answer, or a tool's result. Gives the next envelope; a rejected submission changes nothing and the envelope's error says why.",
		OutputSchema: envelopeSchema, Annotations: writing}, []parameter{sessionID, stepNumber, answerValue, rationale, isError}, h.answer)
	add(&mcp.Tool{Name: "tree_status", Description: "Get a session's current envelope again. Changes nothing.", OutputSchema: envelopeSchema, Annotations: reading},
		[]parameter{sessionID}, h.status)
	add(&mcp.Tool{Name: "tree_trace", Description: "Get a session's whole trace. Action results in it were reported by the agent, not observed; source tells through which channel each answer came.",
		OutputSchema: traceSchema, Annotations: reading}, []parameter{sessionID}, h.trace)
}

func (h *host) list(context.Context, *mcp.CallToolRequest, *arguments) (*mcp.CallToolResult, error) {
	list := make([]value.Value, len(h.trees))
	for i, t := range h.trees {
		list[i] = value.OfMap(
			value.Member{Name: "id", Value: value.OfString(t.ID)},
			value.Member{Name: "title", Value: value.OfString(t.Title)},
			value.Member{Name: "description", Value: value.OfString(t.Description)})
	}
	return result(value.OfMap(value.Member{Name: "result", Value: value.OfList(list...)})), nil
}

func (h *host) start(ctx context.Context, req *mcp.CallToolRequest, args *arguments) (*mcp.CallToolResult, error) {
	m := h.machines[args.tree]
	if m == nil {
		return nil, &unknownTree{args.tree, h.trees}
	}
	return h.walk(ctx, req, &newWalk{h: h, machine: m}, nil)
}

func (h *host) answer(ctx context.Context, req *mcp.CallToolRequest, args *arguments) (*mcp.CallToolResult, error) {
	first := engine.Answer{Step: args.step, Value: args.value, Rationale: args.rationale, IsError: args.isError, Source: engine.SourceAnswer}
	return h.walk(ctx, req, &oldWalk{h: h, id: args.session}, []engine.Answer{first})
}

func (h *host) status(_ context.Context, _ *mcp.CallToolRequest, args *arguments) (*mcp.CallToolResult, error) {
	ses, err := h.store.Load(args.session)
	if err != nil {
		return nil, err
	}
	return envelope(ses.Envelope("")), nil
}

func (h *host) trace(_ context.Context, _ *mcp.CallToolRequest, args *arguments) (*mcp.CallToolResult, error) {
	ses, trace, err := h.store.Trace(args.session)
	if err != nil {
		return nil, err
	}
	return result(session.TraceValue(ses, trace)), nil
}

func envelope(e engine.Envelope) *mcp.CallToolResult { return result(e.Value()) }

func result(v value.Value) *mcp.CallToolResult {
	text := value.AppendJSON(nil, v)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text)}
}

func toolError(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}
}

type unknownTree struct {
	id    string
	known []*mcptree.Tree
}

func (e *unknownTree) Error() string {
	ids := make([]string, len(e.known))
	for i, t := range e.known {
		ids[i] = fmt.Sprintf("%q", t.ID)
	}
	if len(ids) == 0 {
		return fmt.Sprintf("unknown tree %q; no trees are published", e.id)
	}
	return fmt.Sprintf("unknown tree %q; known trees: %s", e.id, strings.Join(ids, ", "))
}

// explain adds the sessions begun here to the error of an id that isn't formed
// as one, for which storage isn't touched.
func (h *host) explain(err error) error {
	var unknown *session.UnknownError
	if !errors.As(err, &unknown) || len(unknown.Known) > 0 {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.recent) == 0 {
		return err
	}
	return fmt.Errorf("%w; sessions begun lately: %s", err, strings.Join(h.recent, ", "))
}

// shownRecent is how many of them are named.
const shownRecent = 20

func (h *host) begun(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.recent = append(h.recent, id)
	if len(h.recent) > shownRecent {
		h.recent = slices.Delete(h.recent, 0, 1)
	}
}
