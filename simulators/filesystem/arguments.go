package filesystem

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// arguments are those of every tool together.
type arguments struct {
	path, content       string
	source, destination string
	pattern             string
	sortBy              string
	paths, exclude      []string
	head, tail          float64
	edits               []edit
	dryRun              bool
}

type edit struct {
	oldText, newText string
}

// field reads one argument. A missing one comes as an empty value. It returns
// the issues found, in words.
type field struct {
	name string
	read func(a *arguments, v jsontext.Value, at string) []string
}

// shape is the input schema of a tool, in the order in which the server
// validates it.
type shape []field

// parse reads the arguments of a call. Every issue is told, in the order of
// the schema; members that the schema does not have are dropped.
func (s shape) parse(tool string, raw jsontext.Value) (arguments, *failure) {
	var a arguments
	members, failed := membersOf(raw)
	if failed != nil {
		return a, failed
	}
	var issues []string
	for _, f := range s {
		issues = append(issues, f.read(&a, members[f.name], f.name)...)
	}
	if len(issues) > 0 {
		return a, failf(checkArguments, "MCP error -32602: Input validation error: Invalid arguments for tool %s: %s",
			tool, strings.Join(issues, "\n"))
	}
	return a, nil
}

// membersOf splits an object. What is no object never gets as far as a tool:
// on the wire it is a protocol error, here an answer with the same words.
func membersOf(raw jsontext.Value) (map[string]jsontext.Value, *failure) {
	if len(raw) == 0 {
		return nil, nil
	}
	// Like the server's own parser: the last of two equal names counts.
	lenient := json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var members map[string]jsontext.Value
	switch kind := kindOf(raw); {
	case kind == "object" && json.Unmarshal(raw, &members, lenient) == nil:
		return members, nil
	case kind != "object" && raw.IsValid(lenient):
		return nil, failf(checkArguments, "MCP error -32603: Invalid input: expected record, received %s", kind)
	}
	return nil, failf(checkArguments, "MCP error -32700: Parse error")
}

// kindOf names the type of a JSON value as the server's validator does.
func kindOf(v jsontext.Value) string {
	switch v.Kind() {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "undefined"
}

func mismatch(want string, v jsontext.Value, at string) []string {
	return []string{"Invalid input: expected " + want + ", received " + kindOf(v) + " at " + at}
}

func readString(v jsontext.Value, at string) (string, []string) {
	if v.Kind() != '"' {
		return "", mismatch("string", v, at)
	}
	// The error tells of lone surrogates, which became U+FFFD.
	text, _ := jsontext.AppendUnquote(nil, v)
	return string(text), nil
}

func readArray(v jsontext.Value, at string) ([]jsontext.Value, []string) {
	var items []jsontext.Value
	if v.Kind() != '[' || json.Unmarshal(v, &items, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return nil, mismatch("array", v, at)
	}
	return items, nil
}

func readStrings(v jsontext.Value, at string) (list, issues []string) {
	items, issues := readArray(v, at)
	for i, item := range items {
		text, wrong := readString(item, fmt.Sprintf("%s[%d]", at, i))
		list, issues = append(list, text), append(issues, wrong...)
	}
	return list, issues
}

func textField(name string, to func(*arguments) *string) field {
	return field{name, func(a *arguments, v jsontext.Value, at string) (issues []string) {
		*to(a), issues = readString(v, at)
		return issues
	}}
}

// countField is an optional number.
func countField(name string, to func(*arguments) *float64) field {
	return field{name, func(a *arguments, v jsontext.Value, at string) []string {
		if len(v) == 0 {
			return nil
		}
		n, err := strconv.ParseFloat(string(v), 64)
		switch {
		case v.Kind() != '0':
			return mismatch("number", v, at)
		case err != nil:
			return []string{"Invalid input: expected number, received Infinity at " + at}
		}
		*to(a) = n
		return nil
	}}
}

var (
	pathField        = textField("path", func(a *arguments) *string { return &a.path })
	contentField     = textField("content", func(a *arguments) *string { return &a.content })
	sourceField      = textField("source", func(a *arguments) *string { return &a.source })
	destinationField = textField("destination", func(a *arguments) *string { return &a.destination })
	patternField     = textField("pattern", func(a *arguments) *string { return &a.pattern })
	headField        = countField("head", func(a *arguments) *float64 { return &a.head })
	tailField        = countField("tail", func(a *arguments) *float64 { return &a.tail })
)

var pathsField = field{"paths", func(a *arguments, v jsontext.Value, at string) (issues []string) {
	a.paths, issues = readStrings(v, at)
	if string(v) == `""` { // which has a length too
		return append(issues, "Too small: expected string to have >=1 characters at "+at)
	}
	if len(issues) == 0 && len(a.paths) == 0 {
		return []string{"Too small: expected array to have >=1 items at " + at}
	}
	return issues
}}

var excludeField = field{"excludePatterns", func(a *arguments, v jsontext.Value, at string) (issues []string) {
	if len(v) > 0 {
		a.exclude, issues = readStrings(v, at)
	}
	return issues
}}

var dryRunField = field{"dryRun", func(a *arguments, v jsontext.Value, at string) []string {
	a.dryRun = v.Kind() == 't'
	if len(v) > 0 && kindOf(v) != "boolean" {
		return mismatch("boolean", v, at)
	}
	return nil
}}

var sortByField = field{"sortBy", func(a *arguments, v jsontext.Value, at string) []string {
	a.sortBy = "name"
	if len(v) == 0 {
		return nil
	}
	text, issues := readString(v, at)
	if issues != nil || text != "name" && text != "size" {
		return []string{`Invalid option: expected one of "name"|"size" at ` + at}
	}
	a.sortBy = text
	return nil
}}

var editsField = field{"edits", func(a *arguments, v jsontext.Value, at string) []string {
	items, issues := readArray(v, at)
	for i, item := range items {
		one, wrong := readEdit(item, fmt.Sprintf("%s[%d]", at, i))
		a.edits, issues = append(a.edits, one), append(issues, wrong...)
	}
	return issues
}}

func readEdit(v jsontext.Value, at string) (edit, []string) {
	if v.Kind() != '{' {
		return edit{}, mismatch("object", v, at)
	}
	members, _ := membersOf(v)
	oldText, wrongOld := readString(members["oldText"], at+".oldText")
	newText, wrongNew := readString(members["newText"], at+".newText")
	return edit{oldText, newText}, append(wrongOld, wrongNew...)
}
