package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/ingest/table"
	"mcpg/internal/atomicfile"
	"mcpg/report"
	"mcpg/simulate"
	"mcpg/simulate/explore"
	"mcpg/simulators/filesystem"
	"mcpg/simulators/release"
)

// exploreFlags are the flags of explore.
type exploreFlags struct {
	calls                   int
	seed                    uint64
	allow, adapters, values []string
	model, log              string
}

func (a *app) exploreCommand() *cobra.Command {
	var f exploreFlags
	c := &cobra.Command{
		Use:   "explore release|filesystem, or explore [flags] -- CMD ARG…",
		Short: "Learn when tools work by trying them, the most telling call first",
		Long: `Learn when tools work by trying them: of all calls that could be made, the one whose
outcome tells most is made next, the one that halves what is undetermined where there is
such a call. On a simulator all tools are called. On a server of yours, started with CMD
over stdio, only tools that say that they only read, or that --allow names: an adapter
says how states are read, --value which values arguments may have.`,
		Example: `  mcpg explore release --calls 500 -o model.json
  mcpg explore --adapter filesystem --value path=/tmp/x --allow create_directory -- npx server-filesystem /tmp/x`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("name a simulator, release or filesystem, or a server's command after --")
			}
			if c.ArgsLenAtDash() < 0 && len(args) != 1 || c.ArgsLenAtDash() > 0 {
				return usage("name either one simulator, or a server's command after --")
			}
			if f.calls < 1 {
				return usage("--calls %d: want at least 1", f.calls)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.explore(c, &f, args) },
	}
	fl := c.Flags()
	fl.IntVar(&f.calls, "calls", 300, "how many calls to make at most; reads of states come on top")
	fl.Uint64Var(&f.seed, "seed", 1, "of a simulator's worlds, and of choices between calls that tell as much")
	fl.StringArrayVar(&f.allow, "allow", nil, "a tool of the server that may be called though it doesn't only read; may be given several times")
	fl.StringArrayVar(&f.adapters, "adapter", nil, "adapter by name ("+strings.Join(adapter.Shipped(), ", ")+") or file; may be given several times")
	fl.StringArrayVar(&f.values, "value", nil, "NAME=VALUE: a value that the argument NAME may have; may be given several times")
	fl.StringVarP(&f.model, "output", "o", "", "write the model here")
	fl.StringVar(&f.log, "log", "", "write the calls here, as .jsonl, .parquet or .arrow")
	return c
}

func (a *app) explore(cmd *cobra.Command, f *exploreFlags, args []string) error {
	o := explore.Options{Calls: f.calls, Seed: f.seed, Values: map[string][]string{}}
	for _, v := range f.values {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return usage("--value %q: want NAME=VALUE", v)
		}
		o.Values[name] = append(o.Values[name], value)
	}
	if err := f.checkOutputs(); err != nil {
		return err
	}
	ctx := cmd.Context()
	var subject explore.Subject
	if cmd.ArgsLenAtDash() == 0 {
		server, err := startServer(ctx, args, a.err)
		if err != nil {
			return err
		}
		defer server.Close()
		subject = server
		o.Now = time.Now
	} else {
		next, err := simulated(args[0], f)
		if err != nil {
			return err
		}
		f.adapters = append(f.adapters, args[0])
		var values map[string][]string
		subject, values, _ = next(0)
		maps.Copy(o.Values, values)
		o.Fresh = next
	}
	var err error
	if o.Adapters, err = adapter.LoadSet(f.adapters); err != nil {
		return err
	}
	ours := o.Adapters.For(subject.Name())
	o.Allowed = func(t simulate.Tool) bool {
		readOnly := simulate.ReadOnly(t) && (ours == nil || !ours.Writes(t.Name))
		return o.Fresh != nil || slices.Contains(f.allow, t.Name) || readOnly
	}
	if err := checkAllowed(subject, f.allow); err != nil {
		return err
	}
	if !slices.ContainsFunc(subject.Tools(), o.Allowed) {
		return fmt.Errorf("no tool of %s may be called: none says that it only reads; name some with --allow", subject.Name())
	}
	p := a.progress("trying", int64(f.calls), false)
	o.Progress = func(int) { p.add(1) }
	r, err := explore.Explore(ctx, subject, o)
	p.end()
	if errors.Is(err, context.Canceled) && len(r.Calls) > 0 {
		err = nil
		r.Stopped = "you stopped it; what was learnt by then is kept"
		a.code = codeFailed
	}
	if err != nil && len(r.Calls) == 0 {
		return err
	}
	return errors.Join(err, a.explored(r, f, o.Adapters))
}

