package bench

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/internal/diag"
	"mcpg/internal/yamlx"
	"mcpg/simulate/agents"
)

// The files of a suite of one's own: tasks, and what error-reading agents know.
const (
	suiteFile   = "suite.yaml"
	tasksFile   = "tasks.jsonl" // in place of tasks in suite.yaml, for many
	repairsFile = "repairs.yaml"
)

// defaultBudget is how many attempts a task has that doesn't say.
const defaultBudget = 16

// SuiteErrors are the faults of a suite, each with its place.
type SuiteErrors []diag.Finding

func (e SuiteErrors) Error() string {
	lines := make([]string, 0, len(e))
	for i, f := range e {
		if i == 10 {
			lines = append(lines, fmt.Sprintf("and %d more", len(e)-i))
			break
		}
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

// OpenSuite reads a built-in suite by its name, or the suite in a folder.
func OpenSuite(name string) (*Suite, error) {
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		return readSuite(name)
	}
	if strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return nil, fmt.Errorf("%s: no folder; a suite of your own is a folder with a %s, which mcpg bench init writes", name, suiteFile)
	}
	return LoadSuite(name)
}

// suiteDoc is suite.yaml.
type suiteReader struct {
	file   string
	faults SuiteErrors
}

func (r *suiteReader) fail(n *yamlx.Node, rule, format string, a ...any) {
	pos := diag.Pos{File: r.file}
	if n != nil {
		pos.Line, pos.Col = n.Line, n.Col
	}
	r.faults = append(r.faults, diag.Finding{Pos: pos, Rule: rule, Message: fmt.Sprintf(format, a...)})
}

// readSuite reads and checks the suite in a folder.
func readSuite(dir string) (*Suite, error) {
	r := &suiteReader{file: filepath.Join(dir, suiteFile)}
	src, err := os.ReadFile(r.file)
	if err != nil {
		return nil, err
	}
	repairs, err := os.ReadFile(filepath.Join(dir, repairsFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	sum := sha256.Sum256(slices.Concat(src, []byte{0}, repairs))
	s := &Suite{Name: filepath.Base(filepath.Clean(dir)), SHA256: hex.EncodeToString(sum[:]), own: true}
	mending := &suiteReader{file: filepath.Join(dir, repairsFile)}
	if s.Repairs, err = mending.repairs(repairs); err != nil {
		return nil, err
	}
	r.faults = mending.faults
	root, err := yamlx.Parse(src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.file, err)
	}
	s.file, err = os.Open(filepath.Join(dir, tasksFile))
	switch {
	case err == nil:
		h := sha256.New()
		h.Write(slices.Concat(src, []byte{0}, repairs, []byte{0}))
		r.members(s, root)
		if err := r.lines(s, h); err != nil {
			s.Close()
			return nil, fmt.Errorf("%s: %w", s.file.Name(), err)
		}
		s.SHA256 = hex.EncodeToString(h.Sum(nil))
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	default:
		r.suite(s, root)
	}
	if len(r.faults) > 0 {
		s.Close()
		return nil, r.faults
	}
	return s, nil
}

// lines reads tasks.jsonl: a task a line, with the members that tasks of suite.yaml have.
// The tasks stay in the file.
func (r *suiteReader) lines(s *Suite, hash io.Writer) error {
	seen := map[string]int{}
	file := s.file.Name()
	in := bufio.NewReaderSize(io.TeeReader(s.file, hash), 1<<16)
	offset := int64(0)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if len(line) == 0 {
			break
		}
		at, size := offset, int64(len(line))
		offset += size
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		pos := func(rule, format string, a ...any) {
			r.faults = append(r.faults, diag.Finding{Pos: diag.Pos{File: file, Line: n}, Rule: rule, Message: fmt.Sprintf(format, a...)})
		}
		t, err := parseTask(line)
		if err != nil {
			pos("task", "%v", err)
			continue
		}
		if why := t.faults(); len(why) > 0 {
			pos("task", "%s", strings.Join(why, "; "))
			continue
		}
		if first := seen[t.ID]; first > 0 {
			pos("id", "task %s stands in line %d already", t.ID, first)
			continue
		}
		seen[t.ID] = n
		if !slices.Contains(s.Classes, t.Class) {
			s.Classes = append(s.Classes, t.Class)
		}
		s.add(t)
		ref := &s.Tasks[len(s.Tasks)-1]
		ref.task, ref.offset, ref.size = nil, at, size
	}
	if len(s.Tasks) == 0 && len(r.faults) == 0 {
		r.faults = append(r.faults, diag.Finding{Pos: diag.Pos{File: file}, Rule: "tasks", Message: "no task"})
	}
	return nil
}

