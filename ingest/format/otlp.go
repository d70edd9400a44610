package format

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// otlpFormat is OTLP JSON, as a collector writes it to a file.
var otlpFormat = Format{
	Name:   "otlp",
	What:   "OpenTelemetry traces as OTLP JSON, one document or one a line",
	detect: detectOTLP,
	read:   readOTLP,
}

func detectOTLP(h *Head) (bool, string) {
	if h.record(func(o object) bool { return o.hasAny("resourceSpans", "resource_spans") }) {
		return true, ""
	}
	return false, "no resourceSpans"
}

func readOTLP(in *Input) error {
	t := &otlpReader{in: in, spans: newSpanStore(in, "spans")}
	if err := in.document().each(nil, nil, t.record); err != nil {
		return err
	}
	return t.spans.end()
}

type otlpReader struct {
	in    *Input
	spans *spanStore
	lines cursor // of the record that is being read
	used  int    // things counted of it
	err   error
}

func (t *otlpReader) use(what string) {
	t.used++
	t.in.Uses[what]++
}

func (t *otlpReader) bad(at int, message string) {
	t.in.find(t.lines.of(at), "bad-record", message)
	t.use(Faulty)
}

// record takes a document: spans, or something else that OTLP has.
func (t *otlpReader) record(line int, rec jsontext.Value) error {
	t.lines, t.used = cursor{text: rec, line: line}, 0
	o := objectOf(rec)
	list := o.oneOf("resourceSpans", "resource_spans")
	switch {
	case o == nil:
		t.bad(0, "a "+calllog.KindName(rec.Kind())+" where a document of spans is wanted")
	case list.value != nil:
		t.each(list, t.resource)
	case o.hasAny("scopeSpans", "scope_spans"):
		t.resource(0, rec)
	}
	if o.hasAny("resourceLogs", "resource_logs") {
		t.use("logs, not spans")
	}
	if o.hasAny("resourceMetrics", "resource_metrics") {
		t.use("metrics, not spans")
	}
	switch {
	case t.used > 0:
	case o.hasAny("resourceSpans", "resource_spans", "scopeSpans", "scope_spans"):
		t.use("no spans")
	default:
		t.bad(0, "a document without resourceSpans")
	}
	return t.err
}

// each goes through a list; what is none is a finding.
func (t *otlpReader) each(list member, f func(at int, v jsontext.Value)) {
	switch list.value.Kind() {
	case '[':
		eachElement(list.value, func(at int, v jsontext.Value) {
			if t.err == nil {
				f(list.at+at, v)
			}
		})
	case 0, 'n':
	default:
		t.bad(list.at, "a "+calllog.KindName(list.value.Kind())+" where a list is wanted")
	}
}

func (t *otlpReader) resource(at int, v jsontext.Value) {
	o := objectOf(v)
	if o == nil {
		t.bad(at, "a "+calllog.KindName(v.Kind())+" where a resource's spans are wanted")
		return
	}
	service := attributesOf(o.obj("resource").get("attributes")).str("service.name")
	if strings.HasPrefix(service, "unknown_service") { // what SDKs put where nothing was set
		service = ""
	}
	t.each(o.oneOf("scopeSpans", "scope_spans", "instrumentationLibrarySpans").from(at), func(at int, v jsontext.Value) {
		scope := objectOf(v)
		if scope == nil {
			t.bad(at, "a "+calllog.KindName(v.Kind())+" where a scope's spans are wanted")
			return
		}
		t.each(scope.oneOf("spans").from(at), func(at int, v jsontext.Value) { t.span(at, v, service) })
	})
}

// agents tells whether a span is of an agent or a model.
func (a attributes) agents() bool {
	return a.has("gen_ai.operation.name") || a.has("gen_ai.agent.name") || a.has("openinference.span.kind") || a.has("traceloop.span.kind")
}

func (t *otlpReader) span(at int, v jsontext.Value, service string) {
	o := objectOf(v)
	if o == nil {
		t.bad(at, "a "+calllog.KindName(v.Kind())+" where a span is wanted")
		return
	}
	a := attributesOf(o.get("attributes"))
	f, ok := factsOf(a, o.str("name"))
	switch {
	case !ok:
		if !a.agents() { // what an agent does within a call is no part of it
			t.spans.pass(hexID(o.str2("traceId", "trace_id")), hexID(o.str2("spanId", "span_id")), hexID(o.str2("parentSpanId", "parent_span_id")))
		}
		t.use("other spans")
		return
	case a.str("logfire.span_type") == "pending_span": // told ahead of a span that comes later
		t.use("pending spans")
		return
	case f.tool == "":
		t.bad(at, "a tool's span without the tool's name")
		return
	}
	t.status(o, &f)
	if f.layer == innerLayer {
		f.layer = spanLayer(o.get("kind"))
	}
	if f.server == "" && f.layer == serverLayer {
		f.server = service
	}
	if f.server == "" && f.mcp {
		f.server = a.address()
	}
	s := newToolSpan(t.in, f, t.lines.of(at))
	s.trace, s.id, s.parent = hexID(o.str2("traceId", "trace_id")), hexID(o.str2("spanId", "span_id")), hexID(o.str2("parentSpanId", "parent_span_id"))
	if s.trace != "" && s.id != "" {
		s.Key = "otlp\x00" + s.trace + "\x00" + s.id
	}
	s.Call.Time, s.end = nanos(o.firstOf("startTimeUnixNano", "start_time_unix_nano")), nanos(o.firstOf("endTimeUnixNano", "end_time_unix_nano"))
	s.answered = s.answered || !s.end.IsZero()
	use, err := t.spans.add(s)
	t.use(use)
	t.err = err
}

// status takes the span's own word for a failure, and what it or an exception
// said. A status that isn't set is a success.
func (t *otlpReader) status(o object, f *toolFacts) {
	status := o.obj("status")
	switch strings.ToUpper(status.str("code")) {
	case "2", "STATUS_CODE_ERROR", "ERROR":
		f.failed = true
	}
	text := status.str("message")
	eachElement(o.get("events"), func(_ int, v jsontext.Value) {
		if e := objectOf(v); text == "" && e.str("name") == "exception" {
			text = attributesOf(e.get("attributes")).str("exception.message")
		}
	})
	f.text = firstString(text, f.text)
}

// spanLayer reads a span's kind: only those of client and server matter.
func spanLayer(kind jsontext.Value) int {
	switch str(kind) {
	case "2", "SPAN_KIND_SERVER":
		return serverLayer
	case "3", "SPAN_KIND_CLIENT":
		return clientLayer
	}
	return innerLayer
}

// hexID writes an id in small hexadecimal digits. Protobuf's own JSON has ids
// in base64, of 16 bytes or 8.
func hexID(s string) string {
	if n := len(s); n == 24 && strings.HasSuffix(s, "==") || n == 12 && strings.HasSuffix(s, "=") {
		if b, err := base64.StdEncoding.DecodeString(s); err == nil {
			s = hex.EncodeToString(b)
		}
	}
	s = strings.ToLower(strings.TrimSpace(s))
	if strings.Trim(s, "0") == "" { // no id
		return ""
	}
	return s
}

// nanos reads nanoseconds since 1970, be they a number or a string. What would
// then be of the first days of 1970 is in another unit, told by its size.
func nanos(v jsontext.Value) time.Time {
	const least = 1_577_836_800 // 2020 in seconds; OTLP is hardly older
	if n, err := strconv.ParseInt(str(v), 10, 64); err == nil && n < least {
		if n <= 0 {
			return time.Time{}
		}
		return time.Unix(0, n).UTC()
	}
	return timeOf(v)
}
