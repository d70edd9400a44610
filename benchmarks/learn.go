package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"mcpg/behavior"
	"mcpg/ingest/table"
	"mcpg/learn/batch"
)

// learnFigures measures mcpg learn on tables, against DuckDB's GROUP BY of the same
// columns.
func learnFigures(b *bench) []figure {
	self := func(name string) string { return "go run . learn --only " + name }
	return []figure{
		{name: "table", about: fmt.Sprintf("learn from a Parquet table of %d calls in narrow states, whole process", b.sizes.narrow),
			command: "mcpg learn calls.parquet -o model.json", unit: "s", limit: atMost(3 * float64(b.sizes.narrow) / 1e7), measure: b.learnTable},
		{name: "growth", about: "its highest memory, against that of a tenth of the calls",
			command: self("growth"), unit: "times", limit: atMost(1.5), measure: b.learnGrowth},
		{name: "wide", about: fmt.Sprintf("learn from %d calls in wide nested states, whole process", b.sizes.wide),
			command: "mcpg learn wide.parquet -o model.json", unit: "calls/s", limit: atLeast(20_000), measure: b.learnWide},
		{name: "groupby", about: "CPU of DuckDB's GROUP BY of the columns that are learnt from, against that of learning",
			command: self("groupby"), unit: "times", limit: atLeast(1), measure: b.learnRatio},
		{name: "memory", about: "calls from Arrow batches in memory, by CPU time",
			command: self("memory"), unit: "a second a core", limit: atLeast(5_000_000), measure: b.learnMemory(false)},
		{name: "memory-ids", about: "the same where ids stand in states and texts too",
			command: self("memory-ids"), unit: "a second a core", limit: told, measure: b.learnMemory(true)},
		{name: "verdict", about: "judge a call by a guard of 256 atoms learnt from 10,000 failures",
			command: self("verdict"), unit: "ns", limit: atMost(1000), measure: b.verdict},
	}
}

// calls makes the table of n calls in narrow states, once; with ids also in states
// and texts.
func (b *bench) calls(n int, ids bool) (string, error) {
	name := filepath.Join(b.dir, fmt.Sprintf("narrow-%d-%t", n, ids))
	return b.ingested(name, func(w io.Writer) error { return writeNarrow(w, n, ids) })
}

// ingested writes a log and makes a table of it, once.
func (b *bench) ingested(name string, write func(io.Writer) error) (string, error) {
	path := name + ".parquet"
	if _, err := os.Stat(path); err == nil {
		return path, nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	f, err := os.Create(name + ".jsonl")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f), f.Close()); err != nil {
		return "", err
	}
	_, err = b.process("mcpg", "ingest", f.Name(), "-o", path)
	return path, err
}

