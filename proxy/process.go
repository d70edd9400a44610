package proxy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// Process says how a server is run whose standard input and output are the transport.
type Process struct {
	Argv []string
	// Stderr takes what the server says there; it is drained whatever this does.
	Stderr io.Writer
	// Watch is a command that ends the server should we be killed: it gets the process
	// group's number as its last argument and a pipe that ends with us as its input. See
	// Watch. nil where the system does it, or nobody.
	Watch []string
	// Grace is how long a server may take to end by itself, and again after it was asked
	// to. 0: two seconds.
	Grace    time.Duration
	MaxFrame int
}

// process is a running server.
type process struct {
	Process
	cmd     *exec.Cmd
	group   group
	in      *os.File
	inMu    sync.Mutex
	end     sync.Once
	stopped atomic.Bool   // it was made to end
	ended   chan struct{} // closed when the process has ended
	done    chan struct{} // closed when its output has ended too
	cleared chan struct{} // closed when what it started has ended too
	err     error
	watch   *os.File // the watcher's input
}

// Start runs the server; deliver is given its frames, one after another.
func (p Process) Start(deliver func(frame []byte, long bool)) (Server, error) {
	if p.Grace == 0 {
		p.Grace = 2 * time.Second
	}
	if p.MaxFrame == 0 {
		p.MaxFrame = MaxFrame
	}
	var files [6]*os.File // read and write ends of stdin, stdout, stderr
	closeAll := func() {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}
	for i := 0; i < len(files); i += 2 {
		var err error
		if files[i], files[i+1], err = os.Pipe(); err != nil {
			closeAll()
			return nil, err
		}
	}
	r := &process{Process: p, in: files[1], ended: make(chan struct{}), done: make(chan struct{}), cleared: make(chan struct{})}
	r.cmd = exec.Command(p.Argv[0], p.Argv[1:]...)
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = files[0], files[3], files[5]
	r.group.prepare(r.cmd)
	if err := r.cmd.Start(); err != nil {
		closeAll()
		return nil, fmt.Errorf("starting %s: %w", p.Argv[0], err)
	}
	r.group.started(r.cmd)
	for _, i := range []int{0, 3, 5} {
		files[i].Close()
	}
	r.startWatch()
	go drain(files[4], p.Stderr)
	reading := make(chan struct{})
	go r.read(files[2], deliver, reading)
	go r.wait(files[2], reading)
	return r, nil
}

// read hands frames on until the output ends.
func (r *process) read(out *os.File, deliver func([]byte, bool), reading chan<- struct{}) {
	defer close(reading)
	in := newLines(out, r.MaxFrame)
	for {
		frame, long, err := in.next()
		if len(frame) > 0 {
			deliver(frame, long)
		}
		if err != nil {
			return
		}
	}
}

// wait takes the end of the process. Output may be held open by processes that it
// started, which is no reason to wait for more; they are ended after it.
func (r *process) wait(out *os.File, reading <-chan struct{}) {
	err := r.cmd.Wait()
	close(r.ended)
	const more = 300 * time.Millisecond
	select {
	case <-reading:
	case <-time.After(more):
	}
	out.Close()
	r.in.Close()
	if err != nil && !r.stopped.Load() {
		r.err = fmt.Errorf("%w: %w", ErrEnded, err)
	}
	close(r.done)
	r.group.end(r.Grace)
	if r.watch != nil {
		_, _ = r.watch.Write([]byte{watchDone}) // else it finds nothing to end
		r.watch.Close()
	}
	close(r.cleared)
}

// Wait waits until nothing of the server's is left.
func (r *process) Wait() { <-r.cleared }

func (r *process) Send(frame []byte) error {
	r.inMu.Lock()
	defer r.inMu.Unlock()
	_, err := r.in.Write(frame)
	return err
}

// CloseSend ends the server's input; a frame that is being written then is cut.
func (r *process) CloseSend() { r.in.Close() }

// Finish waits for the server to end by itself, and then makes it.
func (r *process) Finish() {
	go func() {
		select {
		case <-r.ended:
		case <-time.After(r.Grace):
			r.Stop()
		}
	}()
}

// Stop asks the server to end, and then makes it.
func (r *process) Stop() {
	r.end.Do(func() {
		r.stopped.Store(true)
		go func() {
			r.group.ask()
			select {
			case <-r.ended:
			case <-time.After(r.Grace):
				r.group.kill()
			}
		}()
	})
}

func (r *process) Done() <-chan struct{} { return r.done }
func (r *process) Err() error            { return r.err }

// drain passes on what a server says for people.
func drain(from *os.File, to io.Writer) {
	defer from.Close()
	var lossy *Lossy
	if to != nil {
		lossy = NewLossy(to)
		defer lossy.Close()
	}
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if n > 0 && lossy != nil {
			_, _ = lossy.Write(b[:n])
		}
		if err != nil {
			return
		}
	}
}

// watchDone tells a watcher that there is nothing to end.
const watchDone = 'x'

func (r *process) startWatch() {
	if r.Watch == nil {
		return
	}
	in, out, err := os.Pipe()
	if err != nil {
		return
	}
	defer in.Close()
	cmd := exec.Command(r.Watch[0], append(r.Watch[1:len(r.Watch):len(r.Watch)], r.group.name())...)
	cmd.Stdin = in
	new(group).prepare(cmd)
	if err := cmd.Start(); err != nil {
		out.Close()
		return
	}
	r.watch = out
	go func() { _ = cmd.Wait() }() // it ends when we do, or after us
}

// Watch is what Process.Watch runs: it waits for the end of its input, and ends the
// process group if nobody has said that this was done.
func Watch(in io.Reader, name string) error {
	b := make([]byte, 1)
	if n, err := in.Read(b); n == 1 && b[0] == watchDone {
		return nil
	} else if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	g, err := groupOf(name)
	if err != nil {
		return err
	}
	g.end(time.Second)
	return nil
}
