package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/internal/sarif"
	"mcpg/mcptree"
	"mcpg/mcptree/lint"
	"mcpg/mcptree/modellint"
)

var formats = map[string]func(w io.Writer, docs []*mcptree.Document, strict bool) error{
	"text": writeText, "json": writeJSON, "sarif": writeSARIF, "github": writeGitHub,
}

// sorted orders findings by place.
func sorted(fs []mcptree.Finding) []mcptree.Finding {
	out := slices.Clone(fs)
	slices.SortStableFunc(out, func(a, b mcptree.Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return out
}

// writeText writes the reference's line for each file, then what more there is
// to say of it.
func writeText(w io.Writer, docs []*mcptree.Document, strict bool) error {
	var b bytes.Buffer
	for _, d := range docs {
		switch {
		case d.Errors():
			fmt.Fprintf(&b, "FAIL %s: %s\n", d.File, printable(d.Reason()))
		case strict && len(d.Findings) > 0:
			fmt.Fprintf(&b, "FAIL %s: %d warnings\n", d.File, len(d.Findings))
		default:
			fmt.Fprintf(&b, "OK   %s (id=%s)\n", d.File, printable(d.Tree.ID))
		}
		for _, f := range sorted(d.Findings) {
			node := ""
			if f.Node != "" {
				node = "node " + printable(f.Node) + ": "
			}
			fmt.Fprintf(&b, "  %s: %s: %s%s [%s]\n", f.Pos, f.Severity, node, printable(f.Message), f.Rule)
			snippet(&b, d.Source, f.Pos.Line, f.Pos.Col)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// snippet shows a line of the source with a mark below the column.
func snippet(b *bytes.Buffer, src []byte, line, col int) {
	if line < 1 {
		return
	}
	for range line - 1 {
		_, rest, ok := bytes.Cut(src, []byte("\n"))
		if !ok {
			return
		}
		src = rest
	}
	text, _, _ := bytes.Cut(src, []byte("\n"))
	runes := []rune(printable(strings.ReplaceAll(string(bytes.TrimRight(text, "\r")), "\t", " ")))
	col = min(max(col, 1), len(runes)+1)
	from := 0
	if col > 80 {
		from = col - 40
	}
	shown := string(runes[from:min(len(runes), from+100)])
	fmt.Fprintf(b, "    %4d | %s\n         | %s^\n", line, shown, strings.Repeat(" ", col-1-from))
}

// printable keeps text from steering a terminal or breaking a line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

type findingJSON struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Col      int    `json:"col"`
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	Node     string `json:"node"`
	Message  string `json:"message"`
}

type fileJSON struct {
	File     string        `json:"file"`
	OK       bool          `json:"ok"`
	ID       string        `json:"id"`
	Hash     string        `json:"tree_hash"`
	Findings []findingJSON `json:"findings"`
}

func writeJSON(w io.Writer, docs []*mcptree.Document, strict bool) error {
	out := struct {
		Format  string     `json:"format"`
		Version int        `json:"version"`
		Files   []fileJSON `json:"files"`
	}{Format: "mcptree.validate", Version: 1, Files: []fileJSON{}}
	for _, d := range docs {
		f := fileJSON{File: d.File, OK: !d.Errors() && !(strict && len(d.Findings) > 0), Findings: []findingJSON{}}
		if d.Tree != nil {
			f.ID, f.Hash = d.Tree.ID, d.Tree.Hash
		}
		for _, x := range sorted(d.Findings) {
			f.Findings = append(f.Findings, findingJSON{x.Pos.File, x.Pos.Line, x.Pos.Col, x.Severity.String(), x.Rule, x.Node, x.Message})
		}
		out.Files = append(out.Files, f)
	}
	return encode(w, out)
}

func encode(w io.Writer, doc any) error {
	b, err := json.Marshal(doc, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// writeGitHub writes workflow commands: annotations on a pull request.
func writeGitHub(w io.Writer, docs []*mcptree.Document, strict bool) error {
	prop := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	var b bytes.Buffer
	for _, d := range docs {
		for _, f := range d.Findings {
			level := f.Severity.String()
			if strict {
				level = "error"
			}
			node := ""
			if f.Node != "" {
				node = "node " + f.Node + ": "
			}
			fmt.Fprintf(&b, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", level, prop.Replace(f.Pos.File), max(1, f.Pos.Line), max(1, f.Pos.Col),
				prop.Replace(f.Rule), printable(data.Replace(node+f.Message)))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeSARIF(w io.Writer, docs []*mcptree.Document, strict bool) error {
	var rules []sarif.Rule
	for _, x := range mcptree.Rules() {
		rules = append(rules, sarif.Rule{Name: x.Name, Doc: x.Doc})
	}
	for _, x := range lint.Rules() {
		rules = append(rules, sarif.Rule{Name: x.Name, Doc: x.Doc})
	}
	for _, x := range modellint.Rules() {
		rules = append(rules, sarif.Rule{Name: x[0], Doc: x[1]})
	}
	var results []sarif.Result
	for _, d := range docs {
		for _, f := range sorted(d.Findings) {
			level := f.Severity.String()
			if strict {
				level = "error"
			}
			results = append(results, sarif.Result{Finding: f.Finding, Level: level})
		}
	}
	return sarif.Write(w, "mcptree", rules, results)
}
