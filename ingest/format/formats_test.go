package format

import (
	"os"
	"testing"

	"mcpg/internal/golden"
)

// samples are logs with what every format's page mentions, and its mess. What
// the readers make of them stands in testdata/NAME.golden.
var samples = []struct {
	name   string
	format *Format
}{
	{"mcptape", &mcptapeFormat}, {"frames", &framesFormat}, {"mcpspy", &mcpspyFormat}, {"cassette", &cassetteFormat}, {"inspector", &inspectorFormat},
	{"mcp-server-my_files", &desktopFormat}, {"mcp", &desktopFormat}, {"claudecode", &claudeCodeFormat}, {"loglines", &claudeCodeFormat},
	{"codex", &codexFormat}, {"responses", &responsesFormat}, {"chat", &chatFormat}, {"taubench", &tauBenchFormat}, {"tau2", &tau2Format},
}

func TestSamples(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			log, err := os.ReadFile("testdata/" + s.name + ".log")
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, s.name+".golden", []byte(show(t, s.format, string(log))+"\n"))
		})
	}
}

// FuzzFormats reads anything as any of the formats.
func FuzzFormats(f *testing.F) {
	for i, s := range samples {
		log, err := os.ReadFile("testdata/" + s.name + ".log")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), string(log))
	}
	f.Fuzz(func(t *testing.T, i uint8, log string) {
		accounted(t, samples[int(i)%len(samples)].format, log)
	})
}
