// Package llm is a bench agent that a language model plays, over any endpoint with
// OpenAI's chat completions. What it is told is what a person would be: the goal, the
// facts, the tools. It is never part of a run that doesn't ask for it.
package llm

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Name is the agent's.
const Name = "llm"

// Config is where the model is asked.
type Config struct {
	BaseURL string // up to, and without, /chat/completions
	Model   string
	Key     string // "" for none
	Client  *http.Client
}

// Tool is a tool as tools/list shows it.
type Tool struct{ Raw jsontext.Value }

// Task is what the model is told.
type Task struct {
	Goal  []string // each must hold in the end
	Avoid []string // must not
	Facts map[string]string
	Tools []Tool
}

// Usage counts what a task took.
type Usage struct {
	Turns      int `json:"turns"`
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
}

// Bounds of one answer.
const (
	maxAnswer = 8 << 20
	timeout   = 2 * time.Minute
	tries     = 3
)

// Agent plays one task.
type Agent struct {
	ctx      context.Context
	config   *Config
	tools    []jsontext.Value
	messages []message
	pending  []toolCall // of the last answer, not yet made
	made     string     // id of the call that was made last

	Usage Usage
	// Claimed tells whether the model said in the end that the goal is reached.
	Claimed bool
	Err     error // why it ended early
}

type message struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

const instructions = "You work with the tools of a server until the goal is reached. Call tools; their answers may be refusals, which say what is missing. " +
	"When the goal is reached, answer without a tool call and with the word DONE. If it can't be reached, answer with the word FAILED and why."

// New begins a task.
func New(ctx context.Context, c *Config, t *Task) *Agent {
	a := &Agent{ctx: ctx, config: c}
	var b strings.Builder
	b.WriteString("Goal:\n")
	for _, g := range t.Goal {
		b.WriteString("- " + g + "\n")
	}
	if len(t.Avoid) > 0 {
		b.WriteString("Don't let this happen:\n")
		for _, g := range t.Avoid {
			b.WriteString("- " + g + "\n")
		}
	}
	if len(t.Facts) > 0 {
		facts, _ := json.Marshal(t.Facts, json.Deterministic(true)) // texts
		b.WriteString("Facts: " + string(facts) + "\n")
	}
	text := func(s string) *string { return &s }
	a.messages = []message{{Role: "system", Content: text(instructions)}, {Role: "user", Content: text(b.String())}}
	for _, tool := range t.Tools {
		var doc struct {
			Name        string         `json:"name"`
			Description string         `json:"description"`
			Input       jsontext.Value `json:"inputSchema"`
		}
		if err := json.Unmarshal(tool.Raw, &doc); err != nil {
			a.Err = fmt.Errorf("a tool of the server: %w", err)
			return a
		}
		v, err := json.Marshal(map[string]any{"type": "function", "function": map[string]any{"name": doc.Name, "description": doc.Description, "parameters": doc.Input}}, json.Deterministic(true))
		if err != nil {
			a.Err = err
			return a
		}
		a.tools = append(a.tools, v)
	}
	return a
}

// Next takes the answer to the last call and gives the next one.
func (a *Agent) Next(text string, _ bool) (tool string, args jsontext.Value, done bool) {
	if a.Err != nil {
		return "", nil, true
	}
	if a.made != "" {
		a.messages = append(a.messages, message{Role: "tool", Content: &text, ToolCallID: a.made})
		a.made = ""
	}
	if len(a.pending) == 0 {
		if a.Err = a.turn(); a.Err != nil || len(a.pending) == 0 {
			return "", nil, true
		}
	}
	call := a.pending[0]
	a.pending = a.pending[1:]
	a.made = call.ID
	args = jsontext.Value(call.Function.Arguments)
	if !args.IsValid() || args.Kind() != '{' {
		args = jsontext.Value("{}") // the server says what is missing
	}
	return call.Function.Name, args, false
}

// turn asks the model once.
func (a *Agent) turn() error {
	body, err := json.Marshal(map[string]any{"model": a.config.Model, "messages": a.messages, "tools": a.tools, "temperature": 0})
	if err != nil {
		return err
	}
	answer, err := a.ask(body)
	if err != nil {
		return err
	}
	var doc struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(answer, &doc); err != nil {
		return fmt.Errorf("the model's answer: %w", err)
	}
	if len(doc.Choices) == 0 {
		return fmt.Errorf("the model's answer has no choice: %.200s", answer)
	}
	a.Usage.Turns++
	a.Usage.Prompt += doc.Usage.Prompt
	a.Usage.Completion += doc.Usage.Completion
	m := doc.Choices[0].Message
	m.Role = "assistant"
	for i := range m.ToolCalls {
		if m.ToolCalls[i].ID == "" { // some endpoints give none
			m.ToolCalls[i].ID = fmt.Sprintf("call-%d-%d", a.Usage.Turns, i)
		}
	}
	a.messages = append(a.messages, m)
	a.pending = m.ToolCalls
	if len(m.ToolCalls) == 0 && m.Content != nil {
		a.Claimed = claims(*m.Content)
	}
	return nil
}

// claims tells whether the last words say that the goal is reached.
func claims(text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return r < 'A' || r > 'Z' && r < 'a' || r > 'z' })
	done := false // the last word on it counts
	for i, w := range words {
		switch w {
		case "DONE":
			done = i == 0 || !strings.EqualFold(words[i-1], "not")
		case "FAILED":
			done = false
		}
	}
	return done
}

// ask sends a request, again where the endpoint is busy.
func (a *Agent) ask(body []byte) ([]byte, error) {
	var last error
	for try := range tries {
		if try > 0 {
			select {
			case <-a.ctx.Done():
				return nil, a.ctx.Err()
			case <-time.After(time.Duration(try) * time.Second):
			}
		}
		answer, again, err := a.post(body)
		if err == nil {
			return answer, nil
		}
		if last = err; !again {
			break
		}
	}
	return nil, last
}

func (a *Agent) post(body []byte) (answer []byte, again bool, err error) {
	ctx, cancel := context.WithTimeout(a.ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(a.config.BaseURL, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	req.Header.Set("Content-Type", "application/json")
	if a.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+a.config.Key)
	}
	client := a.config.Client
	if client == nil {
		client = http.DefaultClient
	}
	r, err := client.Do(req)
	if err != nil {
		return nil, a.ctx.Err() == nil, fmt.Errorf("asking the model: %w", err)
	}
	defer r.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(r.Body, maxAnswer))
	switch {
	case err != nil:
		return nil, true, fmt.Errorf("the model's answer: %w", err)
	case r.StatusCode != http.StatusOK:
		return nil, r.StatusCode == http.StatusTooManyRequests || r.StatusCode >= 500, fmt.Errorf("the model's endpoint says %s: %.300s", r.Status, answer)
	}
	return answer, false, nil
}
