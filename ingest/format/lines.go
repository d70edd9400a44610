package format

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
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
		if o, err := parseObject(line); err == nil {
			return f(n, line, o)
		}
		return in.eachGlued(n, line, func(v jsontext.Value) (string, error) {
			o, err := parseObject(v)
			if err != nil {
				in.find(n, "bad-line", err.Error())
				return Faulty, nil
			}
			return f(n, v, o)
		})
	})
}

// eachGlued calls f with every value of a line that is no JSON, or more than one
// value, as where several processes wrote to one file. What can't be read is a
// finding. The line was what the most telling of its values is.
func (in *Input) eachGlued(n int, line []byte, f func(v jsontext.Value) (use string, err error)) (use string, err error) {
	text, odd := calllog.Tidy(line)
	d := newDecoder(text)
	for {
		v, err := d.ReadValue()
		if isEnd(err) && use != "" {
			in.tidied(n, odd)
			return use, nil
		}
		if err != nil {
			in.find(n, "bad-line", plainJSONError(err).Error())
			return Faulty, nil
		}
		end := int(d.InputOffset())
		one, err := f(text[end-len(v) : end : end])
		if err != nil {
			return one, err
		}
		if use == "" || one == Faulty || one == Used && use != Faulty {
			use = one
		}
	}
}

// other names a line that the format doesn't know: noise, or a line of another
// format, as where logs were put together. What calls are in that are lost.
func (in *Input) other(n int, o object, noise string) string {
	if in.formatOf == nil {
		return noise
	}
	if name := in.formatOf(o); name != "" {
		in.find(n, "other-format", "a line of another format ("+name+"): keep the two in files of their own")
		return Faulty
	}
	return noise
}

// cutText says why the input ends too early.
func cutText(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}

// isEnd tells the end of the input from an end in the middle of a value.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
}

// tidied tells of a line or document that was read though it isn't all JSON.
func (in *Input) tidied(line int, odd calllog.Odd) {
	if odd&calllog.OddNULs != 0 {
		in.find(line, "nul-bytes", calllog.NULsRead)
	}
	if odd&calllog.OddNumbers != 0 && !in.oddNumbers {
		in.oddNumbers = true
		in.note(line, "numbers", calllog.NumbersRead)
	}
}