// maxBudget is how many attempts a task may have.
const maxBudget = 10_000

// fill puts in what a task leaves out.
func (t *Task) fill() {
	if t.Template == "" {
		t.Template = t.ID
	}
	if t.Budget == 0 {
		t.Budget = defaultBudget
	}
	if t.Oracle == nil {
		t.Oracle = t.Plan
	}
}

// faults says what a task of one's own lacks.
func (t *Task) faults() []string {
	var out []string
	for _, m := range []struct{ name, value string }{{"id", t.ID}, {"class", t.Class}, {"server", t.Server}} {
		if m.value == "" {
			out = append(out, "a task wants a member "+m.name)
		}
	}
	if t.Budget < 0 || t.Budget > maxBudget {
		out = append(out, fmt.Sprintf("budget %d: want 1 to %d attempts", t.Budget, maxBudget))
	}
	if len(t.Plan) == 0 {
		out = append(out, "a task wants a plan")
	}
	if len(t.Goal) == 0 {
		out = append(out, "a task wants a goal")
	}
	for _, p := range slices.Concat(t.Goal, t.Minefields) {
		if err := p.Check(); err != nil {
			out = append(out, err.Error())
		}
	}
	switch {
	case t.Server == OwnServer && len(t.Snapshot) == 0:
		out = append(out, "a task on a server of your own wants a snapshot")
	case t.Server != OwnServer && t.Server != "":
		if _, err := t.server(); err != nil {
			out = append(out, err.Error())
		}
	}
	return out
}

// members reads what a suite says beside its tasks.
func (r *suiteReader) members(s *Suite, root *yamlx.Node) {
	if root.Kind == yamlx.Null {
		return
	}
	for _, m := range root.Members {
		switch m.Key.Str {
		case "name":
			s.Name = m.Value.Str
		case "tasks":
			r.fail(m.Key, "tasks", "the folder has %s too: tasks stand in one place", tasksFile)
		default:
			r.fail(m.Key, "suite", "unknown member %q: want name", m.Key.Str)
		}
	}
}

func (r *suiteReader) suite(s *Suite, root *yamlx.Node) {
	if root.Kind != yamlx.Map {
		r.fail(root, "suite", "want a mapping with the members name and tasks")
		return
	}
	var tasks *yamlx.Node
	for _, m := range root.Members {
		switch m.Key.Str {
		case "name":
			if m.Value.Kind != yamlx.String || m.Value.Str == "" {
				r.fail(m.Value, "name", "want a name")
			}
			s.Name = m.Value.Str
		case "tasks":
			tasks = m.Value
		default:
			r.fail(m.Key, "suite", "unknown member %q: want name, tasks", m.Key.Str)
		}
	}
	if tasks == nil || tasks.Kind != yamlx.List || len(tasks.Items) == 0 {
		r.fail(root, "tasks", "want a list of tasks")
		return
	}
	seen := map[string]*yamlx.Node{}
	for _, n := range tasks.Items {
		t, ok := r.task(n)
		if t != nil && seen[t.ID] != nil {
			r.fail(n, "id", "task %s stands in line %d already", t.ID, seen[t.ID].Line)
			continue
		}
		if t != nil {
			seen[t.ID] = n
		}
		if !ok {
			continue
		}
		if !slices.Contains(s.Classes, t.Class) {
			s.Classes = append(s.Classes, t.Class)
		}
		s.add(t)
	}
}

