package report

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"mcpg/analyze"
	"mcpg/report/draw"
)

//go:embed diff.css
var diffCSS string

//go:embed diff.html
var diffPage string

var diffTemplate = template.Must(template.New("diff").Parse(diffPage))

// mostChanges is how many changes a page lists.
const mostChanges = 2000

type diffTool struct {
	Name    string
	Changes []diffChange
}

type diffChange struct {
	Sign, Mark, Head, Text, Where, State, Calls string
}

// DiffHTML writes what changed as one page that loads nothing and runs no script.
// The picture is shown as an image, so that nothing in it can act on the page.
func DiffHTML(ctx context.Context, w io.Writer, g draw.Graph, changes []analyze.Change) error {
	hash := sha256.Sum256([]byte(diffCSS))
	page := struct {
		CSS           template.CSS
		Policy, Title string
		Note, Cut     string
		Picture       template.URL
		Tools         []diffTool
		More          int
	}{
		CSS:    template.CSS(diffCSS),
		Policy: "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'",
		Title:  "What changed: " + countChanges(changes),
		Note:   g.Note, Cut: g.Stated(),
	}
	if len(changes) > 0 {
		var svg bytes.Buffer
		if err := draw.SVG(ctx, &svg, g); err != nil {
			return err
		}
		page.Picture = template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg.Bytes()))
	}
	if len(changes) > mostChanges {
		page.More = len(changes) - mostChanges
		changes = changes[:mostChanges]
	}
	for _, c := range changes {
		name := clip(toolName(c), 300)
		if n := len(page.Tools); n == 0 || page.Tools[n-1].Name != name {
			page.Tools = append(page.Tools, diffTool{Name: name})
		}
		t := &page.Tools[len(page.Tools)-1]
		one := diffChange{Sign: sign(c), Mark: markName(c), Head: c.What + " " + string(c.Kind), Text: changeText(c), Calls: calls(c.Calls)}
		if c.State != "" {
			one.Where, one.State = changeWhere(c), clip(Clean(c.State), 300)
		}
		t.Changes = append(t.Changes, one)
	}
	var out bytes.Buffer
	if err := diffTemplate.Execute(&out, page); err != nil {
		return err
	}
	_, err := out.WriteTo(w)
	return err
}

// markName is the class of a change on the page.
func markName(c analyze.Change) string {
	switch c.Kind {
	case analyze.Added, analyze.Removed:
		return string(c.Kind)
	}
	return "changed"
}
