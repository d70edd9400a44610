package filesystem

import "fmt"

// Checks that a call can fail. Each is the Check of a Truth.
const (
	checkAccess            = "access"             // outside the allowed directory
	checkArguments         = "arguments"          // the arguments themselves
	checkDestinationExists = "destination_exists" // move_file never overwrites
	checkExists            = "exists"             // a file is in the way of a directory
	checkIntoItself        = "into_itself"        // a directory moved below itself
	checkIsDirectory       = "is_directory"       // a file was wanted
	checkMissing           = "missing"            // the named thing does not exist
	checkNameTooLong       = "name_too_long"
	checkNoMatch           = "no_match" // edit_file did not find the old text
	checkNotDirectory      = "not_directory"
	checkNotEmpty          = "not_empty" // a directory would be overwritten
	checkParentMissing     = "parent_missing"
	checkPattern           = "pattern" // of a glob
	checkQuota             = "quota"
	checkSoftError         = "soft_error" // an error in the words of a success
	checkSymlinkLoop       = "symlink_loop"
	checkUnknownTool       = "unknown_tool"
)

// failure is an answer with isError set, and the check behind it.
type failure struct {
	check string
	text  string
}

func failf(check, format string, args ...any) *failure {
	return &failure{check: check, text: fmt.Sprintf(format, args...)}
}

var errReadDir = &failure{checkIsDirectory, "EISDIR: illegal operation on a directory, read"}

var errNoSpace = &failure{checkQuota, "ENOSPC: no space left on device, write"}

// errno is a system error; 0 is none.
type errno uint8

const (
	_ errno = iota
	eexist
	einval
	eisdir
	eloop
	enametoolong
	enoent
	enotdir
	enotempty
)

var errnos = [...]struct{ words, check string }{
	eexist:       {"EEXIST: file already exists", checkExists},
	einval:       {"EINVAL: invalid argument", checkIntoItself},
	eisdir:       {"EISDIR: illegal operation on a directory", checkIsDirectory},
	eloop:        {"ELOOP: too many symbolic links encountered", checkSymlinkLoop},
	enametoolong: {"ENAMETOOLONG: name too long", checkNameTooLong},
	enoent:       {"ENOENT: no such file or directory", checkMissing},
	enotdir:      {"ENOTDIR: not a directory", checkNotDirectory},
	enotempty:    {"ENOTEMPTY: directory not empty", checkNotEmpty},
}

// of words the error of a system call on one path.
func (e errno) of(call, name string) *failure {
	return &failure{errnos[e].check, errnos[e].words + ", " + call + " '" + name + "'"}
}

// ofRename words the error of a rename.
func (e errno) ofRename(from, to string) *failure {
	return &failure{errnos[e].check, errnos[e].words + ", rename '" + from + "' -> '" + to + "'"}
}
