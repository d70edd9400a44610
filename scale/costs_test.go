package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update-costs", false, "write the costs anew")

// TestCosts: the costs in the docs are what the figures of one call make.
func TestCosts(t *testing.T) {
	t.Parallel()
	const page, from, to = "../docs/scale.md", "<!-- costs -->\n", "<!-- end of the costs -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(text), from)
	block, tail, ok := strings.Cut(rest, to)
	if !ok {
		t.Fatalf("%s has no costs", page)
	}
	given, _, _ := strings.Cut(block, "\n\n")
	want := given + "\n\n" + costs(t, given)
	if *update {
		if err := os.WriteFile(page, []byte(head+from+want+to+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if block != want {
		t.Errorf("%s has\n%s\nwant\n%s", page, block, want)
	}
}

// costs computes the table of many calls from that of one.
func costs(t *testing.T, given string) string {
	lines := strings.Split(given, "\n")[2:]
	var of [2][]float64
	for _, line := range lines {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		for i := range of {
			v, err := strconv.ParseFloat(strings.TrimSpace(cells[i+1]), 64)
			if err != nil {
				t.Fatal(err)
			}
			of[i] = append(of[i], v)
		}
	}
	var b strings.Builder
	b.WriteString("| calls | kind | table | CPU-hours to ingest | CPU-hours to learn | bytes shuffled |\n|---|---|--:|--:|--:|--:|\n")
	for _, exponent := range []int{9, 10, 11} {
		n := 1.0
		for range exponent {
			n *= 10
		}
		for i, kind := range []string{"narrow", "wide"} {
			size, ingest, learn, bundle, evidence := of[i][0], of[i][1], of[i][2], of[i][3], of[i][4]
			fmt.Fprintf(&b, "| 10^%d | %s | %s | %s | %s | %s |\n", exponent, kind, bytesText(n*size), hours(n*ingest), hours(n*learn), bytesText(2*evidence*n/bundle))
		}
	}
	return b.String()
}

func hours(us float64) string {
	h := us / 1e6 / 3600
	if h < 10 {
		return fmt.Sprintf("%.2g", h)
	}
	return fmt.Sprintf("%.0f", h)
}

func bytesText(n float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB"}
	i := 0
	for n >= 1000 && i < len(units)-1 {
		n /= 1000
		i++
	}
	return fmt.Sprintf("%.3g %s", n, units[i])
}
