// Package sarif writes findings as the part of SARIF 2.1.0 that code scanning reads
// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
package sarif

import (
	"io"
	"net/url"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/internal/diag"
)

// Rule is what findings may be of.
type Rule struct{ Name, Doc string }

// Result is a finding with its level: error, warning or note.
type Result struct {
	diag.Finding
	Level string
}

type text struct {
	Text string `json:"text"`
}

type rule struct {
	ID    string `json:"id"`
	Short text   `json:"shortDescription"`
}

type region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

type location struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region region `json:"region"`
	} `json:"physicalLocation"`
}

type result struct {
	RuleID    string     `json:"ruleId"`
	Level     string     `json:"level"`
	Message   text       `json:"message"`
	Locations []location `json:"locations"`
}

type driver struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

type run struct {
	Tool struct {
		Driver driver `json:"driver"`
	} `json:"tool"`
	ColumnKind string   `json:"columnKind"`
	Results    []result `json:"results"`
}

// uri is a file's: of a relative name relative too.
func uri(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
		if u.Path[0] != '/' { // C:/…
			u.Path = "/" + u.Path
		}
	}
	return u.String()
}

// Write writes one run of a tool.
func Write(w io.Writer, tool string, rules []Rule, results []Result) error {
	r := run{ColumnKind: "unicodeCodePoints", Results: []result{}}
	r.Tool.Driver.Name = tool
	for _, x := range rules {
		r.Tool.Driver.Rules = append(r.Tool.Driver.Rules, rule{x.Name, text{x.Doc}})
	}
	for _, f := range results {
		x := result{RuleID: f.Rule, Level: f.Level, Message: text{f.Message}, Locations: make([]location, 1)}
		x.Locations[0].Physical.Artifact.URI = uri(f.Pos.File)
		x.Locations[0].Physical.Region = region{max(1, f.Pos.Line), max(1, f.Pos.Col)}
		r.Results = append(r.Results, x)
	}
	doc := struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []run{r}}
	b, err := json.Marshal(doc, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
