package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/color"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/exchange"
	"github.com/packgen/packgen/resolver/agent/rules"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/resolver/starter"
)

// flagWords are the values of flags that take one of a few words, by the name of the flag,
// or with its command where flags of one name differ; nil completes nothing.
var flagWords = map[string][]string{
	"color":   color.Choices(),
	"fail-on": gateWords[:], "packgen boot --fail-on": gateWords[:2], "packgen compile --fail-on": failStatuses(),
	"trigger": compiler.Triggers(), "packgen usage record --trigger": nil, "mode": {string(loadout.Eager), string(loadout.Lazy), string(loadout.ByManual)},
	"matcher": loadout.Dialects(), "format": check.Formats[:], "profile": starter.Profiles[:], "phase": {"task", "plan", "edit"}, "as": rules.Ways(),
	"wrapper": {"plain", "full"}, "skills": {"full", "header"}, "refs": {"lines", "compact"}, "allow": {string(schema.Draft), string(schema.Archived)}, "confirm": {string(schema.Disputed), "personas"},
	"scorer": rank.Names(), "schema": schema.Kinds(),
}

// offer returns what may be completed on a command line.
type offer func(*cobra.Command) []string

// asksCompletions reports the argument by which the script of a shell asks for completions.
// Other commands start without them: to add them is a visit to every flag.
func asksCompletions(arg string) bool { return strings.HasPrefix(arg, cobra.ShellCompRequestCmd) }

// addCompletions completes the names of packs, rules and references, and the values of
// flags.
func (a *app) addCompletions(root *cobra.Command) {
	words := func(list []string) offer { return func(*cobra.Command) []string { return list } }
	ids := func(cmd *cobra.Command) []string { return a.entryIDs(cmd.Context(), stackFlags{}, cmd.Flags()) }
	arguments := map[string][]offer{ // by their places; the last holds for all that follow
		"packgen compile": {a.packNames}, "packgen eval": {a.packNames}, "packgen activate": {a.packNames}, "packgen pack": {a.packNames},
		"packgen questions": {a.packNames}, "packgen prune runs": {a.packNames}, "packgen pull": {a.lockedNames}, "packgen usage record": {ids},
		"packgen export": {words(exchange.Kinds()), a.packNames}, "packgen import": {words(exchange.Sources()), words(nil)}, "packgen push": {words(nil), a.packNames},
		"packgen schema": {words(schema.Names()), words(nil)},
	}
	flags := map[string]offer{"pack": a.packNames, "from": a.lockedNames, "packgen init --from": words(nil), "role": a.roleNames, "usecase": a.subjects}
	for name, list := range flagWords {
		flags[name] = words(list)
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if list := arguments[cmd.CommandPath()]; list != nil {
			cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
				return list[min(len(args), len(list)-1)].complete(cmd)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			names, ok := flags[cmd.CommandPath()+" --"+f.Name]
			if !ok {
				names, ok = flags[f.Name]
			}
			if ok {
				// The error means that the flag has a completion already.
				_ = cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
					return names.complete(cmd)
				})
			}
		})
		for _, below := range cmd.Commands() {
			visit(below)
		}
	}
	visit(root)
}

// complete offers names, or lets the shell complete paths when there are none.
func (o offer) complete(cmd *cobra.Command) ([]string, cobra.ShellCompDirective) {
	if list := o(cmd); len(list) > 0 {
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// locate finds the repository: completions run without [app.prepare].
func (a *app) locate() bool {
	start, err := a.startDir()
	if err != nil {
		return false
	}
	a.Find(start)
	return a.Load() == nil
}

func (a *app) packNames(*cobra.Command) []string {
	if !a.locate() {
		return nil
	}
	dirs, _, err := pack.Find(a.Paths.Dir, a.Config.Packs)
	if err != nil {
		return nil
	}
	l := repo.NewLibrary(&a.Repo)
	defer l.Close()
	var names []string
	for _, dir := range dirs {
		names = append(names, l.NameOf(dir))
	}
	return names
}

// roleNames returns the directories of the repository's roles.
func (a *app) roleNames(*cobra.Command) []string {
	if !a.locate() {
		return nil
	}
	dirs, err := repo.FindRoles(a.Paths, a.Config.Roles)
	if err != nil {
		return nil
	}
	for i := range dirs {
		dirs[i] = a.Paths.FromStart(dirs[i])
	}
	return dirs
}

// lockedNames returns the references in packgen.lock.
func (a *app) lockedNames(*cobra.Command) []string {
	if !a.locate() {
		return nil
	}
	lock, _, err := remote.ReadLock(a.Paths.Dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, r := range lock.References {
		names = append(names, r.Ref)
	}
	return names
}

// subjects returns the subjects of the role that a command line names.
func (a *app) subjects(cmd *cobra.Command) []string {
	if !a.locate() {
		return nil
	}
	role, _, err := repo.OpenRole(&a.Repo, cmd.Flag("role").Value.String())
	if err != nil {
		return nil
	}
	defer role.Close() // only read
	return role.Subjects()
}

// completeChecked completes the arguments of check: rules with --explain, otherwise packs.
func (a *app) completeChecked(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	names := offer(a.packNames)
	switch {
	case cmd.Flags().Changed("record"):
		return nil, cobra.ShellCompDirectiveDefault
	case cmd.Flags().Changed("explain"):
		names = func(*cobra.Command) []string { return append(rulebook.IDs(), allRules) }
	}
	return names.complete(cmd)
}
