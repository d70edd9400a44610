package adapter

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/behavior"
	"mcpg/calllog"
	"mcpg/internal/jsonerr"
	"mcpg/internal/letters"
)

// Effect classes of a tool.
const (
	ReadOnly    = "READ_ONLY"
	Mutating    = "MUTATING"
	Destructive = "DESTRUCTIVE"
)

// Formats of an observation.
const (
	Fields = "fields"  // a JSON object
	KVText = "kv_text" // lines of "key: value"
	Raw    = "text"    // the text itself, for relations
)

// Observation is one read of a resource.
type Observation struct {
	Tool   string         `json:"tool"`
	Format string         `json:"format,omitzero"`
	As     string         `json:"as,omitzero"`    // name of the reading; "" for the one that gives the state
	Tools  []string       `json:"tools,omitzero"` // only around calls of these; empty: of all
	Args   jsontext.Value `json:"args,omitzero"`  // further arguments of the read
	Param  string         `json:"id_param,omitzero"`

	When map[string]jsontext.Value `json:"when,omitzero"` // only if the state has these field values
}

// Class is one kind of resource.
type Class struct {
	Name         string        `json:"class"`
	Params       []string      `json:"id_params"`
	Observations []Observation `json:"observations"`
	Features     []string      `json:"features,omitzero"`
	Volatile     []string      `json:"volatile,omitzero"`
}

// Resource says where a tool's resource is found: in an argument, or in a field
// of the first resource's state.
type Resource struct {
	Tools  []string `json:"tools"`
	Param  string   `json:"param,omitzero"`
	Field  string   `json:"field,omitzero"`
	Role   string   `json:"role,omitzero"`
	Class  string   `json:"class"`
	Derive string   `json:"derive,omitzero"` // "dirname": the folder of a path
}

// Ambient is a read that every call's state includes: who is logged in.
type Ambient struct {
	Tool     string         `json:"tool"`
	As       string         `json:"as"`
	Format   string         `json:"format,omitzero"`
	Args     jsontext.Value `json:"args,omitzero"`
	Features []string       `json:"features,omitzero"`
}

// Pattern is a text of failures with what it means.
type Pattern struct {
	Match   string   `json:"pattern"`
	Outcome string   `json:"outcome,omitzero"` // "rejected" unless it says error, transport or denied
	Cause   string   `json:"cause,omitzero"`
	Tools   []string `json:"tools,omitzero"`

	re *regexp.Regexp
}

// Relation compares an argument with the state or another argument.
type Relation struct {
	Tools []string `json:"tools"`
	Op    string   `json:"op"`
	Arg   string   `json:"arg"`
	State string   `json:"state,omitzero"` // role.field, field, or the name of a reading
	Arg2  string   `json:"arg2,omitzero"`
}

// Adapter is one file.
type Adapter struct {
	ServerID          string            `json:"server_id"`
	ResourceClass     string            `json:"resource_class,omitzero"`
	ObservationTool   string            `json:"observation_tool,omitzero"`
	IDParam           string            `json:"id_param,omitzero"`
	IDParamAliases    []string          `json:"id_param_aliases,omitzero"`
	ObservationFormat string            `json:"observation_format,omitzero"`
	ObservationArgs   jsontext.Value    `json:"observation_args,omitzero"`
	Features          []string          `json:"features,omitzero"`
	Volatile          []string          `json:"volatile,omitzero"`
	EffectClasses     map[string]string `json:"effect_classes,omitzero"`
	ApprovalRequired  []string          `json:"approval_required,omitzero"`

	Observations      []Observation       `json:"observations,omitzero"` // further reads of the first class
	Classes           []Class             `json:"classes,omitzero"`
	Resources         []Resource          `json:"resources,omitzero"`
	Returns           []string            `json:"returns,omitzero"` // tools whose answer is the resource
	Ambient           []Ambient           `json:"ambient,omitzero"`
	ArgumentFeatures  map[string][]string `json:"argument_features,omitzero"` // by tool; "*" for all others
	ErrorPatterns     []Pattern           `json:"error_patterns,omitzero"`
	SoftErrorPatterns []Pattern           `json:"soft_error_patterns,omitzero"`
	NotFoundPatterns  []string            `json:"not_found_patterns,omitzero"`
	Relations         []Relation          `json:"relations,omitzero"`

	source   []byte
	classes  []Class // all, the file's first one first
	notFound []*regexp.Regexp
	reads    map[string]bool // observation and ambient tools
}

