package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"mcpg/internal/diag"
	"mcpg/internal/sarif"
	"mcpg/report"
)

// shownFindings is how many findings of a kind are printed one by one.
const shownFindings = 5

// report prints findings by kind, the first of each with their places. Under
// --strict such that lost something set the exit code.
func (a *app) report(findings []diag.Finding, strict bool) {
	byRule := map[string][]diag.Finding{}
	var rules []string
	for _, f := range findings {
		if byRule[f.Rule] == nil {
			rules = append(rules, f.Rule)
		}
		byRule[f.Rule] = append(byRule[f.Rule], f)
		if strict && !f.Note {
			a.code = codeFindings
		}
	}
	slices.Sort(rules)
	for _, rule := range rules {
		list := byRule[rule]
		for i, f := range list {
			if i == shownFindings {
				fmt.Fprintf(a.err, "mcpg: and %d more [%s]\n", len(list)-i, rule)
				break
			}
			fmt.Fprintln(a.err, "mcpg:", report.Clean(f.String()))
		}
	}
}

// writeFindings writes findings for code scanning.
func writeFindings(w io.Writer, findings []diag.Finding) error {
	var rules []sarif.Rule
	var results []sarif.Result
	for _, f := range findings {
		if r := (sarif.Rule{Name: f.Rule, Doc: f.Rule}); !slices.Contains(rules, r) {
			rules = append(rules, r)
		}
		level := "warning"
		if f.Note {
			level = "note"
		}
		results = append(results, sarif.Result{Finding: f, Level: level})
	}
	return sarif.Write(w, "mcpg", rules, results)
}

// notInput refuses to write over what is read.
func notInput(out string, inputs ...string) error {
	there, err := os.Stat(out)
	if err != nil || !there.Mode().IsRegular() {
		return nil
	}
	for _, in := range inputs {
		if _, name, labelled := strings.Cut(in, "="); labelled {
			if st, err := os.Stat(name); err == nil && os.SameFile(st, there) {
				return usage("--output %s is what is read", out)
			}
		}
		if st, err := os.Stat(in); err == nil && os.SameFile(st, there) {
			return usage("--output %s is what is read", out)
		}
	}
	return nil
}
