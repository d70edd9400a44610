package adapter

import (
	"bytes"
	"regexp"
	"strings"

	"mcpg/calllog"
)

// verdict is what a failure was.
type verdict struct {
	outcome calllog.Outcome
	cause   calllog.Cause
}

var (
	badArgument = verdict{calllog.Rejected, calllog.ArgumentCause}
	badState    = verdict{calllog.Rejected, calllog.StateCause}
	noTool      = verdict{calllog.Rejected, calllog.UnknownTool}
	unclear     = verdict{calllog.Rejected, calllog.Unclear}
	toolFailed  = verdict{calllog.Error, calllog.NoCause}
	transport   = verdict{calllog.Transport, calllog.NoCause}
	denied      = verdict{calllog.Denied, calllog.NoCause}
)

// kinds are words that formats have for failures: error types of Inspect
// (inspect_ai/tool/_tool_call.py), values of OpenTelemetry's error.type, and
// our readers' exit_code.
var kinds = map[string]verdict{
	"parsing":        badArgument,
	"approval":       denied,
	"timeout":        transport,
	"unicode_decode": toolFailed,
	"limit":          toolFailed,
	"output_limit":   toolFailed,
	"exit_code":      toolFailed,

	"TimeoutError": transport, "ConnectionError": transport, "ConnectionResetError": transport, "ConnectionRefusedError": transport,
	"cancelled": denied, "CancelledError": denied,
	"ValidationError": badArgument, "InputValidationError": badArgument,
}

// codes of JSON-RPC errors, of MCP's SDKs, and HTTP codes that servers put in
// their place. -32602 is a bad argument here because the texts, which are asked
// first, tell an unknown tool.
func codeVerdict(code int) (verdict, bool) {
	switch {
	case code == -32601:
		return noTool, true
	case code == -32602, code == -32600, code == -32700:
		return badArgument, true
	case code == -32603:
		return toolFailed, true
	case code == -32001, code == 401, code == 403, code == 407, code == 408, code == 429, code >= 500 && code < 600:
		return transport, true
	}
	return verdict{}, false
}

// evidence is a text that tells what a failure was, whatever the server. The
// order counts: the first one that matches decides. Each pattern is anchored in
// what SDKs, clients and transports print, not in words that a tool may use:
// "user not authenticated" is a tool's refusal, "401 Unauthorized" is transport.
var evidence = []struct {
	starts string // in lower case, the first letters that it can begin with, an "Error: " aside
	re     *regexp.Regexp
	verdict
}{
	{"mutne", regexp.MustCompile(`(?i)^(MCP error -3260[12]: )?(Error: )?(Error executing tool \S+: )?(unknown tool($|[:.,]| ['"\x60]| \S+$)|tool ['"` + "`" + `]?\S+ not found($|[:.,])|tool not found($|[:.,])|no such tool($|[:.,])|method not found($|[:.,])|unsupported call: )`), noTool},
	{"mif", regexp.MustCompile(`^(MCP error -32602\b|(MCP error -32602: )?Input validation error\b|InputValidationError\b|Invalid arguments for tool\b|Invalid params\b|failed to parse function arguments\b)`), badArgument},
	{"e0123456789", regexp.MustCompile(`^(Error executing tool \S+: )?\d+ validation errors? for \w+`), badArgument},
	{"f", regexp.MustCompile(`^(File has not been read yet\b|File has been (modified|unexpectedly modified) since\b|File has been unexpectedly modified\b)`), badState},
	{"mrcstf", regexp.MustCompile(`(?i)^(error: )?(MCP error -32001\b|request timed out($|[:.,])|(MCP error -32000: )?connection (closed|refused|reset)($|[:.,]| by peer)|socket hang up\b|read ECONNRESET\b|connect (ECONNREFUSED|ETIMEDOUT)\b|rate limit exceeded\b|too many requests\b|fetch failed\b)`), transport},
	{"hre s", regexp.MustCompile(`(?i)^(error: )?(streamable http error: )?(error posting to endpoint \()?(http(/[\d.]+)?( error)?( status)?|request failed with status code):? ?(401|403|407|429|5\d\d)\b`), transport},
	{"se45", regexp.MustCompile(`(?i)^(error: )?(status|status code|error code)?:? ?(401|403|407|429|5\d\d)\b[ :]*(unauthorized|forbidden|proxy authentication|too many requests|internal server error|bad gateway|service unavailable|gateway timeout|$)($|[:.,\s]*$|[:.,])`), transport},
	{"tuopdcera[", regexp.MustCompile(`(?i)^(the user (doesn't|does not) want to (proceed|take this action)|(user|operator) (denied|declined|rejected)($|[:.,]| (the|this) (call|tool|request|action|command|permission))|permission (to use \S+ )?(has been|was) denied($|[:.,])|denied by (policy|user)\b|claude requested permissions? to \w+|exec(ution)? (command )?rejected by user\b|(command |patch )?(rejected|aborted) by user\b|\[request interrupted by user)`), denied},
	{"ecp", regexp.MustCompile(`^(Error: )?(Exit code [1-9]\d*\b|Command failed with exit code\b|Process exited with code [1-9]|Command timed out after\b)`), toolFailed},
	{"tpmi", regexp.MustCompile(`^(Traceback \(most recent call last\)|panic: |MCP error -32603\b|Internal error\b|thread '[^']*' panicked)`), toolFailed},
}

