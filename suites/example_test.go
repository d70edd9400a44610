package suites_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"mcpg/suites"
)

func Example() {
	s, err := suites.Load(suites.Names()[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(s.Tasks))
	fmt.Println(s.Name, bytes.Count(s.Tasks, []byte("\n")), "tasks, as checked in:", sum == s.SHA256)

	_, err = suites.Load("statefull-v1")
	fmt.Println(err)
	// Output:
	// stateful-v1 200 tasks, as checked in: true
	// unknown suite "statefull-v1": want one of stateful-v1; did you mean stateful-v1?
}
