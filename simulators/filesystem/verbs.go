package filesystem

// verbs are the tools with the schemas that the server validates, members in
// its order.
var verbs = map[string]verb{
	"read_file":                 {shape{pathField, tailField, headField}, readTextFile},
	"read_text_file":            {shape{pathField, tailField, headField}, readTextFile},
	"read_media_file":           {shape{pathField}, readMediaFile},
	"read_multiple_files":       {shape{pathsField}, readMultipleFiles},
	"write_file":                {shape{pathField, contentField}, writeFile},
	"edit_file":                 {shape{pathField, editsField, dryRunField}, editFile},
	"create_directory":          {shape{pathField}, createDirectory},
	"list_directory":            {shape{pathField}, listDirectory},
	"list_directory_with_sizes": {shape{pathField, sortByField}, listDirectoryWithSizes},
	"directory_tree":            {shape{pathField, excludeField}, directoryTree},
	"move_file":                 {shape{sourceField, destinationField}, moveFile},
	"search_files":              {shape{pathField, patternField, excludeField}, searchFiles},
	"get_file_info":             {shape{pathField}, getFileInfo},
	"list_allowed_directories":  {shape{}, listAllowedDirectories},
}

func listAllowedDirectories(s *Server, _ arguments) (output, *failure) {
	return textOutput("Allowed directories:\n" + s.world.Root)
}
