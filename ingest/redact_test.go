package ingest

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/calllog"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	r := &Redactor{On: true, Names: []string{"Street"}}
	for in, want := range map[string]string{
		`{"user":"x","password":"hunter2","n":1}`:                         `{"user":"x","password":"[redacted]","n":1}`,
		`{"API-Key": 7, "api_key":{"a":1}, "passwords":["a"]}`:            `{"API-Key": "[redacted]", "api_key":"[redacted]", "passwords":"[redacted]"}`,
		`{"password":null,"has_password":true,"secret":""}`:               `{"password":null,"has_password":true,"secret":""}`,
		`{"max_tokens":5,"tokens":[1],"token":"abc"}`:                     `{"max_tokens":5,"tokens":[1],"token":"[redacted]"}`,
		`{"street":"Lane 1","city":"Ulm"}`:                                `{"street":"[redacted]","city":"Ulm"}`,
		`["Bearer abcdefghijklmnop", "ghp_0123456789012345678901"]`:       `["[redacted]", "[redacted]"]`,
		`{"text":"{\"password\":\"x\"}"}`:                                 `{"text":"{\"password\":\"[redacted]\"}"}`,
		`{"cmd":"curl -H 'Authorization: Basic dXNlcjpwYXNzd29yZA==' x"}`: `{"cmd":"curl -H 'Authorization: [redacted]' x"}`,
		`{"n":9007199254740993, "s":"\u00e9"}`:                            `{"n":9007199254740993, "s":"\u00e9"}`,
		`{"broken`:                                                        `"[redacted]"`,
	} {
		if got := string(r.value(jsontext.Value(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"password=hunter2 user=x": "password=[redacted] user=x", "token: \"abc\", ok": "token: [redacted], ok", "no secrets": "no secrets",
		"key sk-" + strings.Repeat("a1", 12): "key [redacted]", "AKIAABCDEFGHIJKLMNOP": "[redacted]",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def": "[redacted]", "-----BEGIN RSA PRIVATE KEY-----\nabc\n": "[redacted]",
	} {
		if got := r.text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	off := &calllog.Call{ResultText: "password=hunter2"}
	(&Redactor{}).call(off)
	if off.ResultText != "password=hunter2" {
		t.Error("redacted, though nobody asked")
	}
}

func FuzzRedact(f *testing.F) {
	f.Add(`{"password":"secret value","a":[{"token":1}],"t":"{\"pwd\":\"x\"}"}`)
	f.Fuzz(func(t *testing.T, in string) {
		r := &Redactor{On: true}
		got := r.value(jsontext.Value(in))
		if len(in) > 0 && !got.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			t.Fatalf("%q became %q", in, got)
		}
		v := jsontext.Value(`{"password":"` + strings.Repeat("x", 9) + `","rest":` + in + `}`)
		if v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) && strings.Contains(string(r.value(v)), `"password":"xxxxxxxxx"`) && !strings.Contains(in, "xxxxxxxxx") {
			t.Fatalf("a password is left in %s", v)
		}
	})
}