//go:embed shipped/*.json
var shipped embed.FS

// Shipped lists the names of the adapters that come with the program.
func Shipped() []string {
	files, _ := fs.Glob(shipped, "shipped/*.json") // the pattern is well formed
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".json")
	}
	return files
}

// Load reads a shipped adapter by name, or a file by path.
func Load(name string) (*Adapter, error) {
	if b, err := shipped.ReadFile("shipped/" + name + ".json"); err == nil {
		return Parse(b)
	}
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `/\.`) {
		return nil, fmt.Errorf("%w %q: shipped ones are %s, others are given as a path%s", ErrUnknown, name, strings.Join(Shipped(), ", "), letters.DidYouMean(name, Shipped()))
	}
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, fmt.Errorf("adapter %s: %w", name, err)
	}
	a, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("adapter %s: %w", name, err)
	}
	return a, nil
}

// ErrUnknown says that a name is no shipped adapter's, and no file's.
var ErrUnknown = errors.New("unknown adapter")

// ErrWritingObservation refuses an adapter whose reads may write.
var ErrWritingObservation = errors.New("observation tool is not read-only")

// Parse reads an adapter and checks it.
func Parse(b []byte) (*Adapter, error) {
	a := &Adapter{source: slices.Clone(b)}
	if err := json.Unmarshal(b, a, json.RejectUnknownMembers(true)); err != nil {
		return nil, jsonerr.Plain(err)
	}
	if err := a.prepare(); err != nil {
		return nil, err
	}
	return a, nil
}

// Source is the JSON that the adapter was read from.
func (a *Adapter) Source() []byte { return a.source }

func (a *Adapter) prepare() error {
	if a.ServerID == "" && a.IDParam == "" && len(a.Classes) == 0 {
		return errors.New(`neither "server_id" nor "id_param": the adapter says nothing`)
	}
	if err := a.gatherClasses(); err != nil {
		return err
	}
	for _, tool := range slices.Sorted(maps.Keys(a.EffectClasses)) {
		if class := a.EffectClasses[tool]; class != ReadOnly && class != Mutating && class != Destructive {
			return fmt.Errorf("effect class %q of %s: want %s, %s or %s", class, tool, ReadOnly, Mutating, Destructive)
		}
	}
	for i := range a.Resources {
		if err := a.checkResource(&a.Resources[i]); err != nil {
			return err
		}
	}
	for i := range a.Ambient {
		if err := a.checkAmbient(&a.Ambient[i]); err != nil {
			return err
		}
	}
	for _, r := range a.Relations {
		if relationOps[r.Op] == nil {
			return fmt.Errorf("relation %q: unknown op; want one of %s", r.Op, strings.Join(relationNames(), ", "))
		}
		if r.Arg == "" || (r.State == "") == (r.Arg2 == "") {
			return fmt.Errorf("relation %q: wants arg, and either state or arg2", r.Op)
		}
	}
	if err := a.compilePatterns(); err != nil {
		return err
	}
	return a.checkReads()
}

