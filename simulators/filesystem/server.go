// Package filesystem simulates the official MCP filesystem server on a tree
// in memory. It answers with the texts, errors and result objects of the real
// server, in the two versions that were recorded, and adds what makes a world
// hard to foresee: another process that writes, a disk that is full for a
// while, and a server that changes its version.
//
// The same world and the same calls give the same bytes: the clock counts
// steps, and what the server draws at random is a hash of path and step.
//
// It leaves out permissions, access times, which stay those of the last
// write, and names that are equal only after Unicode normalisation. Names
// sort by code point where the server asks a locale about letters outside
// ASCII. Globs have no !(…) within a name.
package filesystem

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
)

// Server is a filesystem server in process. It is not safe for concurrent use.
type Server struct {
	disk    disk
	world   World    // never changes
	before  *dialect // as the world began
	after   *dialect // once it drifted
	pending []Action // not made yet; replaced as a whole, so that clones may share it
	verbs   map[string]verb
	catalog catalog
}

var _ simulate.Server = (*Server)(nil)

// verb is a tool as the server runs it.
type verb struct {
	shape shape
	run   func(*Server, arguments) (output, *failure)
}

// New makes a server at step 0 of a world.
func New(world World) (*Server, error) {
	s := &Server{verbs: verbs, catalog: loadCatalog()}
	err := world.check()
	if err == nil {
		s.world = world.normalized()
		s.disk, err = s.world.disk()
	}
	if err != nil {
		return nil, fmt.Errorf("filesystem world: %w", err)
	}
	s.before, _ = dialectOf(world.Version)
	s.after = s.before
	if world.Drift != nil {
		s.after, _ = dialectOf(world.Drift.Version)
	}
	s.pending = s.world.Actor
	return s, nil
}

// Name is the server's id in logs.
func (s *Server) Name() string { return "filesystem" }

// Tools lists the tools as they are now.
func (s *Server) Tools() []simulate.Tool { return slices.Clone(s.catalog.tools) }

// At moves the clock to a step and lets the writers that are due write.
func (s *Server) At(step int) {
	s.disk.step = step
	s.act(func(a Action) bool { return a.Race == "" && a.from() <= step })
}

// Call makes the call. Nothing here is left to the coin.
func (s *Server) Call(tool string, args jsontext.Value, _ float64) simulate.Answer {
	return s.run(tool, args, true).answer()
}

// Read answers a read-only tool without moving anything.
func (s *Server) Read(tool string, args jsontext.Value) simulate.Answer {
	if readOnly, known := s.catalog.readOnly[tool]; known && !readOnly {
		return failf(checkAccess, "Tool %s is not read-only", tool).answer()
	}
	clone := *s
	return clone.run(tool, args, false).answer()
}

func (s *Server) drifted() bool {
	return s.world.Drift != nil && s.disk.step >= s.world.Drift.At
}

func (s *Server) dialect() *dialect {
	if s.drifted() {
		return s.after
	}
	return s.before
}

func (s *Server) full() bool {
	return s.world.Quota != nil && s.disk.step < s.world.Quota.Until
}

// outcome is how a call ended.
type outcome struct {
	output output
	failed *failure
	raced  bool // another process wrote within the call
}

func (o outcome) answer() simulate.Answer {
	if o.failed != nil {
		return o.failed.answer()
	}
	return o.output.answer()
}

// run makes a call, with or without the races that wait for it. A call whose
// arguments are refused runs no tool and so meets no race.
func (s *Server) run(tool string, args jsontext.Value, races bool) (got outcome) {
	v, known := s.verbs[tool]
	if !known {
		got.failed = failf(checkUnknownTool, "MCP error -32602: Tool %s not found", tool)
		return got
	}
	a, failed := v.shape.parse(tool, args)
	if failed != nil {
		got.failed = failed
		return got
	}
	if races {
		got.raced = s.race(tool)
	}
	start := s.disk
	got.output, got.failed = v.run(s, a)
	// Moving needs no space. Asking afterwards makes it the last check of all.
	if s.full() && got.failed == nil && s.disk.root != start.root && tool != "move_file" {
		s.disk = start
		got.failed = errNoSpace
	}
	return got
}
