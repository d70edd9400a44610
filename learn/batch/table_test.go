package batch

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/ingest/table"
	"mcpg/learn"
)

// idCalls draws calls whose arguments name ids that stand, or nearly, in other
// places too. Each seed has a few ids and one form of everything, so that many calls
// are alike but for their ids.
func idCalls(r *rand.Rand, n int) []*calllog.Call {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	pool := [][]string{
		{"T-101", "T-102", "T-103"}, {"1", "2", "7"}, {"open", "held", "shut"}, {"12", "x2", "y3"}, {"x17", "a12", "T-101"},
		{"/a/1", "/a/2"}, {":1,", ":2,", ",true,", ",null,"}, {"12", "13", "120"}, {`q\"1`, `q\"2`}, {"a1b", "aab9", "17"}, {"1e1", "2e1", "10"}, {"2026-01-02", "2026-02-03"},
	}[r.IntN(12)]
	id := func() string { return pick(pool...) }
	argsForm := pick(`{"id":"V"}`, `{"id":"V","to":"W"}`, `{"to":"W", "id": "V"}`, `{"ids":["V","W"]}`, `{"id":"V","note":"see W"}`, `{"W":"V"}`)
	beforeForm := pick(`{"ticket":{"id":"V","by":"W"}}`, `{"tickets":{"V":{"n":1},"W":{"n":2}}}`, `{"rows":[{"id":"V","n":1},{"id":"W","n":2}]}`,
		`{"list":["V","W",7,12]}`, `{"xs":["a",1.2e1,13.0]}`, `{"a":1,"b":"y"}`, `{"a":2,"b":"y","l":["p",true,"q"]}`, `{"path":"/x/V/y","a V":1}`, `{"list":[1,"W"],"k":{"id" : "V"},"W" : true}`, `{"ticket":{"status":"open"}}`)
	errorForm := pick("ticket V is closed", "ticket 'V' of W", `{"error":"no V. Try W"}`, "xV and V", "V0 is V", "V_W", "no such thing", "V: \x01 W", "12 of V")
	fill := func(form, v, w string) string {
		return strings.NewReplacer("V", v, "W", w).Replace(form)
	}
	var out []*calllog.Call
	for i := range n {
		v, w := id(), id()
		other := func() string { return pick(v, v, w, id()) }
		c := &calllog.Call{ID: fmt.Sprint("c", i), Session: fmt.Sprint("s", r.IntN(20)), Server: "srv", Tool: "edit", StateSource: calllog.Snapshot,
			Args: jsontext.Value(fill(argsForm, v, w)), Before: jsontext.Value(fill(beforeForm, other(), other()))}
		if r.IntN(4) == 0 {
			c.After = jsontext.Value(fill(beforeForm, other(), other()))
		}
		if r.IntN(2) == 0 {
			c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, fill(errorForm, other(), other())
		}
		out = append(out, c)
	}
	return out
}

func tableOf(t testing.TB, calls []*calllog.Call, format table.Format) *table.Reader {
	t.Helper()
	var b bytes.Buffer
	w, err := table.NewWriter(&b, format)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := table.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTable: a table gives the model that its calls give one by one, ids masked or
// not.
func TestTable(t *testing.T) {
	t.Parallel()
	for seed := range 5 * rounds() {
		r := rand.New(rand.NewPCG(seed, 11))
		calls := append(idCalls(r, 200), someCalls(r, 20)...)
		var one learn.Evidence
		for _, c := range calls {
			one.Add(c, nilView(c))
		}
		want := model(t, &one)
		for _, format := range []table.Format{table.Parquet, table.IPC} {
			l := New()
			if err := l.AddTable(context.Background(), tableOf(t, calls, format), nil); err != nil {
				t.Fatal(err)
			}
			e, err := l.Evidence()
			if err != nil {
				t.Fatal(err)
			}
			if got := model(t, e); got != want {
				t.Fatalf("seed %d, format %v: the table gave another model: %s", seed, format, difference(got, want))
			}
		}
	}
}

func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d: %q, want %q", i, strings.Join(x[max(0, i-12):i+1], "|"), y[i])
		}
	}
	return "one is longer"
}
