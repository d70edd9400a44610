// Package policy decides on calls as they happen: it observes the state around
// a call, asks what was learnt, forwards, annotates or refuses, and learns from
// the outcome. The bench and the live proxy run this very code, so that what is
// measured is what runs.
package policy
