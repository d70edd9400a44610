package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// fake is a command whose figures are made up.
func fake(values ...float64) *command {
	return &command{name: "fake", about: "made up", figures: func(*bench) []figure {
		i := 0
		return []figure{
			{name: "fast", about: "fast enough", command: "fake", unit: "s", limit: atMost(5), measure: func() (sample, error) {
				i++
				return sample{value: values[i-1]}, nil
			}},
			{name: "many", about: "many enough", command: "fake", unit: "a second", limit: atLeast(1000), measure: func() (sample, error) { return sample{value: 1_234_567}, nil }},
		}
	}}
}

func TestRun(t *testing.T) {
	for _, test := range []struct {
		args   string
		values []float64
		code   int
		want   string
	}{
		{"--runs 3", []float64{99, 1, 9, 4}, codeOK, "ok  fast enough  4 s                 ≤ 5 s"}, // the first warms up
		{"--runs 3", []float64{1, 6, 5, 6}, codeMissed, "MISSED  fast enough  6 s"},
		{"--runs 2", []float64{1, 2, 4}, codeOK, "many enough  1,234,567 a second  ≥ 1,000 a second  2"},
		{"--only many", nil, codeOK, "many enough"},
		{"--only few", nil, codeUsage, `no figure "few": want one of fast, many`},
		{"--runs 0", nil, codeUsage, "at least one run"},
		{"more", nil, codeUsage, "takes no arguments"},
		{"--no-such-flag", nil, codeUsage, "flag provided but not defined"},
	} {
		var out bytes.Buffer
		code := fake(test.values...).run(t.Context(), strings.Fields(test.args), tiny, &out, &out)
		if code != test.code || !strings.Contains(out.String(), test.want) {
			t.Errorf("%s %v: exit code %d, want %d with %q:\n%s", test.args, test.values, code, test.code, test.want, out.String())
		}
	}
}

func TestFailure(t *testing.T) {
	c := &command{name: "fake", figures: func(*bench) []figure {
		return []figure{{name: "bad", measure: func() (sample, error) { return sample{}, errors.New("it broke") }}}
	}}
	var out bytes.Buffer
	if code := c.run(t.Context(), nil, tiny, &out, &out); code != codeFailed || !strings.Contains(out.String(), "bad: it broke") {
		t.Errorf("exit code %d: %s", code, out.String())
	}
	for args, want := range map[string]string{"": "usage: ", "none": `no command "none"`} {
		out.Reset()
		if code := run(t.Context(), strings.Fields(args), &out, &out); code != codeUsage || !strings.Contains(out.String(), want) {
			t.Errorf("%q: exit code %d: %s", args, code, out.String())
		}
	}
}
