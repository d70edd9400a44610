package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
)

// report is what was measured, as JSON has it.
type report struct {
	Format  string     `json:"format"`
	Version int        `json:"version"`
	Command string     `json:"command"`
	Go      string     `json:"go"`
	OS      string     `json:"os"`
	Arch    string     `json:"arch"`
	CPUs    int        `json:"cpus"`
	Figures []measured `json:"figures"`
}

type measured struct {
	Name    string    `json:"name"`
	About   string    `json:"about"`
	Command string    `json:"command"`
	Unit    string    `json:"unit"`
	Median  float64   `json:"median"`
	Runs    []float64 `json:"runs"`
	Limit   bound     `json:"limit"`
	Missed  bool      `json:"missed"`
	Told    bool      `json:"told,omitempty"` // it has no limit
	Process *process  `json:"process,omitempty"`
}

// bound is a limit: one of them.
type bound struct {
	AtMost  *float64 `json:"at_most,omitempty"`
	AtLeast *float64 `json:"at_least,omitempty"`
}

// process is what runs of a process took: the median of the processor's time,
// the highest of the peaks of memory.
type process struct {
	CPUSeconds  float64 `json:"cpu_s"`
	PeakBytes   int64   `json:"peak_bytes,omitempty"`
	PeakIsBound bool    `json:"peak_is_bound,omitempty"` // no more than that
}

func newReport(command string) *report {
	return &report{Format: "mcpg.benchmarks", Version: 1, Command: command,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0)}
}

func (r *report) add(f figure, samples []sample) {
	m := measured{Name: f.name, About: f.about, Command: f.command, Unit: f.unit}
	var cpu []float64
	for _, one := range samples {
		m.Runs = append(m.Runs, one.value)
		if u := one.usage; u != nil {
			cpu = append(cpu, u.CPU.Seconds())
			if m.Process == nil {
				m.Process = &process{}
			}
			m.Process.PeakBytes = max(m.Process.PeakBytes, u.Peak)
			m.Process.PeakIsBound = m.Process.PeakIsBound || u.Bound
		}
	}
	m.Median = median(m.Runs)
	if m.Process != nil {
		m.Process.CPUSeconds = median(cpu)
	}
	m.Missed = !f.limit.keeps(m.Median)
	if f.limit == told {
		m.Told = true
	} else if f.limit.atLeast {
		m.Limit.AtLeast = &f.limit.value
	} else {
		m.Limit.AtMost = &f.limit.value
	}
	r.Figures = append(r.Figures, m)
}

func (r *report) missed() bool {
	for _, m := range r.Figures {
		if m.Missed {
			return true
		}
	}
	return false
}

// table is the report for people.
func (r *report) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tfigure\tmedian\tlimit\truns\tCPU\tpeak memory\tcommand")
	for _, m := range r.Figures {
		mark := "ok"
		if m.Missed {
			mark = "MISSED"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", mark, m.About, with(m.Median, m.Unit), m.limit(), len(m.Runs), m.cpu(), m.peak(), m.Command)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s, %s/%s, %d processors\n", r.Go, r.OS, r.Arch, r.CPUs)
	return err
}

func (m *measured) limit() string {
	if m.Told {
		return "-"
	}
	if m.Limit.AtLeast != nil {
		return "≥ " + with(*m.Limit.AtLeast, m.Unit)
	}
	return "≤ " + with(*m.Limit.AtMost, m.Unit)
}

func (m *measured) cpu() string {
	if m.Process == nil {
		return "-"
	}
	return with(m.Process.CPUSeconds, "s")
}

func (m *measured) peak() string {
	if m.Process == nil || m.Process.PeakBytes == 0 {
		return "-"
	}
	text := fmt.Sprintf("%.1f MiB", float64(m.Process.PeakBytes)/(1<<20))
	if m.Process.PeakIsBound {
		return "≤ " + text
	}
	return text
}

// with writes a number with three significant digits, or whole with commas, and
// its unit.
func with(v float64, unit string) string {
	text := fmt.Sprintf("%.3g", v)
	if math.Abs(v) >= 1000 {
		text = fmt.Sprintf("%.0f", v)
		for i := len(text) - 3; i > 0; i -= 3 {
			text = text[:i] + "," + text[i:]
		}
	}
	return strings.TrimSpace(text + " " + unit)
}

func (r *report) write(file string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
