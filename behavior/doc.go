// Package behavior holds what is known of when tools work: states, guards,
// edges, contradictions and the model that carries them, with the three-way
// verdict on a call: it works, it fails, or it isn't determined.
//
// The logic is an exact version space. Atoms are Boolean tests on state and
// arguments; a guard is a conjunction of atoms. S is the set of atoms that were
// true in every success, V(z) the atoms of S that are false in z. Then a call x
// certainly works if V(x) is empty, certainly fails if V(y) ⊆ V(x) for some
// failure y, and otherwise some guard that agrees with all the evidence takes
// it and another refuses it. S is never written out: an atom "f is not v" is in
// S exactly if no success had the token v at f, and numbers are kept as the
// range seen in successes.
package behavior
