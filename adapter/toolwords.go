package adapter

import (
	"slices"
	"strings"
)

// idName is the name of an argument that may name a thing: release_id is the id
// of a release, path is a path of whatever.
type idName struct {
	noun []string
	tail string // "" for a noun alone
}

var idTails = strings.Fields("id uuid guid key path name number uri url slug iid handle ref sha")

// looseTails name a thing whatever is before them: source_path, entityName.
var looseTails = strings.Fields("path name key uri url")

// pathWords are names of arguments that are paths without saying so.
var pathWords = strings.Fields("source destination src dst dest target from to file filepath filename folder directory dir old new")

// notIDs are names of arguments that say what to look for, or what to write.
var notIDs = strings.Fields(`query pattern text message search filter expression prompt content contents question body
	description title comment note reason status state limit count offset cursor page format language location city date time value data`)

func idNameOf(path string) idName {
	last := path[strings.LastIndexByte(path, '.')+1:]
	words := nameWords(strings.TrimSuffix(last, "[]"))
	if len(words) == 0 {
		return idName{noun: []string{last}}
	}
	for i, w := range words {
		words[i] = singular(w)
	}
	end := words[len(words)-1]
	for _, tail := range []string{"path", "name"} { // filepath, filename
		if before, ok := strings.CutSuffix(end, tail); ok && before != "" {
			words = append(words[:len(words)-1], before, tail)
			end = tail
		}
	}
	if slices.Contains(idTails, end) {
		return idName{noun: words[:len(words)-1], tail: end}
	}
	return idName{noun: words}
}

func singular(w string) string {
	switch {
	case w == "ids":
		return "id"
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return strings.TrimSuffix(w, "ies") + "y"
	case strings.HasSuffix(w, "s") && len(w) > 3 && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		return strings.TrimSuffix(w, "s")
	}
	return w
}

func (n idName) equal(o idName) bool { return n.tail == o.tail && slices.Equal(n.noun, o.noun) }

// mayBeID tells whether an argument's name can be that of a thing.
func (n idName) mayBeID() bool {
	return n.tail != "" || !slices.ContainsFunc(n.noun, func(w string) bool { return slices.Contains(notIDs, w) })
}

// fits tells whether an argument of a tool may name a thing of a kind whose id is
// called base, though it is called otherwise.
func (n idName) fits(base idName, class string, tool string) bool {
	noun := strings.Join(n.noun, "_")
	about := slices.Contains(singularWords(tool), class)
	switch {
	case len(n.noun) > 0 && n.tail == base.tail && n.tail != "" && hasSuffix(n.noun, strings.Split(class, "_")):
		return true // depends_on_task_id of a task
	case n.tail == base.tail && len(base.noun) == 0 && slices.Contains(looseTails, n.tail):
		return true
	case n.tail == "" && noun == class:
		return true
	case n.tail == "id" && len(n.noun) == 0, n.tail == "name" && len(n.noun) == 0 && base.tail == "id":
		return about
	case n.tail == "id" && noun == class:
		return true
	}
	paths := base.tail == "path" || base.tail == "uri"
	return paths && (n.tail == "" || n.tail == base.tail || n.tail == "name" && noun == "file") && len(n.noun) > 0 && slices.Contains(pathWords, n.noun[len(n.noun)-1])
}

func hasSuffix(words, suffix []string) bool {
	return len(words) >= len(suffix) && slices.Equal(words[len(words)-len(suffix):], suffix)
}

func singularWords(tool string) []string {
	words := nameWords(tool)
	for i, w := range words {
		words[i] = singular(w)
	}
	return words
}

// aboutWords are words of a reading tool's name that don't say what it reads.
var aboutWords = strings.Fields("info details detail status state metadata stats stat by of the for a an full current open load retrieve id all one info information data")

// stateWords say that a tool shows how a thing stands.
var stateWords = strings.Fields("info information details detail status stat state metadata describe")

// showingName tells whether a tool's name says that it shows how a thing stands,
// without a verb for that.
func showingName(tool string) bool {
	return !mutatingName(tool) && slices.ContainsFunc(nameWords(tool), func(w string) bool { return slices.Contains(stateWords, w) })
}

// listWords say that a tool shows several things, or something about them.
var listWords = strings.Fields("list search find query tree diff history log lookup count multiple batch")

// nouns is what a reading tool's name says that it reads.
func nouns(tool string, common int) []string {
	var out []string
	for i, w := range singularWords(tool) {
		if i >= common && !slices.Contains(aboutWords, w) && !slices.Contains(readingVerbs, w) {
			out = append(out, w)
		}
	}
	return out
}

// commonWords counts the words with which all names begin, as github_ in a
// server of GitHub's.
func commonWords(tools []Tool) int {
	if len(tools) < 3 {
		return 0
	}
	first := nameWords(tools[0].Name)
	n := max(len(first)-1, 0)
	for _, t := range tools[1:] {
		words := nameWords(t.Name)
		n = min(n, max(len(words)-1, 0))
		for i := range n {
			if words[i] != first[i] {
				n = i
				break
			}
		}
	}
	return n
}

var destroyingVerbs = strings.Fields("delete remove destroy drop erase purge wipe truncate uninstall revoke terminate kill overwrite")

// destroyingName tells whether a tool's name says that something is gone after it.
func destroyingName(tool string) bool {
	return mutatingName(tool) && slices.ContainsFunc(nameWords(tool), func(w string) bool { return slices.Contains(destroyingVerbs, w) })
}
