package adapter

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/behavior"
)

func isObject(text string) bool {
	v := jsontext.Value(strings.TrimSpace(text))
	return v.Kind() == '{' && v.IsValid()
}

// isKV tells whether a text is lines of "key: value".
func isKV(text string) bool {
	lines, kv := 0, 0
	for line := range strings.Lines(strings.TrimSpace(text)) {
		key, _, ok := strings.Cut(line, ":")
		lines++
		if ok && key != "" && len(strings.Fields(key)) <= 3 {
			kv++
		}
	}
	return kv > 0 && kv*5 >= lines*4
}

// format tells how a kind's reader answers; "" is the default, a JSON object.
func (d *drafter) format(k *kind) string {
	answers := d.answers[k.reader.Name]
	switch {
	case slices.ContainsFunc(answers, isObject):
		return ""
	case len(answers) > 0 && slices.ContainsFunc(answers, isKV):
		return KVText
	case len(answers) > 0:
		d.say("%s answers with neither a JSON object nor lines of key: value: its states can't be read", k.reader.Name)
		return ""
	case len(k.reader.Output) > 0 && !slices.Equal(k.reader.Output, []string{"content"}) && !slices.Equal(k.reader.Output, []string{"result"}):
		return ""
	case slices.Equal(k.reader.Output, []string{"content"}):
		d.say("%s answers with text, and no answer was seen: taken to be lines of key: value", k.reader.Name)
		return KVText
	}
	d.say("no answer of %s was seen: taken to be a JSON object", k.reader.Name)
	return ""
}

// showStates says what the states are that the answers give.
func (d *drafter) showStates(a *Adapter) {
	for i := range a.classes {
		c := &a.classes[i]
		if len(c.Observations) == 0 {
			continue
		}
		o := c.Observations[0]
		fields := map[string]bool{}
		for _, text := range d.answers[o.Tool] {
			v := readFields(a, o, nil, func(string, jsontext.Value) Reading { return Reading{Text: text} })
			fs, _ := a.resource("", c, v)
			for _, f := range fs {
				if f.Path != behavior.Exists("") && f.Value.Token != behavior.Text {
					fields[f.Field] = true
				}
			}
		}
		if n := len(d.answers[o.Tool]); n > 0 {
			d.say("%s: from %s its state is %s", c.Name, amount(n, "answer"), listed(fields))
		}
	}
}

// maxListed is how many fields of a state are told.
const maxListed = 12

func listed(fields map[string]bool) string {
	var names []string
	for f := range fields {
		names = append(names, f)
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return "that it exists, and nothing else; name fields that count in features"
	case len(names) > maxListed:
		return strings.Join(names[:maxListed], ", ") + " and more; name those that count in features"
	}
	return strings.Join(names, ", ")
}
