package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// TestMain lets the test's program be the servers that the figures need.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && (os.Args[1] == echoServer || os.Args[1] == sdkProxy) {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestEcho(t *testing.T) {
	var out bytes.Buffer
	in := `{"jsonrpc":"2.0","id":"a","method":"tools/call"}` + "\njunk\n" + `{"method":"notifications/x"}` + "\n" + `{"id":2,"method":"tools/list"}` + "\n"
	if err := serveEcho(strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, `"id":"a"`) || !strings.Contains(got, "get_thing") {
		t.Errorf("%s", got)
	}
}

// TestProxy: the figures are measured, and mcpg adds something.
func TestProxy(t *testing.T) {
	i := 0
	for ; commands[i].name != "proxy"; i++ {
	}
	var out, errs bytes.Buffer
	if code := commands[i].run(t.Context(), []string{"--only", "against-sdk", "--runs", "1"}, tiny, &out, &errs); code != codeOK && code != codeMissed {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if !strings.Contains(out.String(), "times") {
		t.Errorf("%s", out.String())
	}
}
