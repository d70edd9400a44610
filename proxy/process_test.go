//go:build unix

package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpg/policy"
)

// TestMain lets the test's program be a server, a proxy before one, and a watcher.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "server":
			testServer(os.Args[2:])
			os.Exit(0)
		case "proxy":
			os.Exit(testProxy(os.Args[2:]))
		case "watch":
			if err := Watch(os.Stdin, os.Args[2]); err != nil {
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// testProxy stands before a server without saying anything.
func testProxy(argv []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	p := New(Options{Policy: policy.New(nil, policy.Options{Mode: policy.Observe}), Mode: policy.Observe})
	err := p.ServeStdio(ctx, os.Stdin, os.Stdout, Process{Argv: argv, Stderr: os.Stderr, Watch: []string{os.Args[0], "watch"}, Grace: 500 * time.Millisecond}.Start)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	return 0
}

// testServer answers lines in the way that its first argument says; it writes its
// process number to the file that the second one names.
func testServer(args []string) {
	if len(args) > 1 {
		_ = os.WriteFile(args[1], []byte(strconv.Itoa(os.Getpid())), 0o600)
	}
	out := bufio.NewWriter(os.Stdout)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	if args[0] == "deaf" { // ends by force only
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		for {
			time.Sleep(time.Hour)
		}
	}
	done := make(chan bool, 1000)
	running := 0
	for n := 0; ; n++ {
		line, err := in.ReadString('\n')
		m, ok := parse([]byte(line))
		switch {
		case !ok || m.id == nil:
			if line != "" {
				fmt.Fprintf(out, "heard %d bytes\r\n", len(line))
			}
		case args[0] == "die" && m.method == "die":
			os.Exit(7)
		case args[0] == "die": // says nothing
		case args[0] == "loud":
			os.Stderr.Write(bytes.Repeat([]byte("x"), 10<<20))
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", m.id)
		case args[0] == "parts": // bytes of one character in two writes
			for _, part := range []string{`{"jsonrpc":"2.0","result":{"a":"` + "\xe6\x97", "\xa5" + `\ud83d"},"id":` + string(m.id), "}\n"} {
				os.Stdout.WriteString(part)
			}
		case args[0] == "slow" && m.method == "tools/call":
			running++
			id := slices.Clone(m.id)
			go func() {
				time.Sleep(100 * time.Millisecond)
				os.Stdout.WriteString(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":{"content":[]}}` + "\n")
				done <- true
			}()
		default:
			fmt.Fprintf(out, "  {\"result\": {\"tools\":[ ],\"n\":%d,\"big\":9007199254740993,\"f\":1.50,\"content\":[{\"type\":\"text\",\"text\":%s}] , \"isError\":true},\"id\":%s,\"x\":null}\r\n", n, quote(line), m.id)
			if n%3 == 0 {
				fmt.Fprintf(out, "noise %d\n\n", n)
			}
		}
		out.Flush()
		if err != nil {
			for range running {
				<-done
			}
			return
		}
	}
}

// program is a child of the test's.
type program struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err *bytes.Buffer
}

func start(t *testing.T, args ...string) *program {
	t.Helper()
	p := &program{t: t, cmd: exec.Command(os.Args[0], args...), err: &bytes.Buffer{}}
	p.cmd.Stderr = p.err
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	return p
}

func (p *program) say(s string) {
	if _, err := io.WriteString(p.in, s); err != nil {
		p.t.Error(err)
	}
}

func (p *program) line() string {
	p.t.Helper()
	s, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("%q %v", s, err)
	}
	return s
}

func proxied(server ...string) []string {
	return append([]string{"proxy", os.Args[0], "server"}, server...)
}

