// Package table is the table of calls: its Arrow schema, and the only code
// that reads and writes it as Parquet (zstd) and as an Arrow IPC stream.
//
// One row is one [calllog.Call]. What a row keeps of a call, and what not:
//
//   - Times are kept to the microsecond, rounded down, and read back in UTC. A
//     time that a 64-bit count of microseconds can't hold is null.
//   - Durations are cut to the microsecond.
//   - Text is UTF-8, which Parquet, DuckDB and pandas insist on: a run of bytes
//     that aren't UTF-8 is written as one U+FFFD, in raw JSON too.
//   - nil JSON is null and reads back as nil; empty JSON stays empty.
//   - Of a position, file and line are kept; the column isn't.
//
// The same calls give the same bytes, as long as the Arrow library stays the
// same: it writes its own version into a Parquet file.
package table

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
)

// Version is the version of the table that this package writes, and the newest
// that it reads.
const Version = 1

// Keys and values of the schema's metadata.
const (
	schemaKey  = "mcpg.schema"
	schemaName = "calls"
	versionKey = "mcpg.version"
)

// Reasons for which a file can't be read or a call can't be written.
var (
	// ErrForeign: readable perhaps, but not a table of calls.
	ErrForeign = errors.New("not a calls table")
	// ErrNewer: written by a later version of this program.
	ErrNewer = errors.New("calls table is newer than this program")
	// ErrDamaged: cut off or changed since it was written.
	ErrDamaged = errors.New("calls table is damaged")
	// ErrTooLarge: the call's values are longer than a row may be. The writer
	// has left the call out and can go on.
	ErrTooLarge = errors.New("call is too large for a table row")
)

// Format is how a table is stored.
type Format uint8

const (
	// Parquet, compressed with zstd, is the default.
	Parquet Format = iota
	// IPC is an Arrow IPC stream, uncompressed.
	IPC
)

func (f Format) String() string {
	switch f {
	case Parquet:
		return "parquet"
	case IPC:
		return "arrow"
	}
	return fmt.Sprintf("format(%d)", uint8(f))
}

// FormatOf says which format the name of a file asks for: IPC for .arrow and
// .arrows, else Parquet.
func FormatOf(name string) Format {
	switch filepath.Ext(name) {
	case ".arrow", ".arrows":
		return IPC
	}
	return Parquet
}

// First bytes of the files that could be meant.
var (
	parquetMagic   = []byte("PAR1")
	encryptedMagic = []byte("PARE")
	ipcFileMagic   = []byte("ARROW1")
	ipcMagic       = []byte{0xff, 0xff, 0xff, 0xff}
	ipcEnd         = []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}
)

// Detect says which format the first bytes of a file show. It knows Parquet
// and Arrow from anything else, not a table of calls from another table.
func Detect(head []byte) (Format, bool) {
	switch {
	case bytes.HasPrefix(head, parquetMagic):
		return Parquet, true
	case bytes.HasPrefix(head, ipcMagic):
		return IPC, true
	}
	return 0, false
}

// detect is Detect with the reason for a no.
func detect(head []byte) (Format, error) {
	f, ok := Detect(head)
	switch {
	case ok:
		return f, nil
	case len(head) == 0:
		return 0, fmt.Errorf("%w: it is empty", ErrForeign)
	case bytes.HasPrefix(head, encryptedMagic):
		return 0, fmt.Errorf("%w: an encrypted Parquet file", ErrForeign)
	case bytes.HasPrefix(head, ipcFileMagic):
		return 0, fmt.Errorf("%w: an Arrow IPC file; want an IPC stream or Parquet", ErrForeign)
	}
	return 0, fmt.Errorf("%w: neither Parquet nor an Arrow IPC stream", ErrForeign)
}

// recovered turns a panic into an error. The Arrow library panics on some
// damaged files, and a damaged file must not end a run.
func recovered(err *error, reason error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", reason, p)
	}
}
