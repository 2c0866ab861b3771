package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/gctuning"
	"github.com/packgen/packgen/compiler/scratch"
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

// rebuildLine is one build of serve as a line of JSON.
type rebuildLine struct {
	Command  string    `json:"command"` // always "serve"
	Event    string    `json:"event"`   // ready, rebuilt or failed
	Address  string    `json:"address,omitempty"`
	Changed  []string  `json:"changed"` // the files that caused the build, relative to the repository root
	Files    int       `json:"files"`   // files of the site that changed
	Pages    int       `json:"pages"`   // how many of them are pages
	MS       float64   `json:"ms"`      // milliseconds
	Routing  string    `json:"routing"` // what changed in the index; "" for nothing
	Findings []finding `json:"findings"`
	Error    string    `json:"error,omitempty"`
}

type serveRun struct {
	*build.Rebuilder
	app     *app
	flags   serveFlags
	address string
}

// report prints one build: a line of text, or a line of JSON.
func (s *serveRun) report(e live.Event) {
	a := s.app
	line := rebuildLine{
		Command: "serve", Event: "rebuilt", Changed: []string{}, Files: len(e.Files), Pages: e.Pages,
		MS: float64(e.Elapsed.Microseconds()) / 1000, Routing: s.Routing, Findings: []finding{},
	}
	switch {
	case e.Err != nil:
		line.Event, line.Error = "failed", e.Err.Error()
	case e.Built.Failed:
		line.Event = "failed"
	case e.First:
		line.Event, line.Routing = "ready", ""
	}
	if e.First {
		line.Address = s.address
	}
	for _, path := range e.Change.Paths {
		line.Changed = append(line.Changed, a.Paths.Rel(path))
	}
	for _, f := range e.Built.Findings {
		line.Findings = append(line.Findings, f.Finding)
	}
	if a.json {
		a.reported = true
		text, err := json.Marshal(line)
		if err == nil {
			fmt.Fprintf(a.stdout, "%s\n", diag.EscapeJSON(text))
		}
	} else {
		s.print(line, e)
	}
	if e.First && s.flags.open {
		openBrowser(s.address)
	}
}

func (s *serveRun) print(line rebuildLine, e live.Event) {
	a, p := s.app, s.app.painterFor(s.app.stderr)
	if a.quiet && line.Event != "failed" && !e.First {
		return
	}
	what := changedNames(line.Changed, e.Change.Rescan)
	switch {
	case e.First && line.Event == "ready":
		what = "built"
	case e.First:
		what = "first build"
	}
	if line.Event == "failed" {
		kept := map[bool]string{false: ": the last good site stays"}[e.First] // at first there is none
		fmt.Fprintf(a.stderr, "%s %s%s\n", p.Red("failed"), what, kept)
		if e.Err != nil {
			a.printError(e.Err)
		}
	} else {
		fmt.Fprintf(a.stderr, "%s  %s  %s", what, amount.Counted(line.Pages, "page"), amount.Milliseconds(line.MS))
		if line.Routing != "" {
			fmt.Fprintf(a.stderr, "  routing: %s", line.Routing)
		}
		fmt.Fprintln(a.stderr)
	}
	for _, f := range e.Built.Findings {
		fmt.Fprintf(a.stderr, "  %s:%d: %s: %s\n", diag.Printable(f.Path), f.Line, f.Severity, diag.Printable(f.Message))
	}
	if e.First {
		fmt.Fprintf(a.stdout, "%s\n", s.address)
		if !a.quiet {
			fmt.Fprintln(a.stderr, "serving; press Ctrl-C to end")
		}
	}
}

// namedAtMost is the number of changed files that a line names.
const namedAtMost = 3

func changedNames(paths []string, more bool) string {
	if len(paths) == 0 {
		return "many files"
	}
	shown := paths[:min(len(paths), namedAtMost)]
	text := diag.Printable(strings.Join(shown, ", "))
	switch rest := len(paths) - len(shown); {
	case more:
		return text + " and more"
	case rest > 0:
		return fmt.Sprintf("%s and %s more", text, amount.Grouped(rest))
	}
	return text
}

// openBrowser shows an address in the user's browser, if it can.
func openBrowser(address string) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	program, err := scratch.FindProgram(name)
	if err != nil {
		return
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = filepath.Dir(program), append(os.Environ(), scratch.ProgramPath())
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
