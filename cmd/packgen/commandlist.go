package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
		{"agents", "Give to agents", []*cobra.Command{newConnect(a), newMCP(a), newMemory(a), newRules(a), newHook(a), newBoot(a), newDoctor(a), newExport(a), newImport(a), newMigrate(a)}},
		{"share", "Share", []*cobra.Command{newPack(a), newPull(a), newVerify(a)}},
		{otherGroup, "Other", []*cobra.Command{newPrune(a), newVersion(a)}},
	}
}

// formerVerbs returns commands under the names that they have in the tools that packgen
// replaces. They work, are hidden, and print their new name.
func (a *app) formerVerbs() []*cobra.Command {
	memories := &cobra.Command{
		Use: "memories", Hidden: true,
		Args: needsSubcommand("write index, validate, stats or health; its name here is packgen memory", "index", "validate", "stats", "health"),
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	memories.AddCommand(a.formerly("index", "memory index", newMemoryIndex(a)), a.formerly("validate", "memory check", newMemoryCheck(a)),
		a.formerly("stats", "memory stats", newMemoryStats(a)), a.formerly("health", "memory health", newMemoryHealth(a)))
	return []*cobra.Command{
		memories,
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
	cmd.Flags().SetNormalizeFunc(func(flags *pflag.FlagSet, name string) pflag.NormalizedName {
		if to := formerFlags[name]; to != "" {
			return pflag.NormalizedName(to)
		}
		return pflag.NormalizedName(name)
	})
	return cmd
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
