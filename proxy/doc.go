// Package proxy stands between an MCP client and a server. It forwards the bytes that
// it reads, judges calls of tools with a policy.Session, and adds one text to answers;
// everything that it doesn't edit goes through as it came. What it saw goes to a
// recorder, which is a log like any other.
package proxy
