package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/hook/wiring"
)

// agentSettings is the path of the agent's settings in the home directory.
const agentSettings = ".claude/settings.json"

// wiringFlags are the flags of the commands that edit an agent's settings.
type wiringFlags struct {
	wiring.Flags
	settings, command string
	dryRun            bool
}

func (f *wiringFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.settings, "settings", "", "settings `FILE` of the agent (default .claude/settings.json in the home directory)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the difference and write nothing")
}

func (a *app) runWiring(verb string, f wiringFlags, edit func([]byte) ([]byte, error), command string) error {
	if err := checkFlagValues("settings", f.settings, "command", f.command); err != nil {
		return err
	}
	name, err := a.homeFile("settings", f.settings, agentSettings)
	if err != nil {
		return err
	}
	w, err := wiring.Wire(name, a.Rel(name), f.dryRun, command, edit)
	if err != nil {
		return err
	}
	a.printWiring(verb, name, f.dryRun, w)
	return nil
}

func (a *app) printWiring(verb, name string, dryRun bool, w *wiring.Wired) {
	shown, backup := a.Rel(name), w.Backup
	if a.json {
		if backup != "" {
			backup = a.Rel(backup)
		}
		a.printJSON(struct {
			envelope
			Settings string   `json:"settings"`
			DryRun   bool     `json:"dry_run"`
			Changed  bool     `json:"changed"`
			Backup   string   `json:"backup,omitempty"`
			Diff     []string `json:"diff"`
		}{envelopeOf(verb, nil), shown, dryRun, w.Changed, backup, w.Diff})
		return
	}
	if !w.Changed {
		fmt.Fprintf(a.stdout, "%s: nothing to change\n", diag.Printable(shown))
		return
	}
	a.printLineDiff(w.Diff)
	switch {
	case a.quiet:
	case dryRun:
		fmt.Fprintf(a.stderr, "%s: not written (dry run)\n", diag.Printable(shown))
	case backup != "":
		fmt.Fprintf(a.stderr, "%s: written; the file as it was is %s\n", diag.Printable(shown), diag.Printable(a.Rel(backup)))
	default:
		fmt.Fprintf(a.stderr, "%s: written\n", diag.Printable(shown))
	}
}

// printLineDiff prints the lines of a difference.
func (a *app) printLineDiff(lines []string) {
	p := a.painterFor(a.stdout)
	for _, line := range lines {
		line = diag.Printable(line)
		switch line[0] {
		case '+':
			line = p.Green(line)
		case '-':
			line = p.Red(line)
		}
		fmt.Fprintln(a.stdout, line)
	}
}
