package proxy

import (
	"sync"

	"mcpg/adapter"
	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/learn"
)

// Model is what all calls teach, apart from the policy: deriving it takes time that no
// call waits for. It is safe for concurrent use.
type Model struct {
	adapters adapter.Set
	mu       sync.Mutex
	evidence learn.Evidence
	graph    *behavior.Graph // nil after a change
}

// NewModel begins with a model, nil for nothing.
func NewModel(adapters adapter.Set, g *behavior.Graph) *Model {
	m := &Model{adapters: adapters}
	if g != nil {
		m.evidence = *learn.FromGraph(g)
	}
	return m
}

// Add learns from a call.
func (m *Model) Add(c *calllog.Call) {
	view := m.adapters.View(c)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.evidence.Add(c, view)
	m.graph = nil
}

// Load learns what an evidence has, which stays as it is.
func (m *Model) Load(e *learn.Evidence) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.evidence.Merge(e)
	m.graph = nil
}

// Graph derives the model, if calls have come since. It must not be changed.
func (m *Model) Graph() *behavior.Graph {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.graph == nil {
		m.graph = m.evidence.Induce()
	}
	return m.graph
}
