package ingest

import (
	"encoding/binary"
	"hash/maphash"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/ingest/format"
)

// identity tells calls that were read before: by the name that the log gives
// each for good, or by content, with the time. Of calls with the same content in
// one file each counts, and the second one there is the second one in a copy of
// it. Where a log has no times, the file's name and the line stand for them: two
// runs may well make the same call.
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

	// Calls without an answer, which a later copy may have, by both hashes.
	held  map[uint64]*heldCall
	order []*heldCall
}

type heldCall struct {
	*format.Record
	key, content uint64
	answered     bool // elsewhere
}

// maxHeld bounds how many calls are held back.
const maxHeld = 50_000

func newIdentity() *identity {
	return &identity{seed: maphash.MakeSeed(), held: map[uint64]*heldCall{}}
}

// begin starts a file.
func (d *identity) begin(first, last bool) {
	if !first && !d.last {
		d.earlier.merge(&d.here)
	}
	d.first, d.last = first, last
	d.here, d.repeats = hashes{}, map[uint64]uint64{}
}

// standing is what a call is among those that were read.
type standing uint8

const (
	isNew standing = iota
	isCopy
	isHeld // it has no answer yet, which a later log may have: it waits for the end
)

// standing tells whether the call was read before, and remembers it.
func (d *identity) standing(r *format.Record) standing {
	alone := d.first && d.last
	if r.Key == "" && alone {
		return isNew
	}
	var key, content uint64
	if r.Key != "" {
		key = maphash.String(d.seed, r.Key)
	}
	if !alone { // tables know no keys
		content = d.content(r.Call, 0)
	}
	waits := r.Call.Outcome == calllog.Unanswered && (key != 0 || named(r.Call) && !r.Call.Time.IsZero())
	if h := d.heldAs(key, content); h != nil {
		if waits {
			return isCopy
		}
		h.answered = true
	}
	if key != 0 && d.keys.has(key) || content != 0 && d.earlier.has(content) && (key != 0 || !d.here.has(content)) {
		if content != 0 {
			d.here.add(content)
		}
		return isCopy
	}
	if waits && !d.last && len(d.order) < maxHeld {
		own := *r
		own.Call = cloneCall(r.Call) // its memory may be used again
		h := &heldCall{&own, key, content, false}
		d.order = append(d.order, h)
		for _, k := range []uint64{key, content} {
			if k != 0 {
				d.held[k] = h
			}
		}
		return isHeld
	}
	if key != 0 {
		d.keys.add(key)
		if content != 0 {
			d.here.add(content)
		}
		return isNew
	}
	if d.here.add(content) {
		return isNew
	}
	d.repeats[content]++
	nth := d.content(r.Call, d.repeats[content])
	d.here.add(nth)
	if d.earlier.has(nth) {
		return isCopy
	}
	return isNew
}

func (d *identity) heldAs(key, content uint64) *heldCall {
	for _, k := range []uint64{key, content} {
		if h := d.held[k]; k != 0 && h != nil && !h.answered {
			return h
		}
	}
	return nil
}

// unanswered gives the calls that were held back and found no answer.
func (d *identity) unanswered() []*format.Record {
	var out []*format.Record
	for _, h := range d.order {
		if !h.answered {
			out = append(out, h.Record)
		}
	}
	d.held, d.order = map[uint64]*heldCall{}, nil
	return out
}

func cloneCall(c *calllog.Call) *calllog.Call {
	out := *c
	for _, s := range []*string{&out.ID, &out.Session, &out.Server, &out.Tool, &out.Resource, &out.ErrorText, &out.ResultText} {
		*s = strings.Clone(*s)
	}
	for _, v := range []*jsontext.Value{&out.Args, &out.Result, &out.Before, &out.After, &out.Extra} {
		*v = v.Clone()
	}
	return &out
}

// named tells whether a call has an id of its log.
func named(c *calllog.Call) bool { return c.ID != "" && !strings.HasPrefix(c.ID, "line-") }

// longID is from how many bytes on an id is taken for one that no other session
// gives.
const longID = 12

// content is a hash of what tells a call from others, wherever the log is read:
// its time in microseconds, as tables keep it, its id, tool and arguments, and its
// session unless the id is a long one. The answer counts where no id does: a log
// may be read before a call is answered, and again after it.
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
	timed, named := !c.Time.IsZero(), named(c)
	if timed {
		number(uint64(c.Time.UnixMicro()))
	} else { // alike calls of two runs are two calls
		number(uint64(c.Pos.Line))
		text(filepath.Base(plainName(c.Pos.File)))
	}
	if !timed || !named || len(c.ID) < longID {
		text(stableSession(c))
	}
	if named {
		text(c.ID)
	}
	text(c.Tool)
	compact(&h, c.Args)
	if !timed || !named {
		text(c.ResultText)
		compact(&h, c.Result)
		if c.Outcome == calllog.Unanswered {
			number(1)
		}
	}
	return h.Sum64()
}

// stableSession is a session's name without what it owes to the files that were
// read beside its own: a session that is called after its file is so by the path
// where two files have one name.
func stableSession(c *calllog.Call) string {
	rest, ok := strings.CutPrefix(c.Session, c.Pos.File)
	if !ok || c.Pos.File == "" {
		return c.Session
	}
	base, _, _ := strings.Cut(filepath.Base(c.Pos.File), ".")
	return base + rest
}

// compact hashes JSON without the blanks between its tokens.
func compact(h *maphash.Hash, v []byte) {
	from, inText := 0, false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case !inText && (c == ' ' || c == '\n' || c == '\t' || c == '\r'):
			h.Write(v[from:i])
			from = i + 1
		}
	}
	h.Write(v[min(from, len(v)):])
	h.WriteByte(0)
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
