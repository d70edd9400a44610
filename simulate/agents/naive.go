package agents

// naive goes through its plan and repeats a failed call.
type naive struct {
	steps []Step
	tries int
}

func newNaive(b *Brief, _ Random) Agent { return &naive{steps: b.Plan} }

func (n *naive) Next(_ string, isError bool) (Step, bool) {
	if n.tries > 0 && (!isError || n.tries >= maxTries) {
		n.steps, n.tries = n.steps[1:], 0
	}
	if len(n.steps) == 0 {
		return Step{}, true
	}
	n.tries++
	return n.steps[0], false
}
