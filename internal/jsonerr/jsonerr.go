// Package jsonerr says in words what is wrong with a JSON file.
package jsonerr

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// Plain is a decoder's error as who wrote the file reads it: the field, and not
// the Go type that it would have had.
func Plain(err error) error {
	var sem *json.SemanticError
	switch isSemantic := errors.As(err, &sem); {
	case err == nil:
		return nil
	case isSemantic && errors.Is(err, json.ErrUnknownName):
		return fmt.Errorf("unknown field %s", sem.JSONPointer)
	case isSemantic:
		return fmt.Errorf("field %s: want %v, not a JSON %v", sem.JSONPointer, sem.GoType, sem.JSONKind)
	}
	return fmt.Errorf("not JSON: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
}
