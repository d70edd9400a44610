package bench

import (
	"context"
	"fmt"
	"testing"
	"time"
)

func TestTry(t *testing.T) {
	s, err := LoadSuite("stateful-v1")
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	r, err := Run(context.Background(), s, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(time.Since(begin), r.Verdict, r.Reasons)
	for _, x := range r.Results {
		fmt.Printf("%-14s %-8s %+v\n", x.Agent, x.Arm, x.Counts)
	}
	for _, x := range r.Results {
		if x.Arm == "block" || x.Agent == "oracle" {
			for _, c := range x.ByClass {
				fmt.Printf("%-14s %-8s %s %+v\n", x.Agent, x.Arm, c.Class, c.Counts)
			}
		}
	}
}
