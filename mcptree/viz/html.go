package viz

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"

	"mcpg/mcptree"
	"mcpg/mcptree/value"
)

//go:embed page.css
var pageCSS string

//go:embed page.html
var pageHTML string

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageHTML))
})

// HTML writes a page on a tree: the picture given, its nodes as a table and, if
// there is a path, the steps taken. The page loads nothing and runs no script.
// svg is an svg element, nil for none; it is shown as an image, so nothing in it
// can act on the page.
func HTML(w io.Writer, t *mcptree.Tree, svg []byte, path []Step) error {
	hash := sha256.Sum256([]byte(pageCSS))
	p := pageData{
		CSS:         template.CSS(pageCSS),
		Policy:      "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'",
		Title:       clean(t.Title),
		Description: cleanLines(t.Description),
		ID:          clean(t.ID),
		Version:     t.Version, Hash: t.Hash, MaxSteps: t.MaxSteps,
		Entry: -1,
	}
	if len(bytes.TrimSpace(svg)) > 0 {
		p.Picture = template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg))
	}
	number := map[string]int{}
	for i, n := range t.Nodes {
		number[n.ID] = i
		if n.ID == t.Entry {
			p.Entry = i
		}
	}
	link := func(id string) pageLink {
		if i, ok := number[id]; ok {
			return pageLink{clean(id), i}
		}
		return pageLink{clean(id), -1}
	}
	for i, n := range NewGraph(t, path).Nodes {
		p.Nodes = append(p.Nodes, pageNode{Number: i, ID: clean(n.ID), Type: string(n.Type), Steps: n.Steps,
			Entry: i == p.Entry, About: about(t.Nodes[i]), Ways: pageWays(t.Nodes[i], path, link)})
	}
	for _, s := range path {
		step := pageStep{Node: link(s.Node), Label: clean(s.Label), Input: clean(s.Input), Source: clean(s.Source), Rationale: cleanLines(s.Rationale)}
		if s.To != "" {
			step.To = []pageLink{link(s.To)}
		}
		p.Path = append(p.Path, step)
	}
	var out bytes.Buffer
	if err := page().Execute(&out, p); err != nil {
		return err
	}
	_, err := out.WriteTo(w)
	return err
}

type pageData struct {
	CSS             template.CSS
	Policy          string
	Title, ID       string
	Description     string
	Version, Hash   string
	MaxSteps, Entry int
	Picture         template.URL
	Nodes           []pageNode
	Path            []pageStep
}

type pageLink struct {
	Text string
	Node int // -1 for none
}

type pageNode struct {
	Number   int
	ID, Type string
	Steps    []int
	Entry    bool
	About    []pageFact
	Ways     []pageWay
}

type pageFact struct{ Name, Text string }

type pageWay struct {
	Label string
	To    pageLink
	Taken bool
}

type pageStep struct {
	Node                            pageLink
	To                              []pageLink
	Label, Input, Source, Rationale string
}

func pageWays(n *mcptree.Node, path []Step, link func(string) pageLink) []pageWay {
	var out []pageWay
	for _, e := range ways(n, path) {
		label := cleanLines(e.Label)
		if !e.labelled {
			label = "next"
		}
		out = append(out, pageWay{label, link(e.To), e.Taken})
	}
	return out
}

// about lists what a node holds, in the protocol's words.
func about(n *mcptree.Node) []pageFact {
	var out []pageFact
	add := func(name, text string) {
		if text != "" {
			out = append(out, pageFact{name, cleanLines(text)})
		}
	}
	switch n.Type {
	case mcptree.Condition:
		add("on", n.On)
	case mcptree.Ask, mcptree.Judgment:
		add("prompt", n.Prompt)
		add("evidence", strings.Join(n.Evidence, ", "))
		if n.RequireRationale {
			add("rationale", "required")
		}
	case mcptree.Action:
		add("tool", n.Tool)
		if n.Args.Kind == value.Map && len(n.Args.Members) > 0 {
			add("args", string(value.AppendJSON(nil, n.Args)))
		}
	case mcptree.Terminal:
		add("outcome", n.Outcome)
		add("summary", n.Summary)
	}
	add("capture", n.Capture)
	return out
}

// cleanLines is clean that keeps line breaks.
func cleanLines(s string) string {
	lines := split([]string{s})
	for i := range lines {
		lines[i] = clean(lines[i])
	}
	return strings.Join(lines, "\n")
}

// At tells at which steps the path was here: "1, 4".
func (n pageNode) At() string {
	var out []string
	for _, s := range n.Steps {
		out = append(out, strconv.Itoa(s))
	}
	return strings.Join(out, ", ")
}
