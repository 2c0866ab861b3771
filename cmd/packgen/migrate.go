package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/connect"
	"github.com/packgen/packgen/resolver/agent/hook/wiring"
	"github.com/packgen/packgen/resolver/agent/migrate"
)

func newMigrate(a *app) *cobra.Command {
	var f connectFlags
	cmd := &cobra.Command{
		Use:   "migrate SYSTEM",
		Short: "Move here from ai-loadout, loadout-os or rhachet",
		Long: `migrate lists what SYSTEM (ai-loadout, loadout-os or rhachet) left in the project and
the home directory, and the name of each of its commands here. Its files are taken
over as they are: nothing is moved, rewritten or removed.

Hooks of the loadout tools in .claude/settings.json of the project, or with --user
of the home directory, give way to that of packgen. The change is shown first, and
the file as it was is kept as settings.json.bak.`,
		Example:   "  packgen migrate loadout-os --dry-run\n  packgen migrate ai-loadout --user",
		ValidArgs: migrate.Systems(),
		Args:      needsArguments(1, "one system", "name one: "+strings.Join(migrate.Systems(), ", ")),
		RunE:      func(_ *cobra.Command, args []string) error { return a.runMigrate(f, args[0]) },
	}
	cmd.Flags().BoolVar(&f.user, "user", false, "replace the hooks of the user, in the home directory")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the changes and write nothing")
	return cmd
}

func (a *app) runMigrate(f connectFlags, name string) (err error) {
	if err := oneOf("SYSTEM", name, migrate.Systems()...); err != nil {
		return err
	}
	home, _ := os.UserHomeDir() // without one, only the project is looked at
	p := migrate.Look(migrate.System(name), a.Dir, home, a.claudeDir())
	o := connect.Options{Others: true}
	if o.Base, err = a.agentFiles(f.user); err != nil {
		return err
	}
	if _, o.Hook, err = wiring.Programs("", f.user, f.Flags); err != nil {
		return err
	}
	var list []*connect.Change
	if p.System != migrate.Rhachet {
		if list, err = connect.ReplaceHooks(o); err != nil {
			return err
		}
	}
	if !a.json {
		t := &columns.Table{}
		for _, found := range p.Found {
			t.Add(diag.Printable(found.Path), found.What, found.Becomes)
		}
		for _, c := range p.Commands {
			t.Add(c.Was, "is", c.Now)
		}
		t.Write(a.stdout)
	}
	if err := a.applyChanges(list, f.dryRun); err != nil {
		return err
	}
	files := connect.Report(list, f.dryRun, a.Rel)
	if a.json {
		a.printJSON(struct {
			envelope
			DryRun bool                 `json:"dry_run"`
			Files  []connect.FileReport `json:"files"`
			*migrate.Plan
		}{envelopeOf("migrate", nil), f.dryRun, files, p})
		return nil
	}
	a.printStates(files)
	return nil
}
