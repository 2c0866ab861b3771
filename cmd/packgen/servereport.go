package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/site/build"
	live "github.com/packgen/packgen/site/server"
)

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