// gatherClasses puts the file's first class, which may go without a name, before
// the further ones, and checks them all.
func (a *Adapter) gatherClasses() error {
	if a.IDParam != "" {
		c := Class{Name: cmp.Or(a.ResourceClass, "resource"), Params: append([]string{a.IDParam}, a.IDParamAliases...), Features: a.Features, Volatile: a.Volatile}
		if a.ObservationTool != "" {
			c.Observations = append(c.Observations, Observation{Tool: a.ObservationTool, Format: a.ObservationFormat, Args: a.ObservationArgs})
		}
		c.Observations = append(c.Observations, a.Observations...)
		a.classes = append(a.classes, c)
	} else if a.ResourceClass != "" || a.ObservationTool != "" || len(a.Observations) > 0 {
		return errors.New(`"resource_class" or "observation_tool" without "id_param"`)
	}
	a.classes = append(a.classes, slices.Clone(a.Classes)...)
	for i := range a.classes {
		c := &a.classes[i]
		if c.Name == "" || len(c.Params) == 0 {
			return fmt.Errorf("class %d: wants class and id_params", i+1)
		}
		if a.class(c.Name) != c {
			return fmt.Errorf("class %q is there twice", c.Name)
		}
		if err := c.fill(); err != nil {
			return err
		}
	}
	return nil
}

// fill sets what a class's observations leave out, and checks them.
func (c *Class) fill() error {
	for j := range c.Observations {
		o := &c.Observations[j]
		o.Format = cmp.Or(o.Format, Fields)
		o.Param = cmp.Or(o.Param, c.Params[0])
		switch {
		case o.Tool == "":
			return fmt.Errorf("class %q: an observation without a tool", c.Name)
		case o.Format != Fields && o.Format != KVText && o.Format != Raw:
			return fmt.Errorf("observation_format %q: want %s, %s or %s", o.Format, Fields, KVText, Raw)
		case o.Format == Raw && o.As == "":
			return fmt.Errorf(`observation %s: format "text" wants a name in "as"`, o.Tool)
		case o.Args != nil && o.Args.Kind() != '{':
			return fmt.Errorf("observation %s: its arguments aren't an object", o.Tool)
		}
		if slices.ContainsFunc(c.Observations[:j], o.collides) {
			return fmt.Errorf("observation %s: class %q has another reading of that name; give it one in \"as\"", o.Tool, c.Name)
		}
	}
	return nil
}

// collides tells whether two readings of one name could be made around one call.
func (o *Observation) collides(p Observation) bool {
	apart := len(o.Tools) > 0 && len(p.Tools) > 0 && !slices.ContainsFunc(o.Tools, func(t string) bool { return slices.Contains(p.Tools, t) })
	return o.As == p.As && !apart
}

func (a *Adapter) checkResource(r *Resource) error {
	if a.class(r.Class) == nil {
		return fmt.Errorf("resource of %s: unknown class %q", strings.Join(r.Tools, ", "), r.Class)
	}
	if (r.Param == "") == (r.Field == "") {
		return fmt.Errorf("resource of %s: wants either param or field", strings.Join(r.Tools, ", "))
	}
	if err := checkRole(r.Role); err != nil {
		return err
	}
	if r.Field != "" && r.Role == "" {
		return fmt.Errorf("resource of %s: a linked one wants a role", strings.Join(r.Tools, ", "))
	}
	if r.Derive != "" && r.Derive != "dirname" {
		return fmt.Errorf(`derive %q: want "dirname"`, r.Derive)
	}
	return nil
}

func checkRole(role string) error {
	if role == behavior.ArgsRole || role == behavior.RelationRole || strings.ContainsAny(role, ":.=# ") {
		return fmt.Errorf("role %q is taken or has a character that roles can't have", role)
	}
	return nil
}

func (a *Adapter) checkAmbient(m *Ambient) error {
	switch taken := a.class(m.As) != nil || slices.ContainsFunc(a.Resources, func(r Resource) bool { return r.Role == m.As }); {
	case m.Tool == "":
		return errors.New("ambient: a read without a tool")
	case m.As == "":
		return fmt.Errorf(`ambient %s: wants a name in "as"`, m.Tool)
	case taken:
		return fmt.Errorf("ambient %s: a class or role has the name %q", m.Tool, m.As)
	case m.Format != "" && m.Format != Fields && m.Format != KVText:
		return fmt.Errorf("ambient %s: format %q: want %s or %s", m.Tool, m.Format, Fields, KVText)
	case m.Args != nil && m.Args.Kind() != '{':
		return fmt.Errorf("ambient %s: its arguments aren't an object", m.Tool)
	}
	return checkRole(m.As)
}

