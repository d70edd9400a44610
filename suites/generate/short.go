package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
	"mcpg/simulate/agents"
	"mcpg/simulators/filesystem"
	"mcpg/simulators/release"
)

// A verb's words after its name are the arguments listed; release and channel
// names are looked up, other words stand for themselves.
var verbs = map[string]struct {
	tool string
	args []string
}{
	"get": {"get_release", []string{"release_id"}}, "list": {"list_releases", nil},
	"test": {"run_tests", []string{"release_id"}}, "approve": {"approve_release", []string{"release_id", "reviewer"}},
	"publish": {"publish_release", []string{"release_id"}}, "archive": {"archive_release", []string{"release_id"}},
	"commit": {"push_commit", []string{"release_id"}}, "notes": {"update_notes", []string{"release_id", "notes"}},
	"comment": {"add_comment", []string{"release_id", "text"}}, "channel": {"get_channel", []string{"channel"}},
	"lock": {"lock_channel", []string{"channel", "owner"}}, "unlock": {"unlock_channel", []string{"channel", "owner"}},
	"read": {"read_text_file", []string{"path"}}, "ls": {"list_directory", []string{"path"}},
	"mkdir": {"create_directory", []string{"path"}}, "move": {"move_file", []string{"source", "destination"}},
	"info": {"get_file_info", []string{"path"}}, "roots": {"list_allowed_directories", nil},
}

func (d *drawing) step(line string) (agents.Step, error) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "edit":
		parts := strings.Split(rest, "|")
		if len(parts) != 3 {
			return agents.Step{}, fmt.Errorf("step %q: want edit PATH|old|new", line)
		}
		edit := map[string]string{"oldText": parts[1], "newText": parts[2]}
		return step("edit_file", map[string]any{"path": parts[0], "edits": []any{edit}}), nil
	case "write":
		path, text, _ := strings.Cut(rest, "|")
		return step("write_file", map[string]any{"path": path, "content": text + "\n"}), nil
	case "multi":
		return step("read_multiple_files", map[string]any{"paths": strings.Fields(rest)}), nil
	}
	v, ok := verbs[verb]
	words := strings.Fields(rest)
	if !ok || len(words) != len(v.args) {
		return agents.Step{}, fmt.Errorf("step %q: unknown verb or wrong number of words", line)
	}
	args := map[string]any{}
	for i, name := range v.args {
		args[name] = d.word(words[i])
	}
	return step(v.tool, args), nil
}

// word looks a short name up.
func (d *drawing) word(w string) string {
	if v, ok := d.vars[w]; ok {
		return v
	}
	return w
}

func step(tool string, args map[string]any) agents.Step {
	return agents.Step{Tool: tool, Args: mustJSON(args)}
}

func mustJSON(v any) jsontext.Value {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err) // maps of strings, numbers and booleans
	}
	return b
}

func (d *drawing) predicate(line string) (simulate.Predicate, error) {
	w := strings.Fields(d.expand(line))
	switch {
	case len(w) >= 3 && w[0] == "file" && w[2] == "gone":
		return simulate.Predicate{At: []string{"files", w[1]}, Op: "absent"}, nil
	case len(w) >= 4 && w[0] == "file" && w[2] == "has":
		return simulate.Predicate{At: []string{"files", w[1]}, Op: "contains", Value: mustJSON(strings.Join(w[3:], " "))}, nil
	case len(w) == 2 && w[0] == "dir":
		return simulate.Predicate{At: []string{"dirs"}, Op: "lists", Value: mustJSON(w[1])}, nil
	case len(w) == 3 && w[1] == "is":
		return d.about(w[0], "status", "is", w[2]), nil
	case len(w) == 3 && w[1] == "notes":
		return d.about(w[0], "notes", "is", w[2]), nil
	case len(w) == 2 && w[1] == "commented":
		return simulate.Predicate{At: []string{"releases", d.word(w[0]), "comments"}, Op: "exists"}, nil
	case len(w) == 4 && w[1] == "revision":
		n, err := strconv.Atoi(w[3])
		return d.about(w[0], "revision", "over", n), err
	case len(w) == 2 && w[1] == "open":
		return simulate.Predicate{At: []string{"channels", d.word(w[0]), "locked"}, Op: "is", Value: mustJSON(false)}, nil
	}
	return simulate.Predicate{}, fmt.Errorf("goal %q: not understood", line)
}

func (d *drawing) about(name, field, op string, v any) simulate.Predicate {
	return simulate.Predicate{At: []string{"releases", d.word(name), field}, Op: op, Value: mustJSON(v)}
}

