package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	"mcpg/internal/synth"
)

// benchFigures measures mcpg bench and mcpg report.
func benchFigures(b *bench) []figure {
	return []figure{
		{name: "default", about: "stateful-v1 as it comes, whole process", command: "mcpg bench run --suite stateful-v1", unit: "s", limit: atMost(5), measure: b.suite(false)},
		{name: "tasks", about: "tasks played in it, by each agent under each arm", command: "mcpg bench run --suite stateful-v1 --tasks tasks.parquet", unit: "a second", limit: told, measure: b.suite(true)},
		{name: "full", about: "the full protocol: all agents and arms, 20 orders", command: "mcpg bench run --suite stateful-v1 --full", unit: "s", limit: atMost(180), once: true, measure: b.suiteFull},
		{name: "report", about: fmt.Sprintf("a page of %d calls of a table, whole process", b.reported()), command: "mcpg report calls.parquet -o report.html", unit: "s", limit: atMost(10), measure: b.report(false)},
		{name: "report-size", about: "that page", command: "mcpg report calls.parquet -o report.html", unit: "MB", limit: atMost(3), measure: b.report(true)},
	}
}

func (b *bench) suite(tasks bool) func() (sample, error) {
	return func() (sample, error) {
		args := []string{"bench", "run", "--suite", "stateful-v1"}
		rows := filepath.Join(b.dir, "tasks.parquet")
		if tasks {
			args = append(args, "--tasks", rows)
		}
		u, err := b.process("mcpg", args...)
		if err != nil || !tasks {
			return sample{u.Wall.Seconds(), &u}, err
		}
		n, err := b.rows(rows)
		return sample{float64(n) / u.Wall.Seconds(), &u}, err
	}
}

func (b *bench) suiteFull() (sample, error) {
	args := []string{"bench", "run", "--suite", "stateful-v1"}
	if b.sizes.protocol {
		args = append(args, "--full")
	}
	u, err := b.process("mcpg", args...)
	return sample{u.Wall.Seconds(), &u}, err
}

// rows counts those of a Parquet file.
func (b *bench) rows(file string) (n int64, err error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	return n, db.QueryRowContext(b.ctx, "SELECT count(*) FROM read_parquet(?)", file).Scan(&n)
}

// reported is how many calls a page is made of.
func (b *bench) reported() int { return b.sizes.narrow / 10 }

func (b *bench) report(size bool) func() (sample, error) {
	return func() (sample, error) {
		calls, err := b.synthetic("report", synth.Shape{}, b.reported())
		if err != nil {
			return sample{}, err
		}
		page := filepath.Join(b.dir, "report.html")
		u, err := b.process("mcpg", "report", calls, "-o", page)
		if err != nil || !size {
			return sample{u.Wall.Seconds(), &u}, err
		}
		st, err := os.Stat(page)
		if err != nil {
			return sample{}, err
		}
		return sample{megabytes(st.Size()), &u}, nil
	}
}

// synthetic makes a table of n calls of a shape, once.
func (b *bench) synthetic(name string, s synth.Shape, n int) (string, error) {
	path := filepath.Join(b.dir, name+".parquet")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	if err := s.Write(f, n); err != nil {
		f.Close()
		return "", err
	}
	return path, f.Close()
}
