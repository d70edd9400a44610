package behavior

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// EvidenceFormat stands at the head of what MarshalEvidence gives.
const EvidenceFormat = "mcpg.evidence"

// evidenceJSON is the part of a model that isn't derived, in the model's own shapes.
type evidenceJSON struct {
	Format    string        `json:"format"`
	Version   int           `json:"version"`
	Calls     int           `json:"calls,omitzero"`
	Tools     []toolJSON    `json:"tools,omitzero"`
	Timelines timelinesJSON `json:"timelines,omitzero"`
}

// MarshalEvidence encodes what a model is derived from, for programs that pass pieces
// of it around: learn.FromGraph learns on from what UnmarshalEvidence gives. Only what
// guards say of wide paths is part of it.
func (g *Graph) MarshalEvidence() ([]byte, error) {
	doc := evidenceJSON{Format: EvidenceFormat, Version: ModelVersion, Calls: g.Calls, Timelines: timelinesDoc(&g.Timelines, g.places())}
	for _, t := range g.Tools {
		doc.Tools = append(doc.Tools, toolDoc(t))
	}
	return json.Marshal(&doc, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

// UnmarshalEvidence decodes what MarshalEvidence gave.
func UnmarshalEvidence(b []byte) (*Graph, error) {
	var doc evidenceJSON
	if err := json.Unmarshal(b, &doc, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	if doc.Format != EvidenceFormat || doc.Version != ModelVersion {
		return nil, fmt.Errorf("evidence: format %q version %d, want %q version %d", doc.Format, doc.Version, EvidenceFormat, ModelVersion)
	}
	g, err := (&modelJSON{Calls: doc.Calls, Tools: doc.Tools, Timelines: doc.Timelines}).evidence()
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	return g, nil
}
