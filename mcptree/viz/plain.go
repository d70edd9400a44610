package viz

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// What follows mirrors what Mermaid 11 does to a flowchart before and while it
// splits it into words, as far as the reference's text can meet it. A drawing is
// bare only if none of it changes what the text means.

// space is what JavaScript's \s matches.
const space = `[\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]`

// patterns are compiled when a drawing is made: a process that makes none pays
// nothing for them.
type patterns struct {
	rewritten []*regexp.Regexp // what Mermaid rewrites wherever it stands
	reserved  *regexp.Regexp   // what begins something that isn't part of an id, where a word may begin
	entity    *regexp.Regexp
	blank     *regexp.Regexp
	number    *regexp.Regexp
	word      *regexp.Regexp // up to a - that may end it
}

var compiled = sync.OnceValue(func() *patterns {
	p := &patterns{
		reserved: regexp.MustCompile(`^(?:` + strings.Join([]string{
			`(?:style|linkStyle|interpolate|classDef|class|flowchart-elk|swimlane-beta|graph|flowchart|subgraph|end|_self|_blank|_parent|_top)\b`,
			`(?:call|href|click)` + space,
			`accTitle` + space + `*:`, `accDescr` + space + `*[:{]`,
			`"`, `:::`,
			`[xo]?--`, `[xo]?-?\.+-`, `[xo]?-\.`, // links
		}, "|") + `)`),
		entity: regexp.MustCompile(`#\w+;`),
		blank:  regexp.MustCompile(`^` + space + `*$`),
		number: regexp.MustCompile(`^[0-9]+`),
		word:   regexp.MustCompile("^[A-Za-z0-9!\"#$%&'*+.`?\\\\_/]+"),
	}
	for _, s := range []string{
		`%%\{` + space + `*\w`,                               // a directive
		`(?:^|[\n\r\x{2028}\x{2029}])` + space + `*%%[^{\n]`, // a comment
		`style.*:\S*#.*;`, `classDef.*:\S*#.*;`,              // lose their last ;
		`<\w+[^>]*="[^">]*"[^>]*>`,                  // a tag: gets other quotes
		`\}` + space + `+\n`,                        // loses blanks
		`ﬂ°|¶ß`,                                     // Mermaid's own marks for & and ;
		`direction` + space + `+(?:TB|BT|RL|LR|TD)`, // a line that has it is nothing else
	} {
		p.rewritten = append(p.rewritten, regexp.MustCompile(s))
	}
	return p
})

// blank tells labels that Mermaid trims to nothing.
func blank(s string) bool { return compiled().blank.MatchString(s) }

// plainText tells whether Mermaid takes a whole drawing as it is written, and
// readers see all that is in it.
func plainText(text string) bool {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, hidden) {
		return false
	}
	for _, re := range compiled().rewritten {
		if re.MatchString(text) {
			return false
		}
	}
	return true
}

// hidden are control characters, but for those that Mermaid treats as blanks.
func hidden(r rune) bool {
	return unicode.Is(unicode.Cc, r) && r != '\n' && r != '\t' || reorders(r)
}

// plainLabel tells whether what a label says holds no entities: the reference
// escapes quotes only.
func plainLabel(s string) bool {
	return len(compiled().entity.FindAllString(escapeQuotes(s), -1)) == strings.Count(s, `"`)
}

// plainEdge tells whether a label can stand bare between -- and -->.
func plainEdge(s string) bool { return !blank(s) && !strings.Contains(s, "--") }

func plainIDs(text string, ids []span) bool {
	for _, at := range ids {
		if !plainID(text, at) {
			return false
		}
	}
	return true
}

