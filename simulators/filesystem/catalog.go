package filesystem

import (
	_ "embed"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mcpg/simulate"
)

//go:embed tools.json
var toolsJSON []byte

// catalog is the tools/list answer, which all versions share.
type catalog struct {
	tools    []simulate.Tool
	readOnly map[string]bool
}

var loadCatalog = sync.OnceValue(func() catalog {
	c, err := parseCatalog(toolsJSON)
	if err != nil {
		panic(fmt.Sprintf("filesystem: tools.json: %v", err))
	}
	return c
})

func parseCatalog(raw []byte) (catalog, error) {
	var list struct {
		Tools []jsontext.Value `json:"tools"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return catalog{}, err
	}
	c := catalog{readOnly: make(map[string]bool)}
	for _, tool := range list.Tools {
		var head struct {
			Name        string `json:"name"`
			Annotations struct {
				ReadOnly bool `json:"readOnlyHint"`
			} `json:"annotations"`
		}
		if err := json.Unmarshal(tool, &head); err != nil {
			return catalog{}, err
		}
		if err := tool.Compact(); err != nil {
			return catalog{}, err
		}
		c.tools = append(c.tools, simulate.Tool{Name: head.Name, Raw: tool})
		c.readOnly[head.Name] = head.Annotations.ReadOnly
	}
	return c, nil
}
