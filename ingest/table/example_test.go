package table_test

import (
	"bytes"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
	"mcpg/ingest/table"
)

func Example() {
	var file bytes.Buffer
	if err := write(&file); err != nil {
		fmt.Println(err)
		return
	}
	r, err := table.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	fmt.Println(r.NumRows(), "calls")
	for r.Next() {
		c := r.Call()
		fmt.Printf("%s: %s %s %s %q\n", c.ID, c.Tool, c.Args, c.Outcome, c.Cause)
	}
	if err := r.Err(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2 calls
	// 1: run_tests {"id":"app-1"} ok ""
	// 2: publish {"id":"app-1"} rejected "state"
}

func write(to io.Writer) error {
	w, err := table.NewWriter(to, table.Parquet)
	if err != nil {
		return err
	}
	for _, c := range []calllog.Call{
		{ID: "1", Tool: "run_tests", Args: jsontext.Value(`{"id":"app-1"}`)},
		{ID: "2", Tool: "publish", Args: jsontext.Value(`{"id":"app-1"}`), Outcome: calllog.Rejected, Cause: calllog.StateCause},
	} {
		if err := w.Write(&c); err != nil {
			return err
		}
	}
	return w.Close() // the table is whole only now
}
