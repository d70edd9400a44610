package redact

import (
	"regexp"
	"slices"
	"strings"
)

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
