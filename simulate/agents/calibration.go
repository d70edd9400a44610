package agents

type doNothing struct{}

func newDoNothing(*Brief, Random) Agent { return doNothing{} }

func (doNothing) Next(string, bool) (Step, bool) { return Step{}, true }

// oracle plays the right plan; a step that fails is made again, unless its
// failure is part of the plan.
type oracle struct {
	steps []Step
	begun bool
}

func newOracle(b *Brief, _ Random) Agent { return &oracle{steps: b.Oracle} }

func (o *oracle) Next(_ string, isError bool) (Step, bool) {
	if o.begun && (!isError || o.steps[0].Once) {
		o.steps = o.steps[1:]
	}
	o.begun = true
	if len(o.steps) == 0 {
		return Step{}, true
	}
	return o.steps[0], false
}
