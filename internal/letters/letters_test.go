package letters

import "testing"

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"über", "uber", 1}, {"same", "same", 0}} {
		for _, pair := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			if got := Distance([]rune(pair[0]), []rune(pair[1])); got != tt.want {
				t.Errorf("%q: %d, want %d", pair, got, tt.want)
			}
		}
	}
}

func TestMeant(t *testing.T) {
	t.Parallel()
	known := []string{"filesystem", "memory", "release", "tau-retail"}
	for word, want := range map[string]string{"filesytem": "filesystem", "Memory": "memory", "relase": "release", "tau_retail": "tau-retail", "x": "", "": "", "memory": "", "nothing": ""} {
		if got := Meant(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if got := DidYouMean("memry", known); got != "; did you mean memory?" {
		t.Error(got)
	}
}
