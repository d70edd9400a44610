package format

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// attributes are the attributes of a span, as JSON.
type attributes map[string]jsontext.Value

// maxNested bounds how deep values in values are followed.
const maxNested = 100

// attributesOf reads a list of keys and values, as OTLP has it, or an object.
func attributesOf(v jsontext.Value) attributes {
	a := attributes{}
	if v.Kind() == '[' {
		eachElement(v, func(_ int, e jsontext.Value) {
			if o := objectOf(e); o != nil {
				a[o.str("key")] = anyValue(o.get("value"), 0)
			}
		})
		return a
	}
	for _, m := range objectOf(v) {
		a[m.name] = m.value
	}
	return a
}

// anyValue turns an OTLP value into JSON; what isn't wrapped as one is taken as
// it is.
func anyValue(v jsontext.Value, depth int) jsontext.Value {
	if v.Kind() != '{' || depth > maxNested {
		return v
	}
	o := objectOf(v)
	if len(o) == 0 {
		return nil
	}
	for _, m := range o {
		switch m.name {
		case "stringValue", "string_value", "boolValue", "bool_value", "bytesValue", "bytes_value":
			return m.value
		case "intValue", "int_value", "doubleValue", "double_value":
			return plainNumber(m.value)
		case "arrayValue", "array_value":
			return anyList(objectOf(m.value).get("values"), depth)
		case "kvlistValue", "kvlist_value":
			return anyObject(objectOf(m.value).get("values"), depth)
		}
	}
	return v
}

// plainNumber undoes the quotes that 64 bit numbers are written in.
func plainNumber(v jsontext.Value) jsontext.Value {
	if n := jsontext.Value(str(v)); n.Kind() == '0' && n.IsValid() {
		return n
	}
	return v
}

func anyList(v jsontext.Value, depth int) jsontext.Value {
	b := []byte{'['}
	eachElement(v, func(_ int, e jsontext.Value) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		if e = anyValue(e, depth+1); e == nil {
			e = jsontext.Value("null")
		}
		b = append(b, e...)
	})
	return append(b, ']')
}

func anyObject(v jsontext.Value, depth int) jsontext.Value {
	var ms []member
	eachElement(v, func(_ int, e jsontext.Value) {
		o := objectOf(e)
		ms = append(ms, member{name: o.str("key"), value: anyValue(o.get("value"), depth+1)})
	})
	return makeObject(ms...)
}

func (a attributes) str(name string) string { return str(a[name]) }

func (a attributes) has(name string) bool { return a[name] != nil }

// text is the first of the attributes that is a text.
func (a attributes) text(names ...string) string {
	for _, n := range names {
		if s := a.str(n); s != "" {
			return s
		}
	}
	return ""
}

// value is the first of the attributes that is there.
func (a attributes) value(names ...string) jsontext.Value {
	for _, n := range names {
		if v := a[n]; v != nil && v.Kind() != 'n' {
			return v
		}
	}
	return nil
}

// Layers of a call, of which each may write a span.
const (
	innerLayer  = 0 // nothing says that it is one of the two
	serverLayer = 2 // as OTLP numbers the kinds of spans
	clientLayer = 3
)

// toolFacts is what a span's attributes say of a tool call. Values point into
// the attributes.
type toolFacts struct {
	tool, server string
	args, result jsontext.Value
	id           string
	mcpSession   string
	session      string // of a conversation
	layer        int
	mcp          bool // a request by MCP, not a framework's own span
	failed       bool
	code         int    // of a JSON-RPC error
	kind         string // other words for the failure
	text         string // what the failure said
}

// dialect is one way to write a tool call into a span's attributes. A span may
// speak several: each fills in what those before it left open.
type dialect struct {
	is                 func(a attributes) bool
	tool, args, result []string
	more               func(a attributes, f *toolFacts) // what names alone don't give
}

const toolsCall = "tools/call"

