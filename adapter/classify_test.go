package adapter

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

func failed(tool, text string) *calllog.Call {
	return &calllog.Call{Tool: tool, Outcome: calllog.Rejected, Cause: calllog.Unclear, ErrorText: text, ResultText: text}
}

func settled(c *calllog.Call) string {
	if c.Cause != calllog.NoCause {
		return c.Outcome.String() + "/" + c.Cause.String()
	}
	return c.Outcome.String()
}

// TestEvidence holds what each text proves, and for each kind of evidence texts
// that come near it and prove nothing.
func TestEvidence(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"rejected/unknown_tool": {
			"MCP error -32602: Tool x not found", "MCP error -32601: Method not found", "Unknown tool: x", `unknown tool "x"`, "Tool x not found", "No such tool: x", "tool 'x' not found: tool not found", "tool not found", "Tool not found: x", "Error executing tool f: Unknown tool: g",
		},
		"rejected/argument": {
			"MCP error -32602: Input validation error: Invalid arguments for tool x", "MCP error -32602: Release demo missing", "Input validation error: 'id' is a required property",
			"Invalid arguments for tool x: []", "Invalid params", "1 validation error for call[get_x]", "Error executing tool get_x: 2 validation errors for get_xArguments",
		},
		"transport": {
			"HTTP 429", "http 429: slow down", "HTTP/1.1 502 Bad Gateway", "HTTP error 503", "Error: HTTP 401", "Request failed with status code 500", "429 Too Many Requests", "401 Unauthorized",
			"Error: 500 Internal Server Error", "503", "status: 504", "status code 403 forbidden", "error code: 502", "MCP error -32001: Request timed out", "Request timed out", "MCP error -32000: Connection closed",
			"connection refused", "Connection reset by peer", "socket hang up", "read ECONNRESET", "connect ECONNREFUSED 127.0.0.1:80", "Rate limit exceeded, retry in 5 s", "Too many requests", "fetch failed", "error: request timed out", "Streamable HTTP error: Error POSTing to endpoint (HTTP 503): x",
		},
		"denied": {
			"The user doesn't want to proceed with this tool use.", "The user doesn't want to take this action right now.", "The user does not want to proceed", "User rejected the call", "Operator declined",
			"Permission to use Bash has been denied.", "permission was denied", "Denied by policy",
		},
		"error": {
			"Traceback (most recent call last):\n  File", "panic: runtime error", "MCP error -32603: boom", "Internal error", "thread 'main' panicked at",
		},
		"rejected/unclear": {
			"", "no", "User not authenticated. Please log in", "user not authenticated", "The tool x was not found", "Tool 'drill' not found in inventory", "Method not found in class Foo", "Tool for x not found", "Order not found", "Method of payment not found",
			"MCP error -32000: no", "MCP error -32602x", "the arguments are invalid", "validation errors for you", "Input validation errors", "MCP error -320010",
			"429 orders found", "500 units required", "5000", "HTTP 404", "HTTP 400 Bad Request", "HTTP 4290", "status 409", "401k plan missing", "Upload failed: 503 is no id", "the rate limit exceeded", "request timed outside",
			"User deniedX", "Permission denied", "EACCES: permission denied, open '/x'", "users rejected", "The user doesn't want", "Your permission was denied", "User rejected invitation 12 already", "Permission was denied for user 7", "Connection refused by approver", "403 Forbidden words in title", "Request timed out of its approval window", "Unknown tool category 'x'",
			"no Traceback (most recent call last)", "Internal errors", "don't panic: x", "Payment failed: connection refused by bank",
		},
	} {
		for _, text := range texts {
			c := failed("x", text)
			if soft := Classify(c, calllog.Evidence{}, nil); settled(c) != want || soft {
				t.Errorf("%q: %s (soft: %v), want %s", text, settled(c), soft, want)
			}
		}
	}
}

