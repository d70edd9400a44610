// Package diag holds source positions and findings: what a reader or a check
// has to say about its input, as data.
package diag

import (
	"fmt"
	"strconv"
	"strings"
)

// Pos is a place in an input. File is the name as the user gave it, Line and
// Col count from 1; 0 means unknown.
type Pos struct {
	File string
	Line int
	Col  int
}

// String writes file:line:col, leaving out what is unknown.
func (p Pos) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		b.WriteString(":" + strconv.Itoa(p.Line))
		if p.Col > 0 {
			b.WriteString(":" + strconv.Itoa(p.Col))
		}
	}
	return b.String()
}

// Finding is one remark about an input: where, what, and the name of the rule
// that found it.
type Finding struct {
	Pos     Pos
	Rule    string
	Message string
	Note    bool // worth saying, but nothing is lost or wrong
}

// String writes file:line:col: message [rule].
func (f Finding) String() string {
	return fmt.Sprintf("%s: %s [%s]", f.Pos, f.Message, f.Rule)
}
