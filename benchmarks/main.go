// Command benchmarks measures what the project promises about speed, and
// holds it against the limits.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

// Exit codes.
const (
	codeOK     = 0
	codeMissed = 1 // a limit
	codeUsage  = 2
	codeFailed = 3
)

// command is one program's benchmarks.
type command struct {
	name, about string
	figures     func(*bench) []figure
}

// commands are all of them, one a file.
var commands = []command{
	{"mcptree", "validate, start, and walk decision trees", mcptreeFigures},
	{"ingest", "read a large log into a table, against DuckDB", ingestFigures},
	{"learn", "learn from tables, against DuckDB, and judge calls", learnFigures},
	{"bench", "play the suite, and write a report of a million calls", benchFigures},
	{"layout", "lay graphs out, against Graphviz's own dot", layoutFigures},
	{"proxy", "what a proxy adds to a call, against one that the SDK makes", proxyFigures},
	{"beam", "learn on Apache Beam, against one machine alone", beamFigures},
	{"growth", "how learning grows with calls, features, tools and states", growthFigures},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	hidden := map[string]func(ctx context.Context, in, out string) error{convertWith: convert, groupWith: group}
	if len(args) == 3 && hidden[args[0]] != nil {
		if err := hidden[args[0]](ctx, args[1], args[2]); err != nil {
			fmt.Fprintln(errs, "benchmarks:", err)
			return codeFailed
		}
		return codeOK
	}
	if len(args) == 1 && (args[0] == echoServer || args[0] == sdkProxy) {
		err := serveEchoOrProxy(ctx, args[0])
		if err != nil {
			fmt.Fprintln(errs, "benchmarks:", err)
			return codeFailed
		}
		return codeOK
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		fmt.Fprint(errs, "usage: go run . COMMAND [--runs N] [--only FIGURE] [--json FILE], in the folder benchmarks\n\n")
		for _, c := range commands {
			fmt.Fprintf(errs, "  %-10s %s\n", c.name, c.about)
		}
		fmt.Fprintf(errs, "  %-10s %s\n", "all", "all of them: [--runs N] [--json FILE] [--page FILE], which gets the tables between its marks")
		return codeUsage
	}
	if args[0] == "all" {
		return runAll(ctx, commands, apart, args[1:], out, errs)
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.run(ctx, args[1:], full, out, errs)
		}
	}
	fmt.Fprintf(errs, "benchmarks: no command %q\n", args[0])
	return codeUsage
}

func (c *command) run(ctx context.Context, args []string, s sizes, out, errs io.Writer) int {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(errs)
	file := flags.String("json", "", "also write the figures to this file")
	only := flags.String("only", "", "measure this figure alone")
	runs := flags.Int("runs", s.runs, "how often each figure is measured; the median counts")
	if err := flags.Parse(args); err != nil {
		return codeUsage
	}
	if flags.NArg() > 0 || *runs < 1 {
		fmt.Fprintf(errs, "benchmarks: %s takes no arguments, and at least one run\n", c.name)
		return codeUsage
	}
	s.runs = *runs
	r, err := c.measure(ctx, *only, s)
	if err == nil {
		err = r.table(out)
	}
	if err == nil && *file != "" {
		err = r.write(*file)
	}
	var unknown unknownFigure
	switch {
	case errors.As(err, &unknown):
		fmt.Fprintln(errs, "benchmarks:", err)
		return codeUsage
	case err != nil:
		fmt.Fprintln(errs, "benchmarks:", err)
		return codeFailed
	case r.missed():
		return codeMissed
	}
	return codeOK
}
