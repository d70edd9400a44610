package behavior

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// ModelFormat and ModelVersion stand at the head of model.json.
const (
	ModelFormat  = "mcpg.model"
	ModelVersion = 1
)

// The shapes of model.json. Cells are the evidence; the rest is derived from
// them and written so that other programs need not learn.
type modelJSON struct {
	Format         string              `json:"format"`
	Version        int                 `json:"version"`
	Calls          int                 `json:"calls"`
	Fingerprint    string              `json:"fingerprint"`
	SHA256         string              `json:"sha256"` // of the document with this empty
	Tools          []toolJSON          `json:"tools"`
	States         []stateJSON         `json:"states"`
	Edges          []edgeJSON          `json:"edges"`
	Contradictions []contradictionJSON `json:"contradictions"`
	Drift          []driftJSON         `json:"drift,omitzero"`
	Timelines      timelinesJSON       `json:"timelines"`
	Domains        []Domain            `json:"domains"`
}

type toolJSON struct {
	Server      string         `json:"server"`
	Tool        string         `json:"tool"`
	Fingerprint string         `json:"fingerprint"`
	Class       string         `json:"class"`
	Outcomes    map[string]int `json:"outcomes"`
	Unobserved  int            `json:"unobserved"`
	First       *int64         `json:"first_us,omitzero"` // when it was called, if the log says
	Last        *int64         `json:"last_us,omitzero"`
	Guard       guardJSON      `json:"guard"`
	Effects     []effectJSON   `json:"effects"`
	Cells       cellList       `json:"cells"`
}

type effectJSON struct {
	Field string `json:"field"`
	To    string `json:"to"`
	Calls int    `json:"calls"`
}

// cellList is written and read a cell at a time: there may be a million.
type cellList []*Cell

func (l cellList) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for _, c := range l {
		d := cellDoc(c)
		if err := json.MarshalEncode(enc, &d); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndArray)
}

func (l *cellList) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*l = nil
	switch start, err := dec.ReadToken(); {
	case err != nil:
		return err
	case start.Kind() == 'n':
		return nil
	case start.Kind() != '[':
		return fmt.Errorf("cells: want an array, not %s", start.Kind())
	}
	for dec.PeekKind() != ']' {
		var d cellJSON
		if err := json.UnmarshalDecode(dec, &d); err != nil {
			return err
		}
		c, err := d.cell()
		if err != nil {
			return err
		}
		*l = append(*l, c)
	}
	_, err := dec.ReadToken()
	return err
}

type cellJSON struct {
	Class    string         `json:"class"`
	Primary  string         `json:"primary"`
	State    []string       `json:"state"`
	Args     []string       `json:"args"`
	Unknown  []string       `json:"unknown"`
	OK       int            `json:"ok"`
	OKSample []refJSON      `json:"ok_sample"`
	Refused  []refusalsJSON `json:"refused"`
	Next     []nextJSON     `json:"next"`
}

type refusalsJSON struct {
	Cluster string    `json:"cluster"`
	Cause   string    `json:"cause"`
	Example string    `json:"example"`
	Calls   int       `json:"calls"`
	Sample  []refJSON `json:"sample"`
}

type nextJSON struct {
	State   []string `json:"state"`
	Unknown []string `json:"unknown"`
	Calls   int      `json:"calls"`
}

// A call is named by its id: its place in a log changes with the order of the
// lines, which the model must not. The table has file and line by id.
type refJSON struct {
	Hash string `json:"hash"`
	ID   string `json:"id"`
	Time int64  `json:"ts_us,omitzero"`
}

type stateJSON struct {
	ID     string   `json:"id"`
	Server string   `json:"server"`
	Class  string   `json:"class"`
	State  []string `json:"state"`
}

type edgeJSON struct {
	Server      string         `json:"server"`
	Tool        string         `json:"tool"`
	Fingerprint string         `json:"fingerprint"`
	State       string         `json:"state"`
	Outcome     string         `json:"outcome"`
	Status      string         `json:"status"`
	OK          int            `json:"ok"`
	Rejected    int            `json:"rejected"`
	Next        map[string]int `json:"next"`
}

