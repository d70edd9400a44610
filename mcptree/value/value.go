// Package value holds JSON values as the mcptree protocol needs them: members
// keep their order, integers are exact whatever their size, and 1 and 1.0 stay
// apart.
package value

import "math/big"

// Kind of a Value.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	List
	Map
)

func (k Kind) String() string {
	return [...]string{"null", "boolean", "integer", "number", "string", "list", "mapping"}[k]
}

// Member is one member of a mapping.
type Member struct {
	Name  string
	Value Value
}

// Value is a JSON value. The zero Value is null. Values are not changed once
// made: copies share lists and maps.
type Value struct {
	Kind    Kind
	Bool    bool
	Int     int64    // an Int that fits
	Big     *big.Int // an Int that doesn't; nil else
	Float   float64
	Str     string
	List    []Value
	Members []Member // of a Map, names distinct
}

// OfString and its like make values.
func OfString(s string) Value { return Value{Kind: String, Str: s} }
func OfBool(b bool) Value     { return Value{Kind: Bool, Bool: b} }
func OfInt(n int64) Value     { return Value{Kind: Int, Int: n} }
func OfFloat(f float64) Value { return Value{Kind: Float, Float: f} }
func OfList(vs ...Value) Value {
	return Value{Kind: List, List: vs}
}
func OfMap(ms ...Member) Value { return Value{Kind: Map, Members: ms} }

// Get gives a member of a mapping.
func (v Value) Get(name string) (Value, bool) {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value, true
		}
	}
	return Value{}, false
}
