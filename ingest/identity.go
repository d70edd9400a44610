package ingest

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
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

	// Calls without an answer, which a later log may have, by their base.
	held  map[uint64][]*heldCall
	order []*heldCall
	nth   int // of the file
}

type heldCall struct {
	*format.Record
	file     *FileReport
	nth      int // of the file that it was read from
	matched  int // the last file that had it too
	answered bool
}

// maxHeld bounds how many calls are held back.
const maxHeld = 50_000

func newIdentity() *identity {
	return &identity{seed: maphash.MakeSeed(), held: map[uint64][]*heldCall{}}
}

// begin starts a file.
func (d *identity) begin(first, last bool) {
	if !first && !d.last {
		d.earlier.merge(&d.here)
	}
	d.first, d.last = first, last
	d.here, d.repeats = hashes{}, map[uint64]uint64{}
	d.nth++
}

// standing is what a call is among those that were read.
type standing uint8

const (
	isNew standing = iota
	isCopy
	isHeld // it has no answer yet, which a later log may have: it waits for the end
)

// standing tells whether the call was read before, and remembers it. A call that
// is held belongs to the file.
func (d *identity) standing(r *format.Record, file *FileReport) standing {
	alone := d.first && d.last
	if r.Key == "" && alone {
		return isNew
	}
	var key uint64
	if r.Key != "" {
		key = maphash.String(d.seed, r.Key)
		if alone {
			if d.keys.add(key) {
				return isNew
			}
			return isCopy
		}
	}
	base, full := d.content(r.Call)
	open := r.Call.Outcome == calllog.Unanswered
	known := key != 0 && d.keys.has(key) || !d.here.has(full) && d.earlier.has(full) || open && !d.here.has(base) && d.earlier.has(base)
	if h := d.earlierHeld(base, key); h != nil && !known {
		if open {
			h.matched = d.nth
			return isCopy
		}
		h.answered = true // and this is the call
	}
	if known {
		d.here.add(full)
		return isCopy
	}
	if open && !d.last && (key != 0 || named(r.Call) && !r.Call.Time.IsZero()) && len(d.order) < maxHeld {
		own := *r
		own.Call = cloneCall(r.Call) // its memory may be used again
		h := &heldCall{Record: &own, file: file, nth: d.nth}
		d.order = append(d.order, h)
		d.held[base] = append(d.held[base], h)
		if key != 0 {
			d.held[key] = append(d.held[key], h)
		}
		return isHeld
	}
	if key != 0 {
		d.keys.add(key)
		d.here.add(base)
		d.here.add(full)
		return isNew
	}
	d.here.add(base)
	if d.here.add(full) {
		return isNew
	}
	d.repeats[full]++
	if nth := d.repeated(full, d.repeats[full]); !d.here.add(nth) || d.earlier.has(nth) {
		return isCopy
	}
	return isNew
}

// earlierHeld gives a call of an earlier file that waits, and that this file had
// not yet; nil if there is none.
func (d *identity) earlierHeld(base, key uint64) *heldCall {
	for _, k := range []uint64{key, base} {
		if k == 0 {
			continue
		}
		for _, h := range d.held[k] {
			if !h.answered && h.nth < d.nth && h.matched < d.nth {
				return h
			}
		}
	}
	return nil
}

// unanswered gives the calls that were held back and found no answer.
func (d *identity) unanswered() []*heldCall {
	out := slices.DeleteFunc(d.order, func(h *heldCall) bool { return h.answered })
	d.held, d.order = nil, nil
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

// content hashes what tells a call from others, wherever the log is read: its time
// in microseconds, as tables keep it, its id, tool and arguments, and its session
// unless the id is a long one. That is base: a log may be read before a call is
// answered, and again after it. full has the answer too, unless the id is a long
// one; without an answer both are the same.
func (d *identity) content(c *calllog.Call) (base, full uint64) {
	var h maphash.Hash
	h.SetSeed(d.seed)
	timed, named := !c.Time.IsZero(), named(c)
	if timed {
		number(&h, uint64(c.Time.UnixMicro()))
	} else { // alike calls of two runs are two calls
		number(&h, uint64(c.Pos.Line))
		text(&h, filepath.Base(plainName(c.Pos.File)))
	}
	unique := timed && named && len(c.ID) >= longID
	switch line := lineID(c); {
	case line != "":
		text(&h, line)
	case !unique:
		text(&h, stableSession(c))
	}
	if named {
		text(&h, c.ID)
	}
	text(&h, c.Tool)
	compact(&h, c.Args)
	base = h.Sum64()
	if unique || c.Outcome == calllog.Unanswered {
		return base, base
	}
	text(&h, c.ResultText)
	compact(&h, c.Result)
	return base, h.Sum64()
}

// repeated is the hash of a call that is the nth of its content in a file.
func (d *identity) repeated(content, nth uint64) uint64 {
	var h maphash.Hash
	h.SetSeed(d.seed)
	number(&h, content)
	number(&h, nth)
	return h.Sum64()
}

func number(h *maphash.Hash, x uint64) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], x)
	h.Write(n[:])
}

func text(h *maphash.Hash, s string) {
	number(h, uint64(len(s)))
	h.WriteString(s)
}

// lineID is the id of the log's line that a reader kept, as copies do: "" if it
// kept none.
func lineID(c *calllog.Call) string {
	if !bytes.Contains(c.Extra, []byte(`"uuid"`)) {
		return ""
	}
	var extra struct {
		UUID string `json:"uuid"`
	}
	_ = json.Unmarshal(c.Extra, &extra) // what isn't there is ""
	return extra.UUID
}

// stableSession is a session's name without what it owes to the files that were
// read beside its own: a session that is called after its file is so by the path
// where two files have one name.
func stableSession(c *calllog.Call) string {
	name := c.Session
	if rest, ok := strings.CutPrefix(name, c.Pos.File); ok && c.Pos.File != "" {
		base, _, _ := strings.Cut(filepath.Base(c.Pos.File), ".")
		name = base + rest
	}
	return connection.ReplaceAllString(name, "")
}

// connection is what readers add to a name to tell connections apart: the time
// that one began, or its number in the log.
var connection = regexp.MustCompile(`(@\d{4}-\d\d-\d\dT[\d:.]+Z|#\d+)$`)

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
