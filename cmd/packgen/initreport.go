package main

import (
	"fmt"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/starter"
)

// initFile is what the envelope says about one file.
type initFile struct {
	Path   string `json:"path"`   // below dir
	Change string `json:"change"` // created, kept
}

// initPrinter prints what init did.
type initPrinter struct {
	*starter.Run
	app *app
}

// report prints the outcome and decides the exit code.
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
		head := envelope{OK: !blocked, Status: "passed", Command: "init", Pack: in.Flags.Name, Findings: findingsOf(in.Blocked)}
		if blocked {
			head.Status = "failed"
		}
		in.app.printJSON(struct {
			envelope
			DryRun  bool       `json:"dry_run"`
			Dir     string     `json:"dir"`
			Profile string     `json:"profile"`
			Files   []initFile `json:"files"`
		}{head, in.Flags.DryRun, in.Dir, in.Flags.Profile, list})
	} else {
		in.app.printFindings(in.Blocked, nil)
		if !in.app.quiet && !blocked {
			for _, f := range list {
				fmt.Fprintf(in.app.stdout, "%-7s  %s\n", f.Change, f.Path)
			}
			in.printNext()
		}
	}
	if blocked {
		return errFindings
	}
	return nil
}

// printNext says what to do now.
func (in initPrinter) printNext() {
	w := in.app.stderr
	switch {
	case in.Flags.DryRun:
		fmt.Fprintln(w, "\nnothing was written")
		return
	case len(in.Kept) == len(in.Files):
		fmt.Fprintln(w, "\neverything is there already")
		return
	}
	fmt.Fprintln(w, "\nnext:")
	if in.Shown != "." {
		fmt.Fprintf(w, "  cd %s\n", diag.ShellWord(in.Shown))
	}
	if in.Packgen {
		fmt.Fprintln(w, "  packgen build")
	} else {
		fmt.Fprintln(w, "  make build")
	}
	fmt.Fprintln(w, "  packgen match \"which bracket names the source of a claim\"")
	fmt.Fprintf(w, "then rewrite packs/%s, KNOWLEDGE.md first\n", in.Flags.Name)
	if in.Unlisted {
		fmt.Fprintln(w, "add /public/ to .gitignore: the site is built anew each time")
	}
}
