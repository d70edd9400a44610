// Package batch learns from tables, in parallel.
package batch

import (
	"context"
	"runtime"
	"sync"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/ingest/table"
	"mcpg/learn"
)

// chunk is how many calls a worker takes at once.
const chunk = 1024

// Source hands out calls one after the other; a *table.Reader is one.
type Source interface {
	Next() bool
	Call() *calllog.Call
	Err() error
}

var _ Source = (*table.Reader)(nil)

// Learn adds the calls of a source to evidence. Any split among workers gives
// the same evidence.
func Learn(ctx context.Context, src Source, adapters adapter.Set, into *learn.Evidence) error {
	chunks := make(chan []*calllog.Call, runtime.GOMAXPROCS(0))
	parts := make([]learn.Evidence, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() {
			for calls := range chunks {
				for _, c := range calls {
					parts[i].Add(c, adapters.View(c))
				}
			}
		})
	}
	err := send(ctx, src, chunks)
	close(chunks)
	wg.Wait()
	if err != nil {
		return err
	}
	for i := range parts {
		into.Merge(&parts[i])
	}
	return nil
}

func send(ctx context.Context, src Source, chunks chan<- []*calllog.Call) error {
	calls := make([]*calllog.Call, 0, chunk)
	for src.Next() {
		calls = append(calls, src.Call())
		if len(calls) < chunk {
			continue
		}
		select {
		case chunks <- calls:
		case <-ctx.Done():
			return ctx.Err()
		}
		calls = make([]*calllog.Call, 0, chunk)
	}
	chunks <- calls
	return src.Err()
}