// world makes a release server's world, with two bystanders.
func (d *drawing) world() (jsontext.Value, error) {
	t := d.t
	w := release.World{Releases: map[string]release.Release{}, Channels: map[string]release.Channel{}, Flaky: t.Flaky, Flip: t.Flip}
	channels := map[string]string{"ch": "open"}
	for name, text := range t.Channels {
		channels[name] = text
	}
	for name, text := range channels {
		words := strings.Fields(text)
		c := release.Channel{Locked: words[0] == "locked"}
		if c.Locked {
			c.LockedBy = d.word(words[1])
		}
		w.Channels[d.word(name)] = c
	}
	names := make([]string, 0, len(t.Releases))
	for name := range t.Releases {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		r, err := d.release(t.Releases[name])
		if err != nil {
			return nil, err
		}
		w.Releases[d.vars[name]] = r
	}
	for _, name := range []string{"x", "y"} {
		status := []string{"DRAFT", "PUBLISHED", "ARCHIVED"}[d.r.IntN(3)]
		r, err := d.release(fmt.Sprintf("%s %s %dok", status, []string{"tested", "untested"}[d.r.IntN(2)], d.r.IntN(4)))
		if err != nil {
			return nil, err
		}
		w.Releases[d.vars[name]] = r
	}
	if t.Freeze != nil {
		w.Freeze = &release.Freeze{From: t.Freeze[0], Until: t.Freeze[1]}
	}
	if t.Drift != nil {
		at, err := strconv.Atoi(t.Drift[0])
		if err != nil {
			return nil, err
		}
		w.Drift = &release.Drift{At: at, To: t.Drift[1]}
	}
	for _, line := range t.Actor {
		a, err := d.releaseWrite(line)
		if err != nil {
			return nil, err
		}
		w.Actor = append(w.Actor, a)
	}
	return mustJSON(w), nil
}

func (d *drawing) release(text string) (release.Release, error) {
	r := release.Release{Revision: 3, Channel: d.vars["ch"]}
	if d.r.IntN(2) == 0 {
		r.Notes = "draft notes"
	}
	for i, w := range strings.Fields(text) {
		key, value, pair := strings.Cut(w, "=")
		switch {
		case i == 0:
			r.Status = w
		case w == "tested" || w == "untested":
			r.TestsPassed = w == "tested"
		case w == "noted":
			r.Notes = "draft notes"
		case w == "bare":
			r.Notes = ""
		case strings.HasSuffix(w, "ok"):
			n, err := strconv.Atoi(strings.TrimSuffix(w, "ok"))
			if err != nil {
				return r, err
			}
			r.ApprovedBy = []string{d.vars["r1"], d.vars["r2"], d.vars["r3"]}[:n]
		case pair && key == "dep":
			r.DependsOn = d.vars[value]
		case pair && key == "ch":
			r.Channel = d.vars[value]
		default:
			return r, fmt.Errorf("release %q: unknown word %q", text, w)
		}
	}
	return r, nil
}

func (d *drawing) releaseWrite(line string) (release.Write, error) {
	w := strings.Fields(d.expand(line))
	if len(w) != 5 {
		return release.Write{}, fmt.Errorf("actor %q: want at N NAME FIELD VALUE or race TOOL NAME FIELD VALUE", line)
	}
	a := release.Write{Field: w[3]}
	if w[0] == "race" {
		a.Race = w[1]
	} else {
		n, err := strconv.Atoi(w[1])
		if err != nil {
			return a, err
		}
		a.At = n
	}
	if strings.HasPrefix(w[2], "ch") {
		a.Channel = d.vars[w[2]]
	} else {
		a.Release = d.vars[w[2]]
	}
	a.Value = jsontext.Value(w[4])
	if !a.Value.IsValid() {
		a.Value = mustJSON(w[4])
	}
	return a, nil
}

// files makes a filesystem server's world, with a bystander.
func (d *drawing) files() (jsontext.Value, error) {
	t := d.t
	w := map[string]any{"root": root}
	files := map[string]string{d.bystanderFile(): "keep me\n"}
	for name, text := range t.Files {
		files[d.expand(name)] = text
	}
	dirs := []string{d.vars["d"], d.vars["e"]}
	for _, dir := range t.Dirs {
		dirs = append(dirs, d.expand(dir))
	}
	w["files"], w["dirs"] = files, dirs
	if t.Quota > 0 {
		w["quota"] = map[string]int{"until": t.Quota}
	}
	if t.FSDrift != nil {
		at, err := strconv.Atoi(t.FSDrift[0])
		if err != nil {
			return nil, err
		}
		w["drift"] = map[string]any{"at": at, "version": t.FSDrift[1]}
	}
	var actor []any
	for _, line := range t.Actor {
		a, err := fileWrite(d.expand(line))
		if err != nil {
			return nil, err
		}
		actor = append(actor, a)
	}
	if actor != nil {
		w["actor"] = actor
	}
	world := mustJSON(w)
	_, err := filesystem.ParseWorld(world)
	return world, err
}

func fileWrite(line string) (map[string]any, error) {
	w := strings.SplitN(line, " ", 4)
	if len(w) != 4 {
		return nil, fmt.Errorf("actor %q: want at N OP PATH or race TOOL OP PATH", line)
	}
	a := map[string]any{"op": w[2]}
	if w[0] == "race" {
		a["race"] = w[1]
	} else {
		n, err := strconv.Atoi(w[1])
		if err != nil {
			return nil, err
		}
		a["at"] = n
	}
	switch w[2] {
	case "move":
		a["path"], a["to"], _ = strings.Cut(w[3], " ")
	case "write":
		a["path"], a["content"], _ = strings.Cut(w[3], "|")
	default:
		a["path"] = w[3]
	}
	return a, nil
}
