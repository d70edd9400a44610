package table

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// maxAlloc is more than any column of a batch takes.
const maxAlloc = 1 << 30

// capped is an allocator that panics on a length that only a damaged file can
// ask for, before memory runs out, which can't be caught.
type capped struct{ memory.Allocator }

func (c capped) Allocate(size int) []byte {
	c.check(size)
	return c.Allocator.Allocate(size)
}

func (c capped) Reallocate(size int, b []byte) []byte {
	c.check(size)
	return c.Allocator.Reallocate(size, b)
}

func (c capped) check(size int) {
	if size > maxAlloc {
		panic(fmt.Sprintf("it asks for %d bytes at once", size))
	}
}
