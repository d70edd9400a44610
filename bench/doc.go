// Package bench plays a suite of tasks with scripted agents under policies,
// labels every attempted call by the simulator's own check, and counts. It
// gives a verdict on whether a result may be believed, and a gate for CI.
package bench
