package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Hidden commands that proxies stand before, or that are one.
const (
	echoServer = "echo-server" // answers at once
	sdkProxy   = "sdk-proxy"   // forwards by the SDK's client and server
)

// proxyFigures measures what a proxy adds to a small call, in one run: median round
// trips, mcpg's against those of a proxy that the SDK makes of its server and client.
func proxyFigures(b *bench) []figure {
	self := func(name string) string { return "go run . proxy --only " + name }
	added := func(how ...string) func() (sample, error) {
		return func() (sample, error) {
			direct, err := b.roundTrip(nil)
			if err != nil {
				return sample{}, err
			}
			through, err := b.roundTrip(how)
			return sample{value: float64(through-direct) / float64(time.Microsecond)}, err
		}
	}
	return []figure{
		{name: "added", about: "added to a call of a tool without a resource, nothing kept", command: self("added"), unit: "µs", limit: atMost(100), measure: added("wrap", "--db", "none", "--quiet", "--")},
		{name: "added-store", about: "the same, each call kept", command: self("added-store"), unit: "µs", limit: atMost(150), measure: added("wrap", "--db", "DIR/calls.sqlite", "--quiet", "--")},
		{name: "added-reads", about: "added to a call whose resource is read before and after, each call kept", command: self("added-reads"), unit: "µs", limit: atMost(500), measure: added("wrap", "--adapter", "DIR/adapter.json", "--db", "DIR/calls.sqlite", "--quiet", "--")},
		{name: "against-sdk", about: "what mcpg adds against what a proxy by the SDK adds", command: self("against-sdk"), unit: "times", limit: atMost(1), measure: b.againstSDK},
	}
}

func (b *bench) againstSDK() (sample, error) {
	var took [3]time.Duration
	for i, how := range [][]string{nil, {"wrap", "--db", "none", "--quiet", "--"}, {sdkProxy}} {
		var err error
		if took[i], err = b.roundTrip(how); err != nil {
			return sample{}, err
		}
	}
	return sample{value: float64(took[1]-took[0]) / float64(took[2]-took[0])}, nil
}

// trips is how many calls a measurement makes, beside those that warm up.
const trips = 2000

// roundTrip is the median of calls one after another: of the echo server itself, behind
// mcpg, or behind the SDK's proxy.
func (b *bench) roundTrip(how []string) (time.Duration, error) {
	me, err := os.Executable()
	if err != nil {
		return 0, err
	}
	argv := []string{me, echoServer}
	switch {
	case len(how) == 1:
		argv = []string{me, sdkProxy}
	case len(how) > 1:
		bin, err := b.build("mcpg")
		if err != nil {
			return 0, err
		}
		adapter := `{"server_id":"echo","resource_class":"thing","observation_tool":"get_thing","id_param":"id","argument_features":{"*":[]}}`
		if err := os.WriteFile(filepath.Join(b.dir, "adapter.json"), []byte(adapter), 0o600); err != nil {
			return 0, err
		}
		args := []string{bin}
		for _, a := range how {
			args = append(args, strings.ReplaceAll(a, "DIR", b.dir))
		}
		argv = append(args, argv...)
	}
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	hear := bufio.NewReaderSize(out, 1<<20)
	n := 0
	ask := func(method, params string) (time.Duration, error) {
		n++
		began := time.Now()
		if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", n, method, params); err != nil {
			return 0, err
		}
		if _, err := hear.ReadSlice('\n'); err != nil {
			return 0, fmt.Errorf("%s: %w", argv, err)
		}
		return time.Since(began), nil
	}
	if _, err := ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"b","version":"1"}}`); err != nil {
		return 0, err
	}
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return 0, err
	}
	if _, err := ask("tools/list", `{}`); err != nil {
		return 0, err
	}
	var all []float64
	for i := range trips + trips/4 {
		took, err := ask("tools/call", `{"name":"do_thing","arguments":{"id":"1"}}`)
		if err != nil {
			return 0, err
		}
		if i >= trips/4 {
			all = append(all, float64(took))
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		return 0, fmt.Errorf("%s: %w", argv, err)
	}
	return time.Duration(median(all)), nil
}

func serveEchoOrProxy(ctx context.Context, what string) error {
	if what == sdkProxy {
		return serveSDK(ctx)
	}
	return serveEcho(os.Stdin, os.Stdout)
}

// serveEcho answers requests at once.
func serveEcho(in io.Reader, out io.Writer) error {
	hear := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := hear.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.Unmarshal(line, &m); err != nil || m.ID == nil {
			continue
		}
		result := `{"content":[{"type":"text","text":"{\"status\":\"open\"}"}]}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}`
		case "tools/list":
			result = `{"tools":[{"name":"do_thing","inputSchema":{"type":"object"}},{"name":"get_thing","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result); err != nil {
			return err
		}
	}
}

// serveSDK is a proxy as the SDK's client and server make it.
func serveSDK(ctx context.Context) error {
	me, err := os.Executable()
	if err != nil {
		return err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "proxy", Version: "1"}, nil)
	far, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(me, echoServer)}, nil)
	if err != nil {
		return err
	}
	defer far.Close()
	server := mcp.NewServer(&mcp.Implementation{Name: "proxy", Version: "1"}, nil)
	for t, err := range far.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		server.AddTool(t, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return far.CallTool(ctx, &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
		})
	}
	return server.Run(ctx, &mcp.StdioTransport{})
}
