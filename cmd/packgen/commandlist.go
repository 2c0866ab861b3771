package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
)

// verbGroup is a group of commands, as help lists them.
type verbGroup struct {
	id, title string
	verbs     []*cobra.Command
}

// otherGroup is the id of the last group, which cobra's own commands join.
const otherGroup = "other"

// verbs returns all commands, grouped by what a person wants.
func (a *app) verbs() []verbGroup {
	return []verbGroup{
		{"build", "Build", []*cobra.Command{newInit(a), newBuild(a), newCompile(a), newServe(a), newCheck(a)}},
		{"try", "Try", []*cobra.Command{
			newMatch(a), newPlan(a), newExplain(a), newLayers(a), newResolve(a), newActivate(a), newEval(a), newQuestions(a), newDiff(a), newUsage(a),
		}},
		{"agents", "Give to agents", []*cobra.Command{newConnect(a), newMCP(a), newMemory(a), newRules(a), newHook(a), newBoot(a), newDoctor(a), newExport(a), newImport(a)}},
		{"share", "Share", []*cobra.Command{newPack(a), newPush(a), newPull(a), newLock(a), newVerify(a)}},
		{otherGroup, "Other", []*cobra.Command{newPrune(a), newSchema(a), newLSP(a), newVersion(a)}},
	}
}

// formerVerbs returns commands under the names that they have in the tools that packgen
// replaces. They work, are hidden, and print their new name.
func (a *app) formerVerbs() []*cobra.Command {
	return []*cobra.Command{
		grouping("; its name here is packgen memory", &cobra.Command{Use: "memories", Hidden: true, Long: "This is packgen memory under a former name."},
			a.formerly("index", "memory index", newMemoryIndex(a)), a.formerly("validate", "memory check", newMemoryCheck(a)),
			a.formerly("stats", "memory stats", newMemoryStats(a)), a.formerly("health", "memory health", newMemoryHealth(a))),
		a.formerly("refresh", "memory publish", newMemoryPublish(a)),
		a.formerly("dead", "usage dead", a.usageDeadVerb()), a.formerly("overlaps", "usage overlaps", a.usageOverlapsVerb()), a.formerly("budget", "usage budget", a.usageBudgetVerb()),
		a.formerly("report", "usage report", newUsageReport(a)),
		a.formerly("validate", "check --index", newValidateIndex(a)),
		a.formerly("validate-run", "check --record", newValidateRun(a)),
	}
}

// formerFlags maps the names of flags in those tools to ours.
var formerFlags = map[string]string{"dest": "out", "html": "out", "log": "usage"}

// nowKey is the annotation of a former command that holds its new name.
const nowKey = "packgen_now"

// formerly returns a command under a former name.
func (a *app) formerly(name, now string, cmd *cobra.Command) *cobra.Command {
	cmd.Use, cmd.Hidden = name+cmd.Use[len(cmd.Name()):], true
	cmd.Annotations = map[string]string{nowKey: now}
	cmd.Long = strings.TrimSpace(fmt.Sprintf("This is packgen %s under a former name.\n\n%s", now, cmd.Long))
	alsoNamed(cmd, formerFlags)
	return cmd
}

// alsoNamed lets flags of a command have other names too, which help does not list.
func alsoNamed(cmd *cobra.Command, names map[string]string) {
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(cmp.Or(names[name], name))
	})
}

// noteFormer prints the new name of a command that was called by a former one.
func (a *app) noteFormer(cmd *cobra.Command) {
	now := cmd.Annotations[nowKey]
	if now == "" {
		return
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "note: packgen %s is packgen %s\n", a.verb, now)
	}
	a.verb = now
}

// grouping returns a command that only groups others. Note ends the fix that names them.
func grouping(note string, cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	var names []string
	for _, c := range below {
		if !c.Hidden || cmd.Hidden {
			names = append(names, c.Name())
		}
	}
	cmd.AddCommand(below...)
	cmd.Args = needsSubcommand(note, names...)
	cmd.RunE = func(*cobra.Command, []string) error { return nil }
	return cmd
}

// needsSubcommand refuses arguments that are not one of the commands that are named.
func needsSubcommand(note string, names ...string) cobra.PositionalArgs {
	hint := "write " + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1] + note
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return diag.WithHint(fmt.Errorf("%s needs a subcommand", cmd.Name()), "%s", hint)
		}
		text := hint
		if near := nearest.Name(args[0], names); near != "" {
			text = fmt.Sprintf("did you mean %s? ", near) + hint
		}
		return diag.WithHint(fmt.Errorf("unknown subcommand %q of %s", args[0], cmd.Name()), "%s", text)
	}
}
