package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/calllog/redact"
	"mcpg/ingest"
	"mcpg/ingest/table"
	"mcpg/internal/atomicfile"
	"mcpg/internal/diag"
)

func (a *app) ingestCommand() *cobra.Command {
	var s source
	var out, sarifFile string
	var secrets redact.Redactor
	c := &cobra.Command{
		Use:   "ingest LOG…",
		Short: "Read recorded logs into one table of calls",
		Long: `Read recorded logs into one table of calls, a row each, with outcome, cause and the
state before the call. LOG is a file, a folder, a pattern, - for stdin, or a table that
is to be added to; label=LOG names what has no name in the log. gzip and zstd are
recognised. Formats: ` + formatNames() + `.
The ending of the output says its format: .parquet, .arrow (IPC stream) or .jsonl
(native lines). A call that comes twice, in copies of a log, is read once. Lines that
can't be used are reported with file and line; the run goes on.`,
		Example: `  mcpg ingest --adapter tau-retail trajectories.json -o calls.parquet
  mcpg ingest ~/.claude/projects -o calls.parquet
  mcpg ingest calls.parquet week-*.jsonl.gz staging=run.jsonl -o calls.parquet`,
		Args: inputs,
		RunE: func(c *cobra.Command, args []string) error {
			secrets.On = secrets.On || len(secrets.Names) > 0
			return a.ingestTo(c.Context(), &s, args, secrets, out, sarifFile)
		},
	}
	s.flags(c)
	c.Flags().StringVarP(&out, "output", "o", "calls.parquet", "the table; - is stdout")
	c.Flags().StringVar(&sarifFile, "sarif", "", "write what was found wrong with the logs here, as SARIF")
	c.Flags().BoolVar(&secrets.On, "redact", false, "replace the values of fields that look like secrets")
	c.Flags().StringSliceVar(&secrets.Names, "redact-field", nil, "replace the values of fields of this name too; may be given several times")
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

func (a *app) ingestTo(ctx context.Context, s *source, logs []string, secrets redact.Redactor, out, sarifFile string) error {
	if err := checkOutput(out); err != nil {
		return err
	}
	if err := s.loadStored(ctx, logs); err != nil {
		return err
	}
	set, err := s.load()
	if err != nil {
		return err
	}
	// Little is live and much is garbage: a larger heap costs less processor time,
	// up to what a run may take (decision 8).
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(400 << 20))
	if len(set) == 0 {
		if set, err = a.adaptersOfTables(logs); err != nil {
			return err
		}
	}
	var rep *ingest.Report
	var left []diag.Finding
	fill := func(w io.Writer) error {
		var err error
		rep, left, err = a.writeCalls(ctx, s, logs, set, secrets, w, out)
		return err
	}
	if out == "-" {
		err = fill(a.out)
	} else {
		err = atomicfile.Write(out, fill)
	}
	var none *ingest.NoCallsError
	if rep != nil && !errors.As(err, &none) {
		found := append(rep.Findings, left...)
		a.report(found, s.strict)
		if sarifFile != "" {
			err = cmp.Or(err, plainPath(atomicfile.Write(sarifFile, func(w io.Writer) error { return writeFindings(w, found) })))
		}
	}
	if err != nil {
		return plainPath(err)
	}
	a.summary(rep, set, out)
	return nil
}

func (a *app) writeCalls(ctx context.Context, s *source, logs []string, set adapter.Set, secrets redact.Redactor, w io.Writer, out string) (rep *ingest.Report, left []diag.Finding, err error) {
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
	rep, err = a.ingest(ctx, s, logs, ingest.Options{Adapters: set, Redact: secrets, Reuse: true}, func(c *calllog.Call) error {
		err := dst.Write(c)
		if errors.Is(err, table.ErrTooLarge) && (c.Before != nil || c.After != nil) {
			bare := *c
			bare.Before, bare.After, bare.StateSource, bare.StateAge = nil, nil, "", 0
			if err = dst.Write(&bare); err == nil {
				left = append(left, diag.Finding{Pos: c.Pos, Rule: "too-large", Message: "with its states the call is too large for a table row: these were left out"})
			}
		}
		if errors.Is(err, table.ErrTooLarge) {
			left = append(left, diag.Finding{Pos: c.Pos, Rule: "too-large", Message: "the call is too large for a table row and was left out"})
			return ingest.ErrLeftOut
		}
		return err
	})
	return rep, left, errors.Join(err, end())
}

// adaptersOfTables gives the adapters of the tables that are added to, by which
// logs are read then too. Tables that were read with different ones don't go
// together by themselves.
func (a *app) adaptersOfTables(inputs []string) (adapter.Set, error) {
	var set adapter.Set
	from, note := "", ""
	err := ingest.Tables(inputs, func(name string, t *table.Reader) error {
		has := t.Note(table.AdaptersNote)
		if from != "" && has != note {
			return usage("%s and %s were read with different adapters: name those of the new table with --adapter", from, name)
		}
		from, note = name, has
		var err error
		set, err = adaptersOf(t)
		return err
	})
	return set, err
}
