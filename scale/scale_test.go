package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"mcpg/adapter"
	"mcpg/analyze"
	"mcpg/calllog"
	"mcpg/ingest"
	"mcpg/ingest/table"
	"mcpg/internal/synth"
	"mcpg/learn/batch"
	"mcpg/report"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

// tables writes n calls as tables of the given shares, and gives a pattern for them.
func tables(t testing.TB, s synth.Shape, n int, shares ...int) string {
	t.Helper()
	dir := t.TempDir()
	whole := 0
	for _, share := range shares {
		whole += share
	}
	var w *table.Writer
	var f *os.File
	end := func() {
		if w != nil {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	i, next, part := 0, 0, 0
	for c := range s.Calls(n) {
		if i == next && part < len(shares) {
			end()
			next += n * shares[part] / whole
			var err error
			if f, err = os.Create(filepath.Join(dir, fmt.Sprintf("part-%03d.parquet", part))); err != nil {
				t.Fatal(err)
			}
			if w, err = table.NewWriter(f, table.Parquet); err != nil {
				t.Fatal(err)
			}
			part++
		}
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
		i++
	}
	end()
	return filepath.Join(dir, "*.parquet")
}

// alone is what one machine learns from tables, and the rates that it counts.
func alone(t testing.TB, pattern string) (model, rates []byte) {
	t.Helper()
	l := batch.New()
	groups := analyze.NewGrouper([]analyze.Key{"day", "server", "tool"})
	if err := ingest.Tables([]string{pattern}, func(_ string, r *table.Reader) error {
		for r.Next() {
			groups.Add(r.Call(), nil)
		}
		if err := r.Err(); err != nil {
			return err
		}
		return l.AddTable(context.Background(), r, nil)
	}); err != nil {
		t.Fatal(err)
	}
	return written(t, l), csvOf(t, groups)
}

func written(t testing.TB, l *batch.Learner) []byte {
	t.Helper()
	e, err := l.Evidence()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := e.Induce().Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func csvOf(t testing.TB, groups *analyze.Grouper) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.StatsCSV(&b, &analyze.Stats{By: groups.Keys(), Groups: groups.Groups()}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// onBeam runs the command.
func onBeam(t testing.TB, args ...string) (model, rates []byte) {
	t.Helper()
	dir := t.TempDir()
	args = append(args, "--model", filepath.Join(dir, "model.json"), "--rates", filepath.Join(dir, "rates.csv"))
	if code, said := scale(t, args...); code != codeOK {
		t.Fatalf("exit code %d: %s", code, said)
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return read("model.json"), read("rates.csv")
}

func scale(t testing.TB, args ...string) (code int, said string) {
	t.Helper()
	var o options
	f := flag.NewFlagSet("scale", flag.ContinueOnError)
	o.flags(f)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	code = o.run(context.Background(), &errs)
	return code, errs.String()
}

// TestSameModel: the model is that of one machine byte for byte, and the rates are
// those of mcpg stats.
func TestSameModel(t *testing.T) {
	for _, tt := range []struct {
		name   string
		shape  synth.Shape
		calls  int
		shares []int
	}{
		{"a million calls in one table", synth.Shape{}, 1_000_000, []int{1}},
		{"in seven tables", synth.Shape{Seed: 1}, 300_000, []int{1, 30, 2, 9, 5, 40, 3}},
		{"many cells", synth.Shape{Seed: 2, Tools: 50, States: 400}, 100_000, []int{3, 2}},
		{"wide states", synth.Shape{Seed: 3, Features: 64, States: 300}, 60_000, []int{1, 1}},
		{"few calls", synth.Shape{Seed: 4}, 3, []int{1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pattern := tables(t, tt.shape, tt.calls, tt.shares...)
			wantModel, wantRates := alone(t, pattern)
			model, rates := onBeam(t, "--input", pattern, "--input", strings.ReplaceAll(pattern, "*", "part-*"))
			if !bytes.Equal(model, wantModel) {
				t.Errorf("another model: %d bytes, want %d", len(model), len(wantModel))
			}
			if !bytes.Equal(rates, wantRates) {
				t.Errorf("other rates:\n%s\nwant\n%s", rates, wantRates)
			}
		})
	}
}

// TestLogs: logs are read as mcpg reads them, with adapters, compressed or not.
func TestLogs(t *testing.T) {
	shared := "../../shared/data/logs"
	if _, err := os.Stat(shared); err != nil {
		t.Skip("no shared data")
	}
	for _, tt := range []struct{ log, adapter string }{
		{"tau_bench/sierra_gpt-4o-airline.json", "tau-airline"},
		{"tau_bench/avaljotsingh_retail_tool-calling_0-100.json", "tau-retail"},
		{"mcp_jsonrpc_npm/*", ""},
	} {
		t.Run(tt.log, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(shared, tt.log))
			if err != nil || len(files) == 0 {
				t.Fatal(err, "no such log")
			}
			var set adapter.Set
			var args []string
			if tt.adapter != "" {
				args = append(args, "--adapter", tt.adapter)
				if set, err = adapter.LoadSet([]string{tt.adapter}); err != nil {
					t.Fatal(err)
				}
			}
			l, groups := batch.New(), analyze.NewGrouper([]analyze.Key{"day", "server", "tool"})
			for _, name := range files {
				args = append(args, "--input", name)
				rep, err := ingest.Run(context.Background(), []string{name}, ingest.Options{Adapters: set}, func(c *calllog.Call) error {
					l.Add(c, set)
					groups.Add(c, nil)
					return nil
				})
				if err != nil && len(rep.Skipped) == 0 {
					t.Fatal(err)
				}
			}
			model, rates := onBeam(t, args...)
			if !bytes.Equal(model, written(t, l)) {
				t.Error("another model")
			}
			if want := csvOf(t, groups); !bytes.Equal(rates, want) {
				t.Errorf("other rates:\n%s\nwant\n%s", rates, want)
			}
		})
	}
}

// TestBundling: any bundling of any split, with pieces written and read on their way
// and added up in any order, gives the same model.
func TestBundling(t *testing.T) {
	t.Parallel()
	pattern := tables(t, synth.Shape{Seed: 5, Tools: 6, States: 90}, 400_000, 2, 1, 4)
	want, _ := alone(t, pattern)
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 9))
		var work []Work
		for _, name := range files {
			if err := (&SplitFn{Groups: 1 + r.IntN(3)}).ProcessElement(t.Context(), name, func(w Work) { work = append(work, w) }); err != nil {
				t.Fatal(err)
			}
		}
		r.Shuffle(len(work), func(i, j int) { work[i], work[j] = work[j], work[i] })
		pieces := map[int64][]Piece{}
		emit := func(key int64, p Piece) { pieces[key] = append(pieces[key], through(t, p)) }
		for len(work) > 0 {
			n := 1 + r.IntN(len(work))
			bundle(t, work[:n], emit)
			work = work[n:]
		}
		var sums []Piece
		for _, ps := range pieces {
			sums = append(sums, through(t, addUp(r, ps)))
		}
		r.Shuffle(len(sums), func(i, j int) { sums[i], sums[j] = sums[j], sums[i] })
		var got bytes.Buffer
		if err := addUp(r, sums).evidence.Induce().Write(&got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("seed %d: another model", seed)
		}
	}
}

