package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/ingest"
	"mcpg/ingest/table"
	"mcpg/internal/atomicfile"
	"mcpg/internal/diag"
)

func (a *app) ingestCommand() *cobra.Command {
	var s source
	var out string
	c := &cobra.Command{
		Use:   "ingest LOG…",
		Short: "Read recorded logs into one table of calls",
		Long: `Read recorded logs into one table of calls, a row each, with outcome, cause and the
state before the call. Formats: ` + formatNames() + `; gzip is recognised. The ending of
the output says its format: .parquet, .arrow (IPC stream) or .jsonl (native lines).
Bad lines are reported with file and line; the run goes on and exits with 1.`,
		Example: `  mcpg ingest --adapter tau-retail trajectories.json -o calls.parquet
  mcpg ingest week-*.jsonl.gz`,
		Args: inputs,
		RunE: func(c *cobra.Command, args []string) error { return a.ingestTo(c.Context(), &s, args, out) },
	}
	s.flags(c)
	c.Flags().StringVarP(&out, "output", "o", "calls.parquet", "the table; - is stdout")
	return c
}

// checkOutput refuses a name whose ending promises another format.
func checkOutput(out string) error {
	switch ext := filepath.Ext(out); {
	case out == "":
		return usage("--output names nothing")
	case out == "-" || out == os.DevNull:
		return nil
	case ext != ".parquet" && ext != ".arrow" && ext != ".arrows" && ext != ".jsonl":
		return usage("--output %s: want a name that ends in .parquet, .arrow or .jsonl", out)
	}
	return nil
}

// callWriter writes calls in one of the formats.
type callWriter interface {
	Write(*calllog.Call) error
}

func (a *app) ingestTo(ctx context.Context, s *source, logs []string, out string) error {
	if err := checkOutput(out); err != nil {
		return err
	}
	set, err := s.load()
	if err != nil {
		return err
	}
	var rep *ingest.Report
	var left []diag.Finding
	fill := func(w io.Writer) error {
		var err error
		rep, left, err = a.writeCalls(ctx, s, logs, set, w, out)
		return err
	}
	if out == "-" {
		err = fill(a.out)
	} else {
		err = atomicfile.Write(out, fill)
	}
	var none *ingest.NoCallsError
	if rep != nil && !errors.As(err, &none) {
		a.report(append(rep.Findings, left...))
	}
	if err != nil {
		return plainPath(err)
	}
	a.summary(rep, set, out)
	return nil
}

func (a *app) writeCalls(ctx context.Context, s *source, logs []string, set adapter.Set, w io.Writer, out string) (rep *ingest.Report, left []diag.Finding, err error) {
	var dst callWriter
	var end func() error
	if filepath.Ext(out) == ".jsonl" {
		n := calllog.NewWriter(w)
		dst, end = n, n.Flush
	} else {
		t, err := table.NewWriter(w, table.FormatOf(out), adaptersNote(set)...)
		if err != nil {
			return nil, nil, err
		}
		dst, end = t, t.Close
	}
	rep, err = a.ingest(ctx, s, logs, set, func(c *calllog.Call) error {
		err := dst.Write(c)
		if errors.Is(err, table.ErrTooLarge) {
			left = append(left, diag.Finding{Pos: c.Pos, Rule: "too-large", Message: "the call is too large for a table row and was left out"})
			return nil
		}
		return err
	})
	return rep, left, errors.Join(err, end())
}

// summary says what was read, and what would make it worth more.
func (a *app) summary(rep *ingest.Report, set adapter.Set, out string) {
	for _, f := range rep.Files {
		silent := ""
		if f.Silent > 0 {
			silent = fmt.Sprintf("; %d sessions made no call", f.Silent)
		}
		fmt.Fprintf(a.err, "%s: %d calls (%s)%s\n", f.File, f.Calls, f.Format, silent)
	}
	fmt.Fprintf(a.err, "%d calls written to %s; state before the call known for %d\n", rep.Calls, out, rep.Observed)
	if rep.Observed == 0 && len(set) == 0 {
		fmt.Fprintf(a.err, "without states only rates can be told: name an adapter with --adapter, so that states are reconstructed\n")
	}
	if len(rep.Unmatched) > 0 {
		fmt.Fprintf(a.err, "no adapter is for these servers: %q; server_id must be the server's name in the log, or give one adapter only\n", rep.Unmatched)
	}
	if n := len(rep.Soft); n > 0 {
		fmt.Fprintf(a.err, "%d successes read like errors, the first at %s; they stay successes unless an adapter's soft_error_patterns say otherwise\n", n, rep.Soft[0])
	}
}
