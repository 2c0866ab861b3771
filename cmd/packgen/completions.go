package main

import (
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/rules"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/starter"
	"github.com/packgen/packgen/resolver/workspace"
	"github.com/packgen/packgen/resolver/workspace/library"
)

// flagWords are the values of flags that take one of a few words.
var flagWords = map[string][]string{
	"fail-on": gateWords[:], "matcher": loadout.Dialects(), "format": check.Formats[:], "profile": starter.Profiles[:],
	"trigger": {"ingest", "source-change", "manual", "scheduled", "migration"}, "phase": {"task", "plan", "edit"}, "as": rules.Ways(),
	"wrapper": {"plain", "full"}, "skills": {"full", "header"}, "allow": {"draft", "archived"}, "confirm": {"disputed", "personas"},
}

// addCompletions completes the names of packs, rules and references, and the values of
// flags.
func (a *app) addCompletions(root *cobra.Command) {
	arguments := map[string]func() []string{
		"packgen compile": a.packNames, "packgen eval": a.packNames, "packgen activate": a.packNames, "packgen pack": a.packNames,
		"packgen prune runs": a.packNames, "packgen pull": a.lockedNames,
	}
	flags := map[string]func() []string{
		"pack": a.packNames, "from": a.lockedNames, "role": a.roleNames,
		"scorer": func() []string { return rank.Names() }, "schema": schema.Kinds,
	}
	for name, words := range flagWords {
		flags[name] = func() []string { return words }
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if names := arguments[cmd.CommandPath()]; names != nil {
			cmd.ValidArgsFunction = completing(names)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			names := flags[f.Name]
			if cmd.CommandPath() == "packgen compile" && f.Name == "fail-on" {
				names = failStatuses
			}
			if names != nil {
				// The error means that the flag has a completion already.
				_ = cmd.RegisterFlagCompletionFunc(f.Name, completing(names))
			}
		})
		for _, below := range cmd.Commands() {
			visit(below)
		}
	}
	visit(root)
}

// completing offers names, or lets the shell complete paths when there are none.
func completing(names func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		if list := names(); len(list) > 0 {
			return list, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// locate finds the repository: completions run without [app.prepare].
func (a *app) locate() (workspace.Config, bool) {
	start, err := filepath.Abs(a.Dir)
	if err != nil {
		return workspace.Config{}, false
	}
	a.Find(start)
	cfg, err := a.LoadConfig()
	return cfg, err == nil
}

func (a *app) packNames() []string {
	cfg, ok := a.locate()
	if !ok {
		return nil
	}
	dirs, _, err := pack.Find(a.Dir, cfg.Packs)
	if err != nil {
		return nil
	}
	l := library.NewLibrary(&a.Workspace, cfg)
	defer l.Close()
	var names []string
	for _, dir := range dirs {
		names = append(names, l.NameOf(dir))
	}
	return names
}

// roleNames returns the directories of the repository's roles.
func (a *app) roleNames() []string {
	cfg, ok := a.locate()
	if !ok {
		return nil
	}
	dirs, err := a.FindRoles(cfg.Roles)
	if err != nil {
		return nil
	}
	for i := range dirs {
		dirs[i] = a.FromStart(dirs[i])
	}
	return dirs
}

// lockedNames returns the references in packgen.lock.
func (a *app) lockedNames() []string {
	if _, ok := a.locate(); !ok {
		return nil
	}
	lock, _, err := remote.ReadLock(a.Dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, r := range lock.References {
		names = append(names, r.Ref)
	}
	return names
}

// completeChecked completes the arguments of check: rules with --explain, otherwise packs.
func (a *app) completeChecked(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	names := a.packNames
	switch {
	case cmd.Flags().Changed("record"):
		return nil, cobra.ShellCompDirectiveDefault
	case cmd.Flags().Changed("explain"):
		names = func() []string { return append(rulebook.IDs(), allRules) }
	}
	return completing(names)(cmd, args, word)
}
