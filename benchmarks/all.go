package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// Marks in a page between which the tables stand.
const (
	beginMark = "<!-- figures: cd benchmarks && go run . all --page ../docs/performance.md -->"
	endMark   = "<!-- end of the figures -->"
)

// apart measures a command in a process of its own, so that what one takes of memory
// isn't a bound for the next.
func apart(ctx context.Context, c *command, runs int, errs io.Writer) (*report, error) {
	me, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "benchmarks")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "figures.json")
	cmd := exec.CommandContext(ctx, me, c.name, "--runs", strconv.Itoa(runs), "--json", file)
	cmd.Stderr = errs
	var code *exec.ExitError
	if err := cmd.Run(); err != nil && !(errors.As(err, &code) && code.ExitCode() == codeMissed) {
		return nil, err
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := &report{}
	return r, json.Unmarshal(b, r)
}

// measurer measures a command.
type measurer func(ctx context.Context, c *command, runs int, errs io.Writer) (*report, error)

// runAll runs every command, and writes what was measured as JSON and into a page.
func runAll(ctx context.Context, cs []command, measure measurer, args []string, out, errs io.Writer) int {
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
	failed := func(err error) int {
		fmt.Fprintln(errs, "benchmarks:", err)
		return codeFailed
	}
	if *page != "" { // before an hour's work
		if err := writeBetween(*page, nil); err != nil {
			return failed(err)
		}
	}
	whole := newReport("all")
	var md bytes.Buffer
	fmt.Fprintf(&md, "%s\n", machine())
	for _, c := range cs {
		fmt.Fprintf(errs, "benchmarks: %s\n", c.name)
		r, err := measure(ctx, &c, *runs, errs)
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
		if err := writeBetween(*page, md.Bytes()); err != nil {
			return failed(err)
		}
	}
	if whole.missed() {
		return codeMissed
	}
	return codeOK
}

// writeBetween puts a text between the marks of a page; nil only looks for them.
func writeBetween(file string, text []byte) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, rest, ok := bytes.Cut(page, []byte(beginMark+"\n"))
	_, tail, ok2 := bytes.Cut(rest, []byte(endMark))
	if !ok || !ok2 {
		return fmt.Errorf("%s: want the lines %s and %s, between which the tables go", file, beginMark, endMark)
	}
	if text == nil {
		return nil
	}
	return os.WriteFile(file, bytes.Join([][]byte{head, []byte(beginMark + "\n"), text, []byte(endMark), tail}, nil), 0o644)
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
