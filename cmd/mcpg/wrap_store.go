package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/learn"
	"mcpg/policy"
	"mcpg/proxy"
	"mcpg/store"
)

// keeper records a proxy's calls, and teaches its policy and model what the store has.
type keeper struct {
	log      io.Writer
	adapters adapter.Set
	policy   *policy.Policy
	model    *proxy.Model
	refresh  int

	path   string // "" keeps nothing
	loaded chan struct{}
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
	taking sync.Mutex // one takes in at a time

	mu    sync.Mutex
	store *store.Store
	file  os.FileInfo     // of the store
	last  int64           // row that was read last
	mine  map[string]bool // ids of calls that were taught already
	since int             // calls since others' were taken in
	later []entry         // calls that couldn't be written yet
	shut  bool
}

// entry is a call to be kept.
type entry struct {
	call     *calllog.Call
	decision store.Decision
}

// maxLater is how many calls wait for a store that others lock.
const maxLater = 10_000

// open opens the store, and begins to read it. The default one may be missing: a proxy
// that keeps nothing is better than none.
func (k *keeper) open(ctx context.Context, path string) error {
	k.loaded = make(chan struct{})
	k.ctx, k.cancel = context.WithCancel(ctx)
	k.mine = map[string]bool{}
	given := path != ""
	if path == "" {
		if path = defaultStore(); path == "" {
			fmt.Fprintln(k.log, "mcpg: no home folder to keep calls in, so none are kept; name a file with --db")
			path = "none"
		} else if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			fmt.Fprintf(k.log, "mcpg: no calls are kept: %v; name a file with --db\n", plainPath(err))
			path = "none"
		}
	}
	if path != "none" {
		k.path = path
		if err := k.openStore(); err != nil {
			if given {
				k.cancel()
				return err
			}
			fmt.Fprintf(k.log, "mcpg: no calls are kept: %v; name a file with --db\n", err)
			k.path = ""
		}
	}
	k.work.Go(func() {
		defer close(k.loaded)
		k.takeIn(true)
	})
	return nil
}

