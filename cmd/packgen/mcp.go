package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/resolver/agent/mcp"
)

func newMCP(a *app) *cobra.Command {
	var f struct {
		http  string
		hosts []string
		from  []string
	}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the packs to an agent over the Model Context Protocol",
		Long: `mcp answers an agent on standard input and output, until the input ends: tools that
select context for a task, match the index and read texts, the catalog as resources,
and a prompt that brings a pack into use. It reads the packs of this repository as
they are at each request, and changes nothing in them. What it hands out is noted in
the usage log of the hook.

With --http it answers any number of agents at an address, at loopback unless it
names a host. Requests of web pages from elsewhere are refused.

Agents start it by themselves once "packgen connect" has written their settings.`,
		Example: "  packgen mcp\n  packgen mcp -C ~/knowledge --from handbook\n  packgen mcp --http 8017",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o := mcp.Options{Version: compiler.Version, From: f.from}
			o.Log, _ = a.homeFile("usage", "", usageLog) // without a home nothing is noted
			server := mcp.New(&a.Repo, o)
			if f.http == "" {
				return mcp.Serve(cmd.Context(), server, a.stdin, a.stdout)
			}
			l, err := mcp.ListenHTTP(f.http)
			if err != nil {
				return err
			}
			fmt.Fprintln(a.stdout, mcp.Address(l))
			return mcp.ServeHTTP(cmd.Context(), server, l, f.hosts...)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.http, "http", "", "answer over HTTP at `ADDR`: a port, or a host and a port")
	flags.StringArrayVar(&f.hosts, "host", nil, "with --http: also answer requests for this `HOST`; may be repeated")
	flags.StringArrayVar(&f.from, "from", nil, "serve a pack from elsewhere too, by `REF`, once packgen pull has locked it; may be repeated")
	return cmd
}
