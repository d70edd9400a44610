package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
)

// ingestFigures measures mcpg ingest on a native log, against DuckDB.
func ingestFigures(b *bench) []figure {
	self := func(name string) string { return "go run . ingest --only " + name }
	return []figure{
		{name: "ratio", about: fmt.Sprintf("MB a CPU-second of ingest against DuckDB's, on %d MB", b.sizes.logBytes>>20),
			command: self("ratio"), unit: "times", limit: atLeast(1.3), measure: b.ingestRatio},
		{name: "rate", about: "ingest of that log to Parquet, whole process",
			command: "mcpg ingest log.jsonl -o calls.parquet", unit: "MB/CPU-s", limit: told, measure: b.ingestRate},
		{name: "wall", about: "the same by the clock",
			command: "mcpg ingest log.jsonl -o calls.parquet", unit: "MB/s", limit: told, measure: b.ingestWall},
		{name: "memory", about: "its highest memory",
			command: "mcpg ingest log.jsonl -o calls.parquet", unit: "MiB", limit: atMost(500), measure: b.ingestMemory},
		{name: "duckdb", about: "DuckDB, typed read_json to Parquet zstd, 2 threads",
			command: self("duckdb"), unit: "MB/CPU-s", limit: told, measure: b.duckdbRate},
	}
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }

func (b *bench) ingestOnce() (usage, int64, error) {
	log, size, err := b.log()
	if err != nil {
		return usage{}, 0, err
	}
	u, err := b.process("mcpg", "ingest", log, "-o", filepath.Join(b.dir, "calls.parquet"))
	return u, size, err
}

func (b *bench) ingestRate() (sample, error) {
	u, size, err := b.ingestOnce()
	return sample{megabytes(size) / u.CPU.Seconds(), &u}, err
}

func (b *bench) ingestWall() (sample, error) {
	u, size, err := b.ingestOnce()
	return sample{megabytes(size) / u.Wall.Seconds(), &u}, err
}

func (b *bench) ingestMemory() (sample, error) {
	u, _, err := b.ingestOnce()
	return sample{float64(u.Peak) / (1 << 20), &u}, err
}

func (b *bench) duckdbRate() (sample, error) {
	u, size, err := b.duckdb()
	return sample{megabytes(size) / u.CPU.Seconds(), &u}, err
}

// ingestRatio runs both, one after the other.
func (b *bench) ingestRatio() (sample, error) {
	ours, _, err := b.ingestOnce()
	if err != nil {
		return sample{}, err
	}
	theirs, _, err := b.duckdb()
	return sample{theirs.CPU.Seconds() / ours.CPU.Seconds(), &ours}, err
}

// duckdb converts the log in a process of its own: this program, started as the
// hidden command convertWith.
func (b *bench) duckdb() (usage, int64, error) {
	log, size, err := b.log()
	if err != nil {
		return usage{}, 0, err
	}
	u, err := b.self(convertWith, log, filepath.Join(b.dir, "duck.parquet"))
	return u, size, err
}

// convertWith is the hidden command by which this program starts itself.
const convertWith = "duckdb-convert"

// convert turns a log into Parquet with DuckDB.
func convert(ctx context.Context, log, out string) error {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return err
	}
	defer db.Close()
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	_, err = db.ExecContext(ctx, "SET threads=2; COPY (SELECT * FROM read_json("+quoted(log)+`, format='newline_delimited', columns={
		ts: 'TIMESTAMP', session: 'VARCHAR', server: 'VARCHAR', tool: 'VARCHAR', args: 'JSON', is_error: 'BOOLEAN',
		result_text: 'VARCHAR', before: 'JSON', after: 'JSON'})) TO `+quoted(out)+" (FORMAT parquet, COMPRESSION zstd)")
	return err
}

// log writes the log that is measured, once.
func (b *bench) log() (path string, size int64, err error) {
	path = filepath.Join(b.dir, "log.jsonl")
	if info, err := os.Stat(path); err == nil {
		return path, info.Size(), nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", 0, err
	}
	f, err := os.Create(path)
	if err != nil {
		return "", 0, err
	}
	err = writeLog(f, b.sizes.logBytes)
	info, statErr := f.Stat()
	if err := errors.Join(err, statErr, f.Close()); err != nil {
		return "", 0, err
	}
	return path, info.Size(), nil
}

// writeLog writes native lines of a shop's calls: tools with few and with many
// arguments, answers that are JSON in a string and answers in prose, one in
// twelve refused, and the state before and after.
func writeLog(w io.Writer, size int64) error {
	return writeShop(w, func(_ int, written int64) bool { return written < size })
}

// writeCalls writes n of them.
func writeCalls(w io.Writer, n int) error {
	return writeShop(w, func(lines int, _ int64) bool { return lines < n })
}

func writeShop(w io.Writer, more func(lines int, written int64) bool) error {
	out := bufio.NewWriterSize(w, 1<<20)
	r := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	statuses := []string{"pending", "processed", "delivered", "cancelled", "return requested"}
	words := strings.Fields("the order was placed with a gift card and can be changed until it ships from our store in Köln or \"Ulm\" today")
	prose := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(' ')
		}
		return b.String()
	}
	written := int64(0)
	for i := 0; more(i, written); i++ {
		at = at.Add(time.Duration(r.IntN(4_000_000)) * time.Microsecond)
		status := statuses[r.IntN(len(statuses))]
		order := fmt.Sprintf("#W%07d", r.IntN(3_000_000))
		items := make([]string, 1+r.IntN(4))
		for k := range items {
			items[k] = fmt.Sprintf(`{"name":"item %d","item_id":"%010d","price":%d.%02d,"options":{"size":"%s","color":"%s"}}`,
				r.IntN(50), r.Int64N(1e10), r.IntN(900), r.IntN(100), []string{"S", "M", "L"}[r.IntN(3)], []string{"red", "blue"}[r.IntN(2)])
		}
		state := fmt.Sprintf(`{"order":{"order_id":"%s","status":"%s","paid":%v,"items":[%s]},"user":{"level":"gold","orders":%d}}`,
			order, status, r.IntN(2) == 0, strings.Join(items, ","), r.IntN(40))
		tool, args, answer := "get_order_details", fmt.Sprintf(`{"order_id":"%s"}`, order), state
		switch r.IntN(4) {
		case 0:
			tool, args = "modify_pending_order_items", fmt.Sprintf(`{"order_id":"%s","item_ids":["%010d"],"payment_method_id":"gift_card_%d","note":"%s"}`, order, r.Int64N(1e10), r.IntN(1e6), "please"+strconv.Itoa(i))
		case 1:
			tool, answer = "search_help", prose(20+r.IntN(80))
		}
		failed := r.IntN(12) == 0
		if failed {
			answer = "Error: order " + order + " cannot be modified in status " + status
		}
		n, err := fmt.Fprintf(out, `{"ts":"%s","session":"s-%06d","server":"shop","tool":"%s","args":%s,"is_error":%v,"result_text":%s,"before":%s,"after":%s}`+"\n",
			at.Format("2006-01-02T15:04:05.000000Z"), i/12, tool, args, failed, strconv.Quote(answer), state, state)
		if err != nil {
			return err
		}
		written += int64(n)
	}
	return out.Flush()
}
