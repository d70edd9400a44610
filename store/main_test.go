package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"mcpg/calllog"
)

// writerEnv makes the test binary a process that writes: a store's path.
const writerEnv = "STORE_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		if err := writeAndSay(path, os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writeAndSay adds calls, and says each when it is acknowledged.
func writeAndSay(path, session, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	s, _, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	for i := range n {
		if err := s.Add(call(session, i), Passed); err != nil {
			return err
		}
		if _, err := fmt.Println(i); err != nil {
			return err
		}
	}
	return s.Close()
}

// writer is a process that writes.
type writer struct {
	cmd *exec.Cmd
	out *bufio.Scanner
}

func startWriter(t *testing.T, path, session string, n int) *writer {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, session, strconv.Itoa(n))
	cmd.Env = append(os.Environ(), writerEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &writer{cmd, bufio.NewScanner(out)}
}

func call(session string, i int) *calllog.Call {
	return &calllog.Call{
		ID: fmt.Sprintf("%s-%d", session, i), Time: time.UnixMicro(1_700_000_000_000_000 + int64(i)).UTC(),
		Session: session, Server: "desk", Tool: "close_ticket", Resource: "ticket:" + strconv.Itoa(i%7),
		Args: []byte(`{"ticket_id":"` + strconv.Itoa(i%7) + `"}`), Outcome: calllog.Rejected, Cause: calllog.StateCause,
		ResultText: "ticket is closed", ErrorText: "ticket is closed",
		Before: []byte(`{"ticket":{"status":"closed","assigned":true}}`), StateSource: calllog.Bracketed, Latency: 1200 * time.Microsecond,
	}
}

func openStore(t testing.TB, path string) *Store {
	t.Helper()
	s, moved, err := Open(t.Context(), path)
	if err != nil || moved != "" {
		t.Fatalf("moved %q, %v", moved, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// rows reads all rows.
func rows(t testing.TB, s *Store) []*Row {
	t.Helper()
	var out []*Row
	for row, err := range s.Calls(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	return out
}
