package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestNumbers: a row's record has every number of the counts.
func TestNumbers(t *testing.T) {
	t.Parallel()
	var count func(reflect.Type) int
	count = func(x reflect.Type) int {
		if x.Kind() != reflect.Struct {
			return 1
		}
		n := 0
		for i := range x.NumField() {
			n += count(x.Field(i).Type)
		}
		return n
	}
	if got := count(reflect.TypeFor[Counts]()); got != numbers {
		t.Errorf("counts have %d numbers, %d are written", got, numbers)
	}
	var c Counts
	seen := map[*int]bool{}
	for _, n := range c.numbers() {
		seen[n] = true
	}
	if len(seen) != numbers {
		t.Errorf("%d different ones", len(seen))
	}
}

// large writes a suite of n small tasks.
func large(t *testing.T, n int) string {
	t.Helper()
	var tasks strings.Builder
	for i := range n {
		fmt.Fprintf(&tasks, `{"id":"t%d","class":"c%d","template":"p%d","server":"release","world":{"channels":{"stable":{"locked":false}},"releases":{"app":{"status":"DRAFT","tests_passed":%t,"approved_by":["ann","bob"],"channel":"stable","revision":1}}},`+
			`"plan":[{"tool":"publish_release","args":{"release_id":"app"}}],"oracle":[{"tool":"run_tests","args":{"release_id":"app"}},{"tool":"publish_release","args":{"release_id":"app"}}],"goal":[{"at":["releases","app","status"],"op":"is","value":"PUBLISHED"}]}`+"\n", i, i%2, i%7, i%3 == 0)
	}
	dir := filepath.Join(t.TempDir(), "large")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{suiteFile: "name: large\n", tasksFile: tasks.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestLargeSuite: the results of many tasks, which are in files, are what they are in
// memory.
func TestLargeSuite(t *testing.T) {
	t.Parallel()
	s, err := OpenSuite(large(t, keptRows+1))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := Run(context.Background(), s, Options{Agents: []string{"error-reader"}, Arms: []string{ArmNone, "observe", "block"}, Orders: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Verdict != Trustworthy {
		t.Errorf("%s: %q", r.Verdict, r.Reasons)
	}
	x := r.find("error-reader", "block")
	if x.ByTask.file == nil || x.ByTask.Len() != keptRows+1 {
		t.Fatalf("%d rows, in a file: %t", x.ByTask.Len(), x.ByTask.file != nil)
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := ReadResult(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if why := again.Doubts(); len(why) > 0 {
		t.Errorf("read again: %q", why)
	}
	for i := range r.Results {
		x, y := &r.Results[i], &again.Results[i]
		if !x.ByTask.pairs(y.ByTask) {
			t.Errorf("%s: other tasks", x.Arm)
		}
		for j, a := range x.ByTask.All() {
			if b := y.ByTask.at(j); *a != b || a.Tasks != x.Orders {
				t.Fatalf("%s: %+v, read again %+v", x.Arm, *a, b)
			}
		}
	}
	if a, b := fmt.Sprint(r.Against(ArmNone)), fmt.Sprint(again.Against(ArmNone)); a != b {
		t.Errorf("compared in files: %s\nin memory: %s", a, b)
	}
	x.ByTask.Close()
	if err := r.Write(&b); err == nil {
		t.Error("rows whose file is gone were written")
	}
}

// TestSuiteChanges: a task that isn't where it was is no other task.
func TestSuiteChanges(t *testing.T) {
	t.Parallel()
	dir := large(t, 20)
	s, err := OpenSuite(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	file := filepath.Join(dir, tasksFile)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b[1:], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), s, Options{Agents: []string{"error-reader"}}); err == nil || !strings.Contains(err.Error(), "has changed since it was read") {
		t.Errorf("%v", err)
	}
}
