// Package agents holds scripted agents. An agent sees what an MCP client sees:
// its task, the tools and the texts of answers. None of them knows guards,
// states or policies; a hint is text that one of them reads.
package agents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Step is one intended call.
type Step struct {
	Tool string         `json:"tool"`
	Args jsontext.Value `json:"args"`
	// Capture is a regular expression that takes named groups from the answer.
	Capture string `json:"capture,omitzero"`
	// Once is for the oracle: a failure of this step is expected.
	Once bool `json:"once,omitzero"`
}

// Brief is what an agent is told.
type Brief struct {
	Plan    []Step            // from the goal and a belief, which may be wrong
	Oracle  []Step            // what would be right; only the oracle looks at it
	Knows   map[string]string // facts: names of reviewers, the root folder
	Repairs []*Repair         // what the texts of this server's errors call for
	Tools   []Tool
}

// Tool is a tool as tools/list shows it.
type Tool struct {
	Name     string
	Required []string
	ReadOnly bool // it says so
}

// Agent makes calls one after the other.
type Agent interface {
	// Next takes the answer to the last call and gives the next one; done is
	// true if there is none. For the first call text is "".
	Next(text string, isError bool) (step Step, done bool)
}

// Random gives a number in [0, 1) for the agent's decision of that name at its
// present call. It depends on nothing but seed, task, agent, call and name.
type Random func(name string) float64

// Kind is one kind of agent.
type Kind struct {
	Name string
	What string
	// Default agents run unless others are asked for.
	Default bool
	// Calibration agents measure the suite, not a policy.
	Calibration bool
	New         func(*Brief, Random) Agent
}

// Kinds lists every kind.
func Kinds() []Kind {
	return []Kind{
		{"naive-retrier", "the same call up to 3 times, then the plan's next step; never reads", true, false, newNaive},
		{"error-reader", "repairs from the servers' error texts, with success 0.8", true, false, newErrorReader},
		{"hint-follower", "reads hints: comprehension 0.9, compliance 0.8; else a naive retrier", true, false, newHintFollower},
		{"forgetful", "a naive retrier that does a step again when it has forgotten it, after 4 others", false, false, newForgetful},
		{"asking", "reads before it writes, with chance 0.7, and leaves what isn't there", false, false, newAsking},
		{"explorer", "a naive retrier that makes a call of its own with chance 0.2", false, false, newExplorer},
		{"adversarial", "repeats what was refused, then tries other tools, and repeats failures after successes", false, false, newAdversary},
		{"do-nothing", "makes no call", false, true, newDoNothing},
		{"oracle", "knows the right plan and repeats what chance refused", false, true, newOracle},
	}
}

// Find gives the kind of a name.
func Find(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fmt.Errorf("unknown agent %q: want one of %s", name, strings.Join(names, ", "))
}

// maxTries is how often an agent makes one call before it gives it up.
const maxTries = 3

func (b *Brief) tool(name string) (Tool, bool) {
	i := slices.IndexFunc(b.Tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return b.Tools[i], true
}
