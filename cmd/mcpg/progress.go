package main

import (
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress draws a bar on a terminal and nothing elsewhere.
type progress struct {
	bars *mpb.Progress
	bar  *mpb.Bar
}

func (a *app) progress(name string, total int64, bytes bool) *progress {
	f, ok := a.err.(*os.File)
	if !ok || !isatty.IsTerminal(f.Fd()) || total <= 0 {
		return &progress{}
	}
	var w io.Writer = f
	p := &progress{bars: mpb.New(mpb.WithOutput(w), mpb.WithWidth(40), mpb.WithRefreshRate(150*time.Millisecond))}
	count := decor.CountersNoUnit("%d / %d")
	if bytes {
		count = decor.CountersKibiByte("% .1f / % .1f")
	}
	p.bar = p.bars.AddBar(total,
		mpb.PrependDecorators(decor.Name(name+" ")),
		mpb.AppendDecorators(count, decor.Name(" "), decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO), "")),
		mpb.BarRemoveOnComplete())
	return p
}

func (p *progress) add(n int) {
	if p.bar != nil {
		p.bar.IncrBy(n)
	}
}

// end takes the bar away.
func (p *progress) end() {
	if p.bar != nil {
		p.bar.SetTotal(-1, true)
		p.bars.Wait()
	}
}
