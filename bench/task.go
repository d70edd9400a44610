package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
	"mcpg/simulate/agents"
	"mcpg/simulators/filesystem"
	"mcpg/simulators/release"
	"mcpg/suites"
)

// Task is one task of a suite.
type Task struct {
	ID       string         `json:"id"`
	Class    string         `json:"class"`
	Template string         `json:"template"`
	HeldOut  bool           `json:"held_out"`
	Server   string         `json:"server"`
	World    jsontext.Value `json:"world"`
	Budget   int            `json:"budget"`
	// Belief says that the plan comes from a wrong belief.
	Belief bool              `json:"wrong_belief"`
	Plan   []agents.Step     `json:"plan"`
	Oracle []agents.Step     `json:"oracle"`
	Knows  map[string]string `json:"knows"`
	// Goal must hold in the end, Minefields must not; Untouched paths must end
	// as they began.
	Goal       []simulate.Predicate `json:"goal"`
	Minefields []simulate.Predicate `json:"minefields"`
	Untouched  [][]string           `json:"untouched"`
	// Snapshot are the reads that show the world of a server of the user's.
	Snapshot []SnapshotRead `json:"snapshot,omitzero"`
}

// SnapshotRead is a read whose answer stands in the snapshot under a name.
type SnapshotRead struct {
	As   string         `json:"as"`
	Tool string         `json:"tool"`
	Args jsontext.Value `json:"args"`
}

// OwnServer is the server of tasks that are played on a server of the user's.
const OwnServer = "own"

// TaskRef is what is known of a task without reading it.
type TaskRef struct {
	ID, Class, Template, Server string
	HeldOut                     bool

	task         *Task // nil where it stands in the suite's file
	offset, size int64
}

// Suite is tasks with what agents know.
type Suite struct {
	Name    string
	SHA256  string
	Tasks   []TaskRef
	Classes []string                    // in the order of tables
	Repairs map[string][]*agents.Repair // by server

	own  bool     // of a user
	file *os.File // of tasks that aren't in memory
}

// add puts a task in.
func (s *Suite) add(t *Task) {
	s.Tasks = append(s.Tasks, TaskRef{ID: t.ID, Class: t.Class, Template: t.Template, Server: t.Server, HeldOut: t.HeldOut, task: t})
}

// Close lets the suite's file go.
func (s *Suite) Close() {
	if s.file != nil {
		s.file.Close()
	}
}

// task gives a task that its player may change.
func (s *Suite) task(ref *TaskRef) (*Task, error) {
	if ref.task != nil {
		t := *ref.task
		return &t, nil
	}
	line := make([]byte, ref.size)
	if _, err := s.file.ReadAt(line, ref.offset); err != nil {
		return nil, fmt.Errorf("%s: %w", s.file.Name(), err)
	}
	t, err := parseTask(line)
	if err != nil || t.ID != ref.ID {
		return nil, fmt.Errorf("%s has changed since it was read", s.file.Name())
	}
	return t, nil
}

// parseTask reads a line of a tasks.jsonl.
func parseTask(line []byte) (*Task, error) {
	t := &Task{}
	if err := json.Unmarshal(bytes.TrimSpace(line), t, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	t.fill()
	return t, nil
}

// Classes lists the classes of stateful-v1 in the order of its tables.
var Classes = []string{"R1", "R2", "R3", "R4", "R5", "F1", "F2", "F3", "F4", "H", "S", "C", "D"}

// LoadSuite reads a built-in suite and checks it against its checked-in hash.
func LoadSuite(name string) (*Suite, error) {
	raw, err := suites.Load(name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw.Tasks)
	s := &Suite{Name: name, SHA256: hex.EncodeToString(sum[:]), Classes: Classes}
	if s.SHA256 != raw.SHA256 {
		return nil, fmt.Errorf("suite %s: its tasks have SHA-256 %s, not %s as checked in", name, s.SHA256, raw.SHA256)
	}
	tasks, err := parseTasks(raw.Tasks)
	if err != nil {
		return nil, fmt.Errorf("suite %s: %w", name, err)
	}
	for i := range tasks {
		s.add(&tasks[i])
	}
	r := &suiteReader{file: name + "/" + repairsFile}
	if s.Repairs, err = r.repairs(raw.Repairs); err == nil && len(r.faults) > 0 {
		err = r.faults
	}
	return s, err
}

func parseTasks(b []byte) ([]Task, error) {
	var out []Task
	for line := range bytes.Lines(b) {
		t, err := parseTask(line)
		if err != nil {
			return nil, fmt.Errorf("task %d: %w", len(out)+1, err)
		}
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
		out = append(out, *t)
	}
	return out, nil
}

func (t *Task) check() error {
	if !slices.Contains(Classes, t.Class) {
		return fmt.Errorf("unknown class %q", t.Class)
	}
	for _, p := range slices.Concat(t.Goal, t.Minefields) {
		if err := p.Check(); err != nil {
			return err
		}
	}
	_, err := t.server()
	return err
}

// server starts the task's simulator anew.
func (t *Task) server() (simulate.Server, error) {
	switch t.Server {
	case "release":
		w, err := release.ParseWorld(t.World)
		if err != nil {
			return nil, err
		}
		return release.New(w)
	case "filesystem":
		w, err := filesystem.ParseWorld(t.World)
		if err != nil {
			return nil, err
		}
		return filesystem.New(w)
	}
	return nil, fmt.Errorf("unknown server %q", t.Server)
}

// achieved tells whether a task is done: the goal holds, no minefield does, and
// what must not be touched is as before.
func (t *Task) achieved(before, after jsontext.Value) bool {
	for _, p := range t.Goal {
		if !p.Holds(after) {
			return false
		}
	}
	return t.minefields(before, after) == 0
}

// minefields counts forbidden side effects.
func (t *Task) minefields(before, after jsontext.Value) int {
	n := 0
	for _, p := range t.Minefields {
		if p.Holds(after) {
			n++
		}
	}
	for _, path := range t.Untouched {
		if string(simulate.At(before, path)) != string(simulate.At(after, path)) {
			n++
		}
	}
	return n
}

// String names a task for messages.
func (t *Task) String() string { return strings.Join([]string{t.ID, t.Template}, " ") }
