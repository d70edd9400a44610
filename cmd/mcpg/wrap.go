package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/calllog/redact"
	"mcpg/policy"
	"mcpg/proxy"
	"mcpg/store"
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
		Example: `  mcpg wrap --adapter filesystem -- npx -y @modelcontextprotocol/server-filesystem /home/me/work
  mcpg wrap --adapter release.json --policy block --approve publish_release --url http://localhost:8000/mcp
  mcpg wrap --adapter filesystem --policy warn --db ./lab.sqlite --refresh-every 20 -- npx -y @modelcontextprotocol/server-filesystem /home/me/work`,
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
	if dir == "" {
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
	a        *app
	proxy    *proxy.Proxy
	policy   *policy.Policy
	model    *proxy.Model
	store    *store.Store
	adapters adapter.Set
	cancel   context.CancelFunc
	work     sync.WaitGroup
	loaded   chan struct{}

	refresh int
	mu      sync.Mutex
	since   int   // calls since others' were taken in
	last    int64 // row that was read last
	mine    map[string]bool
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
	w := &wrapped{a: a, adapters: set, model: proxy.NewModel(set, g), refresh: f.refresh, loaded: make(chan struct{}), mine: map[string]bool{}}
	if w.policy = policy.New(set, opts); g != nil {
		w.policy = policy.NewKnowing(set, opts, g)
	}
	ctx, w.cancel = context.WithCancel(ctx)
	if err := w.openStore(ctx, f); err != nil {
		w.cancel()
		return nil, err
	}
	o := proxy.Options{Policy: w.policy, Mode: mode, Adapters: set, Recorder: w, Model: w.model.Graph, Asker: asker{}, Loaded: w.loaded}
	if !f.quiet {
		o.Log = a.err
	}
	if f.redact {
		o.Redact = func(c *calllog.Call) {
			(&redact.Redactor{On: true}).Call(c)
		}
	}
	w.proxy = proxy.New(o)
	w.work.Go(func() {
		defer close(w.loaded)
		w.takeIn(ctx)
	})
	return w, nil
}

// openStore opens the store that --db names. The default one may be missing: a proxy
// that keeps nothing is better than none.
func (w *wrapped) openStore(ctx context.Context, f *wrapFlags) error {
	path := f.db
	if path == "none" {
		return nil
	}
	if path == "" {
		if path = defaultStore(); path == "" {
			fmt.Fprintln(w.a.err, "mcpg: no home folder to keep calls in, so none are kept; name a file with --db")
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			fmt.Fprintf(w.a.err, "mcpg: no calls are kept: %v; name a file with --db\n", plainPath(err))
			return nil
		}
	}
	s, moved, err := store.Open(ctx, path)
	if moved != "" {
		fmt.Fprintf(w.a.err, "mcpg: %s was damaged, and is %s now; calls go to a new one\n", path, moved)
	}
	if err != nil {
		if f.db == "" {
			fmt.Fprintf(w.a.err, "mcpg: no calls are kept: %v; name a file with --db\n", err)
			return nil
		}
		return err
	}
	w.store = s
	for _, ad := range w.adapters { // readers of the store view its calls as we do
		if ad.ServerID == "" {
			continue
		}
		if err := s.KeepAdapter(ad.ServerID, ad.Source()); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	return nil
}

// takeIn teaches the policy what the store has that it doesn't know.
func (w *wrapped) takeIn(ctx context.Context) {
	if w.store == nil {
		return
	}
	w.mu.Lock()
	after := w.last
	w.mu.Unlock()
	for row, err := range w.store.Calls(ctx, after) {
		if err != nil {
			if ctx.Err() == nil {
				fmt.Fprintf(w.a.err, "mcpg: reading the store: %v\n", err)
			}
			break
		}
		w.mu.Lock()
		w.last = row.ID
		mine := w.mine[row.Call.ID]
		delete(w.mine, row.Call.ID)
		w.mu.Unlock()
		if !mine {
			w.policy.Learn(&row.Call)
			w.model.Add(&row.Call)
		}
	}
}

// Add keeps a call, and from time to time takes in those of others.
func (w *wrapped) Add(c *calllog.Call, d store.Decision) error {
	w.model.Add(c)
	if w.store == nil {
		return nil
	}
	w.mu.Lock()
	w.mine[c.ID] = true
	w.since++
	due := w.since >= w.refresh
	if due {
		w.since = 0
	}
	w.mu.Unlock()
	err := w.store.Add(c, d)
	if errors.Is(err, store.ErrTooLarge) { // what was called, and how it ended, is what counts
		small := *c
		small.Result, small.ResultText, small.Before, small.After, small.Extra = nil, "", nil, nil, nil
		const most = 64 << 10
		if len(small.ErrorText) > most {
			small.ErrorText = small.ErrorText[:most]
		}
		if err = w.store.Add(&small, d); errors.Is(err, store.ErrTooLarge) {
			small.Args = nil
			err = w.store.Add(&small, d)
		}
	}
	if due {
		select {
		case <-w.loaded:
			w.work.Go(func() { w.takeIn(context.Background()) })
		default:
		}
	}
	return err
}

func (w *wrapped) close() {
	w.cancel()
	w.work.Wait()
	if w.store != nil {
		if err := w.store.Close(); err != nil {
			fmt.Fprintf(w.a.err, "mcpg: closing the store: %v\n", err)
		}
	}
}

// far starts the server of a session.
func (w *wrapped) far(ctx context.Context, f *wrapFlags, argv []string) func(func([]byte, bool)) (proxy.Server, error) {
	if f.url != "" {
		return proxy.Remote{Context: ctx, URL: f.url, Headers: f.headers}.Start
	}
	p := proxy.Process{Argv: argv, Stderr: w.a.err}
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
