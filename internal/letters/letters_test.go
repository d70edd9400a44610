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