// openStore opens the store that is at the path now.
func (k *keeper) openStore() error {
	s, moved, err := store.Open(k.ctx, k.path)
	if moved != "" {
		fmt.Fprintf(k.log, "mcpg: %s was damaged, and is %s now; calls go to a new one\n", k.path, moved)
	}
	if err != nil {
		return err
	}
	for _, ad := range k.adapters { // readers of the store view its calls as we do
		if ad.ServerID == "" {
			continue
		}
		if err := s.KeepAdapter(ad.ServerID, ad.Source()); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	k.store = s
	k.file, _ = os.Stat(k.path) // what can't be seen isn't watched
	return nil
}

// recent is how many of the last calls are learnt of one by one.
const recent = 5000

// takeIn teaches policy and model what the store has that they don't know. At the start
// most of it is taken in at once.
func (k *keeper) takeIn(start bool) {
	k.taking.Lock()
	defer k.taking.Unlock()
	k.mu.Lock()
	s, after := k.store, k.last
	k.mu.Unlock()
	if s == nil {
		return
	}
	var old learn.Evidence
	var calls []*calllog.Call
	many := false
	for {
		var bad *store.RowError
		for row, err := range s.Calls(k.ctx, after) {
			if errors.As(err, &bad) {
				break
			}
			if err != nil {
				if k.ctx.Err() == nil {
					fmt.Fprintf(k.log, "mcpg: reading the store: %v\n", err)
				}
				break
			}
			after = row.ID
			k.mu.Lock()
			mine := k.mine[row.Call.ID]
			delete(k.mine, row.Call.ID)
			k.mu.Unlock()
			if mine {
				continue
			}
			if calls = append(calls, &row.Call); start && len(calls) == 2*recent {
				many = true
				for _, c := range calls[:recent] {
					old.Add(c, k.adapters.View(c))
				}
				calls = append(calls[:0:0], calls[recent:]...)
			}
		}
		if bad == nil {
			break
		}
		fmt.Fprintf(k.log, "mcpg: the store: %v; it is left out\n", bad)
		after = bad.ID
	}
	if many {
		k.policy.Load(&old)
		k.model.Load(&old)
	}
	for _, c := range calls {
		k.policy.Learn(c)
		k.model.Add(c)
	}
	k.mu.Lock()
	k.last = after
	k.mu.Unlock()
}

// Add keeps a call, and from time to time has those of others taken in.
func (k *keeper) Add(c *calllog.Call, d store.Decision) error {
	k.model.Add(c)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.store == nil {
		return nil
	}
	k.watch()
	k.mine[c.ID] = true
	err := k.write(entry{c, d})
	if k.since++; k.since >= k.refresh && !k.shut {
		k.since = 0
		select {
		case <-k.loaded:
			k.work.Go(func() { k.takeIn(false) })
		default:
		}
	}
	return err
}

// watch opens the store anew if its file is another one, or gone; k.mu is held.
func (k *keeper) watch() {
	now, err := os.Stat(k.path)
	if k.file == nil || err == nil && os.SameFile(now, k.file) && now.Size() > 0 {
		return
	}
	fmt.Fprintf(k.log, "mcpg: %s was taken away or emptied; calls go to a new one\n", k.path)
	_ = k.store.Close() // of a file that nobody sees any more
	k.store, k.last = nil, 0
	if err := k.openStore(); err != nil {
		fmt.Fprintf(k.log, "mcpg: no calls are kept any more: %v\n", err)
	}
}

// write writes a call. While somebody else has the store locked, calls wait in memory,
// and answers don't wait for them; k.mu is held.
func (k *keeper) write(e entry) error {
	if k.store == nil {
		return nil
	}
	if len(k.later) > 0 {
		if len(k.later) >= maxLater {
			return fmt.Errorf("%s is locked by another program", k.path)
		}
		k.later = append(k.later, e)
		return nil
	}
	err := k.put(e)
	if store.IsLocked(err) {
		kept := *e.call
		k.later = append(k.later, entry{&kept, e.decision})
		k.work.Go(k.writeLater)
		return nil
	}
	return err
}

// put writes a call, without its large parts if it must.
func (k *keeper) put(e entry) error {
	err := k.store.Add(e.call, e.decision)
	if !errors.Is(err, store.ErrTooLarge) {
		return err
	}
	small := *e.call // what was called, and how it ended, is what counts
	small.Result, small.ResultText, small.Before, small.After, small.Extra = nil, "", nil, nil, nil
	const most = 64 << 10
	if len(small.ErrorText) > most {
		small.ErrorText = small.ErrorText[:most]
	}
	if err = k.store.Add(&small, e.decision); errors.Is(err, store.ErrTooLarge) {
		small.Args = nil
		err = k.store.Add(&small, e.decision)
	}
	return err
}

// writeLater writes the calls that wait, as soon as the store is free.
func (k *keeper) writeLater() {
	fmt.Fprintf(k.log, "mcpg: %s is locked by another program; calls wait in memory\n", k.path)
	for {
		k.mu.Lock()
		s, shut := k.store, k.shut
		var first entry
		if len(k.later) > 0 {
			first = k.later[0]
		}
		k.mu.Unlock()
		if s == nil || first.call == nil {
			return
		}
		if err := s.Add(first.call, first.decision); store.IsLocked(err) {
			if shut {
				fmt.Fprintf(k.log, "mcpg: %s is still locked: calls are lost\n", k.path)
				return
			}
			select {
			case <-time.After(200 * time.Millisecond):
			case <-k.ctx.Done():
			}
			continue
		} else if err != nil {
			fmt.Fprintf(k.log, "mcpg: a call can't be kept: %v\n", err)
		}
		k.mu.Lock()
		k.later = k.later[1:]
		k.mu.Unlock()
	}
}

func (k *keeper) close() {
	k.mu.Lock()
	k.shut = true
	k.mu.Unlock()
	k.cancel()
	k.work.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.store != nil {
		if err := k.store.Close(); err != nil {
			fmt.Fprintf(k.log, "mcpg: closing the store: %v\n", err)
		}
	}
}
