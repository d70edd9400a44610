package report

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/adapter"
	"mcpg/analyze"
	"mcpg/bench"
	"mcpg/calllog"
	"mcpg/internal/diag"
	"mcpg/learn"
)

// browser opens pages in a real browser, and keeps what it complains of.
type browser struct {
	ctx     context.Context
	faults  []string
	fetched []string
}

func openBrowser(t *testing.T) *browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			program = p
			break
		}
	}
	if program == "" {
		t.Skip("no browser: install chromium")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 900))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	b := &browser{ctx: ctx}
	chromedp.ListenTarget(ctx, func(ev any) {
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			b.faults = append(b.faults, e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			b.faults = append(b.faults, "console: "+string(e.Type))
		case *log.EventEntryAdded:
			b.faults = append(b.faults, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			b.fetched = append(b.fetched, e.Request.URL)
		}
	})
	return b
}

func (b *browser) run(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// eval gives what a script says.
func (b *browser) eval(t *testing.T, script string) string {
	t.Helper()
	var out string
	b.run(t, chromedp.Evaluate("String("+script+")", &out))
	return out
}

// pageFile writes a page.
func pageFile(t *testing.T, p *Page) (url string, size int) {
	t.Helper()
	var b bytes.Buffer
	if err := p.HTML(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + name, b.Len()
}

// hostile is a log that tries to be obeyed.
func hostilePage() *Page {
	e := &learn.Evidence{}
	var n analyze.Counter
	nasty := []string{`<script>window.pwned=1</script>`, `"><img src=x onerror="window.pwned=2">`, "\x1b[31mred\x1b]0;title\a", "\u202egnp.exe", strings.Repeat("x", 10_000), `</script><script>window.pwned=3</script>`, "javascript:window.pwned=4", "{{.}}"}
	for i, s := range nasty {
		for j := range 4 {
			q, _ := jsontext.AppendQuote(nil, s)
			c := &calllog.Call{ID: s, Session: s, Server: s, Tool: "tool " + s, Args: jsontext.Value(`{"a":` + string(q) + `}`), Before: jsontext.Value(`{"thing":{"status":` + string(q) + `,"x":` + string(q) + `}}`),
				StateSource: calllog.Snapshot, Time: time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC), Pos: diag.Pos{File: s, Line: j}}
			if j%2 == 1 {
				c.Outcome, c.Cause, c.ErrorText = calllog.Rejected, calllog.Unclear, s
			}
			n.Add(c)
			e.Add(c, adapter.Set(nil).View(c))
		}
	}
	return &Page{Title: nasty[0], Source: nasty[1], Stats: n.Stats(), Graph: e.Induce()}
}

func samplePage(t *testing.T) *Page {
	t.Helper()
	s, err := bench.LoadSuite("stateful-v1")
	if err != nil {
		t.Fatal(err)
	}
	r, err := bench.Run(context.Background(), s, bench.Options{Agents: []string{"error-reader"}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return &Page{Title: "Sample", Source: "made up", Graph: sample().Induce(), Bench: r}
}

// TestReportInBrowser: the page opens without a complaint or a request, and does what it
// offers.
func TestReportInBrowser(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	url, _ := pageFile(t, samplePage(t))
	b.run(t, log.Enable(), network.Enable(), chromedp.Navigate(url), chromedp.WaitVisible("#states"))
	if got := b.eval(t, `document.querySelectorAll("#graph g.node").length > 0 && document.querySelectorAll("#graph g.edge").length > 0`); got != "true" {
		t.Error("no graph")
	}
	// Search among tools.
	b.run(t, chromedp.SendKeys("#search", "publish"))
	if got := b.eval(t, `document.querySelector("#found").textContent`); !strings.HasPrefix(got, "1 of ") {
		t.Errorf("found %q", got)
	}
	b.run(t, chromedp.SendKeys("#search", "no such tool"))
	if got := b.eval(t, `document.querySelectorAll("[data-tool]:not(.hidden)").length`); got != "0" {
		t.Errorf("%s tools", got)
	}
	// Evidence opens.
	b.run(t, chromedp.Evaluate(`(() => { const s = document.querySelector("#search"); s.value = ""; s.dispatchEvent(new Event("input")); })()`, nil), chromedp.Click("[data-tool] summary"))
	if got := b.eval(t, `document.querySelector("[data-tool]").open && document.querySelector("[data-tool]").innerText.includes("Was refused, for example")`); got != "true" {
		t.Error("no evidence")
	}
	// Filter and search in the graph.
	b.run(t, chromedp.Evaluate(`(() => { const s = document.querySelector("#gstatus"); s.value = " refused"; s.dispatchEvent(new Event("input")); })()`, nil))
	if got := b.eval(t, `document.querySelectorAll("#graph .off").length`); got == "0" {
		t.Error("the filter does nothing")
	}
	if got := b.eval(t, `[...document.querySelectorAll("#graph g.node:not(.off)")].every((n) => n.textContent.includes("refused")) && document.querySelectorAll("#graph g.node:not(.off)").length > 0`); got != "true" {
		t.Error("the filter leaves what it shouldn't, or nothing")
	}
	b.run(t, chromedp.SendKeys("#gsearch", "DRAFT"))
	if got := b.eval(t, `document.querySelector("#ghits").textContent`); !strings.HasSuffix(got, " found") || got == "0 found" {
		t.Errorf("%q", got)
	}
	// A click on a state tells what can be done in it.
	b.run(t, chromedp.Evaluate(`document.querySelector("#graph g.node").dispatchEvent(new MouseEvent("click", {bubbles: true}))`, nil))
	if got := b.eval(t, `document.querySelector("#offers ul").innerText`); !strings.Contains(got, "publish") {
		t.Errorf("offers %q", got)
	}
	// Zoom, and back.
	was := b.eval(t, `document.querySelector("#graph svg").getAttribute("viewBox")`)
	b.run(t, chromedp.Click("#zin"))
	if b.eval(t, `document.querySelector("#graph svg").getAttribute("viewBox")`) == was {
		t.Error("no zoom")
	}
	b.run(t, chromedp.Click("#zall"))
	if len(b.faults) > 0 {
		t.Errorf("complaints: %q", b.faults)
	}
	for _, u := range b.fetched {
		if !strings.HasPrefix(u, "file://") && !strings.HasPrefix(u, "data:") {
			t.Errorf("it asked for %s", u)
		}
	}
	// Pictures, to be looked at: MCPG_PICTURES names a folder.
	for name, look := range map[string][]chromedp.Action{
		"light": {chromedp.EmulateViewport(1280, 900), media("light")},
		"dark":  {chromedp.EmulateViewport(1280, 900), media("dark")},
		"phone": {chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile), media("light")},
	} {
		var png []byte
		b.run(t, append(look, chromedp.FullScreenshot(&png, 100))...)
		if len(png) < 10_000 {
			t.Errorf("%s: a picture of %d bytes", name, len(png))
		}
		if got := b.eval(t, `document.documentElement.scrollWidth <= window.innerWidth + 1`); got != "true" {
			t.Errorf("%s: the page is wider than its window", name)
		}
		if dir := os.Getenv("MCPG_PICTURES"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
				t.Error(err)
			}
		}
	}
}

func media(scheme string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}})
}

// TestHostileReportInBrowser: nothing of a log is obeyed.
func TestHostileReportInBrowser(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	url, size := pageFile(t, hostilePage())
	b.run(t, log.Enable(), network.Enable(), chromedp.Navigate(url), chromedp.WaitReady("#data", chromedp.ByID))
	b.run(t, chromedp.Evaluate(`document.querySelectorAll("details").forEach((d) => d.open = true)`, nil))
	if got := b.eval(t, `window.pwned`); got != "undefined" {
		t.Errorf("a script of the log ran: %s", got)
	}
	if got := b.eval(t, `document.querySelectorAll("main script, main img, svg script, svg a").length`); got != "0" {
		t.Errorf("%s elements of the log are in the page", got)
	}
	if len(b.faults) > 0 {
		t.Errorf("complaints: %q", b.faults)
	}
	if size > 3<<20 {
		t.Errorf("%d bytes", size)
	}
}
