// Package adapter reads the JSON files that say how a server's resources are
// found and read: which argument names a resource, which read-only tool shows
// its state, which fields count, what the server's error texts mean. It turns a
// call into the View that guards are learnt from.
package adapter