// TestWords: without a flag the text decides, where it begins with what a failure
// says.
func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Error: order not found": "rejected/unclear", "ValueError('no')": "rejected/unclear", "KeyError: x": "rejected/unclear", `{"error": "press the brake"}`: "rejected/unclear",
		`# var_0 = "Error: no"`: "rejected/unclear", "Error during execution: x": "rejected/unclear", "Traceback (most recent call last):\n": "error",
		"exec command rejected by user": "denied", "aborted by user after 3.2s": "denied", "unsupported call: x": "rejected/unknown_tool", "tool call error: boom": "rejected/unclear",
		"503": "ok", "429 orders": "ok", "Errors: 0": "ok", `{"error": null}`: "ok", `{"status": "x", "error": "y"}`: "ok", "no Error": "ok", "User declined the meeting invitation.": "ok", "No such tool is needed: proceed": "ok", `{"error": {}, "data": [1]}`: "ok", "Request timed out is what he wrote": "ok", "": "ok",
	} {
		c := &calllog.Call{Tool: "x", ResultText: text}
		if soft := Classify(c, calllog.Evidence{Words: true}, nil); settled(c) != want || soft && want != "ok" {
			t.Errorf("%q: %s, want %s", text, settled(c), want)
		}
	}
}

// TestCodes: words of formats and codes of JSON-RPC, where no text says more.
func TestCodes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		ev   calllog.Evidence
		text string
		want string
	}{
		{calllog.Evidence{Code: -32601}, "x", "rejected/unknown_tool"}, {calllog.Evidence{Code: -32602}, "x", "rejected/argument"}, {calllog.Evidence{Code: -32602}, "Unknown tool: x", "rejected/unknown_tool"},
		{calllog.Evidence{Code: -32603}, "x", "error"}, {calllog.Evidence{Code: -32001}, "x", "transport"}, {calllog.Evidence{Code: 503}, "x", "transport"}, {calllog.Evidence{Code: -32000}, "x", "rejected/unclear"},
		{calllog.Evidence{Kind: "parsing"}, "x", "rejected/argument"}, {calllog.Evidence{Kind: "parsing"}, "Tool ff not found", "rejected/unknown_tool"}, {calllog.Evidence{Kind: "approval"}, "x", "denied"},
		{calllog.Evidence{Kind: "builtins.TimeoutError"}, "x", "transport"}, {calllog.Evidence{Kind: "file_not_found"}, "x", "rejected/unclear"}, {calllog.Evidence{Unfit: "n is missing"}, "x", "rejected/argument"},
	} {
		c := failed("x", tt.text)
		if Classify(c, tt.ev, nil); settled(c) != tt.want {
			t.Errorf("%+v %q: %s, want %s", tt.ev, tt.text, settled(c), tt.want)
		}
	}
}

func TestAdapterPatternsComeFirst(t *testing.T) {
	t.Parallel()
	a := parse(t, `{"server_id":"s","error_patterns":[
		{"pattern":"^HTTP 429","cause":"state","tools":["publish"]},
		{"pattern":"frozen","cause":"state"},
		{"pattern":"backend","outcome":"transport"},
		{"pattern":"crashed","outcome":"error","cause":"state"},
		{"pattern":"policy says no","outcome":"denied"},
		{"pattern":"odd"}]}`)
	for _, tt := range []struct{ tool, text, want string }{
		{"publish", "HTTP 429", "rejected/state"}, {"other", "HTTP 429", "transport"}, {"other", "it is frozen", "rejected/state"},
		{"other", "backend gone", "transport"}, {"other", "crashed", "error"}, {"other", "policy says no", "denied"}, {"other", "odd", "rejected/unclear"},
		{"other", "odd and frozen", "rejected/state"}, {"other", "User not authenticated. Please log in", "rejected/unclear"},
	} {
		c := failed(tt.tool, tt.text)
		if Classify(c, calllog.Evidence{}, a); settled(c) != tt.want {
			t.Errorf("%s %q: %s, want %s", tt.tool, tt.text, settled(c), tt.want)
		}
	}
}

