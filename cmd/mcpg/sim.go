package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"mcpg/internal/mcpserve"
	"mcpg/simulate"
	"mcpg/simulators/filesystem"
	"mcpg/simulators/release"
	"mcpg/simulators/serve"
)

// simFlags are the flags of sim.
type simFlags struct {
	http, world string
	seed        uint64
}

func (a *app) simCommand() *cobra.Command {
	var f simFlags
	c := &cobra.Command{
		Use:   "sim release|filesystem",
		Short: "Run a simulator as an MCP server",
		Long: `Run a simulator as an MCP server, of both protocol eras: over stdin and stdout, or with
--http over Streamable HTTP to programs on this computer. It begins with a small world of
its own, or with that of --world, and keeps it in memory only. Every call is a step of its
time; the same calls in the same order get the same answers.`,
		Example: "  mcpg sim release\n  mcpg sim filesystem --world world.json --http 127.0.0.1:8322",
		Args:    cobra.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return a.sim(c.Context(), &f, args[0]) },
	}
	c.Flags().StringVar(&f.http, "http", "", "serve Streamable HTTP on this loopback address instead of stdin and stdout")
	c.Flags().StringVar(&f.world, "world", "", "begin with the world in this file, JSON as in the tasks of a suite")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of what is chance in the world")
	return c
}

func (a *app) sim(ctx context.Context, f *simFlags, name string) error {
	if f.http != "" && !mcpserve.LoopbackAddress(f.http) {
		return usage("--http %s: want a loopback address with a port, such as 127.0.0.1:8322", f.http)
	}
	sim, err := f.simulator(name)
	if err != nil {
		return err
	}
	s, err := serve.New(sim, f.seed)
	if err != nil {
		return err
	}
	mcpserve.Patient()
	if f.http == "" {
		return mcpserve.Pipe(ctx, s, serve.InOrder(mcpserve.Stdio(a.in, a.out)))
	}
	err = mcpserve.Listen(ctx, s, f.http, func(url string) { fmt.Fprintf(a.err, "mcpg: serving %s\n", url) })
	if far := new(mcpserve.AddressError); errors.As(err, &far) {
		return usage("--http %s: %w", f.http, far)
	}
	return err
}

// simulator makes the simulator that was asked for, in its world.
func (f *simFlags) simulator(name string) (simulate.Server, error) {
	if err := oneOf("simulator", name, "release", "filesystem"); err != nil {
		return nil, err
	}
	var text []byte
	if f.world != "" {
		var err error
		if text, err = os.ReadFile(f.world); err != nil {
			return nil, plainPath(err)
		}
	}
	s, err := simulatorOf(name, text)
	if err != nil && f.world != "" {
		err = fmt.Errorf("%s: %w", f.world, err)
	}
	return s, err
}

// simulatorOf makes a simulator; no text means its own world.
func simulatorOf(name string, world []byte) (simulate.Server, error) {
	if name == "release" {
		w := release.Demo()
		if world != nil {
			var err error
			if w, err = release.ParseWorld(world); err != nil {
				return nil, err
			}
		}
		return release.New(w)
	}
	w := filesystem.Demo()
	if world != nil {
		var err error
		if w, err = filesystem.ParseWorld(world); err != nil {
			return nil, err
		}
	}
	return filesystem.New(w)
}
