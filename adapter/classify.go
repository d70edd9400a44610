package adapter

import (
	"regexp"

	"mcpg/calllog"
)

// evidence is a text that tells what a failure was, whatever the server. The
// order counts: the first one that matches decides. Each pattern is anchored in
// what SDKs and transports print, not in words that a tool may use: "user not
// authenticated" is a tool's refusal, "401 Unauthorized" is transport.
var evidence = []struct {
	re      *regexp.Regexp
	outcome calllog.Outcome
	cause   calllog.Cause
}{
	{regexp.MustCompile(`^(MCP error -3260[12]: )?([Uu]nknown tool\b|Tool \S+ not found\b|No such tool\b|Method not found\b)`), calllog.Rejected, calllog.UnknownTool},
	{regexp.MustCompile(`^(MCP error -32602\b|(MCP error -32602: )?Input validation error\b|Invalid arguments for tool\b|Invalid params\b)`), calllog.Rejected, calllog.ArgumentCause},
	{regexp.MustCompile(`^(Error executing tool \S+: )?\d+ validation errors? for \w+`), calllog.Rejected, calllog.ArgumentCause},
	{regexp.MustCompile(`(?i)^(error: )?(MCP error -32001\b|request timed out\b|(MCP error -32000: )?connection (closed|refused|reset)\b|socket hang up\b|read ECONNRESET\b|connect (ECONNREFUSED|ETIMEDOUT)\b|rate limit exceeded\b|too many requests\b|fetch failed\b)`), calllog.Transport, calllog.NoCause},
	{regexp.MustCompile(`(?i)^(error: )?(http(/[\d.]+)?( error)?( status)?|request failed with status code):? ?(401|403|407|429|5\d\d)\b`), calllog.Transport, calllog.NoCause},
	{regexp.MustCompile(`(?i)^(error: )?(status|status code|error code)?:? ?(401|403|407|429|5\d\d)\b[ :]*(unauthorized|forbidden|proxy authentication|too many requests|internal server error|bad gateway|service unavailable|gateway timeout|$)`), calllog.Transport, calllog.NoCause},
	{regexp.MustCompile(`(?i)^(the user (doesn't|does not) want to (proceed|take this action)|(user|operator) (denied|declined|rejected)\b|permission (to use \S+ )?(has been|was) denied\b|denied by (policy|user)\b)`), calllog.Denied, calllog.NoCause},
	{regexp.MustCompile(`^(Traceback \(most recent call last\)|panic: |MCP error -32603\b|Internal error\b|thread '[^']*' panicked)`), calllog.Error, calllog.NoCause},
}

// Classify settles the outcome and cause of a call by evidence: the adapter's
// patterns, then the texts of SDKs and transports. A failure without evidence
// stays rejected, unclear. It tells whether a success reads like an error: such
// a call stays a success, and is worth a look.
func Classify(c *calllog.Call, a *Adapter) (soft bool) {
	switch {
	case c.Outcome == calllog.OK:
		return classifySuccess(c, a)
	case c.Outcome != calllog.Rejected || c.Cause != calllog.Unclear:
		return false
	}
	if a != nil {
		if o, cause, ok := a.ErrorPattern(c.Tool, c.ErrorText); ok {
			c.Outcome, c.Cause = o, cause
			return false
		}
	}
	if o, cause, ok := evidenceOf(c.ErrorText); ok {
		c.Outcome, c.Cause = o, cause
	}
	return false
}

// evidenceOf reads a failure's text, whatever the server.
func evidenceOf(text string) (o calllog.Outcome, cause calllog.Cause, ok bool) {
	for i := range evidence {
		if e := &evidence[i]; e.re.MatchString(text) {
			return e.outcome, e.cause, true
		}
	}
	return 0, 0, false
}

var readsLikeError = regexp.MustCompile(`^\s*(Error\b|\[?\{\s*['"]error['"]\s*:)`)

func classifySuccess(c *calllog.Call, a *Adapter) bool {
	if a != nil {
		if o, cause, ok := a.SoftError(c.Tool, c.ResultText); ok {
			c.Outcome, c.Cause, c.ErrorText = o, cause, c.ResultText
			return false
		}
	}
	return readsLikeError.MatchString(c.ResultText)
}
