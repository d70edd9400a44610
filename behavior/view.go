package behavior

// View is a call as features: what an adapter makes of its arguments and of
// the state around it.
type View struct {
	Resource string // class:id of the first resource, "" without one
	Class    string
	Primary  string // the first resource's role
	State    State  // of all resources, before the call
	Args     State  // arguments and relations
	After    State  // of the first resource after the call, its role off
	HasAfter bool
	Writes   bool // the tool may change something
}

// Features is everything that a guard may test.
func (v *View) Features() State { return v.State.Join(v.Args) }
