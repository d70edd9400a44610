package report

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/analyze"
	"mcpg/behavior"
	"mcpg/bench"
	"mcpg/internal/rate"
	"mcpg/report/draw"
)

// Page is what an HTML report is made of. Stats, Graph and Bench may each be missing.
type Page struct {
	Title   string
	Source  string          // where the calls come from, for people
	Stats   *analyze.Stats  // grouped by day, if at all
	Graph   *behavior.Graph // what was learnt
	Picture *draw.Graph     // drawn instead of all of Graph, if it is set
	Bench   *bench.Result
	Version string // of a page that is served: it looks for another one
}

// Bounds of a page: it stays readable, and small.
const (
	pageTools  = 200
	pageWorst  = 30
	pageTexts  = 5
	pageBoth   = 50 // contradictions
	pageNodes  = 60
	pageEdges  = 150
	pageText   = 300 // characters of a text
	pageStates = 120 // whose offers are told
	pageOffers = 40  // of a state
)

//go:embed page/page.html
var pageHTML string

//go:embed page/page.css
var pageCSS string

//go:embed page/page.js
var pageJS string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"percent": percent}).Parse(pageHTML))

// pageTool is a tool's part of the guards.
type pageTool struct {
	Name               string
	Worked, Refused    int
	Needs, Conditions  []string
	Texts              []behavior.Cluster
	Positive, Negative []analyze.Evidence
	Undetermined       []string
	Short              string // the guard, where it is a short one
}

type pageBad struct {
	Name string
	analyze.Counts
}

type pageDay struct {
	Day             string
	Calls, Rejected int
	Rate            float64
	Low, High       float64
	N               int // calls that ran or were refused
}

type pageContradiction struct {
	Tool, State, Works, At, Text, Why string
	OK, Refused                       int
}

// stateOffers is what the page knows of a state that is clicked.
type stateOffers struct {
	ID     string      `json:"id"` // as it is drawn
	Lines  []string    `json:"lines"`
	Offers []pageOffer `json:"offers"`
}

