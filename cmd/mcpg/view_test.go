package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestView: the page is served to this computer, and is another one when its file has
// grown.
func TestView(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	const line = `{"ts":"2026-03-01T09:00:00Z","session":"a","server":"shop","tool":"ship","args":{"n":1},"is_error":false,"result_text":"ok"}` + "\n"
	if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	said, errs := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"view", file}, streams{in: strings.NewReader(""), out: io.Discard, err: errs})
	}()
	b := make([]byte, 200)
	n, err := said.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, said)
	url := string(regexp.MustCompile(`http://[0-9.:]+`).Find(b[:n]))
	get := func(path, host, origin string) (int, string) {
		req, err := http.NewRequest("GET", url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			req.Host = host
		}
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	code, page := get("/", "", "")
	if code != 200 || !strings.Contains(page, "<strong>1</strong>calls") || !strings.Contains(page, "connect-src &#39;self&#39;") && !strings.Contains(page, "connect-src 'self'") {
		t.Errorf("%d %.300s", code, page)
	}
	_, version := get("/version", "", "")
	if !strings.Contains(page, version) {
		t.Errorf("the page doesn't know its version %s", version)
	}
	if err := os.WriteFile(file, bytes.Repeat([]byte(strings.Replace(line, `"n":1`, `"n":2`, 1)), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(line); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for began := time.Now(); ; {
		if _, again := get("/version", "", ""); again != version {
			break
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal("the version stays")
		}
	}
	// While the file is away, the last page stays.
	if err := os.Rename(file, file+".old"); err != nil {
		t.Fatal(err)
	}
	if code, _ := get("/", "", ""); code != 200 {
		t.Errorf("%d", code)
	}
	if err := os.Rename(file+".old", file); err != nil {
		t.Fatal(err)
	}
	if _, page := get("/", "", ""); !strings.Contains(page, "<strong>2</strong>calls") {
		t.Errorf("%.300s", page)
	}
	for _, bad := range [][2]string{{"evil.example", ""}, {"", "http://evil.example"}} {
		if code, _ := get("/", bad[0], bad[1]); code != 403 {
			t.Errorf("%q gets %d", bad, code)
		}
	}
	if code, _ := get("/etc/passwd", "", ""); code != 404 {
		t.Errorf("%d", code)
	}
	cancel()
	select {
	case code := <-ended:
		if code != codeOK {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(10 * time.Second):
		t.Error("it doesn't end")
	}
}
