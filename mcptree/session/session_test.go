package session

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/value"
)

const loop = `{"mcptree":"0.2","id":"loop","title":"T é","entry":"a","max_steps":1000000000,"nodes":{
	"a":{"type":"action","tool":"p","args":{"x":1.0},"result":{"capture":"r"},"next":"c"},
	"c":{"type":"condition","on":"r.status","branches":[{"when":{"eq":200},"then":"z"}],"default":"a"},
	"z":{"type":"terminal","outcome":"ok","summary":"{{ r }}"}}}`

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func start(t testing.TB, s *Store) *Session {
	t.Helper()
	tree, err := mcptree.FromValue(parse(t, loop))
	if err != nil {
		t.Fatal(err)
	}
	m, err := engine.New(tree)
	if err != nil {
		t.Fatal(err)
	}
	state, trace := m.Start(s.Now(), nil)
	ses, err := s.Create(m, state, trace)
	if err != nil {
		t.Fatal(err)
	}
	return ses
}

func fixed() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6000, time.FixedZone("", 3600)) }

func open(dir string) *Store { return New(dir, mcptree.FromValue, Options{Now: fixed}) }

func answer(step int, v value.Value) engine.Answer {
	return engine.Answer{Step: step, Value: v, Source: engine.SourceAnswer}
}

func TestWalk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "sessions")
	s := open(dir)
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Fatal(list, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Fatal("created before the first write")
	}
	ses := start(t, s)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(dir, ses.ID+".json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	for step := 1; step <= 100; step++ {
		// Every time with a store that remembers nothing.
		e, err := open(dir).Submit(ses.ID, answer(step, parse(t, fmt.Sprintf(`{"status":500,"x":%q,"n":1.0}`, strings.Repeat("é", step*7)))))
		if err != nil || e.Error != "" || e.Step != step+1 {
			t.Fatal(step, e, err)
		}
	}
	if e, err := s.Submit(ses.ID, answer(1, value.Value{})); err != nil || e.Error != "step_mismatch: expected step 101, got 1" {
		t.Error(e, err)
	}
	if e, err := s.Submit(ses.ID, answer(101, parse(t, `{"status":200.0}`))); err != nil || e.State != engine.StateDone || e.Instruction != `{"status":200.0}` {
		t.Error(e, err)
	}
	got, trace, err := open(dir).Trace(ses.ID)
	if err != nil || len(trace) != 203 || got.State.Seq != 203 || !got.State.Done || got.Created != "2026-01-02T02:04:05.000006+00:00" || got.Tree().Hash != ses.Tree().Hash {
		t.Fatal(len(trace), err)
	}
	for i, e := range trace {
		if e.Seq != i+1 || e.Timestamp != "2026-01-02T02:04:05.000006+00:00" {
			t.Fatal(i, e)
		}
	}
	var out bytes.Buffer
	if err := s.Export(ses.ID, &out); err != nil {
		t.Fatal(err)
	}
	if doc, _ := parse(t, out.String()).Get("document"); !value.Equal(doc, parse(t, loop)) {
		t.Error("exported document differs")
	}
	if err := s.Delete(ses.ID); err != nil {
		t.Error(err)
	}
	var unknown *UnknownError
	if _, err := s.Load(ses.ID); !errors.As(err, &unknown) {
		t.Error(err)
	}
	if err := s.Delete(ses.ID); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

func TestUnknown(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	s := open(dir)
	for _, id := range []string{"", "ses_", "ses_0123456789a", "ses_0123456789abc", "ses_0123456789ab\n", "../../etc/passwd", "ses_0123456789a\x00", "ses_0123456789AB", "ses_0123456789ab"} {
		var unknown *UnknownError
		if _, err := s.Load(id); !errors.As(err, &unknown) || unknown.ID != id {
			t.Errorf("%q: %v", id, err)
		}
		if _, err := s.Submit(id, answer(1, value.Value{})); !errors.As(err, &unknown) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory was made")
	}
	ses := start(t, s)
	if _, err := s.Load("ses_0123456789ab"); err == nil || !strings.Contains(err.Error(), ses.ID) {
		t.Error(err)
	}
}

