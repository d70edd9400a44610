package filesystem_test

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulators/filesystem"
)

func Example() {
	world, err := filesystem.ParseWorld(jsontext.Value(`{
		"root": "/srv/files",
		"files": {"a.txt": "one\n"},
		"drift": {"at": 3, "version": "2026.7.10"}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := filesystem.New(world)
	if err != nil {
		fmt.Println(err)
		return
	}
	args := jsontext.Value(` { "path" : "x/y" } `)
	for _, step := range []int{0, 3} {
		server.At(step)
		fmt.Println(server.Check("create_directory", args, 0).Kind, server.Read("read_text_file", args).Text)
	}
	// Output:
	//  ENOENT: no such file or directory, open '/srv/files/x/y'
	// drift Parent directory does not exist: /srv/files/x
}
