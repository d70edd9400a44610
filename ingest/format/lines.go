package format

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"mcpg/internal/input"
)

// eachLine calls f with each line that isn't blank, and counts what it was. The
// line is valid during the call.
func (in *Input) eachLine(f func(n int, line []byte) (use string, err error)) error {
	return in.eachTextLine(func(n int, line []byte) error {
		use, err := f(n, line)
		if err == nil {
			in.Uses[use]++
		}
		return err
	})
}

// eachTextLine is eachLine without the counting of what f took.
func (in *Input) eachTextLine(f func(n int, line []byte) error) error {
	lines := input.NewLines(in.R, input.MaxLine)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, input.ErrLongLine):
			in.Lines++
			in.Uses[Faulty]++
			in.find(in.Lines, "long-line", err.Error()+", skipped")
			continue
		case errors.Is(err, input.ErrCut):
			in.Lines++
			in.Uses[Faulty]++
			in.find(in.Lines, "cut-off", err.Error()+"; what comes before was read")
			return nil
		case err != nil:
			return err
		}
		in.Lines++
		if in.Lines&0xff == 0 {
			if err := in.Ctx.Err(); err != nil {
				return err
			}
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			in.Uses["blank"]++
			continue
		}
		if !utf8.Valid(line) {
			line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
			if in.recoded++; in.recoded == 1 {
				in.note(in.Lines, "encoding", "bytes that are not UTF-8 were replaced by U+FFFD, here and in all such lines of this file")
			}
		}
		if err := f(in.Lines, line); err != nil {
			return err
		}
	}
}

// eachObject calls f with each line, taken apart. A line that is no object is a
// finding.
func (in *Input) eachObject(f func(n int, line []byte, o object) (use string, err error)) error {
	return in.eachLine(func(n int, line []byte) (string, error) {
		o, err := parseObject(line)
		if err != nil {
			in.find(n, "bad-line", err.Error())
			return Faulty, nil
		}
		return f(n, line, o)
	})
}
