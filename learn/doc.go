// Package learn turns calls into guards. Evidence is counts and sets that
// merge by sums, unions and lowest hashes, so that any order and any split of
// the calls gives the same model; Induce derives the version space of package
// behavior from it.
package learn
