package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// converse is a client for scripts: it starts the command of its arguments and says the
// lines of its input, each request only after the answer to the one before. It prints
// what it hears, and answers elicitations with what ELICIT says.
func converse() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	fail(err)
	out, err := cmd.StdoutPipe()
	fail(err)
	fail(cmd.Start())
	hear := bufio.NewReader(out)
	type head struct {
		ID     jsontext.Value `json:"id"`
		Method string         `json:"method"`
	}
	said := bufio.NewReader(os.Stdin)
	for {
		line, err := said.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			var h head
			_ = json.Unmarshal([]byte(line), &h)
			_, _ = io.WriteString(in, line)
			for h.ID != nil {
				heard, err := hear.ReadString('\n')
				fmt.Print(heard)
				if err != nil {
					break
				}
				var a head
				_ = json.Unmarshal([]byte(heard), &a)
				if a.Method == "elicitation/create" {
					fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", a.ID, os.Getenv("ELICIT"))
				} else if a.Method == "" && string(a.ID) == string(h.ID) {
					break
				}
			}
		}
		if err != nil {
			break
		}
	}
	in.Close()
	_, _ = io.Copy(os.Stdout, hear)
	if err := cmd.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(cmd.ProcessState.ExitCode())
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}
