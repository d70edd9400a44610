package ingest

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

// Redactor takes values of fields out of calls: of those that are named, and of
// those whose names or values look like secrets. The zero value takes nothing.
type Redactor struct {
	On    bool
	Names []string // further fields, whole names without case
}

// call takes secrets out of a call.
func (r *Redactor) call(c *calllog.Call) {
	if !r.On {
		return
	}
	for _, v := range []*jsontext.Value{&c.Args, &c.Result, &c.Before, &c.After, &c.Extra} {
		*v = r.value(*v)
	}
	same := c.ErrorText == c.ResultText
	c.ResultText = r.text(c.ResultText)
	if same {
		c.ErrorText = c.ResultText
	} else {
		c.ErrorText = r.text(c.ErrorText)
	}
}

// text redacts JSON as JSON, and else by what looks like secrets.
func (r *Redactor) text(s string) string {
	if t := strings.TrimSpace(s); t != "" && (t[0] == '{' || t[0] == '[' || t[0] == '"') {
		if v := jsontext.Value(t); v.IsValid(jsontext.AllowDuplicateNames(true)) {
			return string(r.value(v))
		}
	}
	return r.pairs(knownSecrets(s))
}

// known are values that are secrets wherever they stand. Each is looked for only
// in a text that has its mark: going through every text with all of them would
// take longer than reading it.
var known = []struct {
	mark string
	re   *regexp.Regexp
	with string
}{
	{"sk-", regexp.MustCompile(`\bsk-[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]{15,}`), Redacted},
	{"_live_", regexp.MustCompile(`\b[sprk]k_live_[A-Za-z0-9]{16,}`), Redacted},
	{"_test_", regexp.MustCompile(`\b[sprk]k_test_[A-Za-z0-9]{16,}`), Redacted},
	{"gh", regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{20,}`), Redacted},
	{"github_pat_", regexp.MustCompile(`\bgithub_pat_\w{20,}`), Redacted},
	{"glpat-", regexp.MustCompile(`\bglpat-[\w-]{16,}`), Redacted},
	{"AKIA", regexp.MustCompile(`\bAKIA[0-9A-Z]{16}\b`), Redacted},
	{"ASIA", regexp.MustCompile(`\bASIA[0-9A-Z]{16}\b`), Redacted},
	{"xox", regexp.MustCompile(`\bxox[abeprs]-[\w-]{10,}`), Redacted},
	{"AIza", regexp.MustCompile(`\bAIza[\w-]{30,}`), Redacted},
	{"eyJ", regexp.MustCompile(`\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+`), Redacted},
	{"hf_", regexp.MustCompile(`\bhf_[A-Za-z0-9]{20,}`), Redacted},
	{"npm_", regexp.MustCompile(`\bnpm_[A-Za-z0-9]{20,}`), Redacted},
	{"BEARER ", regexp.MustCompile(`\b(BEARER )[A-Za-z0-9+/._~-]{6,}=*`), "${1}" + Redacted},
	{" -", regexp.MustCompile(`( --?(?:[a-z-]*-)?(?:password|passwd|token|secret|api-?key|pass) )[^\s-][^\s"']*`), "${1}" + Redacted},
	{"earer ", regexp.MustCompile(`\b([Bb]earer )[A-Za-z0-9+/._~-]{6,}=*`), "${1}" + Redacted},
	{"PRIVATE KEY", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY( BLOCK)?-----|$)`), Redacted},
	{"://", regexp.MustCompile(`(://[^/\s:@"]*:)[^/\s"]+(@)`), "${1}" + Redacted + "${2}"},
	{" -u ", regexp.MustCompile(`( -u [^\s:]+:)\S+`), "${1}" + Redacted},
	{"assword>", regexp.MustCompile(`(<[\w:]*[Pp]assword>)[^<]+(<)`), "${1}" + Redacted + "${2}"},
}

func knownSecrets(s string) string {
	for i := range known {
		if k := &known[i]; strings.Contains(s, k.mark) {
			s = k.re.ReplaceAllString(s, k.with)
		}
	}
	return s
}

// pairs redacts the values in plain text that stand behind a secret's name and a
// colon or an equals sign.
func (r *Redactor) pairs(s string) string {
	var out []byte
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] != ':' && s[i] != '=' {
			continue
		}
		name := nameBefore(s[from:i])
		if name == "" || !r.secret(name) {
			continue
		}
		begin, end := valueAfter(s, i, name)
		if begin < 0 {
			continue
		}
		out = append(append(out, s[from:begin]...), Redacted...)
		from, i = end, end-1
	}
	if from == 0 {
		return s
	}
	return string(append(out, s[from:]...))
}

// nameBefore is the name that ends a text, perhaps in quotes, which may be escaped.
func nameBefore(s string) string {
	end := len(strings.TrimRight(s, " \t\"'\\`"))
	begin := end
	for begin > 0 && end-begin < 64 && isNameByte(s[begin-1]) {
		begin--
	}
	return s[begin:end]
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// wholeLine are names whose value is the rest of the line: headers.
var wholeLine = []string{"authorization", "cookie"}

// valueAfter finds the value behind the sign at i, -1 if there is none that could
// be a secret.
func valueAfter(s string, i int, name string) (begin, end int) {
	begin = i + 1
	for begin < len(s) && (s[begin] == ' ' || s[begin] == '\t' || s[begin] == '\\') {
		begin++
	}
	if begin == len(s) {
		return -1, 0
	}
	if c := s[begin]; c == '"' || c == '\'' {
		begin++
		for end = begin; end < len(s) && s[end] != '\n'; end++ {
			if s[end] == c && s[end-1] != '\\' || s[end] == '\\' && end+1 < len(s) && s[end+1] == c && strings.HasSuffix(s[:begin-1], "\\") {
				break
			}
		}
		if end == begin {
			return -1, 0
		}
		return begin, end
	}
	stop := " \t\r\n,;&\"'<>)}]"
	if words := nameWords(name); len(words) > 0 && slices.Contains(wholeLine, words[len(words)-1]) && s[i] == ':' {
		stop = "\r\n\"'"
	}
	end = len(s)
	if n := strings.IndexAny(s[begin:], stop); n >= 0 {
		end = begin + n
	}
	value := s[begin:end]
	if strings.HasPrefix(s[begin:], Redacted) || begin > 0 && s[i] == '=' && (s[begin] == '=' || isCode(value)) {
		return -1, 0
	}
	if value == "" || s[i] == ':' && isWord(value, name) {
		return -1, 0
	}
	return begin, end
}

// isWord tells whether what stands behind a colon is more likely prose: "token:
// not found", "unexpected token: }".
func isWord(s, name string) bool {
	if words := nameWords(name); len(words) > 0 && slices.Contains([]string{"password", "passwd", "passphrase", "passcode", "pwd"}, words[len(words)-1]) {
		return slices.Contains([]string{"not", "is", "must", "has", "was", "required", "invalid", "missing", "incorrect", "cannot", "expired", "wrong"}, strings.ToLower(s))
	}
	if len(s) < 3 {
		return !strings.ContainsAny(s, "0123456789") || len(s) == 1
	}
	return len(s) < 12 && strings.IndexFunc(s, func(r rune) bool { return r < 'a' || r > 'z' }) < 0
}

// isCode tells whether what stands behind an equals sign is a program's: no value
// but where one comes from.
func isCode(s string) bool {
	switch s {
	case "None", "null", "nil", "undefined", "true", "false", "True", "False":
		return true
	}
	return strings.ContainsAny(s, "($[") || strings.HasPrefix(s, "os.") || strings.HasPrefix(s, "process.")
}

// value redacts a JSON value. What isn't touched stays as it is written.
func (r *Redactor) value(v jsontext.Value) jsontext.Value {
	if len(v) == 0 {
		return v
	}
	w := redaction{r: r, v: v, d: jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	if !w.all() {
		return jsontext.Value(`"` + Redacted + `"`) // no JSON: nobody knows what it holds
	}
	if w.from == 0 {
		return v
	}
	return append(w.out, v[w.from:]...)
}

// redaction goes through one JSON value.
type redaction struct {
	r    *Redactor
	v    jsontext.Value
	d    *jsontext.Decoder
	out  []byte
	from int64 // up to where v was copied

	names []string // of the member that each open object is at
	heads []bool   // the open object says name: Authorization
}

// put writes another string for what ends here.
func (w *redaction) put(length int, with string) {
	end := w.d.InputOffset()
	w.out = append(w.out, w.v[w.from:end-int64(length)]...)
	w.out, _ = jsontext.AppendQuote(w.out, with)
	w.from = end
}

func (w *redaction) all() bool {
	for {
		kind, length := w.d.StackIndex(w.d.StackDepth())
		depth := w.d.StackDepth()
		for len(w.names) <= depth {
			w.names, w.heads = append(w.names, ""), append(w.heads, false)
		}
		switch next := w.d.PeekKind(); {
		case next == 0:
			_, err := w.d.ReadToken()
			return err == io.EOF
		case kind == '{' && length%2 == 0 && next == '"':
			tok, err := w.d.ReadToken()
			if err != nil {
				return false
			}
			w.names[depth] = tok.String()
			if length == 0 {
				w.heads[depth] = false
			}
			if !w.member(depth) {
				return false
			}
		case next == '"':
			if !w.text(kind, depth) {
				return false
			}
		default:
			if _, err := w.d.ReadToken(); err != nil {
				return false
			}
		}
	}
}

// member takes the value of a member whose name says that it is a secret.
func (w *redaction) member(depth int) bool {
	name := w.names[depth]
	header := w.heads[depth] && strings.EqualFold(name, "value")
	if !header && !w.r.secret(name) {
		return true
	}
	next := w.d.PeekKind()
	switch next {
	case 't', 'f', 'n', 0:
		return true
	case '0':
		if !w.r.secretNumber(name) {
			return true
		}
	}
	v, err := w.d.ReadValue()
	if err != nil {
		return false
	}
	if next != '"' || len(v) > 2 {
		w.put(len(v), Redacted)
	}
	return true
}

func (w *redaction) text(kind jsontext.Kind, depth int) bool {
	s, err := w.d.ReadValue()
	if err != nil {
		return false
	}
	length := len(s)
	plain, _ := jsontext.AppendUnquote(nil, s)
	if kind == '{' && (strings.EqualFold(w.names[depth], "name") || strings.EqualFold(w.names[depth], "key")) && w.r.secret(string(plain)) {
		w.heads[depth] = true // {"name": "Authorization", "value": …}
	}
	if clean := w.r.text(string(plain)); clean != string(plain) {
		w.put(length, clean)
	}
	return true
}

// Words that end the name of a secret; and those that do with the word before.
var (
	secretWords = strings.Fields("password passwd passphrase passcode pwd secret secrets token apikey credential credentials authorization cookie bearer otp pin cvv cvc ssn sig pass")
	secretPairs = strings.Fields("api-key api-keys access-key private-key signing-key secret-key auth-key encryption-key account-key card-number password-hash secret-value token-value session-key")
	// Tokens that are no secrets, by the word before.
	plainTokens = strings.Fields("page next prev previous continuation continue stop progress pad start end eos bos unk max min per sync cancellation unexpected invalid expected")
	// Names of which a number is a secret.
	secretNumbers = strings.Fields("password passcode pin otp cvv cvc ssn pwd number key access-token auth-token")
)

func (r *Redactor) secret(name string) bool {
	for _, n := range r.Names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	words := nameWords(name)
	if len(words) == 0 || words[0] == "has" || words[0] == "is" || words[0] == "needs" || words[0] == "requires" {
		return false
	}
	last := words[len(words)-1]
	before := ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	if last == "token" && slices.Contains(plainTokens, before) || last == "pass" && before == "" {
		return false
	}
	return slices.Contains(secretWords, last) || slices.Contains(secretPairs, before+"-"+last)
}

func (r *Redactor) secretNumber(name string) bool {
	words := nameWords(name)
	named := slices.ContainsFunc(r.Names, func(n string) bool { return strings.EqualFold(n, name) })
	if named || len(words) == 0 {
		return named
	}
	last := words[len(words)-1]
	return slices.Contains(secretNumbers, last) || len(words) > 1 && slices.Contains(secretNumbers, words[len(words)-2]+"-"+last)
}

// nameWords takes a name apart at underscores, hyphens, blanks and capitals.
func nameWords(name string) []string {
	var words []string
	var word []byte
	flush := func() {
		if len(word) > 0 {
			words = append(words, string(bytes.ToLower(word)))
			word = word[:0]
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		upper := 'A' <= c && c <= 'Z'
		switch {
		case c == '_' || c == '-' || c == ' ' || c == '.':
			flush()
			continue
		case upper && i > 0 && ('a' <= name[i-1] && name[i-1] <= 'z' || i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z'):
			flush()
		}
		word = append(word, c)
	}
	flush()
	return words
}
