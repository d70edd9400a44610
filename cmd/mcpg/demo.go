package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
)

// realServer is the official filesystem server.
var realServer = []string{"npx", "-y", "@modelcontextprotocol/server-filesystem"}

func (a *app) demoCommand() *cobra.Command {
	var isReal bool
	var db string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Watch mcpg learn from an agent's mistakes, and then keep it from them",
		Long: `Two acts with a filesystem server. In the first an agent that isn't clever edits and moves
files that aren't there, under the policy warn; in the second, with what was learnt and the
policy block, the same mistakes are refused with their evidence, what works goes through, and
a move that nobody approved is held. Nothing but a folder that is made for it is touched.

The server is the simulator; with --real the official one, which npx fetches (Node 18 or later).`,
		Example: "  mcpg demo\n  mcpg demo --real",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return a.demo(c.Context(), isReal, db) },
	}
	c.Flags().BoolVar(&isReal, "real", false, "with the official filesystem server, by npx")
	c.Flags().StringVar(&db, "db", "", "keep the store of calls here, to look at it later")
	return c
}

// act is a part of the demonstration.
type act struct {
	title  string
	policy string
	calls  []demoCall
}

type demoCall struct {
	tool string
	args map[string]any
}

func (a *app) demo(ctx context.Context, isReal bool, db string) error {
	dir, err := os.MkdirTemp("", "mcpg-demo-")
	if err != nil {
		return plainPath(err)
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil { // the official server speaks of real paths
		return plainPath(err)
	}
	if db == "" {
		db = filepath.Join(dir, "calls.sqlite")
	}
	root, argv, err := demoServer(dir, isReal)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "The server: %s\n", strings.ReplaceAll(strings.Join(argv, " "), dir, "…"))
	for i, act := range acts(root) {
		fmt.Fprintf(a.out, "\nAct %d. %s (--policy %s)\n", i+1, act.title, act.policy)
		if err := a.play(ctx, &act, argv, db, root); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.out, "\nPut it before a server of your own: mcpg wrap --help\n")
	return nil
}

// demoServer makes the files, and says where they are and which server has them.
func demoServer(dir string, isReal bool) (root string, argv []string, err error) {
	files := map[string]string{"notes.txt": "status: draft\n", "todo.txt": "status: open\n", "diary.txt": "status: draft\n"}
	if !isReal {
		world := map[string]any{"root": "/desk", "dirs": []string{}, "files": map[string]string{}}
		for name, text := range files {
			world["files"].(map[string]string)["/desk/"+name] = text
		}
		b, err := json.Marshal(world, json.Deterministic(true))
		if err != nil {
			return "", nil, err
		}
		file := filepath.Join(dir, "world.json")
		if err := os.WriteFile(file, b, 0o600); err != nil {
			return "", nil, plainPath(err)
		}
		me, err := self()
		return "/desk", []string{me, "sim", "filesystem", "--world", file}, err
	}
	if _, err := exec.LookPath(realServer[0]); err != nil {
		return "", nil, fmt.Errorf("--real wants Node with npx: %w; without it, mcpg demo runs on the simulator", err)
	}
	root = filepath.Join(dir, "work")
	if err := os.Mkdir(root, 0o700); err != nil {
		return "", nil, plainPath(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			return "", nil, plainPath(err)
		}
	}
	return root, append(realServer[:len(realServer):len(realServer)], root), nil
}

func acts(root string) []act {
	edit := func(file, was, is string) demoCall {
		return demoCall{"edit_file", map[string]any{"path": root + "/" + file, "edits": []any{map[string]any{"oldText": was, "newText": is}}}}
	}
	move := func(from, to string) demoCall {
		return demoCall{"move_file", map[string]any{"source": root + "/" + from, "destination": root + "/" + to}}
	}
	return []act{
		{"An agent learns from errors, call by call", "warn", []demoCall{
			edit("plan.txt", "draft", "final"), edit("report.txt", "draft", "final"), move("plan.txt", "old-plan.txt"), move("report.txt", "old-report.txt"),
			edit("notes.txt", "draft", "review"), move("todo.txt", "tasks.txt"), edit("plans.txt", "draft", "final"),
		}},
		{"The same mistakes again", "block", []demoCall{
			edit("agenda.txt", "draft", "final"), move("agenda.txt", "old-agenda.txt"), edit("diary.txt", "draft", "final"), move("notes.txt", "final-notes.txt"),
			{"mcpg_affordances", map[string]any{"resource_ref": "file:" + root + "/notes.txt"}}, {"mcpg_affordances", map[string]any{"resource_ref": "file:" + root + "/agenda.txt"}},
		}},
	}
}

// play makes the calls of an act through a proxy.
func (a *app) play(ctx context.Context, act *act, argv []string, db, root string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	quiet := *a
	quiet.err = io.Discard
	f := &wrapFlags{adapters: []string{"filesystem"}, policy: act.policy, evidence: "twice", db: db, refresh: 20, quiet: true}
	w, err := quiet.openWrap(ctx, f)
	if err != nil {
		return err
	}
	defer w.close()
	in, say := io.Pipe()
	hear, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := w.proxy.ServeStdio(ctx, in, out, w.far(ctx, f, argv))
		out.CloseWithError(err)
		ended <- err
	}()
	start, stop := context.WithTimeout(ctx, 2*time.Minute) // npx may have to fetch
	defer stop()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "mcpg-demo", Version: "1"}, nil).Connect(start, &mcp.IOTransport{Reader: hear, Writer: say}, nil)
	if err != nil {
		cancel()
		if gone := <-ended; gone != nil {
			err = gone
		}
		return fmt.Errorf("starting the server: %w", err)
	}
	if _, err := client.ListTools(start, nil); err != nil {
		return err
	}
	for _, c := range act.calls {
		if err := a.show(ctx, client, c, root); err != nil {
			return err
		}
	}
	if err := client.Close(); err != nil {
		return err
	}
	return <-ended
}

// show makes a call and prints it with its answer.
func (a *app) show(ctx context.Context, client *mcp.ClientSession, c demoCall, root string) error {
	r, err := client.CallTool(ctx, &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
	if err != nil {
		return err
	}
	var names []string
	for _, key := range []string{"path", "source", "destination", "resource_ref"} {
		if v, ok := c.args[key].(string); ok {
			names = append(names, strings.ReplaceAll(v, root+"/", ""))
		}
	}
	fmt.Fprintf(a.out, "\n> %s %s\n", c.tool, strings.Join(names, " "))
	sign := map[bool]string{true: "✗", false: "✓"}[r.IsError]
	for _, block := range r.Content {
		text, ok := block.(*mcp.TextContent)
		if !ok {
			continue
		}
		for line := range strings.Lines(strings.ReplaceAll(text.Text, root+"/", "")) {
			if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "Index: ") {
				fmt.Fprintf(a.out, "  %s %s\n", sign, line)
				sign = " "
			}
		}
	}
	return nil
}

// self is the program's own file.
func self() (string, error) {
	me, err := os.Executable()
	if err != nil || filepath.Base(me) == filepath.Base(os.Args[0]) {
		return me, err
	}
	return exec.LookPath(os.Args[0]) // it was started by another name
}