// TestDifferential: the client gets the same bytes as without the proxy, for each frame
// of a session that is as odd as it may be, and the server hears the same.
func TestDifferential(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	list := `{"jsonrpc":"2.0","id":"l","method":"tools/list"}` + "\n"
	for _, id := range []string{`7`, `"7"`, `""`, `0`, `9007199254740993`, `7.5`, `-0`, `"\u00e9"`, `"x\ud800"`} {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"t","arguments":{"a":1.0,"b":"日本\u0000"},"_meta":{"progressToken":%s}}}`+"\n", id, id)
		fmt.Fprintf(&in, ` {"method":"ping", "id":%s , "jsonrpc":"2.0"} `+"\r\n", id)
	}
	in.WriteString("junk\n\n\r\n[1]\n\xff\xfe\n{\"a\":\n" + `{"method":"notifications/x"}` + "\n")
	for _, n := range []int{64<<10 - 1, 64 << 10, 1 << 20, 17 << 20} {
		in.WriteString(`{"id":"` + strconv.Itoa(n) + `","method":"big","params":"` + strings.Repeat("é", n/2) + `"}` + "\n")
	}
	for i := range 200 { // written at the end of the input
		fmt.Fprintf(&in, `{"id":%d,"method":"tools/call","params":{"name":"t"}}`+"\n", i)
	}
	in.WriteString(`{"id":"last","method":"no line end"}`)
	run := func(args ...string) string {
		p := start(t, args...)
		p.say(list)
		first := p.line()
		p.line()
		p.line() // the server's noise
		go func() {
			p.say(in.String())
			p.in.Close()
		}()
		rest, err := io.ReadAll(p.out)
		if err := errors.Join(err, p.cmd.Wait()); err != nil {
			t.Errorf("%v: %v %s", args[:2], err, p.err)
		}
		return first + string(rest)
	}
	direct, through := run("server", "echo"), run(proxied("echo")...)
	a, b := strings.SplitAfter(direct, "\n"), strings.SplitAfter(through, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			got := ""
			if i < len(b) {
				got = b[i]
			}
			t.Fatalf("line %d of %d:\n%.300q\ninstead of\n%.300q", i, len(a), got, a[i])
		}
	}
	if len(a) != len(b) || len(a) < 230 {
		t.Errorf("%d lines, direct %d", len(b), len(a))
	}
}

// TestFortyMiB: a frame of 40 MiB goes both ways.
func TestFortyMiB(t *testing.T) {
	t.Parallel()
	p := start(t, proxied("echo")...)
	frame := `{"id":1,"method":"big","params":"` + strings.Repeat("a", 40<<20) + `"}` + "\n"
	go p.say(frame)
	if got := p.line(); !strings.Contains(got, string(quote(frame))) {
		t.Errorf("%d bytes", len(got))
	}
}

// TestLoudServer: 10 MiB on stderr without a line end hold nothing up, read or not.
func TestLoudServer(t *testing.T) {
	t.Parallel()
	p := start(t, proxied("loud")...)
	p.say(`{"id":1,"method":"ping"}` + "\n")
	p.line()

	blocked, block := io.Pipe() // nobody reads
	defer blocked.Close()
	q := New(Options{Policy: policy.New(nil, policy.Options{})})
	in, say := io.Pipe()
	out, to := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- q.ServeStdio(context.Background(), in, to, Process{Argv: []string{os.Args[0], "server", "loud"}, Stderr: block}.Start)
	}()
	go io.WriteString(say, `{"id":1,"method":"ping"}`+"\n")
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Error(err)
	}
	say.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestSplitCharacters: bytes of one character may come apart.
func TestSplitCharacters(t *testing.T) {
	t.Parallel()
	p := start(t, proxied("parts")...)
	p.say(`{"id":1,"method":"ping"}` + "\n")
	if got := p.line(); got != "{\"jsonrpc\":\"2.0\",\"result\":{\"a\":\"日\\ud83d\"},\"id\":1}\n" {
		t.Errorf("%q", got)
	}
}

// TestParallelCalls: calls run side by side.
func TestParallelCalls(t *testing.T) {
	t.Parallel()
	p := start(t, proxied("slow")...)
	p.say(`{"id":"l","method":"tools/list"}` + "\n")
	p.line()
	p.line()
	p.line()
	began := time.Now()
	for i := range 20 {
		p.say(call(strconv.Itoa(i), "t", `{}`))
	}
	for range 20 {
		p.line()
	}
	if took := time.Since(began); took > 1800*time.Millisecond { // one after another it is two seconds
		t.Errorf("20 calls of 100 ms took %s", took)
	}
}

// TestKilledServer: when the server dies every open request is answered within a
// second, and the proxy says that it failed.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	p := start(t, proxied("die")...)
	p.say(`{"id":"a","method":"one"}` + "\n" + `{"id":2,"method":"two"}` + "\n" + `{"id":3,"method":"die"}` + "\n")
	began := time.Now()
	var ids []string
	for range 3 {
		m, _ := parse([]byte(p.line()))
		ids = append(ids, string(m.id))
		if m.fault == nil {
			t.Errorf("%s", m.frame)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("answered after %s", took)
	}
	if slices.Sort(ids); strings.Join(ids, " ") != `"a" 2 3` {
		t.Errorf("answered %v", ids)
	}
	var exit *exec.ExitError
	if err := p.cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("%v", err)
	}
}

// TestNoServer: what can't be started is an error.
func TestNoServer(t *testing.T) {
	t.Parallel()
	p := start(t, "proxy", "/no/such/server")
	var exit *exec.ExitError
	if err := p.cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.Contains(p.err.String(), "starting /no/such/server") {
		t.Errorf("%v %s", err, p.err)
	}
}

// TestNoOrphans: the server ends with the proxy, however that ends, and so does what the
// server started.
func TestNoOrphans(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"EOF", "SIGTERM", "SIGKILL"} {
		for name, server := range map[string][]string{
			"plain": {os.Args[0], "server", "echo"},
			"deaf":  {os.Args[0], "server", "deaf"},
			"shell": {"sh", "-c", `"$0" server deaf "$1" & wait`, os.Args[0]},
		} {
			t.Run(how+" "+name, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "pid")
				p := start(t, append(append([]string{"proxy"}, server...), file)...)
				p.say("hello\n")
				p.line()
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				pid, _ := strconv.Atoi(string(b))
				switch how {
				case "EOF":
					p.in.Close()
				case "SIGTERM":
					_ = p.cmd.Process.Signal(syscall.SIGTERM)
				default:
					_ = p.cmd.Process.Kill()
				}
				_ = p.cmd.Wait()
				for began := time.Now(); running(pid); time.Sleep(10 * time.Millisecond) {
					if time.Since(began) > patience {
						_ = syscall.Kill(pid, syscall.SIGKILL)
						t.Fatalf("%s: the server runs on", how)
					}
				}
			})
		}
	}
}

// running tells whether a process runs, and isn't just waiting to be buried.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(b), ") Z ")
}