// failureWords begin an answer that says that the call failed, in logs that
// have no flag: tau-bench and its forks, BFCL, AgentDojo, agents' own loops.
var failureWords = regexp.MustCompile(`^\s*(# \w+ = ")?(Error\b|ERROR\b|error: |Error during execution:|[A-Z]\w*(Error|Exception)[(:]|Traceback \(most recent call last\)|failed to parse function arguments|unsupported call: |tool call error: )`)

// errorObject is JSON that consists of what is wrong. Of an object with other
// members too, nobody knows whether it failed.
var errorObject = regexp.MustCompile(`^\s*\{\s*["']error["']\s*:\s*(["'][^"']|\{\s*["'])`)

// Classify settles the outcome and cause of a call by evidence: the format's own
// word, the adapter's patterns, the texts of SDKs, clients and transports, the
// JSON-RPC code, and the input schema. A failure without evidence stays
// rejected, unclear. It tells whether a success reads like an error: such a call
// stays a success, and is worth a look.
func Classify(c *calllog.Call, ev calllog.Evidence, a *Adapter) (soft bool) {
	if c.Outcome == calllog.OK && ev.Words && saysFailed(c.ResultText) {
		c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, c.ResultText
	}
	switch {
	case c.Outcome == calllog.OK:
		return classifySuccess(c, a)
	case c.Outcome == calllog.Rejected && c.Cause == calllog.Unclear:
		v := judge(c, &ev, a)
		c.Outcome, c.Cause = v.outcome, v.cause
	}
	return false
}

// saysFailed tells whether the text of an answer without a flag says that the call
// failed: by words, or as nothing but a refusal by a person or of an unknown tool.
func saysFailed(text string) bool {
	if failureWords.MatchString(text) || errorObject.MatchString(text) {
		return true
	}
	v, ok := evidenceOf(text)
	return ok && (v == denied || v == noTool)
}

// judge says what a failure was.
func judge(c *calllog.Call, ev *calllog.Evidence, a *Adapter) verdict {
	if v, ok := kinds[ev.Kind[strings.LastIndexByte(ev.Kind, '.')+1:]]; ok { // builtins.TimeoutError
		if said, ok := evidenceOf(c.ErrorText); ok && v == badArgument && said == noTool {
			return noTool // what can't be parsed may be the tool's name
		}
		return v
	}
	if a != nil {
		if o, cause, ok := a.ErrorPattern(c.Tool, c.ErrorText); ok {
			return verdict{o, cause}
		}
	}
	if v, ok := evidenceOf(c.ErrorText); ok {
		return v
	}
	if v, ok := codeVerdict(ev.Code); ok {
		return v
	}
	if ev.Unfit != "" {
		return badArgument
	}
	return unclear
}

// evidenceOf reads a failure's text, whatever the server.
func evidenceOf(text string) (v verdict, ok bool) {
	if len(text) > 4096 { // the patterns look at beginnings
		text = strings.ToValidUTF8(text[:4096], "")
	}
	first := firstLetter(text)
	for i := range evidence {
		if e := &evidence[i]; strings.IndexByte(e.starts, first) >= 0 && e.re.MatchString(text) {
			return e.verdict, true
		}
	}
	return verdict{}, false
}

// firstLetter is the letter by which most failures are told to prove nothing,
// in lower case.
func firstLetter(text string) byte {
	if len(text) > 7 && strings.EqualFold(text[:7], "error: ") {
		text = text[7:]
	}
	if text == "" {
		return ' '
	}
	if c := text[0]; 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return text[0]
}

var readsLikeError = regexp.MustCompile(`^\s*(Error\b|\[?\{\s*['"](error['"]\s*:|is_?[eE]rror['"]\s*:\s*true))`)

func classifySuccess(c *calllog.Call, a *Adapter) bool {
	if a != nil {
		if o, cause, ok := a.SoftError(c.Tool, c.ResultText); ok {
			c.Outcome, c.Cause, c.ErrorText = o, cause, c.ResultText
			return false
		}
	}
	return mayReadLikeError(c.ResultText) && readsLikeError.MatchString(c.ResultText)
}

// mayReadLikeError looks at the beginning, which rules nearly every text out.
func mayReadLikeError(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\n', '\r', '\f', '\v':
			continue
		case 'E':
			return true
		case '{', '[':
			return bytes.Contains([]byte(text[i:min(len(text), i+64)]), []byte("rror"))
		}
		return false
	}
	return false
}
