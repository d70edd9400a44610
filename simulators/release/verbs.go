package release

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
)

// failure is a refused call: the check that fired and what the client reads.
type failure struct {
	check string
	kind  simulate.Kind
	text  string
}

func failf(check, format string, a ...any) *failure {
	return &failure{check: check, kind: simulate.Visible, text: fmt.Sprintf(format, a...)}
}

// arguments are all that any tool takes; required ones are checked before.
type arguments struct {
	ReleaseID        string `json:"release_id"`
	Channel          string `json:"channel"`
	Reviewer         string `json:"reviewer"`
	Owner            string `json:"owner"`
	Notes            string `json:"notes"`
	Text             string `json:"text"`
	ExpectedRevision *int   `json:"expected_revision"`
}

type verb struct {
	run      func(*Server, *arguments, float64) (string, *failure)
	readOnly bool
}

var verbs = map[string]verb{
	"get_release":     {(*Server).getRelease, true},
	"list_releases":   {(*Server).listReleases, true},
	"get_channel":     {(*Server).getChannel, true},
	"create_release":  {(*Server).createRelease, false},
	"push_commit":     {(*Server).pushCommit, false},
	"run_tests":       {(*Server).runTests, false},
	"approve_release": {(*Server).approve, false},
	"update_notes":    {(*Server).updateNotes, false},
	"add_comment":     {(*Server).addComment, false},
	"publish_release": {(*Server).publish, false},
	"archive_release": {(*Server).archive, false},
	"lock_channel":    {(*Server).lock, false},
	"unlock_channel":  {(*Server).unlock, false},
}

func (s *Server) run(tool string, raw jsontext.Value, coin float64) (string, *failure) {
	v, ok := verbs[tool]
	if !ok {
		return "", failf("unknown_tool", "MCP error -32602: Tool %s not found", tool)
	}
	given, f := validate(tool, raw)
	if f != nil {
		return "", f
	}
	var a arguments
	b, err := json.Marshal(given)
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil { // a revision that no machine word holds
		return "", failf("arguments", "MCP error -32602: Input validation error: Invalid arguments for tool %s", tool)
	}
	return v.run(s, &a, coin)
}

func (s *Server) release(id string) (Release, *failure) {
	r, ok := s.world.Releases[id]
	if !ok {
		return r, failf("missing", "Release %s not found", id)
	}
	return r, nil
}

// view is what get_release shows.
type view struct {
	ID          string   `json:"id"`
	Status      string   `json:"status"`
	TestsPassed bool     `json:"tests_passed"`
	Approvals   int      `json:"approvals"`
	ApprovedBy  []string `json:"approved_by"`
	DependsOn   *string  `json:"depends_on"`
	Channel     string   `json:"channel"`
	HasNotes    bool     `json:"has_notes"`
	Revision    int      `json:"revision"`
}

func (s *Server) show(id string) (string, *failure) {
	r := s.world.Releases[id]
	v := view{ID: id, Status: r.Status, TestsPassed: r.TestsPassed, Approvals: len(r.ApprovedBy), ApprovedBy: r.ApprovedBy,
		Channel: r.Channel, HasNotes: r.Notes != "", Revision: r.Revision}
	if r.DependsOn != "" {
		v.DependsOn = &r.DependsOn
	}
	return marshal(v), nil
}

func marshal(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // plain structs
	}
	return string(b)
}

func (s *Server) put(id string, r Release) (string, *failure) {
	r.Revision++
	s.world.Releases[id] = r
	return s.show(id)
}

func (s *Server) getRelease(a *arguments, _ float64) (string, *failure) {
	if _, f := s.release(a.ReleaseID); f != nil {
		return "", f
	}
	return s.show(a.ReleaseID)
}

func (s *Server) listReleases(*arguments, float64) (string, *failure) {
	type row struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	}
	rows := []row{}
	for _, id := range s.ids() {
		rows = append(rows, row{id, s.world.Releases[id].Status})
	}
	return marshal(map[string]any{"releases": rows}), nil
}

func (s *Server) createRelease(a *arguments, _ float64) (string, *failure) {
	if _, ok := s.world.Releases[a.ReleaseID]; ok {
		return "", failf("exists", "Release %s already exists", a.ReleaseID)
	}
	if _, ok := s.world.Channels[a.Channel]; !ok {
		return "", failf("channel_missing", "Channel %s not found", a.Channel)
	}
	return s.put(a.ReleaseID, Release{Status: draft, Channel: a.Channel})
}

func (s *Server) pushCommit(a *arguments, _ float64) (string, *failure) {
	r, f := s.release(a.ReleaseID)
	if f == nil && r.Status != draft {
		f = failf("not_draft", "Release %s takes no commits: status is %s, only a DRAFT can change", a.ReleaseID, r.Status)
	}
	if f != nil {
		return "", f
	}
	r.TestsPassed = false
	return s.put(a.ReleaseID, r)
}

func (s *Server) runTests(a *arguments, _ float64) (string, *failure) {
	r, f := s.release(a.ReleaseID)
	if f == nil && r.Status != draft {
		f = failf("not_draft", "Release %s cannot be tested: status is %s, only a DRAFT can be tested", a.ReleaseID, r.Status)
	}
	if f != nil {
		return "", f
	}
	r.TestsPassed = true
	return s.put(a.ReleaseID, r)
}

func (s *Server) approve(a *arguments, _ float64) (string, *failure) {
	r, f := s.release(a.ReleaseID)
	switch {
	case f != nil:
	case r.Status != draft:
		f = failf("not_draft", "Release %s cannot be approved: status is %s, only a DRAFT can be approved", a.ReleaseID, r.Status)
	case slices.Contains(r.ApprovedBy, a.Reviewer):
		f = failf("approved_before", "Release %s already has the approval of %s; ask another reviewer", a.ReleaseID, a.Reviewer)
	}
	if f != nil {
		return "", f
	}
	r.ApprovedBy = append(slices.Clip(slices.Clone(r.ApprovedBy)), a.Reviewer)
	return s.put(a.ReleaseID, r)
}

func (s *Server) updateNotes(a *arguments, _ float64) (string, *failure) {
	r, f := s.release(a.ReleaseID)
	switch {
	case f != nil:
	case r.Status == archived:
		f = failf("archived", "Release %s is ARCHIVED: its notes cannot change", a.ReleaseID)
	case a.ExpectedRevision != nil && *a.ExpectedRevision != r.Revision:
		f = failf("revision", "Release %s has revision %d, not %d; read it again with get_release", a.ReleaseID, r.Revision, *a.ExpectedRevision)
	}
	if f != nil {
		return "", f
	}
	r.Notes = a.Notes
	return s.put(a.ReleaseID, r)
}

func (s *Server) addComment(a *arguments, _ float64) (string, *failure) {
	r, f := s.release(a.ReleaseID)
	if f != nil {
		return "", f
	}
	r.Comments = append(slices.Clone(r.Comments), a.Text)
	s.world.Releases[a.ReleaseID] = r // a comment is no revision
	return s.show(a.ReleaseID)
}

func (s *Server) archive(a *arguments, _ float64) (string, *failure) {
	r, f := s.release(a.ReleaseID)
	if f == nil && r.Status != published && (r.Status != draft || s.rules() != Direct) {
		f = failf("not_published", "Release %s cannot be archived: status is %s, only a PUBLISHED release can be archived", a.ReleaseID, r.Status)
	}
	if f != nil {
		return "", f
	}
	r.Status = archived
	return s.put(a.ReleaseID, r)
}
