package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/adapter"
	"mcpg/store"
)

// live is a store of mcpg wrap that a command learns from, in place of files.
type live struct{ db, server string }

func (l *live) flags(c *cobra.Command) {
	c.Flags().StringVar(&l.db, "db", "", "learn from the calls in this store of mcpg wrap, in place of files")
	c.Flags().StringVar(&l.server, "server", "", "the server whose calls in the store are meant; needed if they are of several")
}

// inputs wants files as check does, or a store and nothing beside it but what is
// named here.
func (l *live) inputs(check cobra.PositionalArgs, beside ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case l.db == "" && l.server != "":
			return errors.New("--server is of a store: name one with --db")
		case l.db == "":
			return check(c, args)
		case c.Flags().Changed("from"):
			return errors.New("--from is of logs, and --db names a store")
		case len(args) < len(beside):
			return fmt.Errorf("no %s", beside[len(args)])
		case len(args) > len(beside):
			return fmt.Errorf("--db %s and %q: a store or files, not both", l.db, args[len(beside)])
		}
		return nil
	}
}

// choose settles which server's calls are meant, and gives what is to be read.
func (l *live) choose(ctx context.Context, s *source) ([]string, error) {
	st, err := store.OpenReadOnly(ctx, l.db)
	if err != nil {
		return nil, err
	}
	names, err := st.Servers(ctx)
	if err = errors.Join(err, st.Close()); err != nil {
		return nil, err
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%s: no call in it yet", l.db)
	case l.server != "" && !slices.Contains(names, l.server):
		return nil, usage("--server %s: %s has calls of %s", l.server, l.db, strings.Join(names, ", "))
	case l.server == "" && len(names) > 1:
		return nil, usage("%s has calls of several servers: name one with --server: %s", l.db, strings.Join(names, ", "))
	case l.server == "":
		l.server = names[0]
	}
	s.server, s.only = l.server, true
	return []string{l.db}, nil
}

// loadStored gets the adapters that calls were recorded with, if none was named and
// stores are all that is to be read.
func (s *source) loadStored(ctx context.Context, names []string) error {
	if len(s.adapters) > 0 || !allStores(names) {
		return nil
	}
	known := map[string][]byte{} // of several stores the last one counts
	for _, name := range names {
		st, err := store.OpenReadOnly(ctx, name)
		if err != nil {
			return nil // the reading says so
		}
		docs, err := st.Adapters(ctx)
		if err = errors.Join(err, st.Close()); err != nil {
			return err
		}
		maps.Copy(known, docs)
	}
	s.stored = nil
	for _, server := range slices.Sorted(maps.Keys(known)) {
		if s.only && server != s.server {
			continue
		}
		a, err := adapter.Parse(known[server])
		if err != nil {
			return fmt.Errorf("the adapter of %s in the store: %w; name another with --adapter", server, err)
		}
		s.stored = append(s.stored, a)
	}
	return nil
}

func allStores(names []string) bool {
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || !isStore(name) {
			return false
		}
	}
	return len(names) > 0
}

func isStore(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 100)
	n, _ := io.ReadFull(f, head) // a shorter file is none
	return store.Is(head[:n])
}
