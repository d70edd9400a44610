package adapter

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// encode writes the adapter as people write one: a member a line, and of lists of
// objects, and of effect classes, an element a line.
func (a *Adapter) encode() ([]byte, error) {
	compact, err := json.Marshal(a, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	out := []byte("{")
	for name, v := range members(compact) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, "\n  "...), quote(name)...), ": "...)
		if out, err = appendMember(out, v); err != nil {
			return nil, err
		}
	}
	return append(out, "\n}\n"...), nil
}

func appendMember(out []byte, v jsontext.Value) ([]byte, error) {
	es := elements(v)
	if len(es) > 0 && es[0].Kind() != '{' || v.Kind() != '[' && v.Kind() != '{' {
		return appendLine(out, v)
	}
	var err error
	begin := "\n    "
	line := func(name string, v jsontext.Value) bool {
		out = append(out, begin...)
		begin = ",\n    "
		if name != "" {
			out = append(append(out, quote(name)...), ": "...)
		}
		out, err = appendLine(out, v)
		return err == nil
	}
	end := byte('}')
	out = append(out, v[0])
	if v.Kind() == '[' {
		end = ']'
		for _, e := range es {
			if !line("", e) {
				return nil, err
			}
		}
	} else {
		members(v)(line)
	}
	return append(append(out, "\n  "...), end), err
}

func appendLine(out []byte, v jsontext.Value) ([]byte, error) {
	v = v.Clone()
	err := v.Format(jsontext.Multiline(false), jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true))
	return append(out, v...), err
}
