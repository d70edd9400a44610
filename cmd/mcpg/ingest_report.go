package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpg/adapter"
	"mcpg/calllog"
	"mcpg/ingest"
	"mcpg/ingest/format"
	"mcpg/report"
)

// shownFiles is how many files are told of one by one.
const shownFiles = 20

// summary says what was read, what wasn't and why, and what would make it worth
// more.
func (a *app) summary(rep *ingest.Report, set adapter.Set, out string) {
	say := func(format string, args ...any) { fmt.Fprintln(a.err, report.Clean(fmt.Sprintf(format, args...))) }
	for i := range rep.Files {
		if i == shownFiles {
			say("and %d more files", len(rep.Files)-i)
			break
		}
		say("%s", fileLine(rep.Files[i], rep))
	}
	lines, noise := 0, map[string]int{}
	for _, f := range rep.Files {
		lines += f.Lines
		for use, n := range f.Uses {
			if use != format.Used && use != format.Faulty {
				noise[use] += n
			}
		}
	}
	if list := counts(noise); list != "" {
		say("no calls by nature: %s", list)
	}
	for i, s := range rep.Skipped {
		if i == shownFiles {
			say("and %d more files not used", len(rep.Skipped)-i)
			break
		}
		say("not used: %s: %s", s.File, s.Why)
	}
	say("%d calls written to %s; state before the call known for %d", rep.Calls, out, rep.Observed)
	if len(rep.Files) > 1 {
		say("%s in %d lines of %d files", outcomes(rep.Outcomes, rep.Causes), lines, len(rep.Files))
	}
	if rep.Copies > 0 {
		say("%d calls had been read before, in a copy of the log, and are left out", rep.Copies)
	}
	if n := len(rep.Findings); n > 0 {
		kinds := map[string]int{}
		for _, f := range rep.Findings {
			kinds[f.Rule]++
		}
		say("findings: %s", counts(kinds))
	}
	advise(say, rep, set)
}

// advise says what keeps the calls from being worth more.
func advise(say func(string, ...any), rep *ingest.Report, set adapter.Set) {
	if rep.NoArgs > 0 && rep.NoArgs == rep.Calls {
		say("no call has arguments in these logs (in traces they are opt-in): rates yes, guards no")
	} else if opt := rep.NoArgsOf("otlp"); opt > 0 {
		say("%d calls have no arguments: in traces they are opt-in; such calls count in rates and teach no guards", opt)
	}
	if rep.Forgotten > 0 {
		say("%d readings were forgotten, as more sessions and answers were open than are held at a time: states that they would have given are unknown", rep.Forgotten)
	}
	if rep.Observed == 0 && len(set) == 0 {
		say("without states only rates can be told: name an adapter with --adapter, so that states are reconstructed")
	}
	if len(rep.Unmatched) > 0 {
		say("no adapter is for these servers: %q; server_id must be the server's name in the log, or give one adapter only", rep.Unmatched)
	}
	if rep.SoftCount > 0 {
		var at []string
		for _, p := range rep.Soft[:min(len(rep.Soft), shownFindings)] {
			at = append(at, p.String())
		}
		more := ""
		if rep.SoftCount > len(at) {
			more = ", …"
		}
		say("%d successes read like errors (%s%s); they stay successes unless an adapter's soft_error_patterns say otherwise", rep.SoftCount, strings.Join(at, ", "), more)
	}
}

// fileLine tells of one file; of the only one with the causes of refusals.
func fileLine(f *ingest.FileReport, rep *ingest.Report) string {
	var causes [5]int
	if len(rep.Files) == 1 {
		causes = rep.Causes
	}
	b := fmt.Sprintf("%s: %d calls (%s)", f.File, f.Calls, f.Format)
	if f.Lines > 0 {
		b += fmt.Sprintf(" in %d lines", f.Lines)
	}
	if s := outcomes(f.Outcomes, causes); s != "" {
		b += ": " + s
	}
	if f.Copies > 0 {
		b += fmt.Sprintf("; %d copies left out", f.Copies)
	}
	if f.Silent > 0 {
		b += fmt.Sprintf("; %d sessions made no call", f.Silent)
	}
	return b
}

// outcomes lists the outcomes that there are, with the causes of refusals.
func outcomes(n [6]int, causes [5]int) string {
	var parts []string
	for _, o := range calllog.Outcomes() {
		if n[o] == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s", n[o], o)
		if o == calllog.Rejected {
			var why []string
			for _, c := range calllog.Causes() {
				if causes[c] > 0 {
					why = append(why, fmt.Sprintf("%d %s", causes[c], strings.ReplaceAll(c.String(), "_", " ")))
				}
			}
			if len(why) > 0 {
				part += " (" + strings.Join(why, ", ") + ")"
			}
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// counts lists numbers of things, the most first.
func counts(m map[string]int) string {
	keys := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(keys, func(a, b string) int { return m[b] - m[a] })
	var parts []string
	for _, k := range keys {
		if m[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", m[k], k))
		}
	}
	return strings.Join(parts, ", ")
}
