package value

import (
	"math"
	"math/big"
	"strings"
)

// Equal compares as the reference's language does: integers and floats by
// their exact numbers, true as 1 and false as 0, members in any order, NaN
// unlike itself.
func Equal(a, b Value) bool {
	if isNumber(a) && isNumber(b) {
		c, ok := compareNumbers(a, b)
		return ok && c == 0
	}
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case String:
		return a.Str == b.Str
	case List:
		if len(a.List) != len(b.List) {
			return false
		}
		for i := range a.List {
			if !Equal(a.List[i], b.List[i]) {
				return false
			}
		}
	case Map:
		return equalMembers(a, b)
	}
	return true
}

func equalMembers(a, b Value) bool {
	if len(a.Members) != len(b.Members) {
		return false
	}
	var places map[string]int
	if len(b.Members) > manyMembers {
		places = make(map[string]int, len(b.Members))
		for i := range b.Members {
			places[b.Members[i].Name] = i
		}
	}
	for i := range a.Members {
		at := place(b.Members, places, a.Members[i].Name)
		if at < 0 || !Equal(a.Members[i].Value, b.Members[at].Value) {
			return false
		}
	}
	return true
}

// Compare gives the order of a and b: below 0 if a comes first, 0 if they are
// equal. Numbers and booleans have an order, strings (by code point), and lists
// (by the first items that differ); ok is false for all else, and for NaN.
func Compare(a, b Value) (c int, ok bool) {
	switch {
	case isNumber(a) && isNumber(b):
		return compareNumbers(a, b)
	case a.Kind == String && b.Kind == String:
		return compareStrings(a.Str, b.Str), true
	case a.Kind == List && b.Kind == List:
		for i := 0; i < len(a.List) && i < len(b.List); i++ {
			if !Equal(a.List[i], b.List[i]) {
				return Compare(a.List[i], b.List[i])
			}
		}
		return len(a.List) - len(b.List), true
	}
	return 0, false
}

// Less tells whether a comes before b; false where there is no order.
func Less(a, b Value) bool {
	c, ok := Compare(a, b)
	return ok && c < 0
}

// compareStrings orders by code point: the order of UTF-8, of surrogates too.
func compareStrings(a, b string) int { return strings.Compare(a, b) }

func isNumber(v Value) bool { return v.Kind == Int || v.Kind == Float || v.Kind == Bool }

func compareNumbers(a, b Value) (int, bool) {
	a, b = plainNumber(a), plainNumber(b)
	switch {
	case a.Kind == Float && b.Kind == Float:
		return compareFloats(a.Float, b.Float)
	case a.Kind == Float:
		c, ok := compareIntFloat(b, a.Float)
		return -c, ok
	case b.Kind == Float:
		return compareIntFloat(a, b.Float)
	case a.Big == nil && b.Big == nil:
		return order(a.Int < b.Int, a.Int > b.Int), true
	}
	return bigOf(a).Cmp(bigOf(b)), true
}

// plainNumber makes a boolean the integer that it counts as.
func plainNumber(v Value) Value {
	if v.Kind != Bool {
		return v
	}
	if v.Bool {
		return OfInt(1)
	}
	return OfInt(0)
}

func order(less, greater bool) int {
	switch {
	case less:
		return -1
	case greater:
		return 1
	}
	return 0
}

func compareFloats(a, b float64) (int, bool) {
	if math.IsNaN(a) || math.IsNaN(b) {
		return 0, false
	}
	return order(a < b, a > b), true
}

// exact is up to where every integer is a float.
const exact = 1 << 53

func compareIntFloat(n Value, f float64) (int, bool) {
	if n.Big == nil && -exact <= n.Int && n.Int <= exact {
		return compareFloats(float64(n.Int), f)
	}
	switch {
	case math.IsNaN(f):
		return 0, false
	case math.IsInf(f, 1):
		return -1, true
	case math.IsInf(f, -1):
		return 1, true
	}
	// n is an integer, so it compares with f as with f's whole part, unless it
	// is equal to that.
	whole := math.Trunc(f)
	fraction := f - whole
	w, _ := new(big.Float).SetFloat64(whole).Int(nil)
	if c := bigOf(n).Cmp(w); c != 0 {
		return c, true
	}
	return order(fraction > 0, fraction < 0), true
}

func bigOf(v Value) *big.Int {
	if v.Big != nil {
		return v.Big
	}
	return big.NewInt(v.Int)
}

// Contains tells whether v is in container, as the reference's language has it:
// an item of a list, a part of a string, a name of a mapping.
func Contains(container, v Value) bool {
	switch container.Kind {
	case List:
		for i := range container.List {
			if Equal(container.List[i], v) {
				return true
			}
		}
	case String:
		return v.Kind == String && strings.Contains(container.Str, v.Str)
	case Map:
		_, ok := container.Get(v.Str)
		return ok && v.Kind == String
	}
	return false
}

// Lookup follows names through mappings.
func Lookup(v Value, path ...string) (Value, bool) {
	for _, name := range path {
		if v.Kind != Map {
			return Value{}, false
		}
		var ok bool
		if v, ok = v.Get(name); !ok {
			return Value{}, false
		}
	}
	return v, true
}
