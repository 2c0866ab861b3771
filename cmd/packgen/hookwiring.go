package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/connect"
)

const settingsUsage = "settings `FILE` of the agent (default settings.json of Claude Code, in the home directory or where CLAUDE_CONFIG_DIR says)"

// wiringFlags are the flags of the commands that edit an agent's settings.
type wiringFlags struct {
	connect.HookFlags
	settings, command string
	dryRun            bool
}

func (f *wiringFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.settings, "settings", "", settingsUsage)
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the difference and write nothing")
}

// settingsFile is the settings file that a flag names, by default that of Claude Code.
func (a *app) settingsFile(named string) (string, error) {
	home, _ := os.UserHomeDir()
	if settings := connect.ClaudeSettings(home, a.Getenv); named == "" && settings != "" {
		return settings, nil
	}
	return a.homeFile("settings", named, ".claude/settings.json")
}

// runWiring has a settings file run a command as the hook, or takes the hook out without one.
func (a *app) runWiring(verb string, f wiringFlags, command string) error {
	name, err := a.settingsFile(f.settings)
	if err != nil {
		return err
	}
	c, err := connect.Settings(name, a.Paths.Rel(name), command)
	if err != nil {
		return err
	}
	if err := a.applyChanges([]*connect.Change{c}, f.dryRun); err != nil {
		return err
	}
	out := connect.Report([]*connect.Change{c}, f.dryRun, a.Paths.Rel)[0]
	if a.json {
		a.printJSON(struct {
			envelope
			Settings string   `json:"settings"`
			DryRun   bool     `json:"dry_run"`
			Changed  bool     `json:"changed"`
			Backup   string   `json:"backup,omitempty"`
			Diff     []string `json:"diff"`
		}{envelopeOf(verb, nil), out.Path, f.dryRun, c.Changes(), out.Backup, orEmpty(out.Diff)})
		return nil
	}
	if !c.Changes() {
		fmt.Fprintf(a.stdout, "%s: nothing to change\n", diag.Printable(out.Path))
	} else {
		a.printStates([]connect.FileReport{out})
	}
	return nil
}

// applyChanges shows what becomes of each file, and then writes it.
func (a *app) applyChanges(list []*connect.Change, dryRun bool) error {
	p := a.painterFor(a.stdout)
	for _, c := range list {
		if a.json || !c.Changes() {
			continue
		}
		fmt.Fprintf(a.stdout, "%s\n", p.Bold(diag.Printable(a.Paths.Rel(c.Path))))
		a.printLineDiff(c.Diff)
	}
	if dryRun {
		return nil
	}
	return connect.Apply(list)
}

// printStates says what became of each file, what the user has left to do, and which hooks of
// other systems answer too.
func (a *app) printStates(files []connect.FileReport) {
	for _, out := range files {
		if !a.quiet {
			kept := ""
			if out.Backup != "" {
				kept = "; the file as it was is " + out.Backup
			}
			fmt.Fprintf(a.stderr, "%s: %s (%s)%s\n", diag.Printable(out.Path), out.State, out.For(), diag.Printable(kept))
		}
		if out.Next != "" {
			fmt.Fprintf(a.stderr, "next: %s\n", diag.Printable(out.Next))
		}
		for _, command := range out.Others {
			fmt.Fprintf(a.stderr, "warning: %s also runs %s: --replace-hooks takes it out, otherwise both answer each prompt\n", diag.Printable(out.Path), diag.Printable(command))
		}
		for _, command := range out.Gone {
			fmt.Fprintf(a.stderr, "warning: %s was changed since packgen's hook replaced %s: put that back from %s.bak if you want it\n", diag.Printable(out.Path), diag.Printable(command), diag.Printable(out.Path))
		}
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
