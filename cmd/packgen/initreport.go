package main

import (
	"fmt"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/starter"
)

type initFile struct {
	Path   string `json:"path"`   // relative to dir
	Change string `json:"change"` // created or kept
}

type initPrinter struct {
	*starter.Run
	app *app
}

// report prints the outcome and returns the error that sets the exit code.
func (in initPrinter) report() error {
	blocked := len(in.Blocked) > 0
	list := []initFile{}
	for _, f := range in.Files {
		switch found := in.Kept[f.Path]; {
		case found != "":
			list = append(list, initFile{found, "kept"})
		case !blocked:
			list = append(list, initFile{f.Path, "created"})
		}
	}
	if in.app.json {
		head := envelope{OK: !blocked, Status: schema.Passed, Command: "init", Pack: in.Flags.Name, Findings: findingsOf(in.Blocked)}
		if blocked {
			head.Status = schema.Failed
		}
		in.app.printJSON(struct {
			envelope
			DryRun  bool       `json:"dry_run"`
			Dir     string     `json:"dir"`
			Profile string     `json:"profile"`
			Files   []initFile `json:"files"`
			Found   []string   `json:"found,omitempty"`
		}{head, in.Flags.DryRun, in.Dir, in.Flags.Profile, list, in.Found()})
	} else {
		in.app.printFindings(in.Blocked, nil)
		if !in.app.quiet && !blocked {
			for _, f := range list {
				fmt.Fprintf(in.app.stdout, "%-7s  %s\n", f.Change, f.Path)
			}
			for _, line := range append(in.Found(), in.Next()...) {
				fmt.Fprintln(in.app.stderr, diag.Printable(line))
			}
		}
	}
	if blocked {
		return errFindings
	}
	return nil
}