// decode reads a node into a value; faults are told where they are.
func (r *suiteReader) decode(n *yamlx.Node, rule string, into any) bool {
	doc, err := jsonOf(n)
	if err != nil {
		r.fail(n, rule, "%v", err)
		return false
	}
	if err := json.Unmarshal(doc, into, json.RejectUnknownMembers(true)); err != nil {
		at, why := n, err
		var semantic *json.SemanticError
		if errors.As(err, &semantic) {
			at = find(n, string(semantic.JSONPointer))
			if semantic.Err != nil {
				why = semantic.Err
			}
			if errors.Is(err, json.ErrUnknownName) {
				why = fmt.Errorf("unknown member %s", string(semantic.JSONPointer[strings.LastIndexByte(string(semantic.JSONPointer), '/')+1:]))
			}
		}
		r.fail(at, rule, "%v", why)
		return false
	}
	return true
}

// repairs reads repairs.yaml: a list of repairs a server.
func (r *suiteReader) repairs(b []byte) (map[string][]*agents.Repair, error) {
	root, err := yamlx.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.file, err)
	}
	out := map[string][]*agents.Repair{}
	if root.Kind == yamlx.Null {
		return out, nil
	}
	if root.Kind != yamlx.Map {
		r.fail(root, "repairs", "want a mapping: a list of repairs a server")
		return out, nil
	}
	for _, m := range root.Members {
		if m.Value.Kind != yamlx.List {
			r.fail(m.Value, "repairs", "want a list of repairs")
			continue
		}
		for _, n := range m.Value.Items {
			if n.Kind != yamlx.Map {
				r.fail(n, "repair", "want a mapping with the member on, and then or swap")
				continue
			}
			repair := &agents.Repair{}
			if !r.decode(n, "repair", repair) {
				continue
			}
			if err := repair.Compile(); err != nil {
				r.fail(n, "repair", "%v", err)
				continue
			}
			out[m.Key.Str] = append(out[m.Key.Str], repair)
		}
	}
	return out, nil
}

func (r *suiteReader) task(n *yamlx.Node) (*Task, bool) {
	faults := len(r.faults)
	t := &Task{}
	if !r.decode(n, "task", t) {
		return nil, false
	}
	for name, value := range map[string]string{"id": t.ID, "class": t.Class, "server": t.Server} {
		if value == "" {
			r.fail(n, name, "a task wants a member %s", name)
		}
	}
	t.fill()
	if t.Budget < 0 || t.Budget > maxBudget {
		r.fail(find(n, "/budget"), "budget", "budget %d: want 1 to %d attempts", t.Budget, maxBudget)
	}
	if len(t.Plan) == 0 {
		r.fail(n, "plan", "a task wants a plan: the calls that an agent sets out to make")
	}
	if len(t.Goal) == 0 {
		r.fail(n, "goal", "a task wants a goal: what holds in the end")
	}
	for list, ps := range map[string]int{"goal": len(t.Goal), "minefields": len(t.Minefields)} {
		for i := range ps {
			p := &t.Goal
			if list == "minefields" {
				p = &t.Minefields
			}
			if err := (*p)[i].Check(); err != nil {
				r.fail(find(n, "/"+list+"/"+strconv.Itoa(i)), list, "%v", err)
			}
		}
	}
	if t.Server == OwnServer {
		if len(t.Snapshot) == 0 {
			r.fail(n, "snapshot", "a task on a server of your own wants a snapshot: the reads that its goal is about")
		}
	} else if t.Server != "" {
		if _, err := t.server(); err != nil {
			r.fail(find(n, "/world"), "world", "%v", err)
		}
	}
	slices.SortFunc(r.faults[faults:], func(a, b diag.Finding) int {
		return cmpPos(a.Pos, b.Pos)
	})
	return t, len(r.faults) == faults
}

func cmpPos(a, b diag.Pos) int {
	if a.Line != b.Line {
		return a.Line - b.Line
	}
	return a.Col - b.Col
}

