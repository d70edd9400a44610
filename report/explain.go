package report

import (
	"io"

	"mcpg/analyze"
)

// Explain writes what a tool's guard rests on.
func Explain(w io.Writer, e *analyze.Explanation) error {
	p := &printer{w: w}
	name := Clean(e.Tool)
	if e.Server != "" {
		name = Clean(e.Server) + "/" + name
	}
	p.printf("%s: %s worked, %d refused\n", name, calls(e.Worked), e.Refused)
	if e.State != "" {
		p.printf("in %s: %s\n", clip(Clean(e.State), 500), e.Outcome)
	}
	p.list("needs, of all conditions that agree with the calls the shortest", 3, e.Needs)
	p.list("was never seen working where", mostListed, e.Conditions)
	if e.Disputed > 0 {
		p.printf("%s that worked count for nothing: nearly all calls with what they had were refused\n", calls(e.Disputed))
	}
	p.evidence("worked, for example", e.Positive)
	p.evidence("was refused, for example", e.Negative)
	if c := e.Contrast; c != nil {
		p.printf("most like this it worked at %s, where\n", Clean(c.At))
		for i, d := range c.Differs {
			if i == mostListed {
				p.printf("  … and %d features more differ\n", len(c.Differs)-i)
				break
			}
			p.printf("  %s\n", clip(Clean(d), 300))
		}
	}
	p.list("alike in every feature, with both outcomes", mostListed, e.Contradictions)
	p.list("not told by the calls", mostListed, e.Undetermined)
	p.list("to read", mostListed, e.Read)
	p.list("to try", mostListed, e.Try)
	return p.err
}

// mostListed is how many lines a list has.
const mostListed = 10

func (p *printer) list(title string, most int, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.printf("%s:\n", title)
	for i, l := range lines {
		if i == most {
			p.printf("  … and %d more\n", len(lines)-i)
			break
		}
		p.printf("  %s\n", clip(Clean(l), 500))
	}
}

func (p *printer) evidence(title string, list []analyze.Evidence) {
	if len(list) == 0 {
		return
	}
	p.printf("%s:\n", title)
	for _, ev := range list {
		p.printf("  %s", Clean(ev.At))
		if ev.Here {
			p.printf(" (in this state)")
		}
		if ev.Text != "" {
			p.printf(" %q", clip(Clean(ev.Text), 200))
		}
		p.printf(" in %s\n", clip(Clean(ev.State), 240))
	}
}
