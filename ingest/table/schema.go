package table

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
)

// Column is one column of the table.
type Column struct {
	Name    string
	Type    arrow.DataType // utf8, int64 or timestamp[us, tz=UTC]
	Meaning string
	Null    bool // may be null

	few  bool // few distinct values: dictionary encoded in Parquet
	bulk bool // long values: no minimum and maximum in Parquet
}

// Places of the columns in [Columns], and in a batch of all columns.
const (
	CallID = iota
	TS
	Session
	Server
	Tool
	Resource
	Args
	Outcome
	Cause
	ErrorText
	ResultText
	Result
	Before
	After
	StateSource
	StateAgeUS
	StateCalls
	StateDirty
	LatencyUS
	Fingerprint
	File
	Line
	Extra
	numColumns
)

var (
	text  arrow.DataType = arrow.BinaryTypes.String
	whole arrow.DataType = arrow.PrimitiveTypes.Int64
	truth arrow.DataType = arrow.FixedWidthTypes.Boolean
	stamp arrow.DataType = arrow.FixedWidthTypes.Timestamp_us
)

// Columns lists the columns in their order. Documentation is made from it;
// it is not to be changed.
//
// Strings are plain utf8 in Arrow, also those that Parquet holds as a
// dictionary: DuckDB and pandas then read VARCHAR and str, not enumerations
// that differ from file to file.
var Columns = []Column{
	CallID:      {Name: "call_id", Type: text, Meaning: "the call's id in its log; line- and a hash where it has none"},
	TS:          {Name: "ts", Type: stamp, Null: true, Meaning: "when it was made, in UTC; null where the log doesn't say"},
	Session:     {Name: "session", Type: text, few: true, Meaning: "the conversation or connection that it belongs to; a sub-agent's is its own"},
	Server:      {Name: "server", Type: text, few: true, Meaning: "the MCP server that it went to"},
	Tool:        {Name: "tool", Type: text, few: true, Meaning: "the tool that was called"},
	Resource:    {Name: "resource", Type: text, Meaning: "what it is about, class:id, several with a blank between; empty where no adapter names one"},
	Args:        {Name: "args", Type: text, Null: true, bulk: true, few: true, Meaning: "its arguments, raw JSON"},
	Outcome:     {Name: "outcome", Type: text, few: true, Meaning: "ok, rejected, error, transport, denied or unanswered"},
	Cause:       {Name: "cause", Type: text, few: true, Meaning: "why it was rejected: state, argument, unknown_tool or unclear; empty for any other outcome"},
	ErrorText:   {Name: "error_text", Type: text, bulk: true, few: true, Meaning: "what the failure said; empty for a success"},
	ResultText:  {Name: "result_text", Type: text, bulk: true, Meaning: "the text of the result"},
	Result:      {Name: "result", Type: text, Null: true, bulk: true, Meaning: "the result as the log has it, raw JSON, where it is more than one text; else null"},
	Before:      {Name: "before", Type: text, Null: true, bulk: true, few: true, Meaning: "the state before the call, a JSON object with a member a read; null where unknown"},
	After:       {Name: "after", Type: text, Null: true, bulk: true, few: true, Meaning: "the state after the call, likewise"},
	StateSource: {Name: "state_source", Type: text, few: true, Meaning: "where before comes from: bracketed, snapshot or reconstructed; empty where there is none"},
	StateAgeUS:  {Name: "state_age_us", Type: whole, Null: true, Meaning: "microseconds from the reading of before to the call; null where there is none"},
	StateCalls:  {Name: "state_calls", Type: whole, Meaning: "calls of the session between that reading and the call"},
	StateDirty:  {Name: "state_dirty", Type: truth, Meaning: "whether one of them could have changed the resource"},
	LatencyUS:   {Name: "latency_us", Type: whole, Null: true, Meaning: "microseconds from the call to its answer; null where unknown"},
	Fingerprint: {Name: "fingerprint", Type: text, few: true, Meaning: "hash of the tool's name and schemas; empty where unknown"},
	File:        {Name: "file", Type: text, few: true, Meaning: "the log that it was read from, as it was named"},
	Line:        {Name: "line", Type: whole, Meaning: "its line there, from 1; 0 where unknown"},
	Extra:       {Name: "extra", Type: text, Null: true, bulk: true, Meaning: "members of the log line that no other column holds, a JSON object; null where there are none"},
}

// Schema returns the Arrow schema of the table.
func Schema() *arrow.Schema { return schemaOf(allColumns()) }

// schemaOf returns the schema of the given columns, in the given order.
func schemaOf(cols []int, notes ...Note) *arrow.Schema {
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		fields[i] = arrow.Field{Name: Columns[c].Name, Type: Columns[c].Type, Nullable: Columns[c].Null}
	}
	keys, values := []string{schemaKey, versionKey}, []string{schemaName, strconv.Itoa(Version)}
	for _, n := range notes {
		keys, values = append(keys, n.Key), append(values, n.Value)
	}
	md := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &md)
}

func allColumns() []int {
	cols := make([]int, numColumns)
	for i := range cols {
		cols[i] = i
	}
	return cols
}