// find follows a JSON pointer, as far as it leads.
func find(n *yamlx.Node, pointer string) *yamlx.Node {
	for _, name := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		var next *yamlx.Node
		switch n.Kind {
		case yamlx.Map:
			for _, m := range n.Members {
				if m.Key.Str == name {
					next = m.Value
				}
			}
		case yamlx.List:
			if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.Items) {
				next = n.Items[i]
			}
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// jsonOf is a node as JSON.
func jsonOf(n *yamlx.Node) (jsontext.Value, error) {
	var b bytes.Buffer
	e := jsontext.NewEncoder(&b)
	if err := encode(e, n); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func encode(e *jsontext.Encoder, n *yamlx.Node) error {
	switch n.Kind {
	case yamlx.Null:
		return e.WriteToken(jsontext.Null)
	case yamlx.Bool:
		return e.WriteToken(jsontext.Bool(n.Bool))
	case yamlx.Int:
		return e.WriteValue(jsontext.Value(n.Int.String()))
	case yamlx.Float:
		return e.WriteToken(jsontext.Float(n.Float))
	case yamlx.String:
		return e.WriteToken(jsontext.String(n.Str))
	case yamlx.List:
		if err := e.WriteToken(jsontext.BeginArray); err != nil {
			return err
		}
		for _, item := range n.Items {
			if err := encode(e, item); err != nil {
				return err
			}
		}
		return e.WriteToken(jsontext.EndArray)
	case yamlx.Map:
		if err := e.WriteToken(jsontext.BeginObject); err != nil {
			return err
		}
		for _, m := range n.Members {
			key := m.Key.Str
			if m.Key.Kind != yamlx.String {
				key = m.Key.Raw
			}
			if err := e.WriteToken(jsontext.String(key)); err != nil {
				return fmt.Errorf("line %d: %w", m.Key.Line, err)
			}
			if err := encode(e, m.Value); err != nil {
				return err
			}
		}
		return e.WriteToken(jsontext.EndObject)
	}
	return fmt.Errorf("line %d: a %s is no value of a task", n.Line, n.Type)
}

// InitSuite writes a small suite to begin from into a folder that isn't there yet or is
// empty.
func InitSuite(dir string) error {
	if es, err := os.ReadDir(dir); err == nil && len(es) > 0 {
		return fmt.Errorf("%s: it isn't empty", dir)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, suiteFile), []byte(exampleSuite), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, repairsFile), []byte(exampleRepairs), 0o644)
}

const exampleSuite = `# A suite of your own. mcpg bench run --suite THIS-FOLDER plays it; docs/formats.md
# describes every member.
name: my-suite
tasks:
  - id: tests-first
    class: order             # results are counted by class
    template: tests-first    # tasks of one template belong together in intervals
    server: release          # release or filesystem
    world:
      channels: {stable: {locked: false}}
      releases:
        app-1: {status: DRAFT, tests_passed: false, approved_by: [ann, bob], channel: stable, revision: 1}
    # What the agent sets out to do, here from a wrong belief, and what is right.
    plan:
      - {tool: publish_release, args: {release_id: app-1}}
    oracle:
      - {tool: run_tests, args: {release_id: app-1}}
      - {tool: publish_release, args: {release_id: app-1}}
    goal:
      - {at: [releases, app-1, status], op: is, value: PUBLISHED}
  - id: nothing-in-the-way
    class: control
    server: release
    world:
      channels: {stable: {locked: false}}
      releases:
        app-2: {status: DRAFT, tests_passed: true, approved_by: [ann, bob], channel: stable, revision: 1}
        app-3: {status: DRAFT, tests_passed: true, approved_by: [], channel: stable, revision: 1}
    plan:
      - {tool: publish_release, args: {release_id: app-2}}
    goal:
      - {at: [releases, app-2, status], op: is, value: PUBLISHED}
    untouched:
      - [releases, app-3]
  - id: moved-file
    class: files
    server: filesystem
    world:
      root: /srv/files
      files: {notes/new.md: "one\n"}
    held_out: true           # kept from a warm learner's training
    plan:
      - {tool: edit_file, args: {path: /srv/files/old.md, edits: [{oldText: one, newText: two}]}}
    oracle:
      - {tool: edit_file, args: {path: /srv/files/notes/new.md, edits: [{oldText: one, newText: two}]}}
    knows: {root: /srv/files}
    goal:
      - {at: [files, /srv/files/notes/new.md], op: contains, value: two}
`

const exampleRepairs = `# What an agent that reads error texts does about them, a list a server.
release:
  - {on: "tests have not passed", do: [{tool: run_tests, args: {release_id: "${arg.release_id}"}}], then: retry}
filesystem:
  - {on: "ENOENT.*open '.*/([^/]*)'", tools: [edit_file], then: skip}
`
