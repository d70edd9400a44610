package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const incidentTrees = "../../trees"

// args are the arguments of a tool.
type args = map[string]any

// step is what the tests read of an envelope.
type step struct {
	SessionID string `json:"session_id"`
	Node      string
	Step      int
	State     string
	Error     string
	Outcome   string
	Expects   struct {
		Tool string
		Args json.RawMessage
	}
}

// agent is a client of a server in a process of its own.
type agent struct {
	t   *testing.T
	cmd *exec.Cmd
	*mcp.ClientSession
}

// startServer runs the program in a process and connects to it over stdio.
func startServer(t *testing.T, opts *mcp.ClientOptions, arg ...string) *agent {
	t.Helper()
	cmd := exec.Command("mcptree", append([]string{"serve"}, arg...)...)
	cmd.Stderr = os.Stderr
	return &agent{t, cmd, connectTo(t, &mcp.CommandTransport{Command: cmd}, opts)}
}

func connectTo(t *testing.T, over mcp.Transport, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, opts).Connect(t.Context(), over, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func (a *agent) call(tool string, with args, into any) {
	a.t.Helper()
	res, err := a.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: with})
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	text := res.Content[0].(*mcp.TextContent).Text
	if res.IsError {
		a.t.Fatalf("%s: %s", tool, text)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
}

func (a *agent) step(tool string, with args, wantNode string, wantStep int) step {
	a.t.Helper()
	var s step
	a.call(tool, with, &s)
	if s.Node != wantNode || s.Step != wantStep || s.Error != "" {
		a.t.Fatalf("%s gave node %s, step %d, error %q; want node %s, step %d", tool, s.Node, s.Step, s.Error, wantNode, wantStep)
	}
	return s
}

// TestTwoProcesses is the demonstration of docs/trees.md: one process begins
// an incident and is killed; another, which shares nothing with it but the
// folder of sessions, brings it to its end, with the whole trace.
func TestTwoProcesses(t *testing.T) {
	sessions := t.TempDir()

	first := startServer(t, nil, incidentTrees, "--sessions", sessions)
	begun := first.step("tree_start", args{"tree_id": "incident"}, "probe", 1)
	id := begun.SessionID
	first.step("tree_answer", args{"session_id": id, "step": 1, "value": args{"status": 503}}, "read_logs", 2)
	first.cmd.Process.Kill()
	first.Close()

	second := startServer(t, nil, incidentTrees, "--sessions", sessions)
	if second.cmd.Process.Pid == first.cmd.Process.Pid {
		t.Fatal("the same process")
	}
	now := second.step("tree_status", args{"session_id": id}, "read_logs", 2)
	if now.State != "awaiting_tool_result" || now.Expects.Tool != "read_logs" {
		t.Fatalf("the session waits for %+v", now)
	}
	second.step("tree_answer", args{"session_id": id, "step": 2, "value": args{"lines": []string{"OutOfMemoryError: heap"}}}, "main_error", 3)
	fix := second.step("tree_answer", args{"session_id": id, "step": 3, "value": "memory", "rationale": "the heap is full"}, "restart", 4)
	if string(fix.Expects.Args) != `{"service":"web","reason":"memory"}` {
		t.Errorf("restart with %s", fix.Expects.Args)
	}
	end := second.step("tree_answer", args{"session_id": id, "step": 4, "value": "ok"}, "restarted", 5)
	if end.State != "done" || end.Outcome != "mitigated" {
		t.Errorf("ended with %+v", end)
	}

	var told struct {
		Outcome string
		Trace   []struct {
			Seq       int
			Node      string
			Input     json.RawMessage
			Rationale string
			Source    string
		}
	}
	second.call("tree_trace", args{"session_id": id}, &told)
	var lines []string
	for _, e := range told.Trace {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %s %s %s %s", e.Seq, e.Node, e.Input, e.Source, e.Rationale)))
	}
	want := `1 probe {"status":503} tree_answer
2 is_up null
3 read_logs {"lines":["OutOfMemoryError: heap"]} tree_answer
4 main_error "memory" tree_answer the heap is full
5 restart "ok" tree_answer
6 restarted null`
	if got := strings.Join(lines, "\n"); got != want || told.Outcome != "mitigated" {
		t.Errorf("outcome %s and trace\n%s\nwant\n%s", told.Outcome, got, want)
	}
	if err := second.Close(); err != nil {
		t.Errorf("the second process at the end of its input: %v", err)
	}
}

const question = `{"mcptree":"0.2","id":"question","title":"Question","entry":"a","nodes":{
	"a":{"type":"ask","prompt":"well?","options":[{"id":"yes","then":"z"},{"id":"no","then":"z"}]},
	"z":{"type":"terminal","outcome":"ok","summary":"end"}}}`

func questions(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "question.yaml"), []byte(question), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// silent is a human who is asked and doesn't answer.
func silent(asked chan<- struct{}) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}}
}

// leaveOpen makes a call that waits for the human.
func leaveOpen(t *testing.T, c *mcp.ClientSession, asked <-chan struct{}) {
	t.Helper()
	go c.CallTool(t.Context(), &mcp.CallToolParams{Name: "tree_start", Arguments: args{"tree_id": "question"}})
	select {
	case <-asked:
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was asked")
	}
}

// signalled signals a process until it ends, and wants it to end well.
func signalled(t *testing.T, cmd *exec.Cmd, ended <-chan error) {
	t.Helper()
	limit := time.After(10 * time.Second)
	for {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("told to stop: %v, want exit code 0", err)
			}
			return
		case <-limit:
			cmd.Process.Kill()
			t.Fatal("doesn't stop")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestStop: told to stop, a server does so soon and well, whoever waits, and
// however often it is told.
func TestStop(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	for _, open := range []bool{false, true} {
		t.Run(fmt.Sprintf("http, with a call open %v", open), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("mcptree", "serve", questions(t), "--sessions", t.TempDir(), "--http", "127.0.0.1:0")
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(stderr).ReadString('\n')
			_, url, ok := strings.Cut(strings.TrimSpace(line), "serving ")
			if !ok {
				cmd.Process.Kill()
				t.Fatalf("it says %q", line)
			}
			asked := make(chan struct{}, 1)
			c := connectTo(t, &mcp.StreamableClientTransport{Endpoint: url, MaxRetries: -1}, silent(asked))
			if open {
				leaveOpen(t, c, asked)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			signalled(t, cmd, ended)
			if _, err := http.Get(url); err == nil {
				t.Error("it still serves")
			}
		})
		t.Run(fmt.Sprintf("stdio, with a call open %v", open), func(t *testing.T) {
			t.Parallel()
			// The input stays open: what ends the process is the signal.
			cmd := exec.Command("mcptree", "serve", questions(t), "--sessions", t.TempDir())
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			asked := make(chan struct{}, 1)
			c := connectTo(t, &mcp.IOTransport{Reader: out, Writer: in}, silent(asked))
			if open {
				leaveOpen(t, c, asked)
			}
			ended := make(chan error, 1)
			go func() {
				s, err := cmd.Process.Wait()
				if err == nil && !s.Success() {
					err = fmt.Errorf("%v", s)
				}
				ended <- err
			}()
			signalled(t, cmd, ended)
		})
	}
}
