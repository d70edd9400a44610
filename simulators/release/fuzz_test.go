package release

import (
	"maps"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
)

const everything = `,"freeze":{"from":1,"until":2},"flaky":0.5,"flip":true,"drift":{"at":5,"to":"lenient"},"actor":[
	{"race":"publish_release","release":"ready","field":"approved_by","value":["x"]},{"at":3,"channel":"beta","field":"locked","value":true}]`

// FuzzServer makes random calls on a world with everything in it, and holds
// that equal calls give equal bytes, that judging changes nothing, and that it
// foresees the outcome.
func FuzzServer(f *testing.F) {
	names := slices.Sorted(maps.Keys(verbs))
	for tool := range names {
		for i, args := range []string{
			ready, `{"release_id":"old","channel":"beta","owner":"ops","reviewer":"é","notes":"\ud800","text":"x","expected_revision":1}`,
			`{"release_id":"new","channel":"gold","expected_revision":1e999}`, "{\"release_id\":\"\xff\"}", `{"release_id":"raw","release_id":5}`, `[`, ``, `null`,
		} {
			f.Add(uint8(tool), uint8(i), 0.4, args)
		}
	}
	f.Fuzz(func(t *testing.T, tool, step uint8, coin float64, args string) {
		name := names[int(tool)%len(names)]
		first, second := newServer(t, everything), newServer(t, everything)
		first.At(int(step % 8))
		second.At(int(step % 8))
		before := string(first.Snapshot())
		truth := first.Check(name, jsontext.Value(args), coin)
		first.Read(name, jsontext.Value(args))
		if string(first.Snapshot()) != before {
			t.Fatal("Check or Read changed the world")
		}
		got, again := first.Call(name, jsontext.Value(args), coin), second.Call(name, jsontext.Value(args), coin)
		if string(got.Raw) != string(again.Raw) || string(first.Snapshot()) != string(second.Snapshot()) {
			t.Fatal("equal calls differ")
		}
		if truth.Kind != simulate.Coin && truth.Valid == got.IsError {
			t.Fatalf("Check says %+v, Call %q", truth, got.Text)
		}
		if !got.Raw.IsValid() || !first.Snapshot().IsValid() {
			t.Fatalf("not JSON: %s", got.Raw)
		}
	})
}