func TestClassifyLeavesWhatIsSettled(t *testing.T) {
	t.Parallel()
	for _, c := range []*calllog.Call{
		{Outcome: calllog.Error, ErrorText: "HTTP 429"}, {Outcome: calllog.Rejected, Cause: calllog.StateCause, ErrorText: "HTTP 429"},
		{Outcome: calllog.Unanswered}, {Outcome: calllog.Denied, ErrorText: "Unknown tool: x"},
	} {
		was := settled(c)
		if Classify(c, calllog.Evidence{}, nil); settled(c) != was {
			t.Errorf("%s became %s", was, settled(c))
		}
	}
}

func TestSoftErrors(t *testing.T) {
	t.Parallel()
	a := loaded(t, "filesystem")
	for _, tt := range []struct {
		tool, text, want string
		soft             bool
	}{
		{"read_multiple_files", "/a: Error - ENOENT", "rejected/state", false},
		{"read_multiple_files", "/a:\nfine\n---\n/b: Error - ENOENT", "rejected/state", false},
		{"read_text_file", "/a: Error - ENOENT", "ok", false},
		{"read_text_file", "Error: nothing there", "ok", true},
		{"read_text_file", `{"error": "nothing"}`, "ok", true},
		{"read_text_file", `[{'error': 1}]`, "ok", true},
		{"read_text_file", "Errors: 0", "ok", false},
		{"read_text_file", "no Error", "ok", false},
		{"read_text_file", `{"errors": []}`, "ok", false},
	} {
		c := &calllog.Call{Tool: tt.tool, ResultText: tt.text}
		if soft := Classify(c, calllog.Evidence{}, a); settled(c) != tt.want || soft != tt.soft {
			t.Errorf("%s %q: %s, soft %v; want %s, %v", tt.tool, tt.text, settled(c), soft, tt.want, tt.soft)
		}
		if c.Outcome == calllog.Rejected && c.ErrorText != tt.text {
			t.Errorf("%s: the error's text is %q", tt.tool, c.ErrorText)
		}
	}
	c := &calllog.Call{ResultText: "Error: x", Args: jsontext.Value(`{}`)}
	if !Classify(c, calllog.Evidence{}, nil) || c.Outcome != calllog.OK {
		t.Error("without an adapter, a success that reads like an error stays one and is reported")
	}
}

func TestShippedPatterns(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string]map[string]string{
		"filesystem": {
			"MCP error -32602: Tool x not found": "rejected/unknown_tool", "MCP error -32602: Input validation error: x": "rejected/argument",
			"Access denied - path outside allowed directories: /etc not in /srv": "rejected/argument", "ENOENT: no such file or directory, open '/x'": "rejected/state",
			"Destination already exists: /x": "rejected/state", "Could not find exact match for edit:\nx": "rejected/state", "ENOSPC: no space left": "rejected/unclear",
		},
		"release": {"Release r cannot be published: tests have not passed; run run_tests first": "rejected/unclear", "MCP error -32602: Tool x not found": "rejected/unknown_tool"},
		"tau-retail": {
			"Error: non-pending order cannot be cancelled": "rejected/state", "Error: order not found": "rejected/argument", "Error: payment method not found": "rejected/argument",
			"Error: exchange not allowed": "rejected/unclear",
		},
		"tau-airline": {"Error: user not found": "rejected/argument", "Error: number of passengers does not match": "rejected/argument", "Error: not enough seats": "rejected/unclear"},
	} {
		a := loaded(t, name)
		for text, want := range texts {
			c := failed("x", text)
			if Classify(c, calllog.Evidence{}, a); settled(c) != want {
				t.Errorf("%s %q: %s, want %s", name, text, settled(c), want)
			}
		}
	}
}
