package ingest

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"mcpg/internal/input"
	"mcpg/store"
)

// source is one file, or stdin, that is to be read.
type source struct {
	path    string // "-" is stdin
	name    string // in positions
	label   string // as the user calls it, "" if not
	scope   string // names sessions that have no names of their own
	size    int64
	found   bool // in a folder or by a pattern, not by its name
	matched bool // by a pattern

	broken error // why it can't be read, if that is known
}

// findSources turns the arguments of a command into files: names, folders,
// patterns, "-" for stdin, each with label= before it if the user wants.
// Files come in the order of the arguments, those of a folder sorted.
func findSources(args []string) ([]source, error) {
	var out []source
	for _, arg := range args {
		label, path := cutLabel(arg)
		found, err := expand(path)
		if err != nil {
			return nil, err
		}
		for i := range found {
			found[i].label = label
		}
		out = append(out, found...)
	}
	nameScopes(out)
	return out, nil
}

// cutLabel takes label=path apart; a file of that whole name is meant itself.
func cutLabel(arg string) (label, path string) {
	label, path, ok := strings.Cut(arg, "=")
	if !ok || label == "" || strings.ContainsAny(label, `/\*?`) {
		return "", arg
	}
	if _, err := os.Lstat(arg); err == nil {
		return "", arg
	}
	return label, path
}

func expand(path string) ([]source, error) {
	if path == "-" {
		return []source{{path: "-", name: "stdin"}}, nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(path, "*?["):
		return expandPattern(path)
	case err != nil:
		return nil, plainPathError(err)
	case info.IsDir():
		return expandFolder(path)
	}
	return []source{{path: path, name: path, size: regularSize(info)}}, nil
}

func regularSize(info fs.FileInfo) int64 {
	if info.Mode().IsRegular() {
		return info.Size()
	}
	return 0
}

func expandPattern(pattern string) ([]source, error) {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: a pattern that can't be read: %w", pattern, err)
	}
	var out []source
	for _, name := range names {
		more, err := expand(name)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no file has such a name", pattern)
	}
	for i := range out {
		out[i].found, out[i].matched = true, true
	}
	slices.SortStableFunc(out, oldestFirst)
	return out, nil
}

// expandFolder lists the files below a folder, without hidden ones. What can't be
// read in it, and links to folders, are sources that say so when they are read.
func expandFolder(dir string) ([]source, error) {
	var out []source
	// The separator lets a link to a folder be followed where it was named.
	err := filepath.WalkDir(dir+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			out = append(out, source{path: path, name: path, broken: plainPathError(err)})
			return nil
		}
		if filepath.Clean(path) != filepath.Clean(dir) && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		info, err := os.Stat(path) // a link is what it leads to
		switch {
		case err != nil:
			out = append(out, source{path: path, name: path, broken: plainPathError(err)})
		case info.IsDir():
			out = append(out, source{path: path, name: path, found: true, broken: fmt.Errorf("%s: a link to a folder, which is not followed", path)})
		case info.Mode().IsRegular():
			out = append(out, source{path: path, name: path, size: info.Size(), found: true})
		}
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s: no file in this folder", dir)
	}
	slices.SortStableFunc(out, oldestFirst)
	return out, err
}

// oldestFirst sorts by name, and the files of a log that was rotated by age:
// a.log.2, a.log.1, a.log.
func oldestFirst(a, b source) int {
	nameA, turnA := rotated(a.path)
	nameB, turnB := rotated(b.path)
	return cmp.Or(cmp.Compare(nameA, nameB), cmp.Compare(turnB, turnA), cmp.Compare(a.path, b.path))
}

// rotated takes the number off a rotated log's name, behind which may be the
// ending of its compression.
func rotated(path string) (name string, turn int) {
	plain := plainName(path)
	if i := strings.LastIndexByte(plain, '.'); i > 0 {
		if n, err := strconv.Atoi(plain[i+1:]); err == nil && n > 0 && n < 1e6 {
			return plain[:i], n
		}
	}
	return plain, 0
}

// plainName takes the ending of a compression off.
func plainName(path string) string {
	for _, ending := range []string{".gz", ".zst", ".zstd"} {
		path = strings.TrimSuffix(path, ending)
	}
	return path
}