var dialects = []dialect{
	{ // semantic conventions for MCP, with the older names and OpenLLMetry's
		is:     func(a attributes) bool { return a.str("mcp.method.name") == toolsCall },
		tool:   []string{"gen_ai.tool.name", "mcp.tool.name"},
		args:   []string{"gen_ai.tool.call.arguments", "mcp.tool.arguments", "mcp.request.argument"},
		result: []string{"gen_ai.tool.call.result", "mcp.tool.result", "mcp.response.value"},
		more:   func(_ attributes, f *toolFacts) { f.mcp = true },
	},
	{ // mcp-trace
		is: func(a attributes) bool {
			return a.str("mcp.method") == toolsCall || a.has("mcp.tool.name") && !a.has("mcp.method.name") && !a.has("mcp.method")
		},
		tool:   []string{"mcp.tool.name"},
		args:   []string{"mcp.tool.arguments"},
		result: []string{"mcp.tool.result", "mcp.response.value"},
		more:   mcpTraceSpan,
	},
	{ // logfire's spans of MCP requests
		is: func(a attributes) bool {
			return a.has("request") && (a.str("rpc.method") == toolsCall || objectOf(a["request"]).str("method") == toolsCall)
		},
		more: logfireSpan,
	},
	{ // semantic conventions for GenAI, and pydantic-ai, which at first named no operation
		is: func(a attributes) bool {
			op := a.str("gen_ai.operation.name")
			return op == "execute_tool" || op == "" && a.has("gen_ai.tool.name") && !a.has("mcp.method.name")
		},
		tool:   []string{"gen_ai.tool.name"},
		args:   []string{"gen_ai.tool.call.arguments", "tool_arguments"},
		result: []string{"gen_ai.tool.call.result", "tool_response"},
	},
	{ // Google ADK
		is: func(a attributes) bool {
			return a.has("gcp.vertex.agent.tool_call_args") || a.has("gcp.vertex.agent.tool_response")
		},
		tool: []string{"gen_ai.tool.name"},
		more: adkSpan,
	},
	{ // OpenLLMetry
		is:   func(a attributes) bool { return strings.EqualFold(a.str("traceloop.span.kind"), "tool") },
		tool: []string{"traceloop.entity.name"},
		more: traceloopSpan,
	},
	{ // OpenInference
		is:     func(a attributes) bool { return strings.EqualFold(a.str("openinference.span.kind"), "tool") },
		tool:   []string{"tool.name", "tool_call.function.name"},
		args:   []string{"input.value", "tool_call.function.arguments"},
		result: []string{"output.value"},
		more:   openInferenceSpan,
	},
	{ // LangSmith by way of OpenTelemetry
		is: func(a attributes) bool { return strings.EqualFold(a.str("langsmith.span.kind"), "tool") },
		more: func(a attributes, f *toolFacts) {
			f.fill(nil, unwrapInput(a["gen_ai.prompt"]), unwrapOutput(a["gen_ai.completion"]))
		},
	},
}

// noCall tells spans apart that have marks of a call and are none: other
// requests of MCP, and ADK's sum of parallel calls, each of which has a span.
func (a attributes) noCall() bool {
	m := a.text("mcp.method.name", "mcp.method")
	return m != "" && m != toolsCall || a.str("gen_ai.tool.name") == "(merged tools)"
}

// factsOf reads a span that has a dialect's marks of a tool call.
func factsOf(a attributes, spanName string) (f toolFacts, ok bool) {
	if a.noCall() {
		return f, false
	}
	for i := range dialects {
		d := &dialects[i]
		if !d.is(a) {
			continue
		}
		ok = true
		f.fill(a, a.value(d.args...), a.value(d.result...), d.tool...)
		if d.more != nil {
			d.more(a, &f)
		}
	}
	f.common(a, spanName)
	return f, ok
}

// fill takes what isn't known yet.
func (f *toolFacts) fill(a attributes, args, result jsontext.Value, names ...string) {
	f.tool = firstString(f.tool, a.text(names...))
	if f.args == nil && args.Kind() != 'n' {
		f.args = args
	}
	if f.result == nil && result.Kind() != 'n' {
		f.result = result
	}
}