// checkOutputs says before the first call what can't be written after the last.
func (f *exploreFlags) checkOutputs() error {
	switch {
	case f.model == "-" || f.log == "-":
		return usage("--output and --log want a file: what was learnt goes to stdout in words")
	case f.model != "" && f.model == f.log:
		return usage("--output and --log name one file")
	case f.log != "" && !slices.ContainsFunc([]string{".jsonl", ".parquet", ".arrow"}, func(end string) bool { return strings.HasSuffix(f.log, end) }):
		return usage("--log %s: want a name that ends in .jsonl, .parquet or .arrow", f.log)
	}
	for _, name := range []string{f.model, f.log} {
		if name == "" {
			continue
		}
		if st, err := os.Stat(filepath.Dir(name)); err != nil {
			return plainPath(err)
		} else if !st.IsDir() {
			return usage("%s: %s is no folder", name, filepath.Dir(name))
		}
	}
	return nil
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// checkAllowed says which tools that are allowed the server doesn't have.
func checkAllowed(s explore.Subject, allow []string) error {
	for _, name := range allow {
		if !slices.ContainsFunc(s.Tools(), func(t simulate.Tool) bool { return t.Name == name }) {
			return usage("--allow %s: %s has no such tool", name, s.Name())
		}
	}
	return nil
}

// explored writes what was found.
func (a *app) explored(r *explore.Result, f *exploreFlags, set adapter.Set) error {
	var n [6]int
	for i := range r.Calls {
		n[r.Calls[i].Outcome]++
	}
	fmt.Fprintf(a.err, "mcpg: %s tried, %d worked and %d were refused; %s\n", countOf(len(r.Calls), "call"), n[calllog.OK], n[calllog.Rejected], r.Stopped)
	if len(r.Untried) > 0 {
		fmt.Fprintf(a.err, "mcpg: never called: %s\n", strings.Join(r.Untried, ", "))
	}
	if err := report.Guards(a.out, r.Model); err != nil {
		return err
	}
	if f.log != "" {
		if err := writeCalls(f.log, r.Calls, set); err != nil {
			return err
		}
	}
	if f.model == "" {
		return nil
	}
	return atomicfile.Write(f.model, r.Model.Write)
}

// writeCalls writes a log, or a table by the name's ending.
func writeCalls(name string, calls []calllog.Call, set adapter.Set) error {
	return atomicfile.Write(name, func(w io.Writer) error {
		var out interface {
			Write(*calllog.Call) error
		}
		var end func() error
		if strings.HasSuffix(name, ".jsonl") {
			l := calllog.NewWriter(w)
			out, end = l, l.Flush
		} else {
			t, err := table.NewWriter(w, table.FormatOf(name), adaptersNote(set)...)
			if err != nil {
				return err
			}
			out, end = t, t.Close
		}
		for i := range calls {
			if err := out.Write(&calls[i]); err != nil {
				return err
			}
		}
		return end()
	})
}

// simulated gives simulators in other worlds again and again.
func simulated(name string, f *exploreFlags) (func(n int) (explore.Subject, map[string][]string, bool), error) {
	const worlds = 64
	switch name {
	case "release":
		return func(n int) (explore.Subject, map[string][]string, bool) {
			w := release.Sample(f.seed + uint64(n))
			s, err := release.New(w)
			ids, channels := slices.Sorted(maps.Keys(w.Releases)), slices.Sorted(maps.Keys(w.Channels))
			return &inProcess{s: s}, map[string][]string{"release_id": append(ids, fmt.Sprint("new-", n)), "channel": channels, "owner": {"ops", "eve"}, "reviewer": {"ann", "bob", "eve"}},
				err == nil && n < worlds
		}, nil
	case "filesystem":
		return func(n int) (explore.Subject, map[string][]string, bool) {
			w := filesystem.Sample(f.seed + uint64(n))
			s, err := filesystem.New(w)
			paths := w.Paths()
			return &inProcess{s: s}, map[string][]string{"path": paths, "source": paths, "destination": paths, "oldText": {"one", "name: app"}, "newText": {"three"}, "content": {"x"}, "pattern": {"*.txt"}},
				err == nil && n < worlds
		}, nil
	}
	return nil, usage("no simulator %q: want release or filesystem, or a server's command after --", name)
}

// inProcess is a simulator that is explored.
type inProcess struct {
	s    simulate.Server
	step int
}

func (p *inProcess) Name() string           { return p.s.Name() }
func (p *inProcess) Tools() []simulate.Tool { return p.s.Tools() }

func (p *inProcess) Call(_ context.Context, tool string, args jsontext.Value) (simulate.Answer, error) {
	p.s.At(p.step)
	p.step++
	return p.s.Call(tool, args, 1), nil
}

func (p *inProcess) Read(_ context.Context, tool string, args jsontext.Value) (simulate.Answer, error) {
	return p.s.Read(tool, args), nil
}
