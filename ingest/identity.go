package ingest

import (
	"encoding/binary"
	"hash/maphash"
	"strings"

	"mcpg/calllog"
	"mcpg/ingest/format"
)

// identity tells calls that were read before: by the name that the log gives
// each for good, or by content, with the time. Of calls with the same content in
// one file each counts, and the second one there is the second one in a copy of
// it. Where a log has no times, file and line stand for them: two runs may well
// make the same call.
//
// 64 bits of a hash stand for a call: of twenty million calls two different ones
// are taken for one with a chance of about 1 in 100,000.
type identity struct {
	seed    maphash.Seed
	keys    hashes // names given for good
	earlier hashes // content of the files before this one
	here    hashes // content of this one
	repeats map[uint64]uint64
	first   bool // nothing was read before this file
	last    bool // nothing will be read after it
}

func newIdentity() *identity { return &identity{seed: maphash.MakeSeed()} }

// begin starts a file.
func (d *identity) begin(first, last bool) {
	if !first && !d.last {
		d.earlier.merge(&d.here)
	}
	d.first, d.last = first, last
	d.here, d.repeats = hashes{}, map[uint64]uint64{}
}

// copied tells whether the call was read before, and remembers it.
func (d *identity) copied(r *format.Record) bool {
	alone := d.first && d.last
	if r.Key != "" {
		again := !d.keys.add(maphash.String(d.seed, r.Key))
		if alone {
			return again
		}
		h := d.content(r.Call, 0) // tables know no keys
		d.here.add(h)
		return again || d.earlier.has(h)
	}
	if alone {
		return false
	}
	h := d.content(r.Call, 0)
	if !d.here.add(h) {
		d.repeats[h]++
		h = d.content(r.Call, d.repeats[h])
		d.here.add(h)
	}
	return d.earlier.has(h)
}

// longID is from how many bytes on an id is taken for one that no other session
// gives.
const longID = 12

// content is a hash of what the log says of a call, wherever it says it. Times
// count in microseconds, as tables keep them.
func (d *identity) content(c *calllog.Call, nth uint64) uint64 {
	var h maphash.Hash
	h.SetSeed(d.seed)
	var n [8]byte
	number := func(x uint64) {
		binary.LittleEndian.PutUint64(n[:], x)
		h.Write(n[:])
	}
	text := func(s string) {
		number(uint64(len(s)))
		h.WriteString(s)
	}
	number(nth)
	if c.Time.IsZero() { // alike calls of two runs are two calls
		number(uint64(c.Pos.Line))
		text(c.Pos.File)
	} else {
		number(uint64(c.Time.UnixMicro()))
	}
	if c.Time.IsZero() || len(c.ID) < longID || strings.HasPrefix(c.ID, "line-") {
		text(c.Session) // a long id is the same in a session that was resumed under another name
	}
	for _, s := range [...]string{c.ID, c.Server, c.Tool, c.ResultText} {
		text(s)
	}
	number(uint64(len(c.Args)))
	h.Write(c.Args)
	number(uint64(len(c.Result)))
	h.Write(c.Result)
	if c.Outcome == calllog.Unanswered {
		number(1)
	}
	return h.Sum64()
}

// hashes is a set of hashes, 8 bytes each at a load of at most 3/4.
type hashes struct {
	slots []uint64
	n     int
}

// add puts h in and tells whether it is new.
func (s *hashes) add(h uint64) bool {
	if h == 0 {
		h = 1 // 0 is an empty slot
	}
	if 4*(s.n+1) > 3*len(s.slots) {
		s.grow()
	}
	at := s.find(h)
	if s.slots[at] == h {
		return false
	}
	s.slots[at] = h
	s.n++
	return true
}

func (s *hashes) has(h uint64) bool {
	if h == 0 {
		h = 1
	}
	return s.n > 0 && s.slots[s.find(h)] == h
}

func (s *hashes) find(h uint64) uint64 {
	mask := uint64(len(s.slots) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		if s.slots[at] == h || s.slots[at] == 0 {
			return at
		}
	}
}

func (s *hashes) grow() {
	old := s.slots
	s.slots = make([]uint64, max(1024, 2*len(old)))
	for _, h := range old {
		if h != 0 {
			s.slots[s.find(h)] = h
		}
	}
}

func (s *hashes) merge(o *hashes) {
	if s.n == 0 {
		*s = *o
		return
	}
	for _, h := range o.slots {
		if h != 0 {
			s.add(h)
		}
	}
}
