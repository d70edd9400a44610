package table

import (
	"bytes"
	"testing"

	"mcpg/calllog"
)

func TestNotes(t *testing.T) {
	for _, format := range []Format{Parquet, IPC} {
		var b bytes.Buffer
		w, err := NewWriter(&b, format, Note{AdaptersNote, `[{"server_id":"é"}]`})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&calllog.Call{Tool: "t"}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Note(AdaptersNote); got != `[{"server_id":"é"}]` {
			t.Errorf("%v: note %q", format, got)
		}
		if got := r.Note("other"); got != "" {
			t.Errorf("%v: note %q", format, got)
		}
		r.Close()
	}
}
