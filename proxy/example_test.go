package proxy_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/policy"
	"mcpg/proxy"
	"mcpg/store"
)

func Example() {
	p := proxy.New(proxy.Options{
		Policy:   policy.New(nil, policy.Options{Mode: policy.Observe}),
		Mode:     policy.Observe,
		Recorder: printer{},
	})
	client := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"close_ticket","arguments":{"id":"T-1"}}}` + "\n")
	// A program would give it proxy.Process{Argv: …}.Start.
	if err := p.ServeStdio(context.Background(), client, os.Stdout, start); err != nil {
		fmt.Println(err)
	}
	// Output:
	// recorded: close_ticket {"id":"T-1"} rejected the ticket is closed
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"the ticket is closed"}],"isError":true}}
}

// printer is a recorder that shows what it is given.
type printer struct{}

func (printer) Add(c *calllog.Call, _ store.Decision) error {
	fmt.Println("recorded:", c.Tool, string(c.Args), c.Outcome, c.ErrorText)
	return nil
}

// desk is a server that refuses every call.
type desk struct {
	frames chan []byte
	once   sync.Once
	done   chan struct{}
}

func start(deliver func(frame []byte, long bool)) (proxy.Server, error) {
	d := &desk{frames: make(chan []byte, 8), done: make(chan struct{})}
	go func() {
		for {
			select {
			case frame := <-d.frames:
				deliver(answer(frame), false)
			case <-d.done:
				return
			}
		}
	}()
	return d, nil
}

func answer(frame []byte) []byte {
	var request struct {
		ID     jsontext.Value `json:"id"`
		Method string         `json:"method"`
	}
	if err := json.Unmarshal(frame, &request); err != nil {
		panic(err)
	}
	result := `{"content":[{"type":"text","text":"the ticket is closed"}],"isError":true}`
	if request.Method == "tools/list" { // the proxy asks for it too
		result = `{"tools":[{"name":"close_ticket","inputSchema":{"type":"object"}}]}`
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", request.ID, result)
}

func (d *desk) Send(frame []byte) error {
	d.frames <- bytes.Clone(frame)
	return nil
}

func (d *desk) CloseSend()            {}
func (d *desk) Finish()               { d.once.Do(func() { close(d.done) }) }
func (d *desk) Done() <-chan struct{} { return d.done }
func (d *desk) Err() error            { return nil }
