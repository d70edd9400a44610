// Package calllog owns the record that everything else speaks of: one tool
// call with its arguments, its outcome and the place in the log that it was
// read from. It holds the native format, JSON lines, with one Reader and one
// Writer.
package calllog

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/internal/diag"
)

// Outcome says how a call ended.
type Outcome uint8

const (
	// OK: the tool ran and did what was asked.
	OK Outcome = iota
	// Rejected: the server refused the call for its state or its arguments.
	// This is the invalid call.
	Rejected
	// Error: the tool ran and failed by itself.
	Error
	// Transport: timeout, disconnect, rate limit, 5xx, authentication.
	Transport
	// Denied: a person or a policy said no.
	Denied
	// Unanswered: the log holds no answer.
	Unanswered
)

var outcomeNames = [...]string{"ok", "rejected", "error", "transport", "denied", "unanswered"}

// Outcomes lists every outcome in the order in which tables print them.
func Outcomes() []Outcome { return []Outcome{OK, Rejected, Error, Transport, Denied, Unanswered} }

func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// ParseOutcome reads the name that String writes.
func ParseOutcome(s string) (Outcome, error) {
	for i, n := range outcomeNames {
		if n == s {
			return Outcome(i), nil
		}
	}
	return 0, fmt.Errorf("outcome %q: want one of %v", s, outcomeNames)
}

// Cause says why a rejected call was refused; every other outcome has NoCause.
type Cause uint8

const (
	NoCause Cause = iota
	// StateCause: the state of the resource forbids the call.
	StateCause
	// ArgumentCause: the arguments are at fault.
	ArgumentCause
	// UnknownTool: the server has no such tool.
	UnknownTool
	// Unclear: refused, and nothing proves for what.
	Unclear
)

var causeNames = [...]string{"", "state", "argument", "unknown_tool", "unclear"}

// Causes lists the causes that a rejected call can have.
func Causes() []Cause { return []Cause{StateCause, ArgumentCause, UnknownTool, Unclear} }

func (c Cause) String() string {
	if int(c) < len(causeNames) {
		return causeNames[c]
	}
	return fmt.Sprintf("cause(%d)", uint8(c))
}

// ParseCause reads the name that String writes; "" is NoCause.
func ParseCause(s string) (Cause, error) {
	for i, n := range causeNames {
		if n == s {
			return Cause(i), nil
		}
	}
	return 0, fmt.Errorf("cause %q: want one of %v", s, causeNames[1:])
}

// Sources of a call's Before state, best first.
const (
	// Bracketed: read just before and just after the call.
	Bracketed = "bracketed"
	// Snapshot: the log itself holds states.
	Snapshot = "snapshot"
	// Reconstructed: the last answer that showed the resource.
	Reconstructed = "reconstructed"
)

// Call is one tool call.
//
// Args, Result, Before, After and Extra are raw JSON, nil where there is none.
// Before and After are JSON objects with a member a read: {"ticket": {…}};
// null where the read failed.
type Call struct {
	ID      string
	Time    time.Time // zero where the log has none
	Session string
	Server  string
	Tool    string
	// Resource is what the call is about, class:id, joined by a blank where
	// there are several; "" where no adapter names one.
	Resource string

	Args       jsontext.Value
	Outcome    Outcome
	Cause      Cause
	ErrorText  string // what the failure said; "" for a success
	ResultText string
	Result     jsontext.Value // the structured result, where the log has one

	Before      jsontext.Value
	After       jsontext.Value
	StateSource string        // "", Bracketed, Snapshot or Reconstructed
	StateAge    time.Duration // from the reading of Before to the call
	StateCalls  int           // calls of the session in between
	StateDirty  bool          // one of them could have changed the resource

	Latency     time.Duration
	Fingerprint string // of the tool's name and schemas, "" where unknown

	Pos   diag.Pos
	Extra jsontext.Value // members of the log line that no field above holds
}
