package main

import (
	"errors"
	"os/exec"
	"strconv"

	_ "mcpg/internal/golden" // for -update
)

func exitCode(err error) string {
	var e *exec.ExitError
	if errors.As(err, &e) {
		return strconv.Itoa(e.ExitCode())
	}
	return err.Error()
}