// TestTorn: whatever part of the last line a crash left, the session goes on
// from the line before.
func TestTorn(t *testing.T) {
	dir := t.TempDir()
	s := open(dir)
	ses := start(t, s)
	path := filepath.Join(dir, ses.ID+".json")
	for step := 1; step <= 2; step++ {
		s.Submit(ses.ID, answer(step, parse(t, `{"status":500}`)))
	}
	before, _ := os.ReadFile(path)
	s.Submit(ses.ID, answer(3, parse(t, `{"status":501}`)))
	after, _ := os.ReadFile(path)
	for cut := len(before); cut < len(after); cut++ {
		if err := os.WriteFile(path, after[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := open(dir).Load(ses.ID)
		if err != nil || got.State.Step != 3 {
			t.Fatal(cut, err)
		}
		if _, trace, err := s.Trace(ses.ID); err != nil || len(trace) != 4 {
			t.Fatal(cut, len(trace), err)
		}
		if e, err := s.Submit(ses.ID, answer(3, parse(t, `{"status":501}`))); err != nil || e.Error != "" {
			t.Fatal(cut, e, err)
		}
		if text, _ := os.ReadFile(path); !bytes.Equal(text, after) {
			t.Fatalf("cut at %d: not repaired", cut)
		}
	}
}

func TestCorrupt(t *testing.T) {
	dir := t.TempDir()
	s := open(dir)
	ses, other := start(t, s), start(t, s)
	path := filepath.Join(dir, ses.ID+".json")
	good, _ := os.ReadFile(path)
	lines := bytes.SplitAfter(good, []byte("\n"))
	swapped, _ := os.ReadFile(filepath.Join(dir, other.ID+".json"))
	for _, text := range []string{"", "{ truncated", "{}\n", "\n\n", string(lines[0]), string(lines[0]) + "{\n", string(good) + "{}\n", string(good) + "null\n",
		strings.Replace(string(good), `"loop"`, `"pool"`, 2), strings.Replace(string(good), `1.0`, `2.0`, 1), strings.Replace(string(good), `"node":"a"`, `"node":"b"`, 1), string(swapped), string(good[1:])} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var corrupt *CorruptError
		if _, err := s.Load(ses.ID); !errors.As(err, &corrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("%.40q: %v", text, err)
		}
		if _, err := s.Submit(ses.ID, answer(1, value.Value{})); !errors.As(err, &corrupt) {
			t.Errorf("%.40q: %v", text, err)
		}
		if _, _, err := s.Trace(ses.ID); !errors.As(err, &corrupt) {
			t.Errorf("%.40q: %v", text, err)
		}
		if now, _ := os.ReadFile(path); string(now) != text {
			t.Errorf("%.40q was changed", text)
		}
		if list, err := s.List(); err != nil || len(list) != 2 || (list[0].Err == nil) == (list[1].Err == nil) {
			t.Errorf("%v, %v", list, err)
		}
	}
	if err := s.Delete(ses.ID); err != nil {
		t.Error(err)
	}
}

func TestLongLines(t *testing.T) {
	s := open(t.TempDir())
	ses := start(t, s)
	for step := 1; step < 12; step++ {
		v := value.OfString(strings.Repeat("x", 1<<(step+3)))
		if e, err := s.Submit(ses.ID, answer(step, value.OfMap(value.Member{Name: "status", Value: v}))); err != nil || e.Error != "" {
			t.Fatal(e.Error, err)
		}
	}
	got, err := s.Load(ses.ID)
	if err != nil || got.State.Step != 12 {
		t.Error(err)
	}
}

// Children of this test binary.
const childEnv = "MCPTREE_SESSION_TEST"

func TestMain(m *testing.M) {
	args := strings.Split(os.Getenv(childEnv), "|")
	switch args[0] {
	case "race": // submit every step once and say which were accepted
		s := open(args[1])
		in := bufio.NewScanner(os.Stdin)
		for step := 1; in.Scan(); step++ {
			e, err := s.Submit(args[2], answer(step, value.OfInt(int64(os.Getpid()))))
			fmt.Println(err == nil && e.Error == "", err)
		}
		return
	case "forever":
		s := open(args[1])
		for {
			ses, err := s.Load(args[2])
			if err == nil {
				_, err = s.Submit(args[2], answer(ses.State.Step, value.OfString(strings.Repeat("é", 2000))))
			}
			fmt.Println(err)
		}
	}
	os.Exit(m.Run())
}

func child(t testing.TB, args ...string) (*exec.Cmd, *bufio.Reader, func(string)) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+strings.Join(args, "|"))
	in, _ := c.StdinPipe()
	out, _ := c.StdoutPipe()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); c.Process.Kill(); c.Wait() })
	return c, bufio.NewReader(out), func(line string) { fmt.Fprintln(in, line) }
}

var (
	racers = flag.Int("processes", 12, "processes of TestProcesses")
	races  = flag.Int("steps", 60, "steps of TestProcesses")
)