func (a *Adapter) compilePatterns() error {
	for _, list := range [][]Pattern{a.ErrorPatterns, a.SoftErrorPatterns} {
		for i := range list {
			p := &list[i]
			if p.Match == "" {
				return errors.New("pattern: an empty one matches everything")
			}
			re, err := regexp.Compile(p.Match)
			if err != nil {
				return fmt.Errorf("pattern: %w", err)
			}
			p.re = re
			if _, err := calllog.ParseCause(p.Cause); err != nil {
				return err
			}
			if !slices.Contains([]string{"", "rejected", "error", "transport", "denied"}, p.Outcome) {
				return fmt.Errorf("pattern %q: outcome %q: want rejected, error, transport or denied", p.Match, p.Outcome)
			}
		}
	}
	patterns := a.NotFoundPatterns
	if len(patterns) == 0 {
		patterns = []string{`(?i)\bnot found\b`, `(?i)\bdoes not exist\b`, `(?i)\bno such\b`, `\bENOENT\b`, `\b404\b`}
	}
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return fmt.Errorf("not_found_patterns: %w", err)
		}
		a.notFound = append(a.notFound, re)
	}
	return nil
}

// checkReads refuses observation tools that may write.
func (a *Adapter) checkReads() error {
	a.reads = map[string]bool{}
	for _, c := range a.classes {
		for _, o := range c.Observations {
			a.reads[o.Tool] = true
		}
	}
	for _, m := range a.Ambient {
		a.reads[m.Tool] = true
	}
	for _, tool := range a.ReadTools() {
		switch class := a.EffectClasses[tool]; {
		case class == Mutating || class == Destructive:
			return fmt.Errorf("%w: %s has effect class %s", ErrWritingObservation, tool, class)
		case class == "" && mutatingName(tool):
			return fmt.Errorf("%w: the name of %s says that it writes; if it doesn't, give it effect class %s", ErrWritingObservation, tool, ReadOnly)
		}
	}
	return nil
}

var writingVerbs = strings.Fields(`add append apply approve archive assign ban begin block book cancel change charge
	clear close commit copy create deactivate debit delete deploy destroy disable discard dispatch drop edit enable erase
	exchange execute flush format grant import insert install invoke kill lock login logout mark merge modify move pay patch
	pin post process publish purge push put refund register reject remove rename replace reset restart restore resume return
	revoke rotate run save schedule send set ship sign start stop submit subscribe suspend terminate toggle transfer trigger
	truncate undo uninstall unlock unpublish unsubscribe update upgrade upload upsert wipe withdraw write`)

var readingVerbs = strings.Fields(`check count describe diff display exists fetch find get has head inspect is list lookup peek ping
	preview query read search show stat stats status tail validate verify view`)

// readingName tells whether a tool's name says that it only reads.
func readingName(tool string) bool {
	reads := slices.ContainsFunc(nameWords(tool), func(w string) bool { return slices.Contains(readingVerbs, w) })
	return reads && !mutatingName(tool)
}

// mutatingName tells whether a tool's name says that it writes: one of its words
// is a writing verb. After a reading verb, as in get_update_history, only what
// an "and" joins counts: fetch_and_delete.
func mutatingName(tool string) bool {
	words := nameWords(tool)
	for i, w := range words {
		reads := slices.ContainsFunc(words[:i], func(v string) bool { return slices.Contains(readingVerbs, v) })
		if slices.Contains(writingVerbs, w) && (!reads || words[i-1] == "and") {
			return true
		}
	}
	return false
}

