package filesystem

import "path"

// act makes the pending actions that are due, in their order.
func (s *Server) act(due func(Action) bool) (acted bool) {
	var rest []Action
	for i, a := range s.pending {
		if due(a) {
			if !acted {
				rest = append(rest, s.pending[:i]...)
			}
			acted = true
			s.disk.do(a)
		} else if acted {
			rest = append(rest, a)
		}
	}
	if acted {
		s.pending = rest
	}
	return acted
}

// race lets another process write right before a tool runs.
func (s *Server) race(tool string) bool {
	return s.act(func(a Action) bool {
		return a.Race == tool && a.from() <= s.disk.step
	})
}

// do makes one write. What another process cannot do is left undone: nobody
// hears of its errors.
func (d *disk) do(a Action) {
	switch a.Op {
	case "mkdir":
		d.makeDirs(a.Path)
	case "write":
		d.overwrite(a.Path, a.Content)
	case "move":
		if at, code := d.lookup(a.Path, false); code == 0 && !within(a.To, at.path) {
			d.makeDirs(path.Dir(a.To))
			d.rename(a.Path, a.To)
		}
	case "remove":
		if at, code := d.lookup(a.Path, false); code == 0 && at.inside != nil {
			d.set(at.path, nil)
		}
	}
}

func (d *disk) overwrite(name, content string) {
	if d.makeDirs(path.Dir(name)) != 0 {
		return
	}
	at, code := d.lookup(name, true)
	if code == 0 && !at.node.isDir() || code == enoent && at.inside != nil {
		d.set(at.path, newFile(content, d.step))
	}
}