type contradictionJSON struct {
	Server      string   `json:"server"`
	Tool        string   `json:"tool"`
	Fingerprint string   `json:"fingerprint"`
	State       []string `json:"state"`
	Args        []string `json:"args"`
	OK          int      `json:"ok"`
	Rejected    int      `json:"rejected"`
	Works       refJSON  `json:"works"`
	Refused     refJSON  `json:"refused"`
	ErrorText   string   `json:"error_text"`
	Cell        int      `json:"cell"` // its place among the tool's cells

	Cause causeJSON `json:"cause"`
}

// Write writes model.json: the same graph, the same bytes.
func (g *Graph) Write(w io.Writer) error {
	doc := modelJSON{Format: ModelFormat, Version: ModelVersion, Calls: g.Calls, Fingerprint: g.Fingerprint(), Domains: g.Domains}
	for _, t := range g.Tools {
		doc.Tools = append(doc.Tools, toolDoc(t))
	}
	doc.States, doc.Edges = graphDocs(g.AllEdges())
	at := g.places()
	for _, c := range g.Contradictions() {
		doc.Contradictions = append(doc.Contradictions, contradictionJSON{
			Server: c.Server, Tool: c.Tool, Fingerprint: c.Fingerprint, State: encodeAll(c.State), Args: encodeAll(c.Args),
			OK: c.OK, Rejected: c.Rejected, Works: refDoc(c.Works), Refused: refDoc(c.Refused), ErrorText: c.ErrorText, Cell: at.cells[c.Cell], Cause: causeDoc(c.Why),
		})
	}
	doc.Drift = driftDocs(g.Drifts())
	doc.Timelines = timelinesDoc(&g.Timelines, at)
	var err error
	if doc.SHA256, err = doc.sum(); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if err := json.MarshalWrite(out, &doc, json.Deterministic(true), jsontext.WithIndent(" "), jsontext.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	_ = out.WriteByte('\n')
	return out.Flush()
}

// sum is the checksum of what the document says, however it is laid out.
func (d *modelJSON) sum() (string, error) {
	bare := *d
	bare.SHA256 = ""
	h := sha256.New()
	if err := json.MarshalWrite(h, &bare, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Fingerprint is a hash of the evidence: equal for equal evidence.
func (g *Graph) Fingerprint() string {
	h := sha256.New()
	for _, t := range g.Tools {
		fmt.Fprintf(h, "%q %q %q %v\n", t.Server, t.Name, t.Fingerprint, t.Counts)
		for _, c := range t.Cells {
			fmt.Fprintf(h, "%q %d\n", c.Key(), c.OK)
			for _, r := range c.Refused {
				fmt.Fprintf(h, "%q %s %q %d\n", r.Cluster, r.Cause, r.Example, r.Calls)
			}
			for _, n := range c.Next {
				fmt.Fprintf(h, "%q %d\n", n.State.Key(), n.Calls)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func toolDoc(t *Tool) toolJSON {
	d := toolJSON{Server: t.Server, Tool: t.Name, Fingerprint: t.Fingerprint, Class: t.Class(), Unobserved: t.Unobserved, Outcomes: map[string]int{}}
	if t.Called.Known {
		d.First, d.Last = &t.Called.First, &t.Called.Last
	}
	for _, o := range calllog.Outcomes() {
		d.Outcomes[o.String()] = t.Counts[o]
	}
	d.Guard = guardDoc(t.Guard)
	for _, e := range t.Effects {
		d.Effects = append(d.Effects, effectJSON{e.Field, e.To.String(), e.Calls})
	}
	d.Cells = t.Cells
	return d
}

func cellDoc(c *Cell) cellJSON {
	d := cellJSON{Class: c.Class, Primary: c.Primary, State: encodeFeatures(c.State), Args: encodeFeatures(c.Args),
		Unknown: encodePaths(append(slices.Clone(c.State.Unknown), c.Args.Unknown...)), OK: c.OK, OKSample: refDocs(c.OKSample)}
	for _, r := range c.Refused {
		d.Refused = append(d.Refused, refusalsJSON{r.Cluster, r.Cause.String(), r.Example, r.Calls, refDocs(r.Sample)})
	}
	for _, n := range c.Next {
		d.Next = append(d.Next, nextJSON{encodeFeatures(n.State), encodePaths(n.State.Unknown), n.Calls})
	}
	return d
}

func graphDocs(edges []Edge) ([]stateJSON, []edgeJSON) {
	ids := map[string]string{}
	var states []stateJSON
	id := func(server, class string, s State) string {
		k := server + "\x00" + class + "\x00" + s.Key()
		if ids[k] == "" {
			ids[k] = "s" + strconv.Itoa(len(ids))
			states = append(states, stateJSON{ids[k], server, class, encodeAll(s)})
		}
		return ids[k]
	}
	var out []edgeJSON
	for _, e := range edges {
		d := edgeJSON{Server: e.Server, Tool: e.Tool, Fingerprint: e.Fingerprint, State: id(e.Server, e.Class, e.State),
			Outcome: string(e.Outcome), Status: string(e.Status), OK: e.OK, Rejected: e.Rejected, Next: map[string]int{}}
		for _, n := range e.Next {
			d.Next[id(e.Server, e.Class, n.State)] = n.Calls
		}
		out = append(out, d)
	}
	return states, out
}

func refDoc(r CallRef) refJSON {
	return refJSON{fmt.Sprintf("%016x", r.Hash), r.ID, r.Time}
}

func refDocs(s Sample) []refJSON {
	out := make([]refJSON, 0, len(s))
	for _, r := range s {
		out = append(out, refDoc(r))
	}
	return out
}

// A path is written role:field, a token feature role:field=token, a number
// role:field#2 or role:field#1..3.
func encodePath(p Path) string { return p.Role + ":" + p.Field }

func encodePaths(ps []Path) []string {
	out := make([]string, 0, len(ps))
	for _, p := range ps {
		out = append(out, encodePath(p))
	}
	return out
}

func encodeFeatures(s State) []string {
	out := make([]string, 0, len(s.Features))
	for _, f := range s.Features {
		out = append(out, encodeFeature(f))
	}
	return out
}

func encodeFeature(f Feature) string {
	sep := "="
	if f.IsNumber() {
		sep = "#"
	}
	return encodePath(f.Path) + sep + f.Value.String()
}

// encodeAll adds what was not observed, as role:field?.
func encodeAll(s State) []string {
	out := encodeFeatures(s)
	for _, u := range s.Unknown {
		out = append(out, encodePath(u)+"?")
	}
	return out
}

func decodePath(s string) (Path, error) {
	role, field, ok := strings.Cut(s, ":")
	if !ok {
		return Path{}, fmt.Errorf("path %q: want role:field", s)
	}
	return Path{role, field}, nil
}

func decodeFeature(s string) (Feature, error) {
	i := strings.IndexAny(s, "=#")
	if i < 0 {
		return Feature{}, fmt.Errorf("feature %q: want role:field=token or role:field#number", s)
	}
	p, err := decodePath(s[:i])
	if err != nil {
		return Feature{}, err
	}
	if s[i] == '=' {
		return Feature{p, Value{Token: s[i+1:]}}, nil
	}
	lo, hi, both := strings.Cut(s[i+1:], "..")
	if !both {
		hi = lo
	}
	v := Value{}
	var err1, err2 error
	v.Lo, err1 = strconv.ParseFloat(lo, 64)
	v.Hi, err2 = strconv.ParseFloat(hi, 64)
	return Feature{p, v}, errors.Join(err1, err2)
}

// ErrNotModel says that a document isn't a model of a version that we read.
var ErrNotModel = errors.New("not a model.json that this version reads")

// Read reads a model.json: the evidence, and the guards as they stand there.
// Who learns on derives the guards anew (learn.FromGraph), so that they can't
// disagree.
func Read(r io.Reader) (*Graph, error) {
	var doc modelJSON
	if err := json.UnmarshalRead(r, &doc, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotModel, err)
	}
	if doc.Format != ModelFormat || doc.Version != ModelVersion {
		return nil, fmt.Errorf("%w: format %q version %d, want %q version %d", ErrNotModel, doc.Format, doc.Version, ModelFormat, ModelVersion)
	}
	switch sum, err := doc.sum(); {
	case err != nil:
		return nil, fmt.Errorf("%w: %v", ErrNotModel, err)
	case sum != doc.SHA256:
		return nil, fmt.Errorf("%w: its checksum isn't that of what it says; it is damaged, or was edited. Learn it again with mcpg learn", ErrNotModel)
	}
	g, err := doc.evidence()
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotModel, err)
	}
	g.Domains = doc.Domains
	for i := range doc.Contradictions {
		if err := g.readCause(&doc.Contradictions[i]); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrNotModel, err)
		}
	}
	return g, nil
}

// evidence is the graph of a document without what is said of all tools together.
func (d *modelJSON) evidence() (*Graph, error) {
	g := &Graph{Calls: d.Calls}
	for i := range d.Tools {
		t, err := d.Tools[i].tool()
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", d.Tools[i].Tool, err)
		}
		g.Tools = append(g.Tools, t)
	}
	var err error
	g.Timelines, err = d.Timelines.timelines(g.Tools)
	return g, err
}

func (d *toolJSON) tool() (*Tool, error) {
	t := &Tool{Server: d.Server, Name: d.Tool, Fingerprint: d.Fingerprint, Unobserved: d.Unobserved}
	if d.First != nil && d.Last != nil {
		t.Called = Span{*d.First, *d.Last, true}
	}
	var err error
	if t.Guard, err = d.Guard.guard(); err != nil {
		return nil, err
	}
	for _, e := range d.Effects {
		t.Effects = append(t.Effects, Effect{Field: e.Field, To: decodeValue(e.To), Calls: e.Calls})
	}
	for name, n := range d.Outcomes {
		o, err := calllog.ParseOutcome(name)
		if err != nil {
			return nil, err
		}
		t.Counts[o] = n
	}
	t.Cells = d.Cells
	return t, nil
}

// readCause takes a contradiction's cause; the rest of it is derived.
func (g *Graph) readCause(d *contradictionJSON) error {
	t := g.Find(d.Server, d.Tool, d.Fingerprint)
	if t == nil || d.Cell < 0 || d.Cell >= len(t.Cells) {
		return fmt.Errorf("a contradiction of tool %q is of no cell", d.Tool)
	}
	why, err := d.Cause.cause()
	if err != nil {
		return err
	}
	if g.Causes == nil {
		g.Causes = map[*Cell]*Cause{}
	}
	g.Causes[t.Cells[d.Cell]] = why
	return nil
}

// decodeValue reads what Value.String writes; a token that looks like a number
// can't be told from one there, and no effect is such a token.
func decodeValue(s string) Value {
	if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsNaN(f) {
		return Number(f)
	}
	return Value{Token: s}
}

func (d *cellJSON) cell() (*Cell, error) {
	c := &Cell{Class: d.Class, Primary: d.Primary, OK: d.OK}
	var unknownState, unknownArgs []Path
	for _, u := range d.Unknown {
		p, err := decodePath(u)
		if err != nil {
			return nil, err
		}
		if p.NamesArgument() {
			unknownArgs = append(unknownArgs, p)
		} else {
			unknownState = append(unknownState, p)
		}
	}
	var errs [4]error
	c.State, errs[0] = decodeState(d.State, unknownState)
	c.Args, errs[1] = decodeState(d.Args, unknownArgs)
	c.OKSample, errs[2] = decodeRefs(d.OKSample)
	for _, r := range d.Refused {
		cause, err := calllog.ParseCause(r.Cause)
		if err != nil {
			return nil, err
		}
		s, err := decodeRefs(r.Sample)
		if err != nil {
			return nil, err
		}
		c.Refused = append(c.Refused, Refusals{r.Cluster, cause, r.Example, r.Calls, s})
	}
	for _, n := range d.Next {
		var unknown []Path
		for _, u := range n.Unknown {
			p, err := decodePath(u)
			if err != nil {
				return nil, err
			}
			unknown = append(unknown, p)
		}
		s, err := decodeState(n.State, unknown)
		if err != nil {
			return nil, err
		}
		c.AddNext(s, n.Calls)
	}
	return c, errors.Join(errs[:]...)
}

func decodeState(features []string, unknown []Path) (State, error) {
	fs := make([]Feature, 0, len(features))
	for _, s := range features {
		f, err := decodeFeature(s)
		if err != nil {
			return State{}, err
		}
		fs = append(fs, f)
	}
	return NewState(fs, unknown), nil
}

func decodeRefs(refs []refJSON) (Sample, error) {
	var s Sample
	for _, r := range refs {
		h, err := strconv.ParseUint(r.Hash, 16, 64)
		if err != nil {
			return nil, fmt.Errorf("hash %q: %w", r.Hash, err)
		}
		s = s.Add(CallRef{Hash: h, ID: r.ID, Time: r.Time})
	}
	return s, nil
}