// nameWords splits delete_file, deleteFile, DeleteFile and DELETE-FILE alike.
func nameWords(tool string) []string {
	var words []string
	start, lower := 0, false // lower: the letter before was one
	for i, r := range tool {
		between := !unicode.IsLetter(r) && !unicode.IsDigit(r)
		if between || lower && unicode.IsUpper(r) {
			words = append(words, strings.ToLower(tool[start:i]))
			start = i
			if between {
				start = i + utf8.RuneLen(r)
			}
		}
		lower = unicode.IsLower(r)
	}
	words = append(words, strings.ToLower(tool[start:]))
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// CheckAnnotations refuses observation tools that a tools/list answer does not
// mark as read-only; readOnly gives the annotation, ok whether there is one.
func (a *Adapter) CheckAnnotations(readOnly func(tool string) (hint, ok bool)) error {
	for _, tool := range a.ReadTools() {
		if hint, ok := readOnly(tool); ok && !hint && a.EffectClasses[tool] != ReadOnly {
			return fmt.Errorf("%w: the server's annotation of %s says readOnlyHint=false", ErrWritingObservation, tool)
		}
	}
	return nil
}

// ReadTools lists the tools that observe.
func (a *Adapter) ReadTools() []string {
	return slices.Sorted(maps.Keys(a.reads))
}

// ShowsState tells whether a tool's answer is the state of its resource.
func (a *Adapter) ShowsState(tool string) bool {
	return slices.ContainsFunc(a.classes, func(c Class) bool {
		return slices.ContainsFunc(c.Observations, func(o Observation) bool { return o.As == "" && o.Tool == tool })
	})
}

// IsRead tells whether a tool is one of the adapter's reads.
func (a *Adapter) IsRead(tool string) bool { return a.reads[tool] }

// Writes tells whether a call of the tool may change something: by its effect
// class, else by its name. Of a server without an adapter (a nil one) only a
// tool whose name says that it reads is taken to change nothing.
func (a *Adapter) Writes(tool string) bool {
	if a == nil {
		return !readingName(tool)
	}
	switch a.EffectClasses[tool] {
	case ReadOnly:
		return false
	case Mutating, Destructive:
		return true
	}
	return !a.reads[tool] && mutatingName(tool)
}

// NeedsApproval tells whether the tool is held under block.
func (a *Adapter) NeedsApproval(tool string) bool {
	return a.EffectClasses[tool] == Destructive || slices.Contains(a.ApprovalRequired, tool)
}

func (a *Adapter) class(name string) *Class {
	for i := range a.classes {
		if a.classes[i].Name == name {
			return &a.classes[i]
		}
	}
	return nil
}

// ErrorPattern gives the meaning of a failure's text, the first pattern that
// matches; ok is false where none does.
func (a *Adapter) ErrorPattern(tool, text string) (calllog.Outcome, calllog.Cause, bool) {
	return match(a.ErrorPatterns, tool, text)
}

// SoftError is ErrorPattern for the text of an answer flagged as a success.
func (a *Adapter) SoftError(tool, text string) (calllog.Outcome, calllog.Cause, bool) {
	return match(a.SoftErrorPatterns, tool, text)
}

func match(ps []Pattern, tool, text string) (calllog.Outcome, calllog.Cause, bool) {
	for i := range ps {
		p := &ps[i]
		if len(p.Tools) > 0 && !slices.Contains(p.Tools, tool) || !p.re.MatchString(text) {
			continue
		}
		outcome := calllog.Rejected
		if p.Outcome != "" {
			outcome, _ = calllog.ParseOutcome(p.Outcome) // checked by compilePatterns
		}
		cause, _ := calllog.ParseCause(p.Cause)
		if outcome == calllog.Rejected && cause == calllog.NoCause {
			cause = calllog.Unclear
		}
		if outcome != calllog.Rejected {
			cause = calllog.NoCause
		}
		return outcome, cause, true
	}
	return 0, 0, false
}
