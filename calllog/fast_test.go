package calllog

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzFast holds the fast way against jsontext: what it takes, jsontext takes
// too, and reads the same.
func FuzzFast(f *testing.F) {
	for _, s := range []string{
		`{"ts":"2026-02-28T23:59:59.999999999Z","tool":"a","args":{"x":[1,-0.5e+7,"é\u00e9"]},"is_error":true,"result_text":"a\"\\\/\b\f\n\r\t\ud83d\ude00\ud800x","more":null,"k":1}`,
		`{"tool":"a","ts":"2026-02-30T00:00:00Z","outcome":"rejected","cause":"state","latency_us":7}`, `{"tool":"t","result_text":null,"args":null,"before":{},"tool":"u"}`,
		` {"tool" : "a" , "call_id":7 }	`, `{}`, `{"tool":"a","x":01}`, `{"tool":"a","x":"` + "\x1f" + `"}`, `{"tool":"a","x":[1,]}`, `{"to\u006fl":"a"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if !utf8.Valid(line) || bytes.ContainsAny(line, "\n") {
			return
		}
		var fast fast
		got, ok := fast.call(bytes.Clone(line))
		want, err := decodeCall(line, []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)})
		if ok && err != nil {
			t.Fatalf("taken, and jsontext says %v", err)
		}
		if ok && !reflect.DeepEqual(got, want) {
			t.Fatalf("got  %+v\nwant %+v", got, want)
		}
	})
}

// FuzzScan: values end where jsontext says, and nothing else is taken.
func FuzzScan(f *testing.F) {
	for _, s := range []string{`{"a":[true,false,null,-1.5E-3,"\u12aB"]}`, `[[[[]]]]`, `-`, `"a`, `"12345678\"`, `1.`, `tru`, `{"a" 1}`, `"\ud800"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, v []byte) {
		if !utf8.Valid(v) {
			return
		}
		end := scanValue(v, skipBlank(v, 0), 0)
		ours := end >= 0 && skipBlank(v, end) == len(v)
		d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		_, err := d.ReadValue()
		if err == nil {
			_, err = d.ReadToken()
			if errors.Is(err, io.EOF) {
				err = nil
			} else if err == nil {
				err = errors.New("more follows")
			}
		}
		if theirs := err == nil; ours != theirs {
			t.Fatalf("ours %v, theirs %v (%v)", ours, theirs, err)
		}
	})
}
