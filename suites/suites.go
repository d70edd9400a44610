// Package suites holds the data of the built-in benchmark suites: templates,
// the tasks drawn from them, and what error-reading agents know.
package suites

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"mcpg/internal/letters"
)

//go:generate go run ./generate

//go:embed stateful-v1/tasks.jsonl stateful-v1/tasks.sha256 stateful-v1/repairs.yaml
var files embed.FS

// Names lists the suites.
func Names() []string { return []string{"stateful-v1"} }

// Suite is the files of one suite.
type Suite struct {
	Name    string
	Tasks   []byte // JSON lines, a task each
	SHA256  string // of Tasks, in hex, as checked in
	Repairs []byte // YAML
}

// ErrUnknown says that there is no such suite.
type ErrUnknown struct{ Name string }

func (e *ErrUnknown) Error() string {
	return fmt.Sprintf("unknown suite %q: want one of %s%s", e.Name, strings.Join(Names(), ", "), letters.DidYouMean(e.Name, Names()))
}

// Load gives a suite by name.
func Load(name string) (*Suite, error) {
	s := &Suite{Name: name}
	var err error
	if s.Tasks, err = fs.ReadFile(files, name+"/tasks.jsonl"); err != nil {
		return nil, &ErrUnknown{name}
	}
	sum, err := fs.ReadFile(files, name+"/tasks.sha256")
	if err != nil {
		return nil, err
	}
	s.SHA256 = strings.TrimSpace(string(sum))
	s.Repairs, err = fs.ReadFile(files, name+"/repairs.yaml")
	return s, err
}