// common takes what all dialects share.
func (f *toolFacts) common(a attributes, spanName string) {
	f.tool = firstString(f.tool, toolOfSpan(spanName))
	f.id = a.text("gen_ai.tool.call.id", "tool_call.id", "tool.id")
	if f.id == "<not specified>" { // ADK
		f.id = ""
	}
	f.mcpSession = a.str("mcp.session.id")
	f.session = a.text("gen_ai.conversation.id", "session.id", "gcp.vertex.agent.session_id",
		"langsmith.metadata.thread_id", "langsmith.metadata.session_id", "traceloop.association.properties.session_id")
	f.server = a.text("mcp.server.name", "mcp.server.target")
	f.failure(a)
}

// spanWords begin names of spans that end with the tool's name.
var spanWords = []string{"execute_tool ", "running tool: ", "running tool ", "MCP request: tools/call ", "mcp tools/call ", "tools/call "}

// toolOfSpan gives the tool that a span's name speaks of.
func toolOfSpan(name string) string {
	name = strings.TrimSpace(name)
	for _, w := range spanWords {
		if rest, ok := strings.CutPrefix(name, w); ok {
			return strings.TrimSpace(rest)
		}
		if name == strings.TrimRight(w, " :") {
			return ""
		}
	}
	if strings.HasPrefix(name, "MCP server handle request") {
		return ""
	}
	return name
}

// address names a server by where it was reached.
func (a attributes) address() string {
	host, port := a.str("server.address"), a.str("server.port")
	if host == "" || port == "" {
		return host
	}
	return host + ":" + port
}

// failure reads the attributes that say that a call failed.
func (f *toolFacts) failure(a attributes) {
	if kind := a.str("error.type"); kind != "" {
		f.failed = true
		if code, err := strconv.Atoi(kind); err == nil {
			f.code = code
		} else if kind != "tool_error" { // which is a result's isError
			f.kind = firstString(f.kind, kind)
		}
	}
	if failed, _ := boolOf(a["error"]); failed {
		f.failed = true
	}
	if code, err := strconv.Atoi(a.text("rpc.response.status_code", "rpc.jsonrpc.error_code", "mcp.rpc.error_code")); err == nil && (code < 0 || code >= 300) { // of HTTP, 2xx is fine
		f.failed, f.code = true, code
	}
	f.text = firstString(f.text, a.text("error.message", "rpc.jsonrpc.error_message", "mcp.rpc.error_message", "exception.message"))
}

// mcpTraceSpan reads the proxy's own word for how a call ended.
func mcpTraceSpan(a attributes, f *toolFacts) {
	f.mcp = true
	switch status := a.text("mcp.tool.status", "mcp.status"); status {
	case "", "ok":
	case "error":
		f.failed = true
	default:
		f.failed, f.kind = true, status
	}
}

// logfireSpan reads request and answer as they went over the wire. Only the
// client's span names the method.
func logfireSpan(a attributes, f *toolFacts) {
	f.mcp, f.layer = true, serverLayer
	if a.has("rpc.method") {
		f.layer = clientLayer
	}
	params := objectOf(a["request"]).obj("params")
	f.tool = firstString(f.tool, params.str("name"))
	response := a["response"]
	if o := objectOf(response); o.has("root") {
		response = o.get("root")
	}
	if o := objectOf(response); o.has("message") && o.has("code") && !o.has("content") { // a JSON-RPC error
		f.failed, f.text = true, o.str("message")
		f.code, _ = strconv.Atoi(o.str("code"))
		response = nil
	}
	f.fill(nil, params.get("arguments"), response)
}

// adkSpan reads what ADK writes. Where it is told to leave texts out it writes
// {} for both.
func adkSpan(a attributes, f *toolFacts) {
	args, result := a["gcp.vertex.agent.tool_call_args"], a["gcp.vertex.agent.tool_response"]
	switch {
	case emptyObject(result):
		result = nil
		if emptyObject(args) {
			args = nil
		}
	case objectOf(result).str("result") == "<not specified>", str(result) == "<not specified>", str(result) == "<not serializable>":
		result = nil
	}
	if s := str(args); s == "N/A" || s == "<not serializable>" {
		args = nil
	}
	f.fill(nil, args, result)
}

