package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/internal/diag"
)

// format is one kind of log.
type format struct {
	name string
	what string
	// detect looks at the first bytes, cut anywhere, and says why not.
	detect func(head []byte) (ok bool, why string)
	// read calls emit for each call, in the order of the log. An error is the
	// end of the input.
	read func(ctx context.Context, r io.Reader, in input, emit func(*calllog.Call) error) (reading, error)
}

// input is the names of one input: of its file in positions, and of the scope
// of its sessions where these have no names of their own.
type input struct{ file, scope string }

// reading is what there is to say of an input beside its calls.
type reading struct {
	findings []diag.Finding // about single lines or records
	silent   int            // sessions that made no call
}

// formats lists every format, in the order in which detection asks.
var formats = []format{nativeFormat, tauBenchFormat}

// Formats lists the names that --from takes, each with a line of explanation.
func Formats() [][2]string {
	out := make([][2]string, len(formats))
	for i, f := range formats {
		out[i] = [2]string{f.name, f.what}
	}
	return out
}

// ErrUnknownFormat says that --from names no format.
var ErrUnknownFormat = errors.New("unknown format")

func formatByName(name string) (*format, error) {
	names := make([]string, len(formats))
	for i := range formats {
		if formats[i].name == name {
			return &formats[i], nil
		}
		names[i] = formats[i].name
	}
	return nil, fmt.Errorf("%w %q: want one of %s", ErrUnknownFormat, name, strings.Join(names, ", "))
}

// errDetect reports what each detector saw.
type errDetect struct {
	file string
	why  []string
}

func (e *errDetect) Error() string {
	return fmt.Sprintf("%s: no known log format (%s); name one with --from", e.file, strings.Join(e.why, "; "))
}

func detect(head []byte, file string) (*format, error) {
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", file)
	}
	e := &errDetect{file: file}
	if bytes.IndexByte(head, 0) >= 0 {
		e.why = append(e.why, "it holds NUL bytes, like a binary file")
	}
	for i := range formats {
		ok, why := formats[i].detect(head)
		if ok {
			return &formats[i], nil
		}
		e.why = append(e.why, formats[i].name+": "+why)
	}
	return nil, e
}

// topNames reads the member names of the object at the decoder's next token,
// as far as the bytes go.
func topNames(d *jsontext.Decoder) map[string]bool {
	names := map[string]bool{}
	tok, err := d.ReadToken()
	if err != nil || tok.Kind() != '{' {
		return nil
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			break
		}
		names[name.String()] = true
		if d.SkipValue() != nil {
			break
		}
	}
	return names
}

func newDecoder(b []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}
