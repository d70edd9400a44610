// Package arch holds which package of this module may import which. Its test
// reads every Go file of the module and holds them against the table; nothing
// imports it.
//
// Leaves know no stage; stages import leaves, and each other only where the
// table says so; report comes last; cmd wires. Change the table when the design
// changes, and say why in the commit.
package arch

// row is what a package, and those in its directory without a row of their
// own, may import of this module, in files that aren't tests. Every package may
// import its own row's and what is below internal.
type row struct {
	dir  string
	may  []string // rows, by their directories; all for any
	not  []string // taken from may
	why  string   // what it owns, or why it is apart
	init bool     // may have functions named init
}

// all, in may, is every package.
const all = "*"

var table = []row{
	{dir: "calllog", why: "the call; leaf"},
	{dir: "calllog/redact", why: "secrets out of calls, before they are written by ingest or proxy; leaf",
		may: []string{"calllog"}},
	{dir: "behavior", why: "the model; leaf",
		may: []string{"calllog"}},
	{dir: "adapter", why: "what a server's calls are about; leaf",
		may: []string{"calllog", "behavior"}},
	{dir: "learn", why: "mergeable evidence, free of Arrow",
		may: []string{"calllog", "behavior", "adapter"}},
	{dir: "learn/batch", why: "evidence from tables",
		may: []string{"learn", "ingest/table", "adapter", "behavior", "calllog"}},
	{dir: "policy", why: "what happens around a call, once for bench and proxy",
		may: []string{"calllog", "behavior", "adapter", "learn"}},
	{dir: "ingest", why: "logs into calls: what was read where, judged, with its state",
		may: []string{"calllog", "calllog/redact", "behavior", "adapter", "store", "ingest/format", "ingest/table"}},
	{dir: "ingest/format", why: "one file a log format: what a log says, and no judgement of it; the proxy's store is one",
		may: []string{"calllog", "store"}},
	{dir: "ingest/table", why: "the only package that reads and writes Parquet and Arrow IPC",
		may: []string{"calllog"}},
	{dir: "store", why: "the proxy's calls, crash-safe",
		may: []string{"calllog"}},
	{dir: "analyze", why: "questions put to a table",
		may: []string{"ingest/table", "learn", "learn/batch", "policy", "adapter", "behavior", "calllog"}},
	{dir: "simulate", why: "agents against servers in process",
		may: []string{"policy", "learn", "adapter", "behavior", "calllog"}},
	{dir: "simulate/agents", why: "scripted agents, who see text only",
		may: []string{"calllog"}},
	{dir: "simulators", why: "state machines that are MCP servers, one a directory",
		may: []string{"simulate", "calllog"}},
	{dir: "suites", why: "embedded task data"},
	{dir: "suites/generate", why: "a program that writes the suites' task files: bench owns what a task is",
		may: []string{"bench", "suites", "simulators", "simulate", "simulate/agents", "calllog"}},
	{dir: "bench", why: "agents, arms and seeds into results",
		may: []string{"simulate", "simulate/agents", "simulators", "suites", "policy", "learn", "adapter", "behavior",
			"calllog", "ingest/table"}},
	{dir: "mcptree", why: "trees of tools",
		may: []string{"behavior", "adapter"}},
	{dir: "proxy", why: "frames and the gate",
		may: []string{"calllog", "calllog/redact", "adapter", "policy", "learn", "behavior", "store"}},
	{dir: "report", why: "everything into something to read",
		may: []string{"report/draw", "analyze", "bench", "mcptree", "store", "behavior", "calllog"}},
	{dir: "report/draw", why: "a graph as data into pictures; leaf"},
	{dir: "internal", why: "positions, goldens and the like"},
	{dir: "internal/synth", why: "calls of any number, for benchmarks/ and scale/ to measure on",
		may: []string{"calllog", "ingest/table"}},
	{dir: "cmd", why: "flags, wiring and exit codes", init: true,
		may: []string{all}},
	{dir: "cmd/mcptree", why: "stays small, and starts fast, without report and its pictures", init: true,
		may: []string{all}, not: []string{"report", "report/draw"}},
}

// arrow is the library that the packages of noArrow must not reach, through
// others either: it is large, and none of them handles tables. Packages below
// them are meant too, unless they have a row of their own.
const arrow = "github.com/apache/arrow-go/"

var noArrow = []string{"calllog", "behavior", "adapter", "learn", "policy", "proxy", "mcptree"}

// files are the parts of the library that only filesFor may import.
var files = []string{arrow + "v18/parquet", arrow + "v18/arrow/ipc"}

const filesFor = "ingest/table"
