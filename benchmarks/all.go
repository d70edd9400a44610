package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
)

// Marks in a page between which the tables stand.
const (
	beginMark = "<!-- figures: cd benchmarks && go run . all --page ../docs/performance.md -->"
	endMark   = "<!-- end of the figures -->"
)

// runAll runs every command, and writes what was measured as JSON and into a page.
func runAll(ctx context.Context, cs []command, args []string, s sizes, out, errs io.Writer) int {
	flags := flag.NewFlagSet("all", flag.ContinueOnError)
	flags.SetOutput(errs)
	file := flags.String("json", "", "write the figures to this file")
	page := flags.String("page", "", "write the tables into this page, between its marks")
	runs := flags.Int("runs", 3, "how often each figure is measured; the median counts")
	if err := flags.Parse(args); err != nil {
		return codeUsage
	}
	if flags.NArg() > 0 || *runs < 1 {
		fmt.Fprintln(errs, "benchmarks: all takes no arguments, and at least one run")
		return codeUsage
	}
	s.runs = *runs
	failed := func(err error) int {
		fmt.Fprintln(errs, "benchmarks:", err)
		return codeFailed
	}
	var text []byte
	if *page != "" { // before an hour's work
		var err error
		if text, err = os.ReadFile(*page); err != nil {
			return failed(err)
		}
		if _, err := between(text, nil); err != nil {
			return failed(fmt.Errorf("%s: %w", *page, err))
		}
	}
	whole := newReport("all")
	var md bytes.Buffer
	fmt.Fprintf(&md, "%s\n", machine())
	for _, c := range cs {
		fmt.Fprintf(errs, "benchmarks: %s\n", c.name)
		r, err := c.measure(ctx, "", s)
		if err != nil {
			return failed(fmt.Errorf("%s: %w", c.name, err))
		}
		fmt.Fprintf(out, "\n%s: %s\n", c.name, c.about)
		if err := r.table(out); err != nil {
			return failed(err)
		}
		r.markdown(&md, &c)
		for _, m := range r.Figures {
			m.Name = c.name + "/" + m.Name
			whole.Figures = append(whole.Figures, m)
		}
	}
	if *file != "" {
		if err := whole.write(*file); err != nil {
			return failed(err)
		}
	}
	if *page != "" {
		text, err := between(text, md.Bytes())
		if err == nil {
			err = os.WriteFile(*page, text, 0o644)
		}
		if err != nil {
			return failed(err)
		}
	}
	if whole.missed() {
		return codeMissed
	}
	return codeOK
}

// between puts a text between the marks of a page.
func between(page, text []byte) ([]byte, error) {
	head, rest, ok := bytes.Cut(page, []byte(beginMark+"\n"))
	_, tail, ok2 := bytes.Cut(rest, []byte(endMark))
	if !ok || !ok2 {
		return nil, fmt.Errorf("want the lines %s and %s, between which the tables go", beginMark, endMark)
	}
	return bytes.Join([][]byte{head, []byte(beginMark + "\n"), text, []byte(endMark), tail}, nil), nil
}

// machine says where figures were measured, and with what.
func machine() string {
	words := []string{fmt.Sprintf("%d processors", runtime.GOMAXPROCS(0)), runtime.GOOS + "/" + runtime.GOARCH, runtime.Version()}
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				words = append([]string{strings.TrimSpace(value)}, words...)
				break
			}
		}
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			for path, name := range map[string]string{"github.com/duckdb/duckdb-go-bindings": "DuckDB bindings", "github.com/modelcontextprotocol/go-sdk": "MCP SDK", "github.com/apache/arrow-go/v18": "Arrow"} {
				if d.Path == path {
					words = append(words, name+" "+d.Version)
				}
			}
		}
	}
	if out, err := exec.Command("dot", "-V").CombinedOutput(); err == nil {
		words = append(words, strings.TrimPrefix(strings.TrimSpace(string(out)), "dot - "))
	}
	return "Measured on " + strings.Join(words, ", ") + "."
}

// markdown writes a command's figures as a table.
func (r *report) markdown(w io.Writer, c *command) {
	fmt.Fprintf(w, "\n### %s\n\n%s: `cd benchmarks && go run . %s`\n\n| figure | median | limit | kept | runs | CPU | highest memory | command |\n|---|--:|--:|---|--:|--:|--:|---|\n",
		c.name, strings.ToUpper(c.about[:1])+c.about[1:], c.name)
	for _, m := range r.Figures {
		kept := "yes"
		switch {
		case m.Told:
			kept = ""
		case m.Missed:
			kept = "**no**"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %d | %s | %s | `%s` |\n", m.About, with(m.Median, m.Unit), m.limit(), kept, len(m.Runs), m.cpu(), m.peak(), m.Command)
	}
}
