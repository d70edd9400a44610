package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/analyze"
	"mcpg/behavior"
	"mcpg/proxy"
	"mcpg/report"
)

// asker answers the proxy's own tools as the commands offers, explain and graph do.
type asker struct{}

func (asker) Affordances(g *behavior.Graph, r *proxy.Resource, goal string) (string, jsontext.Value, error) {
	about := &analyze.Resource{Name: r.Name, Server: r.Server, Class: r.Class, State: r.State, Known: true, At: "now"}
	o := analyze.Offers(g, about, r.Fingerprint, r.Adapter)
	for i := range o.Tools {
		o.Tools[i].NeedsApproval = !r.Approved(o.Tools[i].Tool)
	}
	if goal != "" {
		want, err := analyze.ParseGoal(goal)
		if err != nil {
			return "", nil, err
		}
		o.RouteTo(want, g, about, r.Fingerprint, r.Adapter)
	}
	return written(func(b *bytes.Buffer) error { return report.OffersTable(b, o) }, o)
}

func (asker) Explain(g *behavior.Graph, known []*proxy.Resource, what string) (string, jsontext.Value, error) {
	var tool *behavior.Tool
	var state *behavior.State
	class := ""
	for _, t := range g.Tools {
		if t.Name == what || t.Server+"/"+t.Name == what {
			tool = t
		}
		for _, r := range known {
			if t.Server == r.Server && r.Fingerprint(t.Name) == t.Fingerprint && behavior.OfferID(r.Model, t.Server, t.Name, r.Name, r.State) == what {
				tool, class, state = t, r.Class, &r.State
			}
		}
	}
	if tool == nil {
		return "", nil, fmt.Errorf("no offer and no tool %q: an offer's id holds for the model that it was made of; ask mcpg_affordances for those of now", what)
	}
	e := analyze.Explain(g, tool, class, state)
	return written(func(b *bytes.Buffer) error { return report.Explain(b, e) }, e)
}

func (asker) Graph(g *behavior.Graph, format string) (string, jsontext.Value, error) {
	switch format {
	case "json":
		var b bytes.Buffer
		if err := g.Write(&b); err != nil {
			return "", nil, err
		}
		return b.String(), jsontext.Value(bytes.TrimSpace(b.Bytes())), nil
	case "mermaid":
		var b bytes.Buffer
		if err := pictures["mermaid"](context.Background(), &b, report.Draw(g)); err != nil {
			return "", nil, err
		}
		data, err := json.Marshal(map[string]string{"mermaid": b.String()})
		return b.String(), data, err
	}
	return "", nil, fmt.Errorf("format %q: want json or mermaid", format)
}

// written gives a text, and what it says as data on one line.
func written(text func(*bytes.Buffer) error, doc any) (string, jsontext.Value, error) {
	var b bytes.Buffer
	if err := text(&b); err != nil {
		return "", nil, err
	}
	data, err := json.Marshal(doc, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return strings.TrimRight(b.String(), "\n"), data, err
}