// Drawable tells whether an id can stand for itself wherever Mermaid text has
// one.
func Drawable(id string) bool {
	word := !strings.ContainsFunc(id, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	for _, around := range [][2]string{{"  ", "[\""}, {"  ", "{\""}, {"  ", " --> a\n"}, {"a --> ", "\n"}} {
		text := around[0] + id + around[1]
		// What plainText looks for takes more than one word.
		if !word && !plainText(text) || !plainID(text, span{len(around[0]), len(text) - len(around[1])}) {
			return false
		}
	}
	return true
}

// plainID tells whether Mermaid reads an id of the text as one id. An id is a
// run of words, numbers, letters beyond ASCII and a few signs.
func plainID(text string, at span) bool {
	if at.start == at.end || text[at.start] == '`' { // "` begins Markdown
		return false
	}
	for i := at.start; i < at.end; {
		n := token(text[i:])
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}

// token gives the length of the part of an id at the start of text; 0 if there
// is none. It never passes the end of an id, since none is followed by what an
// id may hold.
func token(text string) int {
	if compiled().reserved.MatchString(text) {
		return 0
	}
	if strings.HasPrefix(text, "default") && !wordByte(text, len("default")) {
		return len("default")
	}
	if n := compiled().number.FindStringIndex(text); n != nil {
		return n[1]
	}
	switch text[0] {
	case '#', ':', '&', ',', '*':
		return 1
	case 'v':
		if !wordByte(text, 1) {
			return 1
		}
	}
	if n := run(text); n > 0 {
		return n
	}
	r, n := utf8.DecodeRuneInString(text)
	if r == '-' && len(text) > 1 && text[1] != '>' || r >= utf8.RuneSelf && letter(r) {
		return n
	}
	return 0
}

// run is the length of the longest word at the start of text. A - belongs to it
// unless >, - or . follow.
func run(text string) int {
	i := 0
	for i < len(text) {
		if n := compiled().word.FindStringIndex(text[i:]); n != nil {
			i += n[1]
			continue
		}
		next := byte('\n')
		if i+1 < len(text) {
			next = text[i+1]
		}
		if text[i] != '-' || next == '>' || next == '-' || next == '.' {
			break
		}
		i++
	}
	return i
}

func wordByte(s string, i int) bool {
	return i < len(s) && (s[i] == '_' || s[i] >= '0' && s[i] <= '9' || s[i] >= 'A' && s[i] <= 'Z' || s[i] >= 'a' && s[i] <= 'z')
}

// letter tells the letters that Mermaid knows: those of the first 65,536
// characters that Unicode 6 had.
func letter(r rune) bool {
	return r <= 0xffff && (unicode.IsLetter(r) && !unicode.Is(laterLetters, r) || r == 0x1885 || r == 0x1886)
}

// laterLetters are those that Unicode got since.
var laterLetters = &unicode.RangeTable{R16: []unicode.Range16{
	{0x37f, 0x37f, 1}, {0x528, 0x52f, 1}, {0x560, 0x560, 1}, {0x588, 0x588, 1}, {0x5ef, 0x5ef, 1},
	{0x860, 0x86a, 1}, {0x870, 0x887, 1}, {0x889, 0x88e, 1}, {0x8a1, 0x8a1, 1}, {0x8ad, 0x8c9, 1},
	{0x978, 0x978, 1}, {0x980, 0x980, 1}, {0x9fc, 0x9fc, 1}, {0xaf9, 0xaf9, 1}, {0xc34, 0xc34, 1},
	{0xc5a, 0xc5a, 1}, {0xc5d, 0xc5d, 1}, {0xc80, 0xc80, 1}, {0xcdd, 0xcdd, 1}, {0xd04, 0xd04, 1},
	{0xd54, 0xd56, 1}, {0xd5f, 0xd5f, 1}, {0xe86, 0xe86, 1}, {0xe89, 0xe89, 1}, {0xe8c, 0xe8c, 1},
	{0xe8e, 0xe93, 1}, {0xe98, 0xe98, 1}, {0xea0, 0xea0, 1}, {0xea8, 0xea9, 1}, {0xeac, 0xeac, 1},
	{0x13f5, 0x13f5, 1}, {0x13f8, 0x13fd, 1}, {0x16f1, 0x16f8, 1}, {0x170d, 0x170d, 1}, {0x171f, 0x171f, 1},
	{0x1878, 0x1878, 1}, {0x191d, 0x191e, 1}, {0x19b0, 0x19c0, 1}, {0x19c8, 0x19c9, 1}, {0x1b4c, 0x1b4c, 1},
	{0x1c80, 0x1c88, 1}, {0x1c90, 0x1cba, 1}, {0x1cbd, 0x1cbf, 1}, {0x1cf2, 0x1cf3, 1}, {0x1cfa, 0x1cfa, 1},
	{0x2c2f, 0x2c2f, 1}, {0x2c5f, 0x2c5f, 1}, {0x312e, 0x312f, 1}, {0x31bb, 0x31bf, 1}, {0x4db6, 0x4dbf, 1},
	{0x9fcd, 0x9fff, 1}, {0xa698, 0xa69d, 1}, {0xa78f, 0xa78f, 1}, {0xa794, 0xa79f, 1}, {0xa7ab, 0xa7ca, 1},
	{0xa7d0, 0xa7d1, 1}, {0xa7d3, 0xa7d3, 1}, {0xa7d5, 0xa7d9, 1}, {0xa7f2, 0xa7f7, 1}, {0xa8fd, 0xa8fe, 1},
	{0xa9e0, 0xa9e4, 1}, {0xa9e6, 0xa9ef, 1}, {0xa9fa, 0xa9fe, 1}, {0xaa7e, 0xaa7f, 1}, {0xab30, 0xab5a, 1},
	{0xab5c, 0xab69, 1}, {0xab70, 0xabbf, 1},
}, LatinOffset: 0}
