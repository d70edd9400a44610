package format

import "github.com/go-json-experiment/json/jsontext"

// tau2Format is github.com/sierra-research/tau2-bench: one document with
// simulations, where the user may call tools too.
var tau2Format = Format{
	Name: "tau2",
	What: "tau2-bench results: one document with simulations",
	detect: func(h *Head) (bool, string) {
		return h.first.has("simulations") || h.first.has("info", "tasks") && h.first.obj("info").hasAny("environment_info", "num_trials"),
			`no "simulations" in the document`
	},
	read: func(in *Input) error {
		s := newConversations(in, "")
		err := in.document().each([]string{"simulations"}, func(name string, v jsontext.Value) {
			if name == "info" {
				s.server = objectOf(v).obj("environment_info").str("domain_name")
			}
		}, func(line int, rec jsontext.Value) error { return simulation(s, line, rec) })
		if err != nil {
			return err
		}
		return s.end()
	},
}

func simulation(s *conversations, line int, rec jsontext.Value) error {
	o, err := parseObject(rec)
	messages := o.member("messages")
	if err != nil || messages.value.Kind() != '[' {
		s.in.Uses[Faulty]++
		s.in.find(line, "bad-record", `a simulation without a list in "messages"`)
		return nil
	}
	name := o.str("id")
	if name == "" {
		name = s.in.Scope + "/" + o.str("task_id") + "." + o.str("trial")
	}
	c := s.open(name)
	c.fail = func(m object) (string, bool, bool) {
		failed, known := boolOf(m.get("error"))
		return "", failed, known
	}
	begin := cursor{text: rec, line: line}
	if err := s.messages(c, messages.value, begin.of(messages.at)); err != nil {
		return err
	}
	c.end()
	return s.finish(c)
}