// nameScopes names sources for their sessions: by label, or by the file's name
// without its endings, or by its path where two have the same name.
func nameScopes(list []source) {
	paths := map[string]map[string]bool{}
	for i := range list {
		s := &list[i]
		base, _, _ := strings.Cut(filepath.Base(s.path), ".")
		s.scope = cmp.Or(s.label, base, s.path)
		if paths[s.scope] == nil {
			paths[s.scope] = map[string]bool{}
		}
		paths[s.scope][s.path] = true
	}
	for i := range list {
		s := &list[i]
		if len(paths[s.scope]) > 1 {
			if s.label != "" {
				s.scope = s.label + "/" + s.path
			} else {
				s.scope = s.path
			}
		}
	}
}

// plainPathError says file: reason, without the system call's name.
func plainPathError(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

// TotalSize is the size of the files that the arguments of a command name, in
// bytes, as far as it is known.
func TotalSize(args []string) int64 {
	list, err := findSources(args)
	if err != nil {
		return 0
	}
	var n int64
	for _, s := range list {
		n += s.size
	}
	return n
}

// open opens a source; tell is told of bytes as they are read. Reading what may
// keep one waiting, a pipe or stdin, ends with the context.
func (s *source) open(ctx context.Context, stdin io.Reader, tell func(int)) (io.ReadCloser, error) {
	switch {
	case s.broken != nil:
		return nil, s.broken
	case s.path == "-":
		if stdin == nil {
			stdin = os.Stdin
		}
		return io.NopCloser(&meter{interruptible(ctx, func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil }), tell}), nil
	case s.size == 0: // a pipe, whose opening waits too
		return io.NopCloser(&meter{interruptible(ctx, func() (io.ReadCloser, error) { return os.Open(s.path) }), tell}), nil
	}
	f, err := os.Open(s.path)
	if err != nil {
		return nil, plainPathError(err)
	}
	return struct {
		io.Reader
		io.Closer
	}{&meter{f, tell}, f}, nil
}

// interruptible opens and reads on a goroutine of its own. That ends at the end of
// the input, or after the context has and the input has given once more; stdin may
// never, and then ends with the process.
func interruptible(ctx context.Context, open func() (io.ReadCloser, error)) io.Reader {
	out, in := io.Pipe()
	stop := context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		defer stop()
		r, err := open()
		if err != nil {
			in.CloseWithError(plainPathError(err))
			return
		}
		defer r.Close()
		_, err = io.CopyBuffer(struct{ io.Writer }{in}, r, make([]byte, 64<<10))
		in.CloseWithError(err) // nil is the end
	}()
	return out
}

// plain undoes what a file is wrapped in. Where a compressed one is damaged, or
// something else follows, it ends like one that was cut off.
func plain(raw io.Reader) (*bufio.Reader, error) {
	packed := bufio.NewReaderSize(raw, headSize)
	mark, _ := packed.Peek(4)
	in, err := input.Plain(packed)
	if err != nil || !bytes.HasPrefix(mark, []byte{0x1f, 0x8b}) && !bytes.HasPrefix(mark, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return in, err
	}
	return bufio.NewReaderSize(&damageReader{r: in}, headSize), nil
}

// damageReader ends where what it reads can't be decompressed any more.
type damageReader struct {
	r    io.Reader
	some bool
}

func (d *damageReader) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	d.some = d.some || n > 0
	var corrupt flate.CorruptInputError
	switch {
	case !d.some || err == nil:
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrMagicMismatch):
		err = &damage{"what follows the compressed data is something else"}
	case errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt), errors.Is(err, zstd.ErrCRCMismatch):
		err = &damage{"the compressed data is damaged from here on"}
	}
	return n, err
}

// damage is a kind of input.ErrCut.
type damage struct{ text string }

func (d *damage) Error() string        { return d.text }
func (d *damage) Is(target error) bool { return target == input.ErrCut }

type meter struct {
	r    io.Reader
	tell func(int)
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if m.tell != nil && n > 0 {
		m.tell(n)
	}
	return n, err
}

// besideStore names the store that a file of a folder or pattern belongs to, "" if
// it is none of SQLite's other files.
func besideStore(s *source) string {
	for _, ending := range []string{"-wal", "-shm"} {
		path, ok := strings.CutSuffix(s.path, ending)
		if !ok || !s.found {
			continue
		}
		if head, err := headOf(path, storeHead); err == nil && store.Is(head) {
			return path
		}
	}
	return ""
}

// storeHead is what tells a store.
const storeHead = 100

func blank(head []byte) bool { return len(bytes.TrimSpace(head)) == 0 }
