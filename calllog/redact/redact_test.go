package redact

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
		`{"API-Key": 7, "apiKey":{"a":1}, "api_keys":["a"]}`:              `{"API-Key": "[redacted]", "apiKey":"[redacted]", "api_keys":"[redacted]"}`,
		`{"password":null,"has_password":"yes","secret":"","pin":1234}`:   `{"password":null,"has_password":"yes","secret":"","pin":"[redacted]"}`,
		`{"max_tokens":5,"tokens":[1],"token":"abc","token_count":17}`:    `{"max_tokens":5,"tokens":[1],"token":"[redacted]","token_count":17}`,
		`{"nextPageToken":"p2","page_token":"x","stop_token":"y"}`:        `{"nextPageToken":"p2","page_token":"x","stop_token":"y"}`,
		`{"secretary":"x","authorization_status":"APPROVED","token":17}`:  `{"secretary":"x","authorization_status":"APPROVED","token":17}`,
		`{"credential_id":"c","secret_name":"n","password_policy":"p"}`:   `{"credential_id":"c","secret_name":"n","password_policy":"p"}`,
		`{"street":"Lane 1","city":"Ulm"}`:                                `{"street":"[redacted]","city":"Ulm"}`,
		`["Bearer abcdefghijklmnop", "ghp_0123456789012345678901"]`:       `["Bearer [redacted]", "[redacted]"]`,
		`{"text":"{\"password\":\"x\"}"}`:                                 `{"text":"{\"password\":\"[redacted]\"}"}`,
		`"{\"password\":\"x\"}"`:                                          `"{\"password\":\"[redacted]\"}"`,
		`[{"name":"Authorization","value":"S"},{"name":"a","value":"b"}]`: `[{"name":"Authorization","value":"[redacted]"},{"name":"a","value":"b"}]`,
		`{"cmd":"curl -H 'Authorization: Basic dXNlcjpwYXNz' x"}`:         `{"cmd":"curl -H 'Authorization: [redacted]' x"}`,
		`{"n":9007199254740993, "s":"\u00e9"}`:                            `{"n":9007199254740993, "s":"\u00e9"}`,
		`{"broken`:                                                        `"[redacted]"`,
	} {
		if got := string(r.value(jsontext.Value(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"password=hunter2 user=x": "password=[redacted] user=x", "token: \"abc\", ok": "token: \"[redacted]\", ok", "no secrets": "no secrets",
		"key sk-" + strings.Repeat("a1", 12): "key [redacted]", "AKIAABCDEFGHIJKLMNOP": "[redacted]",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def": "[redacted]", "-----BEGIN RSA PRIVATE KEY-----\nabc\n": "[redacted]",
		"Authorization: ApiKey S1\nnext": "Authorization: [redacted]\nnext", "Set-Cookie: sid=S1; Path=/": "Set-Cookie: [redacted]", "Cookie: session=S1": "Cookie: [redacted]",
		"postgres://bob:S1@db/x": "postgres://bob:[redacted]@db/x", "curl -u bob:S1 x": "curl -u bob:[redacted] x", "x?sig=S1&y=2": "x?sig=[redacted]&y=2", "DB_PASS=S1": "DB_PASS=[redacted]",
		"<password>S1</password>": "<password>[redacted]</password>", `request {\"password\":\"S1\"} sent`: `request {\"password\":\"[redacted]\"} sent`, `password: "a\"S1" x`: `password: "[redacted]" x`,
		"unexpected token: } at line 3": "unexpected token: } at line 3", "Error: credential: not found": "Error: credential: not found", "Invalid page_token: p2": "Invalid page_token: p2",
		"basic configuration-of-x": "basic configuration-of-x", "disk/sk-test-results-full.txt": "disk/sk-test-results-full.txt", "mysql --password hunter22 x": "mysql --password [redacted] x", "vault login -token hvs.abc123": "vault login -token [redacted]", "redis://:s3cretpw@host:6379/0": "redis://:[redacted]@host:6379/0",
		"password: letmein": "password: [redacted]", "password: is required": "password: is required", "https://user:p@ss:word@host/": "https://user:[redacted]@host/", "BEARER abcdefghijkl": "BEARER [redacted]",
		"if password == other:": "if password == other:", "secret = os.environ['X']": "secret = os.environ['X']", "def f(password=None)": "def f(password=None)", "--db-password=[redacted] x": "--db-password=[redacted] x",
		"token:": "token:", "a=b": "a=b",
	} {
		if got := r.text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	off := &calllog.Call{ResultText: "password=hunter2"}
	(&Redactor{}).Call(off)
	if off.ResultText != "password=hunter2" {
		t.Error("redacted, though nobody asked")
	}
}

func FuzzRedact(f *testing.F) {
	f.Add(`{"password":"secret value","a":[{"token":1}],"t":"{\"pwd\":\"x\"}"}`)
	f.Fuzz(func(t *testing.T, in string) {
		r := &Redactor{On: true}
		got := r.value(jsontext.Value(in))
		if jsontext.Value(in).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) && !got.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			t.Fatalf("%q became %q", in, got)
		}
		v := jsontext.Value(`{"password":"` + strings.Repeat("x", 9) + `","rest":` + in + `}`)
		if v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) && strings.Contains(string(r.value(v)), `"password":"xxxxxxxxx"`) && !strings.Contains(in, "xxxxxxxxx") {
			t.Fatalf("a password is left in %s", v)
		}
	})
}
