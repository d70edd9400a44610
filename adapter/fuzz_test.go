package adapter

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// FuzzParse holds that an adapter that is accepted can be used.
func FuzzParse(f *testing.F) {
	f.Add(original)
	f.Add(withAll)
	for _, name := range Shipped() {
		f.Add(string(loaded(f, name).Source()))
	}
	f.Add(`{"server_id":"s","classes":[{"class":"c","id_params":[""]}],"relations":[{"op":"less","arg":"","arg2":"[]"}]}`)
	f.Fuzz(func(t *testing.T, src string) {
		a, err := Parse([]byte(src))
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Fatal("an error without words")
			}
			return
		}
		again, err := Parse(a.Source())
		if err != nil || strings.Join(again.ReadTools(), " ") != strings.Join(a.ReadTools(), " ") {
			t.Fatalf("a second reading differs: %v", err)
		}
		use(t, a, "t", `{"id":"1","path":["a","b"],"":5}`, `{"a":true}`)
		for _, r := range a.Resources {
			for _, tool := range r.Tools {
				use(t, a, tool, `{"id":"1","source":"a"}`, `{"depends_on":"x"}`)
			}
		}
	})
}

// use observes a call, classifies it and makes its view.
func use(t *testing.T, a *Adapter, tool, args, answer string) {
	c := call(tool, args)
	reads := map[string]bool{}
	for _, r := range a.ReadTools() {
		reads[r] = true
	}
	c.Before = a.Observe(tool, c.Args, func(tool string, _ jsontext.Value) Reading {
		if !reads[tool] {
			t.Fatalf("%s is none of the adapter's reads", tool)
		}
		return Reading{Text: answer}
	})
	if c.Before != nil && !c.Before.IsValid() {
		t.Fatalf("Before is not JSON: %s", c.Before)
	}
	c.After = a.ObserveFirst(tool, c.Args, func(string, jsontext.Value) Reading { return Reading{Text: answer, Failed: true} })
	if c.After != nil && !c.After.IsValid() {
		t.Fatalf("After is not JSON: %s", c.After)
	}
	c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, answer
	Classify(c, calllog.Evidence{}, a)
	first, again := a.View(c), a.View(c)
	if seen(first) != seen(again) || first.Features().Key() != again.Features().Key() {
		t.Fatalf("two views differ: %s, %s", seen(first), seen(again))
	}
	if line := first.State.String() + first.Args.String(); strings.ContainsAny(line, "\n\r") {
		t.Fatalf("a state of two lines: %q", line)
	}
}

func FuzzView(f *testing.F) {
	adapters := []*Adapter{nil, parse(f, original), parse(f, withAll)}
	for _, name := range Shipped() {
		adapters = append(adapters, loaded(f, name))
	}
	tools := []string{"edit_file", "move_file", "edit", "assign", "publish_release", "update_notes", "read_multiple_files", ""}
	for i := range adapters {
		for j := range tools {
			f.Add(uint8(i), uint8(j), `{"id":"7","path":"/a/b","source":["x",1,null],"destination":"é","edits":[{"oldText":"a\nb"}]}`, `{"file":{"isFile":true},"file.content":"x","ticket":[{},null]}`, "isFile: true")
		}
		f.Add(uint8(i), uint8(0), "{\"path\":\"\xff\",\"path\":{", `{"file":{"exists":false}`, `{"owner":["a",{}],"depends_on":1e999}`)
	}
	f.Fuzz(func(t *testing.T, which, tool uint8, args, before, answer string) {
		a, name := adapters[int(which)%len(adapters)], tools[int(tool)%len(tools)]
		c := call(name, args)
		c.Before, c.After = jsontext.Value(before), jsontext.Value(before)
		v := a.View(c)
		if again := a.View(c); seen(v) != seen(again) {
			t.Fatalf("two views differ: %s, %s", seen(v), seen(again))
		}
		if a != nil {
			use(t, a, name, args, answer)
		}
	})
}
