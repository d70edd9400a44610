package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcpg/mcptree"
	"mcpg/mcptree/engine"
	"mcpg/mcptree/session"
	"mcpg/mcptree/value"
)

func (a *app) runCommand() *cobra.Command {
	var dir, resume string
	c := &cobra.Command{
		Use:   "run [TREE]",
		Short: "Walk a tree in the terminal",
		Long: `Walk a tree in the terminal: questions and judgments are answered by an option's id or
number, the results of tools are typed as JSON or as text, ! before a text reports an error.
The session is stored after every answer; :quit leaves it, --resume goes on.`,
		Example: "  mcptree run trees/incident.yaml\n  mcptree run --resume ses_23d02c087aca",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if (resume == "") == (len(args) == 0) {
				return usage("want a tree, or --resume SESSION")
			}
			s, err := store(dir)
			if err != nil {
				return err
			}
			id := resume
			if id == "" {
				if id, err = a.begin(s, args[0]); err != nil || id == "" {
					return err
				}
			}
			return known(a.walk(c.Context(), s, id))
		},
	}
	c.Flags().StringVar(&dir, "sessions", "", "folder of the sessions (default ~/.mcptree/sessions)")
	c.Flags().StringVar(&resume, "resume", "", "go on with this session")
	return c
}

// begin stores a new session of a tree; "" if the tree is rejected.
func (a *app) begin(s *session.Store, file string) (string, error) {
	d := a.loadOne(file)
	if d.Tree == nil {
		fmt.Fprintf(a.out, "FAIL %s: %s\n", d.File, printable(d.Reason()))
		a.code = codeFindings
		return "", nil
	}
	return start(s, d.Tree)
}

func start(s *session.Store, t *mcptree.Tree) (string, error) {
	m, err := engine.New(t)
	if err != nil {
		return "", err
	}
	state, trace := m.Start(s.Now(), nil)
	ses, err := s.Create(m, state, trace)
	if err != nil {
		return "", err
	}
	return ses.ID, nil
}

// walk asks and submits until the session ends or the input does.
func (a *app) walk(ctx context.Context, s *session.Store, id string) error {
	ses, err := s.Load(id)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: %s\n", id, printable(ses.Tree().Title))
	e := ses.Envelope("")
	in := bufio.NewReader(a.in)
	for e.State != engine.StateDone {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := ses.Tree().Node(e.Node)
		a.show(&e, n)
		answer, ok, err := a.ask(in, n)
		if err != nil {
			return err
		}
		if !ok {
			fmt.Fprintf(a.out, "\nto go on: mcptree run --resume %s\n", id)
			return nil
		}
		answer.Step, answer.Source = e.Step, engine.SourceAnswer
		if e, err = s.Submit(id, answer); err != nil {
			return err
		}
		if e.Error != "" {
			fmt.Fprintf(a.out, "! %s\n", printable(e.Error))
		}
	}
	fmt.Fprintf(a.out, "\nended: %s\n%s\n", printable(e.Outcome), printable(e.Instruction))
	return nil
}

func (a *app) show(e *engine.Envelope, n *mcptree.Node) {
	fmt.Fprintf(a.out, "\n[%d] %s\n", e.Step, printable(e.Node))
	if n.Type == mcptree.Action {
		args, _ := e.Expects.Get("args")
		fmt.Fprintf(a.out, "call %s %s\n", printable(n.Tool), printable(string(value.AppendJSON(nil, args))))
		return
	}
	fmt.Fprintln(a.out, printable(e.Instruction))
	for _, m := range e.Evidence.Members {
		fmt.Fprintf(a.out, "  %s: %s\n", printable(m.Name), printable(string(value.AppendJSON(nil, m.Value))))
	}
	for i, o := range n.Options {
		if numbered(n) {
			fmt.Fprintf(a.out, "  %d) %s\n", i+1, printable(o.ID))
		} else {
			fmt.Fprintf(a.out, "  - %s\n", printable(o.ID))
		}
	}
}

// ask reads an answer; ok is false at the end of the input or on :quit.
func (a *app) ask(in *bufio.Reader, n *mcptree.Node) (ans engine.Answer, ok bool, err error) {
	line, ok, err := a.line(in, "> ")
	if !ok || err != nil {
		return ans, false, err
	}
	switch {
	case n.Type == mcptree.Action:
		ans.IsError = strings.HasPrefix(line, "!")
		ans.Value, err = jsonOrText(strings.TrimPrefix(line, "!"))
		if err != nil || line == "" {
			fmt.Fprintf(a.out, "a result as JSON or as text, ! and a text for an error, :quit to leave%s\n", reason(err))
			return a.ask(in, n)
		}
		return ans, true, nil
	case len(n.Options) == 0:
		ans.Value = value.OfString(line)
		return ans, true, nil
	}
	ans.Value = value.OfString(line)
	if i, err := strconv.Atoi(line); err == nil && i >= 1 && i <= len(n.Options) && numbered(n) {
		ans.Value = value.OfString(n.Options[i-1].ID)
	}
	if n.RequireRationale && isOption(n, ans.Value.Str) {
		why, ok, err := a.line(in, "because> ")
		if !ok || err != nil {
			return ans, false, err
		}
		ans.Rationale = &why
	}
	return ans, true, nil
}

func isOption(n *mcptree.Node, id string) bool {
	for _, o := range n.Options {
		if o.ID == id {
			return true
		}
	}
	return false
}

func (a *app) line(in *bufio.Reader, prompt string) (string, bool, error) {
	fmt.Fprint(a.out, prompt)
	text, err := in.ReadString('\n')
	if errors.Is(err, io.EOF) && text == "" {
		return "", false, nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, err
	}
	text = strings.TrimRight(text, "\r\n")
	return text, text != ":quit", nil
}

// numbered tells whether options can be named by their place: none is a number.
func numbered(n *mcptree.Node) bool {
	return !slices.ContainsFunc(n.Options, func(o mcptree.Option) bool {
		_, err := strconv.Atoi(o.ID)
		return err == nil
	})
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return ": " + printable(err.Error())
}

// jsonOrText takes JSON where it is such, else the text. The error is of what
// begins as JSON does and isn't.
func jsonOrText(s string) (value.Value, error) {
	v, err := value.ParseJSON([]byte(s))
	if err == nil {
		return v, nil
	}
	if strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") || strings.HasPrefix(s, `"`) {
		return v, err
	}
	return value.OfString(s), nil
}
