package main

import (
	"fmt"
	"path"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
)

// Limits of a list of findings without --all.
const (
	findingsOfARule = 10
	findingsInAll   = 50
)

// allUsage is the help text of --all.
const allUsage = "print every finding, not the first of each kind"

// printFindings writes diagnostics as text, file by file: one line each, the hint below it,
// and after the first of a rule how many more there are. dirs maps a pack's name to its
// directory, so that printed paths can be opened from the working directory.
func (a *app) printFindings(list []diag.Diagnostic, dirs map[string]string) {
	o := diag.RenderOptions{Path: func(d diag.Diagnostic) string {
		if dir := dirs[d.Pack]; dir != "" && d.Pack != "" {
			return path.Join(dir, d.Path)
		}
		return d.Path
	}}
	if err := a.digest(list, o); err != nil {
		fmt.Fprintf(a.stderr, "packgen: print the findings: %v\n", err)
	}
}

// printDrafts names the drafts that are left out, once: with -v they are among the
// findings.
func (a *app) printDrafts(list []diag.Diagnostic, dirs map[string]string) {
	for _, d := range list {
		if d.ID == pack.IDDraft && !a.verbose {
			fmt.Fprintf(a.stderr, "%s: %s\n", diag.Printable(dirs[d.Pack]), diag.Printable(d.Message))
		}
	}
}

// digest writes the diagnostics that the global flags select to standard error.
func (a *app) digest(list []diag.Diagnostic, o diag.RenderOptions) error {
	shown := make([]diag.Diagnostic, 0, len(list))
	for _, d := range list {
		if d.Severity == diag.Info && !a.verbose || d.Severity == diag.Warning && a.quiet {
			continue
		}
		shown = append(shown, d)
	}
	o.Color = bool(a.painterFor(a.stderr))
	d := diag.DigestOptions{RenderOptions: o, Rest: a.rest}
	if !a.all {
		d.PerKind, d.Limit = findingsOfARule, findingsInAll
	}
	return diag.Digest(a.stderr, shown, d)
}

// rest returns the command that prints every finding of a rule.
func (a *app) rest(id string) string {
	flag := " --all"
	if a.scope != "" {
		flag = " " + a.scope + flag
	}
	if a.verbose {
		flag += " -v"
	}
	switch a.verb {
	case "build":
		if id == "published-too-large" { // only a site reports it
			return "packgen build" + flag
		}
		return "packgen check" + flag
	case "compile", "check":
		return "packgen check" + flag
	}
	return "packgen " + a.verb + " --json"
}
