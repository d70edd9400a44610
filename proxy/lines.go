package proxy

import (
	"bufio"
	"errors"
	"io"
)

// MaxFrame is how long a frame may be that is handled, in bytes.
const MaxFrame = 64 << 20

// lines reads frames: lines with their ends, whatever they hold.
type lines struct {
	r   *bufio.Reader
	max int
}

func newLines(r io.Reader, limit int) *lines { return &lines{bufio.NewReaderSize(r, 64<<10), limit} }

// kept is how much of the beginning and of the end of a line that is too long is kept:
// its id stands in one of them.
const kept = 4 << 10

// next reads a line. Of one that is too long it gives beginning and end, and long. The
// last line may lack its end; then comes io.EOF.
func (l *lines) next() (line []byte, long bool, err error) {
	for {
		part, err := l.r.ReadSlice('\n')
		switch {
		case long:
			line = append(line, part...)
			if n := len(line); n > 64*kept {
				line = append(line[:kept], line[n-kept:]...)
			}
		case len(line)+len(part) > l.max:
			long = true
			line = append(append([]byte{}, line[:min(kept, len(line))]...), part...)
		default:
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(line) > 0:
			return line, long, nil // EOF comes again
		}
		return line, long, err
	}
}
