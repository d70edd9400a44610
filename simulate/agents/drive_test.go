package agents

import (
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// never, always and the like fix an agent's decisions.
func draws(n float64) Random { return func(string) float64 { return n } }

func steps(calls ...string) []Step {
	var out []Step
	for _, c := range calls {
		tool, args, _ := strings.Cut(c, " ")
		out = append(out, Step{Tool: tool, Args: jsontext.Value(args)})
	}
	return out
}

// answer is what one call got: ok, or the text of a refusal.
type answer struct {
	text   string
	failed bool
}

func ok(text string) answer  { return answer{text, false} }
func bad(text string) answer { return answer{text, true} }

// drive gives an agent the answers one after the other, and lists its calls; in
// the end "done" if it made none more.
func drive(t *testing.T, kind string, b *Brief, random Random, as ...answer) []string {
	t.Helper()
	k, err := Find(kind)
	if err != nil {
		t.Fatal(err)
	}
	a := k.New(b, random)
	var calls []string
	last := answer{}
	for i := 0; ; i++ {
		step, done := a.Next(last.text, last.failed)
		if done {
			return append(calls, "done")
		}
		calls = append(calls, strings.TrimSuffix(fmt.Sprint(step.Tool, " ", string(step.Args)), " "))
		if i == len(as) {
			return calls
		}
		last = as[i]
	}
}

func want(t *testing.T, got []string, calls ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(calls, "\n") {
		t.Errorf("calls:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(calls, "\n"))
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Name)
		if found, err := Find(k.Name); err != nil || found.Name != k.Name || k.What == "" {
			t.Errorf("%s: %v", k.Name, err)
		}
		want(t, drive(t, k.Name, &Brief{}, draws(0)), "done") // with nothing to do
	}
	if _, err := Find("hero"); err == nil || err.Error() != `unknown agent "hero": want one of `+strings.Join(names, ", ") {
		t.Error(err)
	}
}

// TestAgentsKnowNoGuards reads the imports: whatever an agent gains from a
// policy it must read from texts.
func TestAgentsKnowNoGuards(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if path := strings.Trim(i.Path.Value, `"`); strings.HasPrefix(path, "mcpg/") && path != "mcpg/calllog" {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}

func TestNaiveRetrier(t *testing.T) {
	t.Parallel()
	b := &Brief{Plan: steps("a {}", "b {}", "c {}")}
	want(t, drive(t, "naive-retrier", b, draws(0), ok("x"), ok("y"), ok("z")), "a {}", "b {}", "c {}", "done")
	want(t, drive(t, "naive-retrier", b, draws(0), bad("no"), bad("no"), bad("no"), bad("no"), ok("now"), bad("mcpg refused c; | to x=y: d"), bad("1"), bad("2")),
		"a {}", "a {}", "a {}", "b {}", "b {}", "c {}", "c {}", "c {}", "done")
}

func TestCalibration(t *testing.T) {
	t.Parallel()
	b := &Brief{Plan: steps("plan {}"), Oracle: steps("a {}", "b {}", "c {}")}
	b.Oracle[1].Once = true
	want(t, drive(t, "do-nothing", b, draws(0)), "done")
	want(t, drive(t, "oracle", b, draws(0), bad("chance"), bad("chance"), bad("chance"), bad("chance"), ok(""), bad("expected"), ok("")),
		"a {}", "a {}", "a {}", "a {}", "a {}", "b {}", "c {}", "done")
}
