package value_test

import (
	"fmt"

	"mcpg/mcptree/value"
)

func Example() {
	v, err := value.ParseJSON([]byte(`{"release": {"n": 9007199254740993, "share": 1.0, "done": true}, "a": [1, 2]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	n, _ := value.Lookup(v, "release", "n")
	fmt.Println(n.Kind, n.Int) // exact, whatever its size

	share, _ := value.Lookup(v, "release", "share")
	fmt.Println(value.Equal(share, value.OfInt(1)), string(value.AppendJSON(nil, share)))

	fmt.Println(string(value.AppendJSON(nil, v)))
	fmt.Println(string(value.AppendCanonical(nil, v)))

	_, ok := value.Lookup(v, "release", "missing")
	fmt.Println(ok)
	// Output:
	// integer 9007199254740993
	// true 1.0
	// {"release":{"n":9007199254740993,"share":1.0,"done":true},"a":[1,2]}
	// {"a":[1,2],"release":{"done":true,"n":9007199254740993,"share":1.0}}
	// false
}