// writeNarrow writes calls of two tools on 5,000 tickets in 24 states, forty a
// session.
func writeNarrow(w io.Writer, n int, ids bool) error {
	out := bufio.NewWriterSize(w, 1<<20)
	r := rand.New(rand.NewPCG(3, 4))
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	for i := range n {
		status := []string{"open", "held", "closed", "waiting"}[r.IntN(4)]
		priority := []string{"low", "mid", "high"}[r.IntN(3)]
		tool := []string{"edit", "assign"}[r.IntN(2)]
		ticket := r.IntN(5000)
		failed := tool == "edit" && status == "closed" || tool == "assign" && status == "held" && priority == "high"
		text, id := "done", ""
		if failed {
			text = "ticket is " + status
		}
		if ids {
			id = fmt.Sprintf(`"id":"T-%04d",`, ticket)
			if failed {
				text = fmt.Sprintf("ticket T-%04d is %s", ticket, status)
			}
		}
		_, err := fmt.Fprintf(out, `{"ts":"%s","session":"s%d","server":"desk","tool":"%s","args":{"ticket_id":"T-%04d","force":%t},"is_error":%t,"result_text":"%s","before":{"ticket":{%s"status":"%s","priority":"%s","open":%t}}}`+"\n",
			at.Add(time.Duration(i)*100*time.Millisecond).Format("2006-01-02T15:04:05.000Z"), i/40, tool, ticket, r.IntN(2) == 0, failed, text, id, status, priority, r.IntN(2) == 0)
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

func (b *bench) learnOnce(calls string) (usage, error) {
	return b.process("mcpg", "learn", calls, "-o", filepath.Join(b.dir, "model.json"))
}

func (b *bench) learnTable() (sample, error) {
	calls, err := b.calls(b.sizes.narrow, false)
	if err != nil {
		return sample{}, err
	}
	u, err := b.learnOnce(calls)
	return sample{u.Wall.Seconds(), &u}, err
}

func (b *bench) learnGrowth() (sample, error) {
	var peaks []float64
	for _, n := range []int{b.sizes.narrow / 10, b.sizes.narrow} {
		calls, err := b.calls(n, false)
		if err != nil {
			return sample{}, err
		}
		u, err := b.learnOnce(calls)
		if err != nil {
			return sample{}, err
		}
		peaks = append(peaks, float64(u.Peak))
	}
	return sample{value: peaks[1] / peaks[0]}, nil
}

func (b *bench) learnWide() (sample, error) {
	calls, err := b.ingested(filepath.Join(b.dir, "wide"), func(w io.Writer) error { return writeCalls(w, b.sizes.wide) })
	if err != nil {
		return sample{}, err
	}
	u, err := b.learnOnce(calls)
	return sample{float64(b.sizes.wide) / u.Wall.Seconds(), &u}, err
}

// learnRatio runs both, one after the other.
func (b *bench) learnRatio() (sample, error) {
	calls, err := b.calls(b.sizes.narrow, false)
	if err != nil {
		return sample{}, err
	}
	ours, err := b.learnOnce(calls)
	if err != nil {
		return sample{}, err
	}
	theirs, err := b.self(groupWith, calls, filepath.Join(b.dir, "groups.parquet"))
	return sample{theirs.CPU.Seconds() / ours.CPU.Seconds(), &ours}, err
}

// groupWith is the hidden command by which this program starts itself.
const groupWith = "duckdb-group"

// group counts a table's calls with DuckDB by the columns that are learnt from, and
// keeps of each group what learning keeps of a cell: first and last time, and a call
// to look at. It reads the columns that mcpg learn reads but for the state's age.
func group(ctx context.Context, calls, _ string) error {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return err
	}
	defer db.Close()
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	_, err = db.ExecContext(ctx, `SET threads=2; CREATE TEMP TABLE groups AS SELECT server, tool, fingerprint, args, before, after, outcome, cause, error_text, state_source, state_dirty,
		count(*) AS calls, min(ts) AS first, max(ts) AS last, arg_min({id: call_id, file: file, line: line}, hash(session)) AS example FROM read_parquet(`+quoted(calls)+`) GROUP BY ALL`)
	return err
}

func (b *bench) learnMemory(ids bool) func() (sample, error) {
	var batches []arrow.RecordBatch
	rows := int64(0)
	return func() (sample, error) {
		if batches == nil {
			path, err := b.calls(b.sizes.narrow/5, ids)
			if err != nil {
				return sample{}, err
			}
			t, err := table.Open(path)
			if err != nil {
				return sample{}, err
			}
			defer t.Close()
			for rec, err := range t.Encoded(batch.Columns()...) {
				if err != nil {
					return sample{}, err
				}
				rec.Retain()
				batches = append(batches, rec)
				rows += rec.NumRows()
			}
		}
		runtime.GC()
		begun := cpuTime()
		l := batch.New()
		err := l.AddBatches(b.ctx, func(yield func(arrow.RecordBatch, error) bool) {
			for _, rec := range batches {
				if !yield(rec, nil) {
					return
				}
			}
		}, nil)
		e, lost := l.Evidence()
		if err := errors.Join(err, lost); err != nil {
			return sample{}, err
		}
		spent := cpuTime() - begun
		if n := e.Induce().Calls; int64(n) != rows {
			return sample{}, fmt.Errorf("%d calls learnt of %d", n, rows)
		}
		return sample{value: float64(rows) / spent.Seconds()}, nil
	}
}

// verdict judges calls, of which some work, some fail and some aren't determined,
// by a guard of 32 paths with eight values each that no success had.
func (b *bench) verdict() (sample, error) {
	r := rand.New(rand.NewPCG(5, 6))
	const paths, values, failures = 32, 8, 10_000
	path := func(i int) behavior.Path { return behavior.Path{Field: fmt.Sprintf("part%d.status", i)} }
	state := func(bad int) behavior.State {
		refused := map[int]bool{}
		for range bad {
			refused[r.IntN(paths)] = true
		}
		var fs []behavior.Feature
		for i := range paths {
			token := fmt.Sprint("open", r.IntN(values))
			if refused[i] {
				token = fmt.Sprint("closed", r.IntN(values))
			}
			fs = append(fs, behavior.Feature{Path: path(i), Value: behavior.StringToken(token)})
		}
		return behavior.NewState(fs, nil)
	}
	g := &behavior.Guard{}
	for i := range paths {
		a := behavior.NewAllowed(path(i))
		for v := range values {
			a.Allow(behavior.StringToken(fmt.Sprint("open", v)), 1)
		}
		g.Allowed = append(g.Allowed, a)
	}
	g.Build()
	seen := map[string]bool{}
	for len(g.Failures) < failures {
		v, _ := g.Violations(state(2+r.IntN(3)), behavior.BlameAny)
		if key := v.Key(); !seen[key] {
			seen[key] = true
			g.Failures = append(g.Failures, behavior.Failure{Violates: v, Cluster: "no", Calls: 1})
		}
	}
	g.Changed()
	var queries []behavior.State
	for i := range 1000 {
		queries = append(queries, state(i%6))
	}
	var n [3]int
	const rounds = 200
	begun := time.Now()
	for range rounds {
		for i := range queries {
			n[g.Classify(queries[i]).Outcome]++
		}
	}
	took := time.Since(begun)
	if n[behavior.Works] == 0 || n[behavior.Fails] == 0 || n[behavior.Undetermined] == 0 {
		return sample{}, fmt.Errorf("verdicts of one kind only: %v", n)
	}
	return sample{value: float64(took.Nanoseconds()) / float64(rounds*len(queries))}, nil
}
