package format

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

// flagged says that the log flags the answer as a failure or a success.
func (r *Record) flagged(failed bool, text string) {
	r.Call.ResultText = text
	r.Call.Outcome, r.Evidence.Words = calllog.OK, false
	if failed {
		r.Call.Outcome, r.Call.Cause, r.Call.ErrorText = calllog.Rejected, calllog.Unclear, text
	}
}

// words says that the answer has no flag: its text decides.
func (r *Record) words(text string) {
	r.Call.ResultText, r.Call.Outcome = text, calllog.OK
	r.Evidence.Words = true
}

// mcpResult takes the result of a tools/call request. The result as a whole is
// kept where it holds more than one text.
func (r *Record) mcpResult(v jsontext.Value) {
	o := objectOf(v)
	if o == nil {
		r.flagged(false, contentText(v))
		return
	}
	failed, _ := boolOf(o.get("isError"))
	text := ""
	if content := o.get("content"); content != nil {
		text = contentText(content)
	} else if s := o.get("structuredContent"); s != nil {
		text = string(s)
	} else if s := o.get("toolResult"); s != nil { // 2024-10-07
		text = contentText(s)
	}
	r.flagged(failed, text)
	if !oneText(o) {
		r.Call.Result = keep(v)
	}
}

// oneText tells whether a result says nothing beside one text and its flag.
func oneText(o object) bool {
	for _, m := range o {
		switch m.name {
		case "isError", "resultType":
		case "content":
			blocks := elements(m.value)
			if len(blocks) > 1 || m.value.Kind() != '[' {
				return false
			}
			for _, b := range blocks {
				block := objectOf(b)
				if block.str("type") != "text" || len(block) > 2 {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// rpcError takes the error of a JSON-RPC answer.
func (r *Record) rpcError(v jsontext.Value) {
	o := objectOf(v)
	text := contentText(v)
	if o != nil {
		text = o.str("message")
		if data := o.get("data"); data.Kind() == '"' && text != unquote(data) {
			text += ": " + unquote(data)
		} else if data != nil && data.Kind() != 'n' {
			r.Call.Result = keep(v)
		}
	}
	r.flagged(true, text)
	if code, err := strconv.Atoi(o.str("code")); err == nil {
		r.Evidence.Code = code
	}
}
