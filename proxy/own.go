package proxy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The tools that the proxy adds.
var ownNames = []string{"mcpg_affordances", "mcpg_explain", "mcpg_graph", "mcpg_status"}

// ownTools are their descriptions, as members of a list.
func ownTools() []byte {
	const object = `"type":"object"`
	tool := func(name, title, words, properties, required, output string) string {
		return `{"name":"` + name + `","title":"` + title + `","description":"` + words + `","inputSchema":{` + object + `,"properties":{` + properties + `}` + required + `},` +
			`"outputSchema":{` + object + output + `},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`
	}
	return []byte(strings.Join([]string{
		tool(ownNames[0], "What can be done now", "What can be done with a resource in its present state: which tools work, which fail and why, which need approval, which were never tried. With a goal also the calls that lead to it.",
			`"resource_ref":{"type":"string","description":"class:id, or the id alone"},"goal":{"type":"string","description":"FIELD=VALUE that is wanted"}`, `,"required":["resource_ref"]`, `,"properties":{"resource":{"type":"string"},"state":{"type":"string"},"tools":{"type":"array"},"route":{"type":"array"}},"required":["resource","state","tools"]`),
		tool(ownNames[1], "Why", "What an offer or a tool's guard rests on: calls for it and against it, and what isn't known.",
			`"offer_id":{"type":"string","description":"an id that mcpg_affordances gave, or a tool's name"}`, `,"required":["offer_id"]`, `,"properties":{"tool":{"type":"string"},"worked":{"type":"integer"},"refused":{"type":"integer"},"needs":{"type":"array"}},"required":["tool"]`),
		tool(ownNames[2], "Behaviour graph", "The whole behaviour graph: states, tools and outcomes.",
			`"format":{"type":"string","enum":["json","mermaid"],"default":"json"}`, ``, `,"properties":{"mermaid":{"type":"string"}}`),
		tool(ownNames[3], "Status", "How many calls were seen, warned of, refused and held, and what the model is.", ``, ``,
			`,"properties":{"calls":{"type":"integer"},"warned":{"type":"integer"},"refused":{"type":"integer"},"held":{"type":"integer"},"model":{"type":"string"}}`),
	}, ","))
}

// isOwn tells whether a tool is ours; the server's own of that name wins.
func (s *Session) isOwn(tool string) bool {
	if s.p.Asker == nil || !slices.Contains(ownNames, tool) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools.prints[tool] == ""
}

// own answers a call of one of our tools. It is no call of the server's and not recorded.
func (s *Session) own(m *message, tool string) {
	s.p.counts.own.Add(1)
	args := member(m.params, "arguments")
	gone := make(chan struct{})
	s.list(gone)
	var words string
	var data jsontext.Value
	var err error
	switch tool {
	case ownNames[0]:
		words, data, err = s.affordances(text(args, "resource_ref"), text(args, "goal"))
	case ownNames[1]:
		s.mu.Lock()
		shown := slices.Clone(s.shown)
		s.mu.Unlock()
		words, data, err = s.p.Asker.Explain(s.p.Model(), shown, text(args, "offer_id"))
	case ownNames[2]:
		format := text(args, "format")
		if format == "" {
			format = "json"
		}
		words, data, err = s.p.Asker.Graph(s.p.Model(), format)
	default:
		words, data, err = s.status()
	}
	if err != nil {
		s.answer(m.id, result(m, refusal("mcpg: "+err.Error())))
		return
	}
	out := `{"content":[{"type":"text","text":` + string(quote(words)) + `}]`
	if data != nil {
		data = data.Clone()
		_ = data.Compact(lenient...) // a frame is one line
		out += `,"structuredContent":` + string(data)
	}
	s.answer(m.id, result(m, jsontext.Value(out+"}")))
}

// maxShown is how many resources are remembered for explanations.
const maxShown = 64

// affordances reads a resource and asks what can be done with it.
func (s *Session) affordances(ref, goal string) (string, jsontext.Value, error) {
	a := s.adapter
	if a == nil {
		return "", nil, fmt.Errorf("no adapter says what resources this server has: start mcpg wrap with --adapter")
	}
	named, err := a.Ref(ref)
	if err != nil {
		return "", nil, err
	}
	far := (*reader)(s)
	state, ok := a.StateOf(named, far.Read)
	if !ok {
		return "", nil, fmt.Errorf("the state of %s can't be observed", named)
	}
	r := &Resource{Name: named.String(), Server: s.serverID(), Class: named.Class, State: state, Fingerprint: far.Fingerprint, Adapter: a, Approved: s.approved}
	g := s.p.Model()
	r.Model = g.Fingerprint()
	words, data, err := s.p.Asker.Affordances(g, r, goal)
	if err != nil {
		return "", nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = append(s.shown, r)
	if n := len(s.shown); n > maxShown {
		s.shown = slices.Delete(s.shown, 0, n-maxShown)
	}
	return words, data, nil
}

// status is what mcpg_status says.
func (s *Session) status() (string, jsontext.Value, error) {
	n := &s.p.counts
	model := s.p.Model()
	s.mu.Lock()
	name := s.name
	s.mu.Unlock()
	data, err := json.Marshal(struct {
		Server     string `json:"server"`
		Policy     string `json:"policy"`
		Since      string `json:"since"`
		Calls      int64  `json:"calls"`
		Warned     int64  `json:"warned"`
		Refused    int64  `json:"refused"`
		Held       int64  `json:"held"`
		Approved   int64  `json:"approved"`
		Probes     int64  `json:"probes"`
		Unobserved int64  `json:"unobserved"`
		Unrecorded int64  `json:"unrecorded"`
		Own        int64  `json:"own_tool_calls"`
		Model      string `json:"model"`
		Learnt     int    `json:"calls_learnt_from"`
	}{name, string(s.p.Mode), s.started.UTC().Format(time.RFC3339), n.calls.Load(), n.warned.Load(), n.refused.Load(), n.held.Load(), n.approved.Load(), n.probes.Load(),
		n.unobserved.Load(), n.unrecorded.Load(), n.own.Load(), model.Fingerprint(), model.Calls}, json.Deterministic(true))
	if err != nil {
		return "", nil, err
	}
	words := fmt.Sprintf("policy %s; %d calls since %s: %d warned of, %d refused, %d held, %d approved, %d probes; the model %s has learnt from %d calls",
		s.p.Mode, n.calls.Load(), s.started.UTC().Format(time.RFC3339), n.warned.Load(), n.refused.Load(), n.held.Load(), n.approved.Load(), n.probes.Load(), model.Fingerprint(), model.Calls)
	return words, data, nil
}
