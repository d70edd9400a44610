package format

import (
	"mcpg/calllog"
)

var nativeFormat = Format{
	Name:  "native",
	What:  "JSON lines, one call each: ts session server tool args is_error result_text before after",
	lines: true,
	detect: func(h *Head) (bool, string) {
		return h.line(func(o object) bool {
			return o.get("tool").Kind() == '"' && o.hasAny("args", "is_error", "outcome", "result_text")
		}), `no line is an object with "tool" and "args", "is_error", "outcome" or "result_text"`
	},
	read: readNative,
}

func readNative(in *Input) error {
	r := calllog.NewReader(in.R, in.File)
	if in.Reuse {
		r.Reuse()
	}
	defer func() {
		in.Lines, in.Findings = r.Lines(), r.Findings()
		in.Uses["blank"] = r.Blank()
		in.Uses[Faulty] = r.Bad()
	}()
	for r.Scan() {
		in.Uses[Used]++
		c := r.Call()
		if c.Session == "" {
			c.Session = in.Scope
		}
		if err := in.emit(&Record{Call: c}); err != nil {
			return err
		}
	}
	return r.Err()
}