func bundle(t *testing.T, work []Work, emit func(int64, Piece)) {
	t.Helper()
	none := func(Group, Tally) {}
	var f LearnFn
	if err := f.Setup(); err != nil {
		t.Fatal(err)
	}
	if err := f.StartBundle(t.Context(), emit, none); err != nil {
		t.Fatal(err)
	}
	for _, w := range work {
		if err := f.ProcessElement(t.Context(), w, emit, none); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.FinishBundle(t.Context(), emit, none); err != nil {
		t.Fatal(err)
	}
}

func through(t *testing.T, p Piece) Piece {
	t.Helper()
	b, err := encodePiece(p)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = decodePiece(b); err != nil {
		t.Fatal(err)
	}
	return p
}

// addUp adds pieces up by some tree.
func addUp(r *rand.Rand, ps []Piece) Piece {
	var fn AddUp
	var sums []Piece
	for i := 0; i < len(ps); {
		a := fn.CreateAccumulator()
		for n := 1 + r.IntN(3); n > 0 && i < len(ps); n-- {
			a = fn.AddInput(a, ps[i])
			i++
		}
		sums = append(sums, a)
	}
	for len(sums) > 1 {
		i := r.IntN(len(sums) - 1)
		sums[i] = fn.MergeAccumulators(sums[i], sums[i+1])
		sums = append(sums[:i+1], sums[i+2:]...)
	}
	return sums[0]
}

// TestFaults: what can't be done is said in one line, with the exit code.
func TestFaults(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	model := filepath.Join(dir, "model.json")
	whole := tables(t, synth.Shape{}, 100, 1)
	for name, tt := range map[string]struct {
		args []string
		code int
		said string
	}{
		"no input":      {[]string{"--model", model}, codeUsage, "--input is missing"},
		"no output":     {[]string{"--input", whole}, codeUsage, "--model or --rates is missing"},
		"no adapter":    {[]string{"--input", whole, "--model", model, "--adapter", "none"}, codeUsage, `unknown adapter "none"`},
		"no file":       {[]string{"--input", filepath.Join(dir, "no*.parquet"), "--model", model}, codeFailed, "no files matching pattern"},
		"cut off":       {[]string{"--input", file("cut.parquet", "PAR1 and nothing"), "--model", model}, codeFailed, "calls table is damaged"},
		"no calls":      {[]string{"--input", file("empty.jsonl", ""), "--model", model}, codeFailed, "no call in any input"},
		"no calls here": {[]string{"--input", file("empty.jsonl", ""), "--input", whole, "--model", model}, codeOK, "1 findings in logs"},
		"no folder":     {[]string{"--input", whole, "--model", file("a-file", "") + "/model.json"}, codeFailed, "a-file"},
		"no scheme":     {[]string{"--input", "ftp://host/calls", "--model", model}, codeFailed, "ftp"},
	} {
		t.Run(name, func(t *testing.T) {
			code, said := scale(t, tt.args...)
			if code != tt.code || !strings.Contains(said, tt.said) || strings.Count(said, "\n") > 2 {
				t.Errorf("exit code %d, want %d, with %q in few lines:\n%s", code, tt.code, tt.said, said)
			}
		})
	}
}

// BenchmarkCalls learns from ten million calls on Prism: go test -bench Calls -run '^$'
func BenchmarkCalls(b *testing.B) {
	const n = 10_000_000
	pattern := tables(b, synth.Shape{}, n, 1, 1, 1, 1)
	wantModel, _ := alone(b, pattern)
	for b.Loop() {
		before := shuffled.Load()
		model, _ := onBeam(b, "--input", pattern)
		if !bytes.Equal(model, wantModel) {
			b.Error("another model")
		}
		b.ReportMetric(float64(shuffled.Load()-before), "evidence-bytes")
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}
