package ingest

import (
	"bytes"
	"context"
	"io"

	"mcpg/calllog"
)

var nativeFormat = format{
	name:   "native",
	what:   "JSON lines, one call each: ts session server tool args is_error result_text before after",
	detect: detectNative,
	read:   readNative,
}

// detectNative wants a line among the first ones that is an object with a tool.
func detectNative(head []byte) (bool, string) {
	for i, line := range bytes.SplitN(head, []byte("\n"), 21) {
		if i == 20 {
			break
		}
		names := topNames(newDecoder(bytes.TrimSpace(line)))
		if names["tool"] && (names["args"] || names["is_error"] || names["outcome"] || names["result_text"]) {
			return true, ""
		}
	}
	return false, `no line is an object with "tool" and "args", "is_error", "outcome" or "result_text"`
}

func readNative(ctx context.Context, r io.Reader, name input, emit func(*calllog.Call) error) (reading, error) {
	in := calllog.NewReader(r, name.file)
	for in.Scan() {
		if err := ctx.Err(); err != nil {
			return reading{findings: in.Findings()}, err
		}
		if err := emit(in.Call()); err != nil {
			return reading{findings: in.Findings()}, err
		}
	}
	return reading{findings: in.Findings()}, in.Err()
}
