package batch

import (
	"hash/maphash"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// key tells texts apart, and kinds of calls: two hashes of seeds that nobody knows.
type key struct{ a, b uint64 }

type seeds struct{ a, b maphash.Seed }

func newSeeds() seeds { return seeds{maphash.MakeSeed(), maphash.MakeSeed()} }

func (s *seeds) of(text string) key {
	return key{maphash.String(s.a, text), maphash.String(s.b, text)}
}

func (s *seeds) ofBytes(text []byte) key {
	return key{maphash.Bytes(s.a, text), maphash.Bytes(s.b, text)}
}

// null is the key of no text.
var null = key{0x5bd1e995973b2f6d, 0x1b873593cc9e2d51}

// with joins a key to those before it.
func (k key) with(o key) key {
	const m, n = 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f
	return key{bits.RotateLeft64(k.a, 29)*m ^ o.a, bits.RotateLeft64(k.b, 31)*n ^ o.b}
}

// column is a column of texts of one batch: values, and which of them each row has.
type column struct {
	rows   arrow.Array
	index  []int32 // nil: row i has value i
	values *array.String
	nulls  bool
	keys   []key
	facts  []facts // of arguments and state only
}

// facts are what is asked of a value again and again.
type facts struct {
	content uint64
	known   bool
	plain   bool    // it has no escapes
	bytes   byteSet // that it has
	names   []name  // of arguments: texts that may be ids
	alone   key     // of arguments with their names masked, which stand nowhere else
}

// name is a text, and which bytes it has.
type name struct {
	text  string
	bytes byteSet
}

// byteSet is a set of bytes, to see at once that one text isn't in another.
type byteSet [4]uint64

func bytesOf(s string) (b byteSet) {
	for i := 0; i < len(s); i++ {
		b[s[i]>>6] |= 1 << (s[i] & 63)
	}
	return b
}

func (b *byteSet) within(o *byteSet) bool {
	return b[0]&^o[0]|b[1]&^o[1]|b[2]&^o[2]|b[3]&^o[3] == 0
}

func newColumn(a arrow.Array) *column {
	c := &column{rows: a, nulls: a.NullN() > 0}
	switch a := a.(type) {
	case *array.Dictionary:
		c.index, c.values = a.Indices().(*array.Int32).Int32Values(), a.Dictionary().(*array.String)
	case *array.String:
		c.values = a
	}
	return c
}

// fact is a place for what is asked of a value.
func (c *column) fact(value int) *facts {
	if c.facts == nil {
		c.facts = make([]facts, c.values.Len())
	}
	return &c.facts[value]
}

// at is which value a row has, -1 for none.
func (c *column) at(row int) int {
	if c.nulls && c.rows.IsNull(row) {
		return -1
	}
	if c.index != nil {
		return int(c.index[row])
	}
	return row
}

// text is a value, which points into the batch.
func (c *column) text(value int) string {
	if value < 0 {
		return ""
	}
	return c.values.Value(value)
}

func (c *column) key(value int, s *seeds) key {
	if value < 0 {
		return null
	}
	if c.keys == nil {
		c.keys = make([]key, c.values.Len())
	}
	k := &c.keys[value]
	if *k == (key{}) {
		*k = s.of(c.values.Value(value))
	}
	return *k
}

// constant tells whether all rows have one value.
func (c *column) constant() bool {
	if c.rows.NullN() == c.rows.Len() {
		return true
	}
	return c.index != nil && c.values.Len() == 1 && !c.nulls
}
