package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/ingest/table"
	"mcpg/internal/synth"
)

// TestPastMemory learns from a table that is larger than the memory that the process
// may have, and learns the same as with all the memory there is.
func TestPastMemory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the limit on data counts mapped memory on Linux only")
	}
	const (
		calls  = 1_000_000
		note   = 1200       // random bytes in each call's arguments: nothing that compression makes small
		limit  = 1100 << 10 // KiB of data, mapped or used
		target = 450 << 20  // bytes that the Go runtime keeps to
	)
	b := &bench{ctx: t.Context(), dir: t.TempDir(), built: map[string]string{}}
	file := filepath.Join(b.dir, "large.parquet")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w, err := table.NewWriter(f, table.Parquet)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.NewChaCha8([32]byte{1})
	noise := make([]byte, note)
	for c := range (synth.Shape{}).Calls(calls) {
		_, _ = random.Read(noise)
		c.Args = jsontext.Value(fmt.Sprintf(`{"note":"%s"}`, base64.StdEncoding.EncodeToString(noise)))
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if st.Size() <= limit<<10 {
		t.Fatalf("the table has %d bytes only", st.Size())
	}
	bin, err := b.build("mcpg")
	if err != nil {
		t.Fatal(err)
	}
	model := func(name, before string, env ...string) ([]byte, usage) {
		out := filepath.Join(b.dir, name)
		cmd := exec.CommandContext(b.ctx, "bash", "-c", before+`exec "$@"`, "bash", bin, "learn", file, "-o", out)
		cmd.Env = append(os.Environ(), env...)
		u, err := finish("mcpg learn", cmd)
		if err != nil {
			t.Fatal(err)
		}
		m, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return m, u
	}
	limited, u := model("limited.json", fmt.Sprintf("ulimit -d %d; ", limit), fmt.Sprintf("GOMEMLIMIT=%d", target))
	if u.Peak > st.Size()*2/3 {
		t.Errorf("%d MB of memory for %d MB of calls", u.Peak>>20, st.Size()>>20)
	}
	t.Logf("%d MB of calls in %d MB of memory, %.1f s", st.Size()>>20, u.Peak>>20, u.Wall.Seconds())
	free, u := model("free.json", "")
	t.Logf("without a limit %d MB, %.1f s", u.Peak>>20, u.Wall.Seconds())
	if !bytes.Equal(limited, free) {
		t.Error("another model")
	}
}
