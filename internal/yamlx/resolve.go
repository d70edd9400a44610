package yamlx

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var bools = map[string]bool{"yes": true, "no": false, "true": true, "false": false, "on": true, "off": false}

// The implicit types of plain scalars, YAML 1.1 (https://yaml.org/type/) as
// PyYAML narrows them: y and n are strings, an exponent needs its sign.
var (
	boolText  = regexp.MustCompile(`^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$`)
	intText   = regexp.MustCompile(`^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$`)
	floatText = regexp.MustCompile(`^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
	dateText  = regexp.MustCompile(`^\d\d\d\d-\d\d-\d\d$`)
	timeText  = regexp.MustCompile(`^(\d\d\d\d)-(\d\d?)-(\d\d?)(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?$`)
)

// resolve gives the tag of a plain scalar.
func resolve(s string) string {
	if s == "" {
		return "!!null"
	}
	switch c := s[0]; {
	case c == '~' || c == 'n' || c == 'N':
		if s == "~" || s == "null" || s == "Null" || s == "NULL" {
			return "!!null"
		}
	case c == '=' && s == "=":
		return "!!value"
	}
	if strings.IndexByte("yYnNtTfFoO", s[0]) >= 0 {
		if len(s) <= len("false") && boolText.MatchString(s) {
			return "!!bool"
		}
		return "!!str"
	}
	if strings.IndexByte("-+.0123456789", s[0]) < 0 {
		return "!!str"
	}
	switch {
	case intText.MatchString(s):
		return "!!int"
	case floatText.MatchString(s):
		return "!!float"
	case dateText.MatchString(s) || timeText.MatchString(s):
		return "!!timestamp"
	}
	return "!!str"
}

func parseInt(s string) (*big.Int, error) {
	text := strings.ReplaceAll(s, "_", "")
	negative := strings.HasPrefix(text, "-")
	text = strings.TrimLeft(text, "+-")
	if len(text) > maxDigits {
		return nil, fmt.Errorf("an integer of more than %d digits", maxDigits)
	}
	n, base := new(big.Int), 10
	switch {
	case text == "0":
	case strings.HasPrefix(text, "0b"):
		text, base = text[2:], 2
	case strings.HasPrefix(text, "0x"):
		text, base = text[2:], 16
	case strings.HasPrefix(text, "0"):
		base = 8
	case strings.Contains(text, ":"):
		return sexagesimal(text, negative)
	}
	if _, ok := n.SetString(text, base); !ok {
		return nil, fmt.Errorf("%q is no integer", s)
	}
	if negative {
		n.Neg(n)
	}
	return n, nil
}

func sexagesimal(text string, negative bool) (*big.Int, error) {
	n := new(big.Int)
	for _, part := range strings.Split(text, ":") {
		d, ok := new(big.Int).SetString(part, 10)
		if !ok {
			return nil, fmt.Errorf("%q is no integer", text)
		}
		n.Add(n.Mul(n, big.NewInt(60)), d)
	}
	if negative {
		n.Neg(n)
	}
	return n, nil
}

func parseFloat(s string) (float64, error) {
	text := strings.ToLower(strings.ReplaceAll(s, "_", ""))
	sign := 1.0
	if strings.HasPrefix(text, "-") {
		sign = -1
	}
	text = strings.TrimLeft(text, "+-")
	switch text {
	case ".inf":
		return math.Inf(int(sign)), nil
	case ".nan":
		return math.NaN(), nil
	}
	total := 0.0
	for _, part := range strings.Split(text, ":") {
		f, err := strconv.ParseFloat(part, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("%q is no number", s)
		}
		total = total*60 + f
	}
	return sign * total, nil
}

// dateType checks a timestamp and names its type.
func dateType(s string) (string, error) {
	if dateText.MatchString(s) {
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			return "", fmt.Errorf("%q is no date", s)
		}
		return "date", nil
	}
	m := timeText.FindStringSubmatch(s)
	if m == nil {
		return "", fmt.Errorf("%q is no date", s)
	}
	padded := fmt.Sprintf("%s-%02s-%02s %02s:%s:%s", m[1], m[2], m[3], m[4], m[5], m[6])
	if _, err := time.Parse(time.DateTime, padded); err != nil {
		return "", fmt.Errorf("%q is no date", s)
	}
	return "datetime", nil
}
