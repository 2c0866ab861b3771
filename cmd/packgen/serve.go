package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/workspace"
	live "github.com/packgen/packgen/site/server"
)

// serveFlags are the flags of the serve verb.
type serveFlags struct {
	port               int
	host               string
	open, poll, dryRun bool
}

// defaultPort is where serve listens when nothing else is said; when it is taken,
// the next free one of a few.
const (
	defaultPort = 4321
	portsTried  = 20
)

// newServe is the serve verb.
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

// runServe does what the serve verb says.
func (a *app) runServe(ctx context.Context, f serveFlags, fixed bool) error {
	if f.port < 0 || f.port > 65535 {
		return diag.WithHint(fmt.Errorf("--port: %d is no port", f.port), "It takes a number from 0 to 65535.")
	}
	cfg, err := a.LoadConfig()
	if err != nil {
		return err
	}
	listener, err := listen(f, fixed)
	if err != nil {
		return err
	}
	address := addressOf(listener, f.host)
	s := &serveRun{rebuilder: newRebuilder(&a.Workspace, f.dryRun), app: a, flags: f, address: address}
	o := live.Options{
		Listener: listener, Watch: watched(&a.Workspace, &cfg, f.poll), Build: s.build, Report: s.report,
	}
	if f.host != "" {
		o.Hosts = []string{f.host}
	}
	if err := live.Serve(ctx, o); err != nil {
		return diag.WithHint(err, "On a file system that cannot be watched, give --poll.")
	}
	return nil
}

// listen takes a port; without a fixed one the next that is free.
func listen(f serveFlags, fixed bool) (net.Listener, error) {
	host := f.host
	if host == "" {
		host = "127.0.0.1"
	}
	for port := f.port; ; port++ {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		switch {
		case err == nil:
			return l, nil
		case !errors.Is(err, syscall.EADDRINUSE):
			return nil, diag.WithHint(fmt.Errorf("listen on %s: %w", net.JoinHostPort(host, strconv.Itoa(port)), err), "Name another address with --host and --port.")
		case fixed || port >= f.port+portsTried:
			return nil, diag.WithHint(fmt.Errorf("port %d is taken by another program", port), "Name another one with --port N; 0 is any free one.")
		}
	}
}

// addressOf is the address that a person opens.
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

// watched says what a build reads: the places of packs and roles, the
// configuration, the site's own styles and scripts. What a build writes is left
// out.
func watched(w *workspace.Workspace, cfg *workspace.Config, poll bool) live.WatchOptions {
	config, _ := w.ConfigFile()
	o := live.WatchOptions{Poll: poll, Files: []string{w.Path(config)}}
	for _, pattern := range append(append([]string{}, cfg.Packs...), cfg.Roles...) {
		base, _ := doublestar.SplitPattern(filepath.ToSlash(pattern))
		if !strings.ContainsAny(pattern, "*?[{") {
			base = pattern
		}
		o.Dirs = addDir(o.Dirs, w.Path(base))
	}
	for _, name := range []string{cfg.Site.CSS, cfg.Site.TS} {
		if name == "" {
			continue
		}
		// What it imports is beside it. The root itself is not watched as a whole:
		// it holds more than a build reads.
		o.Files = append(o.Files, w.Path(name))
		if dir := filepath.Dir(w.Path(name)); dir != w.Dir {
			o.Dirs = addDir(o.Dirs, dir)
		}
	}
	out := w.Path(cfg.Out)
	o.Ignore = func(path string) bool {
		return path == out || strings.HasPrefix(path, out+string(filepath.Separator)) || isPackOutput(path)
	}
	return o
}

// addDir adds a directory that no other one of the list holds.
func addDir(dirs []string, dir string) []string {
	for _, d := range dirs {
		if dir == d || strings.HasPrefix(dir, d+string(filepath.Separator)) {
			return dirs
		}
	}
	return append(dirs, dir)
}

