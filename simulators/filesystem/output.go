package filesystem

import (
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
)

// output is what a tool that did not fail answers.
type output struct {
	text string
	item jsontext.Value // the content where it is not text
	soft bool           // the text tells of an error
}

func textOutput(text string) (output, *failure) { return output{text: text}, nil }

// answer writes the result object as the server does.
func (o output) answer() simulate.Answer {
	if o.item != nil {
		return simulate.Answer{Text: o.text, Raw: concat(
			`{"content":[`, o.item, `],"structuredContent":{"content":[`, o.item, `]}}`)}
	}
	quoted := quote(o.text)
	return simulate.Answer{Text: o.text, Raw: concat(
		`{"content":[{"type":"text","text":`, quoted, `}],"structuredContent":{"content":`, quoted, `}}`)}
}

func (f *failure) answer() simulate.Answer {
	return simulate.Answer{Text: f.text, IsError: true, Raw: concat(
		`{"content":[{"type":"text","text":`, quote(f.text), `}],"isError":true}`)}
}

// quote writes a JSON string. Bytes that are no text become U+FFFD.
func quote(s string) jsontext.Value {
	quoted, _ := jsontext.AppendQuote(make([]byte, 0, len(s)+16), s)
	return quoted
}

// concat joins texts and JSON values.
func concat(parts ...any) jsontext.Value {
	var out []byte
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			out = append(out, part...)
		case jsontext.Value:
			out = append(out, part...)
		}
	}
	return out
}
