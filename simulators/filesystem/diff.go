package filesystem

import (
	"fmt"
	"strings"
)

const (
	diffContext = 4
	// maxDiffSteps bounds the search: texts that differ in more lines are
	// shown as removed and added whole.
	maxDiffSteps = 1000
)

// change is a run of lines, and whether they stay (' '), go ('-') or come
// ('+').
type change struct {
	op    byte
	lines []string
}

// unifiedDiff writes a patch with the headers that the server gives it.
func unifiedDiff(name, oldText, newText string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Index: %s\n%s\n--- %s\toriginal\n+++ %s\tmodified\n", name, strings.Repeat("=", 67), name, name)
	for _, h := range hunks(diffLines(splitLines(oldText), splitLines(newText))) {
		h.write(&b)
	}
	return b.String()
}

// splitLines keeps the end of each line.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	return lines[:len(lines)-boolInt(lines[len(lines)-1] == "")]
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hunk is a stretch of changes with the lines around it.
type hunk struct {
	oldStart, oldLines int
	newStart, newLines int
	lines              []string
}

func (h hunk) write(b *strings.Builder) {
	// An empty side counts from the line before it.
	oldStart, newStart := h.oldStart-boolInt(h.oldLines == 0), h.newStart-boolInt(h.newLines == 0)
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", oldStart, h.oldLines, newStart, h.newLines)
	for _, line := range h.lines {
		b.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

func (h *hunk) add(op byte, lines []string) {
	for _, line := range lines {
		h.lines = append(h.lines, string(op)+line)
	}
	if op != '+' {
		h.oldLines += len(lines)
	}
	if op != '-' {
		h.newLines += len(lines)
	}
}

// hunks joins changes that at most two contexts of lines lie between.
func hunks(changes []change) []hunk {
	var done []hunk
	var open *hunk
	oldLine, newLine := 1, 1
	for i, c := range changes {
		n := len(c.lines)
		switch {
		case c.op != ' ':
			if open == nil {
				open = startHunk(changes[:i], oldLine, newLine)
			}
			open.add(c.op, c.lines)
		case open != nil && n <= 2*diffContext && i < len(changes)-1:
			open.add(' ', c.lines)
		case open != nil:
			open.add(' ', c.lines[:min(n, diffContext)])
			done, open = append(done, *open), nil
		}
		if c.op != '+' {
			oldLine += n
		}
		if c.op != '-' {
			newLine += n
		}
	}
	if open != nil {
		done = append(done, *open)
	}
	return done
}

// startHunk begins with the context that is left before it.
func startHunk(before []change, oldLine, newLine int) *hunk {
	h := &hunk{oldStart: oldLine, newStart: newLine}
	if len(before) > 0 {
		lines := before[len(before)-1].lines
		lines = lines[max(0, len(lines)-diffContext):]
		h.oldStart -= len(lines)
		h.newStart -= len(lines)
		h.add(' ', lines)
	}
	return h
}

// editRun is the last of the runs that lead to a point of the edit graph.
type editRun struct {
	op     byte
	count  int
	before *editRun
}

// reach is the furthest point found on a diagonal: oldAt and the run to it.
type reach struct {
	oldAt int
	last  *editRun
}

// differ searches the shortest edit in Myers' way. Of two equal ways it takes
// the one that the server's library takes.
type differ struct {
	old, new []string
	best     []*reach // by diagonal
	middle   int      // where diagonal 0 is
	low      int      // diagonals beyond low and high have met the edge
	high     int
}

func diffLines(oldLines, newLines []string) []change {
	longest := min(len(oldLines)+len(newLines), maxDiffSteps)
	d := &differ{old: oldLines, new: newLines, middle: longest + 1, low: -longest, high: longest}
	d.best = make([]*reach, 2*longest+3)
	start := &reach{}
	if d.slide(start, 0) {
		return d.changes(start.last)
	}
	d.best[d.middle] = start
	for length := 1; length <= longest; length++ {
		if end := d.extend(length); end != nil {
			return d.changes(end.last)
		}
	}
	return []change{{'-', oldLines}, {'+', newLines}}
}

// extend makes every path one edit longer and returns one that has arrived.
func (d *differ) extend(length int) *reach {
	for diagonal := max(d.low, -length); diagonal <= min(d.high, length); diagonal += 2 {
		to := d.branch(diagonal)
		d.best[d.middle+diagonal] = to
		if to == nil {
			continue
		}
		if d.slide(to, diagonal) {
			return to
		}
		if to.oldAt >= len(d.old) {
			d.high = min(d.high, diagonal-1)
		}
		if to.oldAt-diagonal >= len(d.new) {
			d.low = max(d.low, diagonal+1)
		}
	}
	return nil
}

// branch takes the neighbour that got further in the old text, and removes a
// line rather than adds one where both are level.
func (d *differ) branch(diagonal int) *reach {
	remove, add := d.best[d.middle+diagonal-1], d.best[d.middle+diagonal+1]
	d.best[d.middle+diagonal-1] = nil
	canAdd := add != nil && add.oldAt-diagonal > 0 && add.oldAt-diagonal <= len(d.new)
	canRemove := remove != nil && remove.oldAt < len(d.old)
	switch {
	case !canAdd && !canRemove:
		return nil
	case !canRemove || canAdd && remove.oldAt < add.oldAt:
		return &reach{add.oldAt, add.last.then('+', 1)}
	}
	return &reach{remove.oldAt + 1, remove.last.then('-', 1)}
}

// slide follows equal lines and reports whether both texts have ended.
func (d *differ) slide(r *reach, diagonal int) bool {
	count := 0
	newAt := r.oldAt - diagonal
	for r.oldAt+count < len(d.old) && newAt+count < len(d.new) && d.old[r.oldAt+count] == d.new[newAt+count] {
		count++
	}
	if count > 0 {
		r.last = r.last.then(' ', count)
	}
	r.oldAt += count
	return r.oldAt >= len(d.old) && newAt+count >= len(d.new)
}

// then lengthens the last run or begins another.
func (s *editRun) then(op byte, count int) *editRun {
	if s != nil && s.op == op {
		return &editRun{op, s.count + count, s.before}
	}
	return &editRun{op, count, s}
}

func (d *differ) changes(last *editRun) []change {
	var runs []*editRun
	for s := last; s != nil; s = s.before {
		runs = append(runs, s)
	}
	changes := make([]change, 0, len(runs))
	oldAt, newAt := 0, 0
	for i := len(runs) - 1; i >= 0; i-- {
		run := runs[i]
		if run.op == '+' {
			changes = append(changes, change{'+', d.new[newAt : newAt+run.count]})
			newAt += run.count
			continue
		}
		changes = append(changes, change{run.op, d.old[oldAt : oldAt+run.count]})
		oldAt += run.count
		if run.op == ' ' {
			newAt += run.count
		}
	}
	return changes
}