// isPackOutput reports whether a path is in a directory that compile writes.
func isPackOutput(path string) bool {
	for dir := path; ; {
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		switch filepath.Base(dir) {
		case "compiled", "indexes", "runs":
			if _, err := os.Lstat(filepath.Join(parent, "KNOWLEDGE.md")); err == nil {
				return true
			}
		}
		dir = parent
	}
}

// rebuilder builds a site again and again.
type rebuilder struct {
	ws     *workspace.Workspace
	dryRun bool // not even compiled views are written

	known   map[string]bool   // findings of the first build, which were there before
	routes  map[string]uint64 // of the last good build: how each entry of the index is found
	routing string            // what the last build changed about that
	runs    map[string]string // run records that this serve wrote last, by pack directory
}

// newRebuilder returns a rebuilder of the site of a repository.
func newRebuilder(w *workspace.Workspace, dryRun bool) *rebuilder {
	return &rebuilder{ws: w, dryRun: dryRun, known: map[string]bool{}, runs: map[string]string{}}
}

// build makes the site into the server's sink.
func (s *rebuilder) build(ctx context.Context, _ live.Change, sink live.Sink) (live.Built, error) {
	b, err := prepareBuild(ctx, s.ws, buildOptions{dryRun: s.dryRun})
	if err != nil {
		return live.Built{}, err
	}
	defer b.close()
	b.into = &serveTarget{Sink: sink}
	var routes map[string]uint64
	b.indexed = func(ix *loadout.Index) { routes = routesOf(ix) }
	if err := b.run(ctx); err != nil {
		return live.Built{}, err
	}
	s.dropRuns(b)
	if !b.failed() {
		s.routing, s.routes = routingChange(s.routes, routes), routes
	}
	return live.Built{Findings: s.shown(b), Failed: b.failed()}, nil
}

// dropRuns removes the run record that this serve wrote before the newest one of a
// pack: a record for each save would be hundreds a day. Records of other runs stay.
func (s *rebuilder) dropRuns(b *buildRun) {
	if s.dryRun || b.overlay != "" {
		return
	}
	for _, m := range b.repo.Members {
		if m.Result == nil || m.Result.RunPath == "" {
			continue
		}
		if earlier := s.runs[m.Dir]; earlier != "" && earlier != m.Result.RunPath {
			// One that cannot be removed is one more record.
			_ = os.Remove(filepath.Join(s.ws.Path(m.Dir), filepath.FromSlash(earlier)))
		}
		s.runs[m.Dir] = m.Result.RunPath
	}
}

// serveTarget lets a build write into the server's sink; the server commits.
type serveTarget struct{ live.Sink }

func (t *serveTarget) Commit() (publish.Summary, error) { return publish.Summary{}, nil }
func (t *serveTarget) Abort() error                     { return nil }

// shownOnPage is how many findings a page shows at once.
const shownOnPage = 20

// shown are the findings to put over the pages: errors, and what the first build
// did not have.
func (s *rebuilder) shown(b *buildRun) []live.Finding {
	first := len(s.known) == 0
	s.known[""] = true
	dirs := b.repo.Dirs()
	lines := diag.NewLines(func(d diag.Diagnostic) ([]byte, error) {
		m := b.repo.Find(d.Pack, "")
		if m == nil || m.Pack == nil {
			return nil, os.ErrNotExist
		}
		return m.Pack.ReadFile(d.Path)
	})
	var list []live.Finding
	for _, d := range b.repo.Findings() {
		key := d.Pack + "\x00" + d.Path + "\x00" + d.Record()
		if first {
			s.known[key] = true
		}
		if d.Severity != diag.Error && s.known[key] || d.Severity == diag.Info || len(list) == shownOnPage {
			continue
		}
		frame := diag.Frame(d, lines)
		if dir := dirs[d.Pack]; dir != "" {
			d.Path = dir + "/" + d.Path
		}
		f := live.Finding{Finding: diag.Findings([]diag.Diagnostic{d})[0], Frame: frame}
		list = append(list, f)
	}
	return list
}