type pageOffer struct {
	Tool    string `json:"tool"`
	Outcome string `json:"outcome"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
}

// HTML writes the page as one file that loads nothing.
func (p *Page) HTML(ctx context.Context, w io.Writer) error {
	d := map[string]any{
		"Title": brief(p.Title), "Source": brief(p.Source), "CSS": template.CSS(pageCSS), "JS": template.JS(pageJS), "Stats": p.Stats, "Calls": 0,
		"CSP": "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + hashOf(pageJS) + "'" + map[bool]string{true: "; connect-src 'self'"}[p.Version != ""],
	}
	states := []stateOffers{}
	if p.Stats != nil {
		p.overview(d)
	}
	if p.Graph != nil {
		d["Calls"] = p.Graph.Calls
		p.guards(d)
		var err error
		if states, err = p.states(ctx, d); err != nil {
			return err
		}
	}
	if p.Bench != nil {
		var b bytes.Buffer
		if err := BenchHTML(&b, p.Bench, false); err != nil {
			return err
		}
		d["Bench"] = template.HTML(b.String())
		chart, err := regretChart(p.Bench)
		if err != nil {
			return err
		}
		d["Regret"] = template.HTML(chart)
	}
	data, err := json.Marshal(map[string]any{"states": states, "version": p.Version}, json.Deterministic(true), jsontext.EscapeForHTML(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	d["Data"] = template.JS(data)
	return pageTemplate.Execute(w, d)
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// brief cleans a text and bounds it.
func brief(s string) string { return clip(Clean(s), pageText) }

func briefs(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, brief(s))
	}
	return out
}

func (p *Page) overview(d map[string]any) {
	s := p.Stats
	ran := s.Outcomes["ok"] + s.Outcomes["rejected"] + s.Outcomes["error"]
	lo, hi := rate.Wilson(s.Outcomes["rejected"], ran)
	d["Interval"] = fmt.Sprintf("[%s, %s]", percent(lo), percent(hi))
	var worst []pageBad
	for _, t := range s.ByTool {
		if t.Rejected > 0 {
			worst = append(worst, pageBad{name(t.Server, t.Tool), t.Counts})
		}
	}
	slices.SortStableFunc(worst, func(a, b pageBad) int { return b.Rejected - a.Rejected })
	if n := len(worst); n > pageWorst {
		d["WorstLeft"] = n - pageWorst
		worst = worst[:pageWorst]
	}
	d["Worst"] = worst
	var days []pageDay
	for _, g := range s.Groups {
		if len(g.Values) != 1 || len(g.Values[0]) != len("2006-01-02") {
			continue // calls without a time
		}
		n := g.OK + g.Rejected + g.Error
		if n == 0 {
			continue
		}
		lo, hi := rate.Wilson(g.Rejected, n)
		days = append(days, pageDay{g.Values[0], g.Calls, g.Rejected, g.InvalidRate, lo, hi, n})
	}
	if len(days) > 1 {
		if chart, err := trendChart(days); err == nil {
			d["Trend"], d["Days"] = template.HTML(chart), days
		}
	}
}

func (p *Page) guards(d map[string]any) {
	var tools []pageTool
	for _, t := range p.Graph.Tools {
		if t.OK()+t.Rejected() == 0 {
			continue
		}
		e := analyze.Explain(p.Graph, t, "", nil)
		one := pageTool{Name: name(t.Server, t.Name), Worked: e.Worked, Refused: e.Refused, Needs: briefs(e.Needs), Conditions: briefs(e.Conditions),
			Positive: briefEvidence(e.Positive), Negative: briefEvidence(e.Negative), Undetermined: briefs(e.Undetermined[:min(len(e.Undetermined), 10)])}
		one.Needs = one.Needs[:min(len(one.Needs), 5)]
		one.Short = brief(shortGuard(t))
		texts := slices.Clone(t.Guard.Clusters)
		slices.SortStableFunc(texts, func(a, b behavior.Cluster) int { return b.Calls - a.Calls })
		for _, c := range texts[:min(len(texts), pageTexts)] {
			c.Text = brief(c.Text)
			one.Texts = append(one.Texts, c)
		}
		tools = append(tools, one)
	}
	slices.SortStableFunc(tools, func(a, b pageTool) int { return cmp.Or(b.Refused-a.Refused, b.Worked-a.Worked) })
	if n := len(tools); n > pageTools {
		d["ToolsLeft"] = n - pageTools
		tools = tools[:pageTools]
	}
	d["Tools"] = tools
	var list []pageContradiction
	all := p.Graph.Contradictions()
	for _, c := range all[:min(len(all), pageBoth)] {
		list = append(list, pageContradiction{Tool: name(c.Server, c.Tool), State: brief(both(c.State, c.Args)), Works: brief(c.Works.String()), At: brief(c.Refused.String()),
			Text: brief(c.ErrorText), Why: brief(c.Why.String()), OK: c.OK, Refused: c.Rejected})
	}
	if n := len(all); n > pageBoth {
		d["ContradictionsLeft"] = n - pageBoth
	}
	d["Contradictions"] = list
}

func briefEvidence(list []analyze.Evidence) []analyze.Evidence {
	out := make([]analyze.Evidence, 0, len(list))
	for _, e := range list {
		e.At, e.State, e.Text = brief(e.At), brief(e.State), brief(e.Text)
		out = append(out, e)
	}
	return out
}

// states draws the graph, and tells what is offered in its states.
func (p *Page) states(ctx context.Context, d map[string]any) ([]stateOffers, error) {
	whole := p.Picture
	if whole == nil {
		all := Draw(p.Graph)
		whole = &all
	}
	g := draw.Cut(*whole, pageNodes, pageEdges)
	if len(g.Nodes) == 0 {
		return []stateOffers{}, nil
	}
	var b bytes.Buffer
	if err := draw.SVG(ctx, &b, g); err != nil {
		return nil, err
	}
	d["Graph"] = template.HTML(b.String()) // the engine escapes what it writes
	var tools []string
	for _, t := range p.Graph.Tools {
		if !slices.Contains(tools, t.Name) && len(tools) < pageTools {
			tools = append(tools, brief(t.Name))
		}
	}
	slices.Sort(tools)
	d["GraphTools"] = tools
	type place struct {
		server, class string
		state         behavior.State
	}
	known := map[string]place{} // by how a state is drawn
	for _, t := range p.Graph.Tools {
		for _, c := range t.Cells {
			all := []behavior.State{c.Node()}
			for _, n := range c.Next {
				all = append(all, n.State)
			}
			for _, s := range all {
				key := groupName(t.Server, c.Class) + "\x00" + strings.Join(stateLines(s), "\n")
				if _, ok := known[key]; !ok {
					known[key] = place{t.Server, c.Class, s}
				}
			}
		}
	}
	states := []stateOffers{}
	for _, n := range g.Nodes[:min(len(g.Nodes), pageStates)] {
		at, ok := known[n.Group+"\x00"+strings.Join(n.Lines, "\n")]
		if !ok {
			continue
		}
		one := stateOffers{ID: n.ID, Lines: briefs(n.Lines), Offers: []pageOffer{}}
		offers := behavior.Offers(toolsOf(p.Graph, at.server), at.class, at.state, nil)
		slices.SortStableFunc(offers, func(a, b behavior.Offer) int { // what is known first
			return cmp.Compare(b2i(a.Outcome == behavior.Undetermined), b2i(b.Outcome == behavior.Undetermined))
		})
		for _, o := range offers[:min(len(offers), pageOffers)] {
			one.Offers = append(one.Offers, pageOffer{Tool: brief(o.Tool), Outcome: o.Outcome.String(), Status: strings.ToLower(string(o.Status)), Reason: clip(Clean(o.Reason), 160)})
		}
		states = append(states, one)
	}
	return states, nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func toolsOf(g *behavior.Graph, server string) []*behavior.Tool {
	var out []*behavior.Tool
	for _, t := range g.Tools {
		if t.Server == server {
			out = append(out, t)
		}
	}
	return out
}
