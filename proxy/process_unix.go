//go:build unix

package proxy

import (
	"fmt"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// group is a process group.
type group struct{ id int }

func groupOf(name string) (*group, error) {
	id, err := strconv.Atoi(name)
	if err != nil || id <= 1 {
		return nil, fmt.Errorf("no process group %q", name)
	}
	return &group{id}, nil
}

func (g *group) name() string { return strconv.Itoa(g.id) }

// prepare makes a command the first of a group of its own.
func (g *group) prepare(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func (g *group) started(c *exec.Cmd) { g.id = c.Process.Pid }

func (g *group) ask()  { _ = syscall.Kill(-g.id, syscall.SIGTERM) }
func (g *group) kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

// alive tells whether the group has members.
func (g *group) alive() bool { return syscall.Kill(-g.id, 0) == nil }

// end asks what is left of the group to end, and makes it after the time.
func (g *group) end(grace time.Duration) {
	if !g.alive() {
		return
	}
	g.ask()
	const step = 10 * time.Millisecond
	for waited := time.Duration(0); waited < grace; waited += step {
		if !g.alive() {
			return
		}
		time.Sleep(step)
	}
	g.kill()
}
