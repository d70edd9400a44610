package bench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"

	"mcpg/bench/llm"
)

// scriptedModel is an endpoint whose model publishes the release of the goal, does what refusals
// call for, and says DONE; of a goal on anything else it says DONE at once.
func scriptedModel(t *testing.T, busy *atomic.Int32) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy.Add(-1) >= 0 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		var doc struct {
			Model    string `json:"model"`
			Messages []struct {
				Role    string `json:"role"`
				Content string `json:"content"`
			} `json:"messages"`
			Tools []any `json:"tools"`
		}
		if err := json.UnmarshalRead(r.Body, &doc); err != nil || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer secret" || len(doc.Tools) < 10 {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		goal, last := doc.Messages[1].Content, doc.Messages[len(doc.Messages)-1]
		words := strings.Fields(goal)
		call := func(tool string) {
			id := ""
			for i, w := range words {
				if w == "releases" && id == "" {
					id = words[i+1]
				}
			}
			fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":%q,"arguments":"{\"release_id\":\"%s\"}"}}]}}],"usage":{"prompt_tokens":100,"completion_tokens":10}}`,
				len(doc.Messages), tool, id)
		}
		switch {
		case !strings.Contains(goal, `status is "PUBLISHED"`), last.Role == "tool" && strings.Contains(last.Content, "is now PUBLISHED"), len(doc.Messages) > 12:
			fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"All is DONE."}}],"usage":{"prompt_tokens":100,"completion_tokens":5}}`)
		case strings.Contains(last.Content, "tests have not passed"):
			call("run_tests")
		default:
			call("publish_release")
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestLLM(t *testing.T) {
	t.Parallel()
	s := *suite(t)
	s.Tasks = s.Tasks[:30]
	var busy atomic.Int32
	endpoint := scriptedModel(t, &busy)
	r := run(t, &s, Options{Agents: []string{llm.Name}, Arms: []string{ArmNone, "block"}, Seed: 1,
		LLM: &llm.Config{BaseURL: endpoint.URL + "/v1/", Model: "scripted", Key: "secret"}})
	none, block := r.find(llm.Name, ArmNone), r.find(llm.Name, "block")
	if none.Completed < 10 || none.FalseClaims == 0 || none.Turns < 60 || none.PromptTokens != 100*none.Turns || none.InvalidReached == 0 {
		t.Errorf("none: %+v", none.Counts)
	}
	if block.Completed < none.Completed || block.InvalidReached >= none.InvalidReached || block.InvalidBlocked == 0 {
		t.Errorf("block: %+v", block.Counts)
	}
}

// TestLLMErrors: a busy endpoint is asked again, a wrong one ends the run with its words.
func TestLLMErrors(t *testing.T) {
	t.Parallel()
	s := *suite(t)
	s.Tasks = s.Tasks[:1]
	var busy atomic.Int32
	busy.Store(1)
	endpoint := scriptedModel(t, &busy)
	c := llm.Config{BaseURL: endpoint.URL + "/v1", Model: "scripted", Key: "secret"}
	o := Options{Agents: []string{llm.Name}, Arms: []string{ArmNone}, LLM: &c}
	run(t, &s, o)
	c.Key = "wrong"
	s.Tasks = suite(t).Tasks[:5]
	if _, err := Run(t.Context(), &s, o); err == nil || !strings.Contains(err.Error(), "400 Bad Request: bad request") {
		t.Error(err)
	}
	if _, err := Run(t.Context(), &s, Options{Agents: []string{llm.Name}}); err == nil {
		t.Error("an agent without an endpoint runs")
	}
}
