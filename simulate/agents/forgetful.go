package agents

// memory is after how many steps the forgetful agent forgets that it did one.
const memory = 4

// forgetful is a naive retrier that does a step again, once, when it has forgotten that
// it did it.
type forgetful struct {
	naive
	done   []Step
	again  []Step
	repeat *Step
}

func newForgetful(b *Brief, _ Random) Agent { return &forgetful{naive: naive{steps: b.Plan}} }

func (f *forgetful) Next(text string, isError bool) (Step, bool) {
	if f.repeat == nil && f.tries > 0 && (!isError || f.tries >= maxTries) {
		f.done = append(f.done, f.steps[0])
		if n := len(f.done); n > memory {
			f.again = append(f.again, f.done[n-1-memory])
		}
	}
	if f.repeat != nil {
		f.repeat = nil
		return f.plan()
	}
	if f.tries > 0 && (!isError || f.tries >= maxTries) {
		f.steps, f.tries = f.steps[1:], 0
	}
	if f.tries == 0 && len(f.again) > 0 {
		f.repeat, f.again = &f.again[0], f.again[1:]
		return *f.repeat, false
	}
	return f.plan()
}

// plan goes on with the plan.
func (f *forgetful) plan() (Step, bool) {
	if len(f.steps) == 0 {
		if len(f.done) > 0 { // what was first it no longer knows
			s := f.done[0]
			f.done, f.repeat = nil, &s
			return s, false
		}
		return Step{}, true
	}
	f.tries++
	return f.steps[0], false
}
