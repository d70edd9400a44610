// Package simulate runs scripted agents against in-process MCP servers.
package simulate

import (
	"github.com/go-json-experiment/json/jsontext"
)

// Tool is one entry of a server's tools/list answer, its JSON as served.
type Tool struct {
	Name string
	Raw  jsontext.Value
}

// Answer is the result of a tools/call: the text that a client reads, the
// error flag, and the whole result object as served.
type Answer struct {
	Text    string
	IsError bool
	Raw     jsontext.Value
}

// Kind says what a simulator's own check was about.
type Kind string

const (
	// Visible: the check could be foreseen from reads and arguments.
	Visible Kind = "visible"
	// Hidden: it rests on state that no tool shows.
	Hidden Kind = "hidden"
	// Stale: another actor wrote between the reading and the call.
	Stale Kind = "stale"
	// Coin: the outcome is chance.
	Coin Kind = "coin"
	// Drift: the server before its change would have judged otherwise.
	Drift Kind = "drift"
)

// Truth is a simulator's own judgement of a call.
type Truth struct {
	Valid bool
	Check string // the check that fails, "" where none does
	Kind  Kind   // of that check; of a valid call Coin where it may fail, Drift where it has only come to work
	Text  string // what the call would be answered with, if it fails
}

// Server is an MCP server in process. It is not safe for concurrent use.
type Server interface {
	// Name is the server's id in logs.
	Name() string
	// Tools lists the tools as they are now.
	Tools() []Tool
	// At tells the server that the agent's attempt number step (from 0) is
	// about to be made: clocks move and scheduled writers write.
	At(step int)
	// Call makes the call. coin is a number in [0,1) that decides whatever is
	// chance in it.
	Call(tool string, args jsontext.Value, coin float64) Answer
	// Read answers a read-only tool without moving anything: clocks, other
	// actors and coins stay.
	Read(tool string, args jsontext.Value) Answer
	// Check judges the call on a clone.
	Check(tool string, args jsontext.Value, coin float64) Truth
	// Snapshot is the whole visible world as a JSON object, members sorted.
	Snapshot() jsontext.Value
}
