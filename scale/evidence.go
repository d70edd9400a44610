package main

import (
	"context"
	"errors"
	"io"
	"reflect"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"mcpg/behavior"
	"mcpg/learn"
)

// Piece is evidence on its way between workers.
type Piece struct{ evidence *learn.Evidence }

func init() { beam.RegisterCoder(reflect.TypeFor[Piece](), encodePiece, decodePiece) }

// shuffled is how many bytes of evidence this process encoded.
var shuffled atomic.Int64

func encodePiece(p Piece) ([]byte, error) {
	b, err := p.evidence.Bare().MarshalEvidence()
	shuffled.Add(int64(len(b)))
	return b, err
}

func decodePiece(b []byte) (Piece, error) {
	g, err := behavior.UnmarshalEvidence(b)
	if err != nil {
		return Piece{}, err
	}
	return Piece{learn.FromGraph(g)}, nil
}

// AddUp merges evidence: learning's own Merge, which no order and no grouping changes.
type AddUp struct{}

func (AddUp) CreateAccumulator() Piece { return Piece{&learn.Evidence{}} }

func (AddUp) AddInput(a, p Piece) Piece {
	a.evidence.Merge(p.evidence)
	return a
}

func (AddUp) MergeAccumulators(a, b Piece) Piece {
	a.evidence.Merge(b.evidence)
	return a
}

// WriteModel derives the model of all evidence and writes it.
type WriteModel struct{ Name string }

func (f *WriteModel) ProcessElement(ctx context.Context, p Piece) error {
	g := p.evidence.Induce()
	if g.Calls == 0 {
		return errors.New("no call in any input")
	}
	return write(ctx, f.Name, func(w io.Writer) error { return g.Write(w) })
}