func emptyObject(v jsontext.Value) bool {
	o := objectOf(v)
	return o != nil && len(o) == 0
}

// traceloopSpan reads what an MCP client's span holds, {"tool_name",
// "arguments"} and {"result", "is_error"}, or a decorated function's.
func traceloopSpan(a attributes, f *toolFacts) {
	args, result := a["traceloop.entity.input"], a["traceloop.entity.output"]
	switch o := objectOf(args); {
	case o.has("tool_name"):
		f.mcp = true
		f.tool = firstString(o.str("tool_name"), f.tool)
		args = o.get("arguments")
		if out := objectOf(result); out.has("result") {
			if failed, _ := boolOf(out.get("is_error")); failed {
				f.failed = true
			}
			result = out.get("result")
		}
	case len(o) == 2 && o.has("args", "kwargs"):
		if len(elements(o.get("args"))) == 0 {
			args = o.get("kwargs")
		}
	}
	f.fill(nil, args, result)
}

// openInferenceSpan takes the parameters, where they aren't the tool's schema.
func openInferenceSpan(a attributes, f *toolFacts) {
	if p := a["tool.parameters"]; !objectOf(p).has("properties") && str(p) != "null" {
		f.fill(nil, p, nil)
	}
}

// unwrapInput undoes {"input": {…}}, where the inner object may be written in a
// string.
func unwrapInput(v jsontext.Value) jsontext.Value {
	o := objectOf(v)
	if len(o) != 1 || o[0].name != "input" {
		return v
	}
	switch inner := o[0].value; inner.Kind() {
	case '{':
		return inner
	case '"':
		if args, _ := arguments(inner); args.Kind() == '{' {
			return inner // whoever reads it undoes the string, and notes it
		}
	}
	return v
}

// unwrapOutput undoes {"output": …}.
func unwrapOutput(v jsontext.Value) jsontext.Value {
	if o := objectOf(v); len(o) == 1 && o[0].name == "output" {
		return o[0].value
	}
	return v
}

// toolResult takes a result that may be any value: a CallToolResult, a
// message of role tool, content blocks, or whatever a function gave.
func (r *Record) toolResult(v jsontext.Value) {
	v = unquoteJSON(v)
	o := objectOf(v)
	if kw := o.obj("kwargs"); kw != nil && o.has("lc") { // LangChain's own notation
		o = kw
	}
	switch content := o.get("content"); {
	case o == nil:
		r.flagged(false, valueText(v))
	case content != nil && (o.str("type") == "tool" || o.hasAny("tool_call_id", "additional_kwargs")):
		r.flagged(o.str("status") == "error", valueText(content))
	case o.has("isError") || content.Kind() == '[':
		r.mcpResult(v)
	default:
		r.flagged(false, string(v))
	}
}

// unquoteJSON undoes a string around JSON that is an object, a list or a
// string; other strings stay as they are.
func unquoteJSON(v jsontext.Value) jsontext.Value {
	if v.Kind() != '"' {
		return v
	}
	s := strings.TrimSpace(unquote(v))
	if s == "" || !strings.ContainsRune(`{["`, rune(s[0])) {
		return v
	}
	if inner := jsontext.Value(s); inner.IsValid(lenient...) {
		return inner
	}
	return v
}

// contentBlocks are the types of content blocks.
var contentBlocks = []string{"text", "image", "audio", "resource", "resource_link", "input_text", "output_text", "image_url", "document", "file"}

// valueText is the text of a result: of content blocks their texts, of other
// lists the JSON.
func valueText(v jsontext.Value) string {
	if v.Kind() != '[' {
		return contentText(v)
	}
	n := 0
	for _, e := range elements(v) {
		if e.Kind() != '{' || !slices.Contains(contentBlocks, objectOf(e).str("type")) {
			return string(v)
		}
		n++
	}
	if n == 0 {
		return string(v)
	}
	return contentText(v)
}
