package table

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// textColumn collects the strings of a column. Its memory is used again for the
// next batch, which the library's builder would give away and grow anew: on long
// texts that costs as much as parsing them.
type textColumn struct {
	values  []byte
	offsets []int32 // one more than there are strings
	valid   []byte  // bitmap, made at the first null
	nulls   int
}

func newTextColumn() *textColumn { return &textColumn{offsets: []int32{0}} }

func (c *textColumn) len() int { return len(c.offsets) - 1 }

func appendText[T ~string | ~[]byte](c *textColumn, s T) {
	if c.valid != nil {
		c.mark(true)
	}
	c.values = append(c.values, s...)
	c.offsets = append(c.offsets, int32(len(c.values)))
}

func (c *textColumn) appendNull() {
	if c.valid == nil {
		c.valid = make([]byte, 0, 1+c.len()/8)
		for i := range c.len() {
			c.set(i)
		}
	}
	c.mark(false)
	c.nulls++
	c.offsets = append(c.offsets, int32(len(c.values)))
}

// mark says whether the string that comes next is one.
func (c *textColumn) mark(valid bool) {
	if i := c.len(); valid {
		c.set(i)
	} else if i/8 >= len(c.valid) {
		c.valid = append(c.valid, 0)
	}
}

func (c *textColumn) set(i int) {
	if i/8 >= len(c.valid) {
		c.valid = append(c.valid, 0)
	}
	c.valid[i/8] |= 1 << (i % 8)
}

// array is the column as an array, good until reset.
func (c *textColumn) array() arrow.Array {
	var bitmap *memory.Buffer
	if c.nulls > 0 {
		bitmap = memory.NewBufferBytes(c.valid)
	}
	data := array.NewData(text, c.len(), []*memory.Buffer{bitmap, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(c.offsets)), memory.NewBufferBytes(c.values)}, nil, c.nulls, 0)
	defer data.Release()
	return array.NewStringData(data)
}

// keepValues is how much memory is kept for the next batch, in bytes.
const keepValues = maxBytes + maxBytes/4

func (c *textColumn) reset() {
	if cap(c.values) > keepValues {
		c.values = nil
	}
	c.values, c.offsets, c.valid, c.nulls = c.values[:0], c.offsets[:1], nil, 0
}
