package draw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/goccy/go-graphviz"
)

// SVG lays g out, cut so that this takes a second at most, and writes it as an svg
// element: a file of its own, or a part of an HTML page. A render that has
// begun isn't cancelled: that would break the engine for later ones. The engine
// never gives back some of a render's memory, about 0.4 MB for 300 edges: a
// server keeps the pictures that it made.
func SVG(ctx context.Context, w io.Writer, g Graph) error {
	out, err := render(ctx, g)
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// engine is held by the render that runs. Graphviz is one WebAssembly module
// with global state.
var engine = make(chan struct{}, 1)

// render returns g as an svg element.
func render(ctx context.Context, g Graph) ([]byte, error) {
	text := dot(shorten(drawable(g)))
	// Of a free engine and a cancelled context, select takes either.
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case engine <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-engine }()
	out, err := layout(text)
	if err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	i := bytes.Index(out, []byte("<svg"))
	if i < 0 {
		return nil, errors.New("layout gave no SVG")
	}
	return out[i:], nil
}

// layout renders DOT. The caller holds the engine.
func layout(text string) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the engine failed: %v", p)
		}
	}()
	ctx := context.Background()
	gv, err := graphviz.New(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, gv.Close()) }()
	graph, err := graphviz.ParseBytes([]byte(text))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, graph.Close()) }()
	var buf bytes.Buffer
	if err := gv.Render(ctx, graph, graphviz.SVG, &buf); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
