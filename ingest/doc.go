// Package ingest reads recorded logs of any known format into calls: it tells
// the format by content, settles outcome and cause, and reconstructs the state
// before each call where the log doesn't hold it.
package ingest
