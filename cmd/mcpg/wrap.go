package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/calllog/redact"
	"mcpg/policy"
	"mcpg/proxy"
)

// wrapFlags are what mcpg wrap is told.
type wrapFlags struct {
	adapters []string
	policy   string
	evidence string
	approve  []string
	model    string
	db       string
	refresh  int
	noHints  bool
	redact   bool
	url      string
	headers  []string
	listen   string
	quiet    bool
}

func (a *app) wrapCommand() *cobra.Command {
	f := &wrapFlags{}
	c := &cobra.Command{
		Use:   "wrap [flags] (--url URL | -- CMD ARG…)",
		Short: "Stand before an MCP server: observe, warn of or block calls that can't work",
		Long: `Stand between an MCP client and its server. Calls are judged by what earlier ones taught:
with --policy warn (the default) answers carry notes, with block a call that is proven to
fail is refused with its evidence, with observe nothing is said. Whatever isn't edited goes
through byte for byte. Calls go to a store (--db), which mcpg ingest reads as a log.

Put it before the server's command in the host's configuration; docs/live.md shows how. It is
no security boundary: it keeps calls from failing, and nobody from doing harm.`,
		Example: `  mcpg wrap --adapter filesystem -- npx -y @modelcontextprotocol/server-filesystem /home/me/files
  mcpg wrap --adapter release.json --policy block --approve publish_release --url http://localhost:8000/mcp
  mcpg wrap --adapter filesystem --policy warn --db ./lab.sqlite --refresh-every 20 -- npx -y @modelcontextprotocol/server-filesystem /home/me/files`,
		Args: func(_ *cobra.Command, args []string) error {
			if (len(args) == 0) == (f.url == "") {
				return errors.New("want a server: its command after --, or --url")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.wrap(c.Context(), f, args) },
	}
	fl := c.Flags()
	fl.StringArrayVar(&f.adapters, "adapter", nil, "adapter by name ("+strings.Join(adapter.Shipped(), ", ")+") or file, which says what calls are about; may be given several times")
	fl.StringVar(&f.policy, "policy", string(policy.Warn), "observe, warn or block")
	fl.StringVar(&f.evidence, "evidence", string(policy.Twice), "what a refusal rests on: twice (two distinct failures) or first")
	fl.StringArrayVar(&f.approve, "approve", nil, "a tool that needs no person's approval under block; may be given several times")
	fl.StringVar(&f.model, "model", "", "a model.json to begin with")
	fl.StringVar(&f.db, "db", "", "the store of calls; none keeps nothing (default "+shownPath(defaultStore())+")")
	fl.IntVar(&f.refresh, "refresh-every", 20, "after how many calls those of other proxies with the same store are taken in")
	fl.BoolVar(&f.noHints, "no-hints", false, "don't add the line on what works now; notes on calls that may fail stay")
	fl.BoolVar(&f.redact, "redact", false, "take secrets out of what is stored")
	fl.StringVar(&f.url, "url", "", "the server's Streamable HTTP address")
	fl.StringArrayVar(&f.headers, "header", nil, "NAME: VALUE that requests to --url carry; may be given several times")
	fl.StringVar(&f.listen, "listen", "", "serve clients by Streamable HTTP on this address instead of stdio, such as 127.0.0.1:8080")
	fl.BoolVar(&f.quiet, "quiet", false, "say nothing on stderr unless something is wrong")
	return c
}

// defaultStore is where calls are kept unless --db says otherwise.
func defaultStore() string {
	switch runtime.GOOS {
	case "windows", "darwin":
		if dir, err := os.UserConfigDir(); err == nil {
			return filepath.Join(dir, "mcpg", "calls.sqlite")
		}
		return ""
	}
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "mcpg", "calls.sqlite")
}

// shownPath says ~ for the home folder.
func shownPath(path string) string {
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
			return filepath.Join("~", rest)
		}
	}
	return path
}

func (a *app) wrap(ctx context.Context, f *wrapFlags, argv []string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	w, err := a.openWrap(ctx, f)
	if err != nil {
		return err
	}
	defer w.close()
	if f.listen != "" {
		return w.listen(ctx, f, argv)
	}
	err = w.proxy.ServeStdio(ctx, a.in, a.out, w.far(ctx, f, argv))
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// wrapped is a proxy with what it needs.
type wrapped struct {
	a      *app
	proxy  *proxy.Proxy
	keeper *keeper
	log    *proxy.Lossy
}

// openWrap puts a proxy together, and begins to read the store.
func (a *app) openWrap(ctx context.Context, f *wrapFlags) (*wrapped, error) {
	mode, err := policy.ParseMode(f.policy)
	if err != nil {
		return nil, &usageError{err}
	}
	evidence, err := policy.ParseEvidence(f.evidence)
	if err != nil {
		return nil, &usageError{err}
	}
	if f.refresh < 1 {
		return nil, usage("--refresh-every %d: want at least 1", f.refresh)
	}
	if len(f.headers) > 0 && f.url == "" {
		return nil, usage("--header is of a --url")
	}
	set, err := (&source{adapters: f.adapters}).load()
	if err != nil {
		return nil, err
	}
	var g *behavior.Graph
	if f.model != "" {
		if g, err = readModel(f.model); err != nil {
			return nil, err
		}
		if g == nil {
			return nil, usage("--model %s: not a model.json, which mcpg learn -o writes", f.model)
		}
	}
	opts := policy.Options{Mode: mode, Evidence: evidence, Approved: f.approve, NoHints: f.noHints}
	w := &wrapped{a: a, log: proxy.NewLossy(a.err)}
	k := &keeper{log: w.log, adapters: set, refresh: f.refresh, policy: policy.New(set, opts), model: proxy.NewModel(set, g)}
	if g != nil {
		k.policy = policy.NewKnowing(set, opts, g)
	}
	if err := k.open(ctx, f.db); err != nil {
		return nil, err
	}
	w.keeper = k
	o := proxy.Options{Policy: k.policy, Mode: mode, Adapters: set, Recorder: k, Model: k.model.Graph, Asker: asker{}, Loaded: k.loaded}
	if !f.quiet {
		o.Log = w.log
	}
	if f.redact {
		o.Redact = func(c *calllog.Call) { (&redact.Redactor{On: true}).Call(c) }
	}
	w.proxy = proxy.New(o)
	return w, nil
}

func (w *wrapped) close() {
	w.keeper.close()
	w.log.Close()
}

// far starts the server of a session.
func (w *wrapped) far(ctx context.Context, f *wrapFlags, argv []string) func(func([]byte, bool)) (proxy.Server, error) {
	if f.url != "" {
		return proxy.Remote{Context: ctx, URL: f.url, Headers: f.headers}.Start
	}
	p := proxy.Process{Argv: argv, Stderr: w.log}
	if me, err := self(); err == nil && runtime.GOOS != "windows" {
		p.Watch = []string{me, watchVerb}
	}
	return p.Start
}

// watchVerb is a command for ourselves: see proxy.Watch.
const watchVerb = "watch-group"

func (a *app) watchCommand() *cobra.Command {
	return &cobra.Command{
		Use: watchVerb, Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return proxy.Watch(a.in, args[0]) },
	}
}
