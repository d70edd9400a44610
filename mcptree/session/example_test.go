package session_test

import (
	"errors"
	"fmt"
	"os"

	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/session"
	"mcpg/mcptree/value"
)

func Example() {
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store := session.New(dir, mcptree.FromValue, session.Options{})
	id, err := begin(store)
	if err != nil {
		fmt.Println(err)
		return
	}
	// Another process may go on: the file holds the tree too.
	e, err := store.Submit(id, engine.Answer{Step: 1, Value: value.OfString("maybe"), Source: engine.SourceAnswer})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.State, e.Error)
	if e, err = store.Submit(id, engine.Answer{Step: e.Step, Value: value.OfString("red"), Source: engine.SourceAnswer}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.State, e.Outcome, e.Instruction)
	// Output:
	// awaiting_answer invalid_option: expected one of ['green', 'red']
	// done wait Not yet.
}

func begin(store *session.Store) (id string, err error) {
	doc := mcptree.Parse("deploy.yaml", []byte(`{mcptree: "0.2", id: deploy, title: Deploy or not, entry: ask, nodes: {
		ask: {type: ask, prompt: "Are the tests green?", options: [{id: green, then: go}, {id: red, then: wait}]},
		go: {type: terminal, outcome: go, summary: Deploy.},
		wait: {type: terminal, outcome: wait, summary: Not yet.}}}`))
	if doc.Errors() {
		return "", errors.New(doc.Reason())
	}
	m, err := engine.New(doc.Tree)
	if err != nil {
		return "", err
	}
	state, trace := m.Start(store.Now(), nil)
	s, err := store.Create(m, state, trace)
	if err != nil {
		return "", err
	}
	return s.ID, nil
}
