// Command scale learns from more calls than one machine should: as an Apache Beam
// pipeline, with the evidence of mcpg learn, and the same model.json byte for byte.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"mcpg/adapter"
)

// Exit codes.
const (
	codeOK     = 0
	codeUsage  = 2
	codeFailed = 3
)

// list is a flag that may be given several times.
type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// options is what the command line says; the flags of the runner are Beam's own.
type options struct {
	inputs   list
	adapters list
	from     string
	model    string
	rates    string
	verbose  bool
}

func (o *options) flags(f *flag.FlagSet) {
	f.Var(&o.inputs, "input", "tables or logs, by name or glob; local, gs:// or s3://; may be given several times")
	f.Var(&o.adapters, "adapter", "adapter for logs, by name or file; may be given several times. Tables know theirs")
	f.StringVar(&o.from, "from", "", "format of the logs; told by content if not given")
	f.StringVar(&o.model, "model", "", "write model.json here")
	f.StringVar(&o.rates, "rates", "", "write calls and invalid-call rates by day, server and tool here, as CSV")
	f.BoolVar(&o.verbose, "verbose", false, "say what the runner does")
}

var errUsage = errors.New("usage")

// job is the pipeline that the options ask for.
func (o *options) job() (*job, error) {
	if len(o.inputs) == 0 {
		return nil, fmt.Errorf("%w: --input is missing: tables or logs to learn from", errUsage)
	}
	if o.model == "" && o.rates == "" {
		return nil, fmt.Errorf("%w: --model or --rates is missing: what to write", errUsage)
	}
	set, err := adapter.LoadSet(o.adapters)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUsage, err)
	}
	inputs := slices.Clone(o.inputs)
	for i, name := range inputs {
		if !remote(name) { // so that one file named in two ways is read once
			if inputs[i], err = filepath.Abs(name); err != nil {
				return nil, err
			}
		}
	}
	return &job{Inputs: inputs, Adapters: set.String(), From: o.from, Model: o.model, Rates: o.rates}, nil
}

func main() {
	var o options
	o.flags(flag.CommandLine)
	flag.Usage = func() { usage(os.Stderr) }
	flag.Parse()
	beam.Init() // a worker's process goes no further
	os.Exit(o.run(context.Background(), os.Stderr))
}

// reason is the cause in a runner's error, which has the whole plan before it.
func reason(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "failed:\n"); i >= 0 {
		text = text[i+len("failed:\n"):]
	}
	return text
}

// tell says now and then how far the work is that is done in this process.
func tell(w io.Writer) (done func()) {
	const every = 10 * time.Second
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if n := read.Load(); n > 0 {
					fmt.Fprintf(w, "scale: %d calls read\n", n)
				}
			case <-end:
				return
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

func usage(w io.Writer) {
	fmt.Fprint(w, `usage: scale --input GLOB --model model.json [--rates rates.csv] [--runner RUNNER]

Learns as mcpg learn does, on Apache Beam. Without --runner it runs in this process, on Prism.

  go run . --input 'calls/*.parquet' --model model.json --rates rates.csv

docs/scale.md has the command lines for Flink, Spark and Dataflow. The flags, besides those of
Beam's runners:

`)
	own := flag.NewFlagSet("", flag.ContinueOnError)
	new(options).flags(own)
	own.SetOutput(w)
	own.PrintDefaults()
}

func (o *options) run(ctx context.Context, errs io.Writer) int {
	j, err := o.job()
	if err != nil {
		fmt.Fprintf(errs, "scale: %v; see --help\n", err)
		return codeUsage
	}
	if !o.verbose {
		const nothing = slog.LevelError + 1 // the runner says an error five times; it is said once below
		slog.SetDefault(slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{Level: nothing})))
	}
	p, s := beam.NewPipelineWithRoot()
	j.build(s)
	before := lost.Load()
	done := tell(errs)
	err = beamx.Run(ctx, p)
	done()
	if err != nil {
		fmt.Fprintf(errs, "scale: %s\n", reason(err))
		return codeFailed
	}
	if n := lost.Load() - before; n > 0 {
		fmt.Fprintf(errs, "scale: %d findings in logs; mcpg ingest lists them\n", n)
	}
	for _, name := range []string{j.Model, j.Rates} {
		if name != "" {
			fmt.Fprintf(errs, "scale: %s is written\n", name)
		}
	}
	return codeOK
}
