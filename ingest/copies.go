package ingest

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"slices"

	"mcpg/store"
)

// Bounds of the search for copies.
const (
	copyHead  = 256 // bytes that files must begin with alike to be compared
	copyGroup = 200 // files with the same beginning that are compared at all
)

// copied is a file whose bytes are in another one too.
type copied struct {
	source
	of string
}

// dropCopies takes out files that another file begins with: the same file named
// twice, a copy, or the state of a log before it grew.
func dropCopies(list []source) (kept []source, gone []copied, err error) {
	groups := map[string][]int{}
	for i, s := range list {
		if s.size == 0 || len(list) == 1 {
			continue
		}
		head, err := headOf(s.path, copyHead)
		if err != nil {
			continue // the reading says so
		}
		if store.Is(head) { // of which a part may stand in files beside it
			continue
		}
		groups[string(head)] = append(groups[string(head)], i)
	}
	of := map[int]int{} // a file that is gone → the one that has its bytes
	for _, group := range groups {
		if len(group) > copyGroup { // only whole copies are looked for
			if err := equalFiles(list, group, of); err != nil {
				return nil, nil, err
			}
			continue
		}
		// The larger first; of equal ones the one that came first stays.
		slices.SortStableFunc(group, func(a, b int) int { return cmp.Compare(list[b].size, list[a].size) })
		for i, small := range group {
			for _, large := range group[:i] {
				if _, isGone := of[large]; isGone {
					continue
				}
				same, err := beginsWith(list[large].path, list[small].path)
				if err != nil {
					return nil, nil, err
				}
				if same {
					of[small] = large
					break
				}
			}
		}
	}
	for i, s := range list {
		if large, isGone := of[i]; isGone {
			gone = append(gone, copied{s, list[large].name})
		} else {
			kept = append(kept, s)
		}
	}
	return kept, gone, nil
}

// equalFiles finds the files of a group that hold the very same bytes.
func equalFiles(list []source, group []int, of map[int]int) error {
	type content struct {
		size int64
		sum  [sha256.Size]byte
	}
	sizes := map[int64]int{}
	for _, i := range group {
		sizes[list[i].size]++
	}
	first := map[content]int{}
	for _, i := range group {
		if sizes[list[i].size] < 2 {
			continue
		}
		f, err := os.Open(list[i].path)
		if err != nil {
			continue // the reading says so
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return plainPathError(err)
		}
		c := content{size: list[i].size}
		h.Sum(c.sum[:0])
		if j, ok := first[c]; ok {
			of[i] = j
		} else {
			first[c] = i
		}
	}
	return nil
}

func headOf(path string, n int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, plainPathError(err)
	}
	defer f.Close()
	head := make([]byte, n)
	got, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, plainPathError(err)
	}
	return head[:got], nil
}

// beginsWith tells whether the large file begins with all of the small one.
func beginsWith(large, small string) (bool, error) {
	a, err := os.Open(large)
	if err != nil {
		return false, plainPathError(err)
	}
	defer a.Close()
	b, err := os.Open(small)
	if err != nil {
		return false, plainPathError(err)
	}
	defer b.Close()
	ra, rb := bufio.NewReaderSize(a, 1<<16), bufio.NewReaderSize(b, 1<<16)
	for {
		want, err := rb.Peek(1 << 15)
		if len(want) == 0 {
			if errors.Is(err, io.EOF) {
				return true, nil
			}
			return false, plainPathError(err)
		}
		have, _ := ra.Peek(len(want)) // shorter at its end
		if !bytes.Equal(have, want) {
			return false, nil
		}
		_, _ = ra.Discard(len(want))
		_, _ = rb.Discard(len(want))
	}
}
