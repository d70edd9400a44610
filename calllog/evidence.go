package calllog

// Evidence is what a log says of how a call ended, beside its texts. The zero
// value says nothing: the call's Outcome stands as it was flagged.
type Evidence struct {
	// Words: the format has no flag, so that the text alone decides.
	Words bool
	// Code is the code of a JSON-RPC error, 0 for none.
	Code int
	// Kind is the format's own word for the failure, "" for none: an Inspect
	// error type, an OpenTelemetry error.type.
	Kind string
	// Unfit says what in the arguments doesn't fit the tool's input schema; ""
	// if they fit, or no schema is known.
	Unfit string
}
