package redact

import (
	"bytes"
	"slices"
	"strings"
)

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
