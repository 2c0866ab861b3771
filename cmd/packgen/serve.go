package main

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/gctuning"
	"github.com/packgen/packgen/site/build"
	live "github.com/packgen/packgen/site/server"
)

type serveFlags struct {
	port               int
	host               string
	open, poll, dryRun bool
}

// serve listens on defaultPort unless --port is given; when it is taken, on the next free
// one.
const defaultPort = 4321

func newServe(a *app) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show the site while you write: build, watch, reload",
		Long: `serve builds the site in memory, serves it on this machine, and builds it again
when a file changes. Open pages reload by themselves and keep their place; a
finding that your change brings appears over the page, and goes when you fix it.

Nothing is written to the output directory. The packs' compiled views are written
as by compile, unless --dry-run is given. Ctrl-C ends it.`,
		Example: "  packgen serve\n  packgen serve --open\n  packgen serve --port 8080 --dry-run",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runServe(cmd.Context(), f, cmd.Flags().Changed("port"))
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.port, "port", defaultPort, "listen on port `N`; 0 is any free one")
	flags.StringVar(&f.host, "host", "", "listen on the address or name `HOST` (default this machine alone)")
	flags.BoolVar(&f.open, "open", false, "open the site in a browser")
	flags.BoolVar(&f.poll, "poll", false, "look at the files twice a second, for network file systems")
	flags.BoolVar(&f.dryRun, "dry-run", false, "write nothing at all, not even compiled views")
	return cmd
}

func (a *app) runServe(ctx context.Context, f serveFlags, fixed bool) error {
	if f.port < 0 || f.port > 65535 {
		return diag.WithHint(fmt.Errorf("--port: %d is not a port", f.port), "write a number from 0 to 65535")
	}
	if err := a.Load(); err != nil {
		return err
	}
	listener, err := live.Listen(f.host, f.port, fixed)
	if err != nil {
		return err
	}
	address := addressOf(listener, f.host)
	s := &serveRun{Rebuilder: build.NewRebuilder(&a.Repo, f.dryRun), app: a, flags: f, address: address}
	s.Opened = func(files int) { gctuning.LimitMemory(files, 0) }
	defer s.Close()
	o := live.Options{
		Listener: listener, Watch: build.Watched(&a.Repo, f.poll), Build: s.Build, Report: s.report,
	}
	if f.host != "" {
		o.Hosts = []string{f.host}
	}
	if err := live.Serve(ctx, o); err != nil {
		return diag.WithHint(err, "use --poll on a file system that cannot be watched")
	}
	return nil
}

// addressOf returns the address for a browser.
func addressOf(l net.Listener, host string) string {
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return "http://" + l.Addr().String() + "/"
	}
	if host == "" || net.ParseIP(host) != nil && net.ParseIP(host).IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port) + "/"
}
