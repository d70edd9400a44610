// Package cli is what the command lines have in common.
package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpg/internal/letters"
)

// MeantFlag is what an unknown flag may have been meant to be, as the end of the
// sentence that says so; "" if nothing is near, or the mistake is another.
func MeantFlag(c *cobra.Command, err error) string {
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return ""
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	return letters.DidYouMean("--"+name, known)
}
