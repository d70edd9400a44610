package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpg/simulate"
)

// answerWithin is how long a server may take for an answer.
const answerWithin = 60 * time.Second

// server is an MCP server of the user's, started over stdio.
type server struct {
	name    string
	tools   []simulate.Tool
	session *mcp.ClientSession
}

// startServer starts a server and asks for its tools. What it says on stderr goes to
// errs.
func startServer(ctx context.Context, command []string, errs io.Writer) (*server, error) {
	cmd := exec.Command(command[0], command[1:]...) // ended by Close, which lets it end by itself
	cmd.Stderr = errs
	return connectServer(ctx, command[0], &mcp.CommandTransport{Command: cmd})
}

// connectServer asks a server for its tools; name is what it is called until it says
// its name.
func connectServer(ctx context.Context, name string, over mcp.Transport) (*server, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "mcpg", Version: "dev"}, nil)
	start, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	session, err := client.Connect(start, over, nil)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	s := &server{name: serverName(session, name), session: session}
	for t, err := range session.Tools(start, nil) {
		if err != nil {
			return nil, errors.Join(fmt.Errorf("asking %s for its tools: %w", s.name, err), session.Close())
		}
		raw, err := json.Marshal(t, json.Deterministic(true))
		if err != nil {
			return nil, errors.Join(err, session.Close())
		}
		s.tools = append(s.tools, simulate.Tool{Name: t.Name, Raw: raw})
	}
	return s, nil
}

func serverName(session *mcp.ClientSession, name string) string {
	if r := session.InitializeResult(); r != nil && r.ServerInfo != nil && r.ServerInfo.Name != "" {
		return r.ServerInfo.Name
	}
	return name
}

func (s *server) Close() error           { return s.session.Close() }
func (s *server) Name() string           { return s.name }
func (s *server) Tools() []simulate.Tool { return s.tools }

// Call makes a call. A protocol error that the server answers with is a refusal.
func (s *server) Call(ctx context.Context, tool string, args jsontext.Value) (simulate.Answer, error) {
	wait, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	r, err := s.session.CallTool(wait, &mcp.CallToolParams{Name: tool, Arguments: rawArgs(args)})
	var refused *jsonrpc.Error
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return simulate.Answer{}, ctx.Err()
	case wait.Err() != nil:
		return simulate.Answer{}, fmt.Errorf("no answer within %s", answerWithin)
	case errors.As(err, &refused):
		return simulate.Answer{Text: refused.Message, IsError: true}, nil
	default:
		return simulate.Answer{}, err
	}
	var texts []string
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	return simulate.Answer{Text: strings.Join(texts, "\n"), IsError: r.IsError}, nil
}

func (s *server) Read(ctx context.Context, tool string, args jsontext.Value) (simulate.Answer, error) {
	return s.Call(ctx, tool, args)
}

// rawArgs are arguments that are sent as they stand.
type rawArgs jsontext.Value

func (a rawArgs) MarshalJSON() ([]byte, error) { return a, nil }
