package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"mcpg/calllog"
	"mcpg/store"
)

// makeStore is a command for scripts: make-store STORE LOG [SERVER=ADAPTER] puts a
// native log's calls into a store. A line's member "decision" is the policy's.
func makeStore() {
	if err := addLog(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func addLog(args []string) (err error) {
	s, moved, err := store.Open(context.Background(), args[0])
	if err != nil || moved != "" {
		return fmt.Errorf("moved %q, %w", moved, err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	log, err := os.Open(args[1])
	if err != nil {
		return err
	}
	defer log.Close()
	r := calllog.NewReader(log, args[1])
	for r.Scan() {
		decision, c := store.Passed, r.Call()
		if strings.Contains(string(c.Extra), `"decision":"refused"`) {
			decision, c.Extra = store.Refused, nil
		}
		if err := s.Add(c, decision); err != nil {
			return err
		}
	}
	for _, arg := range args[2:] {
		server, name, _ := strings.Cut(arg, "=")
		doc, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := s.KeepAdapter(server, doc); err != nil {
			return err
		}
	}
	return r.Err()
}
