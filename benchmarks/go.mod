module mcpg/benchmarks

go 1.26.0

require mcpg v0.0.0

require (
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace mcpg => ../
