package main

import "context"

// listen serves clients by Streamable HTTP.
func (w *wrapped) listen(ctx context.Context, f *wrapFlags, argv []string) error {
	return usage("--listen isn't built yet")
}
