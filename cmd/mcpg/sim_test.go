package main

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// started is a simulator in a process of its own.
type started struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.Reader
	url string
}

func startSim(t *testing.T, arg ...string) *started {
	t.Helper()
	cmd := exec.Command("mcpg", append([]string{"sim"}, arg...)...)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	said, err3 := cmd.StderrPipe()
	if err := errors.Join(err1, err2, err3, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	s := &started{t: t, cmd: cmd, in: in, out: out}
	if len(arg) > 1 {
		line, _ := bufio.NewReader(said).ReadString('\n')
		var ok bool
		if _, s.url, ok = strings.Cut(strings.TrimSpace(line), "mcpg: serving "); !ok {
			t.Fatalf("it says %q", line)
		}
	}
	return s
}

// plays makes a call as a client over a transport.
func (s *started) plays(over mcp.Transport, revision string) {
	s.t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(s.t.Context(), over, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := c.CallTool(s.t.Context(), &mcp.CallToolParams{Name: "run_tests", Arguments: map[string]string{"release_id": "app-1.2"}})
	if err != nil || res.IsError || c.InitializeResult().ProtocolVersion != revision {
		s.t.Errorf("%s: %v, %+v", revision, err, res)
	}
	s.t.Cleanup(func() { c.Close() })
}

// stops tells the process to stop, though its input stays open.
func (s *started) stops() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		state, err := s.cmd.Process.Wait()
		if err == nil && !state.Success() {
			err = errors.New(state.String())
		}
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			s.t.Error(err)
		}
	case <-time.After(20 * time.Second):
		s.t.Error("doesn't stop")
	}
}

func TestSimStops(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	s := startSim(t, "release")
	s.plays(&mcp.IOTransport{Reader: io.NopCloser(s.out), Writer: s.in}, "2025-11-25")
	s.stops()
}

func TestSimHTTP(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	s := startSim(t, "release", "--http", "127.0.0.1:0")
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		s.plays(&mcp.StreamableClientTransport{Endpoint: s.url, MaxRetries: -1}, revision)
	}
	for _, from := range [][2]string{{"evil.example.com", ""}, {"", "https://evil.example.com"}} {
		req, err := http.NewRequest("POST", s.url, strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = from[0]
		if from[1] != "" {
			req.Header.Set("Origin", from[1])
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusForbidden {
			t.Errorf("%v: %s", from, res.Status)
		}
	}
	s.stops()
}
