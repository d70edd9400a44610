package adapter

import (
	"errors"
	"strings"

	"mcpg/behavior"
)

// Ref finds the resource that a person means: class:id, or an id of the first class.
func (a *Adapter) Ref(name string) (Ref, error) {
	if name == "" || len(a.classes) == 0 {
		return Ref{}, errors.New("no resource is named: want class:id, or the id alone")
	}
	class, id := a.classes[0].Name, name
	for _, c := range a.classes {
		if rest, ok := strings.CutPrefix(name, c.Name+":"); ok && rest != "" {
			class, id = c.Name, rest
		}
	}
	return Ref{Class: class, ID: id, raw: quote(id)}, nil
}

// StateOf reads a resource's state; false if it can't be observed.
func (a *Adapter) StateOf(r Ref, read ReadFunc) (behavior.State, bool) {
	c := a.class(r.Class)
	for _, o := range c.Observations {
		if o.As != "" {
			continue
		}
		features, unknown := a.resource("", c, readFields(a, o, o.args(r), read))
		return behavior.NewState(features, unknown), len(features) > 0
	}
	return behavior.State{}, false
}
