package behavior

import "testing"

func TestNamed(t *testing.T) {
	t.Parallel()
	is := func(field, token string) Atom { return Atom{Path: Path{Field: field}, Op: Not, Token: token} }
	for _, tt := range []struct {
		text string
		atom Atom
		want bool
	}{
		{"Release ‹release_id› cannot be published: tests have not passed", is("tests_passed", False), true},
		{"channel edge is locked by eve", Atom{Path: Path{"channel", "locked"}, Op: Not, Token: True}, true},
		{"it has 1 of 2 approvals", Atom{Path: Path{Field: "approvals"}, Op: AtLeast, Lo: 1, Hi: 2}, true},
		{"status is ARCHIVED, only a DRAFT can be approved", is("status", "ARCHIVED"), true},
		{"EISDIR: illegal operation on a directory, read", is("isDirectory", True), true},
		{"ENOENT: no such file or directory, open '‹path›'", is("exists", False), true},
		{"order ‹tests_passed› is frozen for now", is("tests_passed", False), false}, // it only names a value's place
		{"its dependency is ‹dependency.status›; publish that one first", Atom{Path: Path{"dependency", "status"}, Op: Not, Token: "DRAFT"}, true},
		{"it is ‹release.status›: its notes can't change", is("status", "ARCHIVED"), true},
		{"the build farm turned it down this time", is("has_notes", False), false},
		{"not now", is("name", "x"), false},
		{"", is("status", "open"), false},
	} {
		f := Failure{Violates: Violation{tt.atom}, Example: tt.text}
		if got := f.Named(); got != tt.want {
			t.Errorf("%q names %s: %t", tt.text, tt.atom, got)
		}
	}
}