// TestProcesses: of processes that submit the same step at the same time,
// exactly one is accepted.
func TestProcesses(t *testing.T) {
	processes, steps := *racers, *races
	if testing.Short() {
		processes, steps = 4, 10
	}
	dir := t.TempDir()
	s := open(dir)
	ses := start(t, s)
	var outs []*bufio.Reader
	var goes []func(string)
	for range processes {
		_, out, send := child(t, "race", dir, ses.ID)
		outs, goes = append(outs, out), append(goes, send)
	}
	for step := range steps {
		for _, send := range goes {
			send("go")
		}
		accepted := 0
		for _, out := range outs {
			switch line, err := out.ReadString('\n'); line {
			case "true <nil>\n":
				accepted++
			case "false <nil>\n":
			default:
				t.Fatal(line, err)
			}
		}
		if accepted != 1 {
			t.Fatalf("step %d: %d accepted", step+1, accepted)
		}
	}
	if _, trace, err := s.Trace(ses.ID); err != nil || len(trace) != 2*steps {
		t.Error(len(trace), err)
	}
}

// TestKilled: a process that is killed while it saves leaves a session that
// can be read and gone on with.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	s := open(dir)
	ses := start(t, s)
	for round := range 25 {
		c, out, _ := child(t, "forever", dir, ses.ID)
		for range 3 + round {
			if line, err := out.ReadString('\n'); line != "<nil>\n" {
				t.Fatal(line, err)
			}
		}
		c.Process.Kill()
		c.Wait()
		got, trace, err := s.Trace(ses.ID)
		if err != nil || len(trace) != 2*(got.State.Step-1) {
			t.Fatal(round, err)
		}
		if e, err := s.Submit(ses.ID, answer(got.State.Step, value.Value{})); err != nil || e.Error != "" {
			t.Fatal(round, e, err)
		}
	}
}

// TestGoroutines does the same within a process, and deletes meanwhile.
func TestGoroutines(t *testing.T) {
	s := open(t.TempDir())
	ses := start(t, s)
	for step := 1; step <= 20; step++ {
		var wg sync.WaitGroup
		var mu sync.Mutex
		accepted := 0
		for range 16 {
			wg.Go(func() {
				e, err := s.Submit(ses.ID, answer(step, value.OfInt(1)))
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if e.Error == "" {
					accepted++
				}
			})
		}
		wg.Wait()
		if accepted != 1 {
			t.Fatalf("%d accepted", accepted)
		}
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			var unknown *UnknownError
			if i%4 == 0 {
				if err := s.Delete(ses.ID); err != nil && !errors.As(err, &unknown) {
					t.Error(err)
				}
			} else if _, err := s.Submit(ses.ID, answer(21, value.OfInt(1))); err != nil && !errors.As(err, &unknown) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// FuzzFile reads any text as a session's file.
func FuzzFile(f *testing.F) {
	dir := f.TempDir()
	s := open(dir)
	ses := start(f, s)
	s.Submit(ses.ID, answer(1, parse(f, `{"status":500}`)))
	path := filepath.Join(dir, ses.ID+".json")
	good, _ := os.ReadFile(path)
	f.Add(good)
	f.Add([]byte(strings.Replace(string(good), "500", "5e400", 1)))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := s.Load(ses.ID)
		var corrupt *CorruptError
		if err != nil && !errors.As(err, &corrupt) {
			t.Fatal(err)
		}
		s.Trace(ses.ID)
		if err == nil {
			s.Submit(ses.ID, answer(got.State.Step, value.Value{}))
			if _, err := s.Load(ses.ID); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// BenchmarkSubmit persists every submission. The last metrics are how long the
// first 25 and those about the 500th take.
func BenchmarkSubmit(b *testing.B) {
	s := New(b.TempDir(), mcptree.FromValue, Options{})
	v := parse(b, `{"status":503,"body":"unavailable"}`)
	var first, late, total time.Duration
	var sessions, steps int
	for b.Loop() {
		ses := start(b, s)
		sessions++
		for step := 1; step <= 525; step++ {
			begun := time.Now()
			if e, err := s.Submit(ses.ID, answer(step, v)); err != nil || e.Error != "" {
				b.Fatal(e.Error, err)
			}
			took := time.Since(begun)
			total += took
			steps++
			switch {
			case step <= 25:
				first += took
			case step > 500:
				late += took
			}
		}
	}
	b.ReportMetric(float64(steps)/total.Seconds(), "submissions/s")
	b.ReportMetric(float64(first.Microseconds())/float64(25*sessions), "µs/first25")
	b.ReportMetric(float64(late.Microseconds())/float64(25*sessions), "µs/501st-525th")
}
