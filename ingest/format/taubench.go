package format

import (
	"github.com/go-json-experiment/json/jsontext"
)

// tauBenchFormat is github.com/sierra-research/tau-bench and forks that keep its
// shape.
var tauBenchFormat = Format{
	Name: "tau-bench",
	What: "a JSON list of tau-bench runs, each with its trajectory of messages",
	detect: func(h *Head) (bool, string) {
		is := func(o object) bool { return o.has("task_id") && o.hasAny("traj", "reward", "info") }
		if h.elem == nil && h.first == nil {
			return false, "it isn't a JSON list of objects"
		}
		return h.elem != nil && is(h.elem) || h.first != nil && is(h.first),
			`the first record has no "task_id" with "traj", "reward" or "info"`
	},
	read: func(in *Input) error {
		s := newConversations(in, "")
		err := in.document().each(nil, nil, func(line int, rec jsontext.Value) error { return tauRun(s, line, rec) })
		if err != nil {
			return err
		}
		return s.end()
	},
}

// tauRun reads one run, which begins at line.
func tauRun(s *conversations, line int, rec jsontext.Value) error {
	o, err := parseObject(rec)
	if err != nil {
		s.in.Uses[Faulty]++
		s.in.find(line, "bad-record", "not a run: "+err.Error())
		return nil
	}
	traj := o.member("traj")
	if traj.value.Kind() != '[' {
		s.in.Uses[Faulty]++
		s.in.find(line, "bad-record", `a run without a list in "traj"`)
		return nil
	}
	c := s.open(s.in.Scope + "/" + o.str("task_id") + "." + o.str("trial"))
	begin := cursor{text: rec, line: line}
	if err := s.messages(c, traj.value, begin.of(traj.at)); err != nil {
		return err
	}
	c.end()
	return s.finish(c)
}
