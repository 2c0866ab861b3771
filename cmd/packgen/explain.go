package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// idEntryUnknown is the rule about an id that no layer has.
const idEntryUnknown = "entry-unknown"

type explainFlags struct {
	stack stackFlags
	score scoreFlags
	task  string
}

func newExplain(a *app) *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain ID",
		Short: "Show where an entry comes from and how it scores for a task",
		Long: `explain says which layers define an entry and which of them wins. With --task it
also shows the arithmetic of the score, the keywords that hit and missed, the
entry's rank, and the smallest change that would flip the outcome.

The exit code is 1 when no layer has the entry.`,
		Example: "  packgen explain kettle-care\n  packgen explain kettle-care --task 'descale the kettle'",
		Args:    needsArguments(1, "the id of one entry", "run packgen layers for a list"),
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.entryIDs(cmd.Context(), f.stack, cmd.Flags()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runExplain(cmd.Context(), f, args[0], cmd.Flags())
		},
	}
	flags := cmd.Flags()
	f.stack.register(flags)
	f.score.register(flags)
	flags.StringVar(&f.task, "task", "", "a `TASK` to score the entry against; - reads it from standard input")
	return cmd
}

func (a *app) entryIDs(ctx context.Context, f stackFlags, flags *pflag.FlagSet) []string {
	if !a.locate() {
		return nil
	}
	s, err := a.readStack(ctx, f, flags, diag.Warning)
	if err != nil {
		return nil
	}
	var ids []string
	for i := range s.Merged.Entries {
		ids = append(ids, s.Merged.Entries[i].ID)
	}
	return ids
}

func (a *app) runExplain(ctx context.Context, f explainFlags, id string, flags *pflag.FlagSet) error {
	match, err := f.score.options(a, flags)
	if err != nil {
		return err
	}
	withTask := flags.Changed("task")
	task, err := a.readTask([]string{f.task})
	if err != nil {
		return err
	}
	need := &loadout.Need{IDs: []string{id}, Match: match}
	if withTask {
		need.Tasks = []string{task}
	}
	s, locked, err := a.readSome(ctx, f.stack, flags, diag.Warning, need)
	if err != nil {
		return err
	}
	x, err := loadout.Explain(id, s.Layers, false)
	if err != nil {
		return fmt.Errorf("explain %s: %w", id, err)
	}
	if x == nil {
		if s, _, err = a.readSome(ctx, f.stack, flags, diag.Warning, nil); err != nil {
			return err
		}
		return a.unknownEntry(id, s)
	}
	var outlook *loadout.Outlook
	if withTask {
		if outlook, err = loadout.ExplainTask(task, id, weighedIn(s, x, match.Dialect), match); err != nil {
			return fmt.Errorf("explain %s: %w", id, err)
		}
	}
	if a.json {
		a.printExplainJSON(task, withTask, match.Dialect, s, x, outlook, locked)
		return nil
	}
	a.printFindings(s.Findings, nil)
	p := withOrigins(a.printer(), locked)
	p.Explanation(x)
	if outlook != nil {
		p.Outlook(outlook, &match)
	}
	return nil
}

// weighedIn is the index that an entry is scored in: in the weighted dialect that of its own
// layer, as packgen match and the hook score it, otherwise that of all layers.
func weighedIn(s *repo.Stack, x *loadout.Explanation, dialect loadout.Dialect) *loadout.Index {
	if layer := s.Layer(x.FinalLayer); layer != nil && dialect == loadout.Weighted {
		return layer.Index
	}
	return &s.Merged.Index
}

// unknownEntry reports an id that no layer has, in the JSON shape of the format.
func (a *app) unknownEntry(id string, s *repo.Stack) error {
	d := diag.Diagnostic{
		ID: idEntryUnknown, Severity: diag.Error,
		Message: fmt.Sprintf("no layer has an entry %q", id), Hint: "run packgen layers for a list",
	}
	ids := make([]string, len(s.Merged.Entries))
	for i := range s.Merged.Entries {
		ids[i] = s.Merged.Entries[i].ID
	}
	if near := nearest.Name(strings.ToLower(id), ids); near != "" {
		d.Hint = fmt.Sprintf("did you mean %q? ", near) + d.Hint
	}
	findings := append([]diag.Diagnostic{d}, s.Findings...)
	if !a.json {
		a.printFindings(findings, nil)
		return errFindings
	}
	var o indexjson.Object
	result := o.Text("error", "NOT_FOUND").Text("entryId", id).JSON()
	a.printParts(envelopeOf("explain", findings), part{"result", result})
	return errFindings
}

// printExplainJSON prints the envelope: the explanation in the shape of the format, and the
// outlook for a task beside it.
func (a *app) printExplainJSON(task string, withTask bool, dialect loadout.Dialect, s *repo.Stack, x *loadout.Explanation, o *loadout.Outlook, locked *repo.LockedEntries) {
	head := struct {
		envelope
		Task    *string      `json:"task,omitempty"`
		Matcher string       `json:"matcher,omitempty"`
		Origin  *repo.Origin `json:"origin,omitempty"`
	}{envelope: envelopeOf("explain", s.Findings)}
	if from, ok := locked.OriginOf(x.Definitions[len(x.Definitions)-1].Entry); ok {
		head.Origin = &from
	}
	parts := []part{{"result", loadout.AppendExplanation(nil, x)}}
	if withTask {
		head.Task, head.Matcher = &task, dialect.String()
		parts = append(parts, part{"outlook", loadout.AppendOutlook(nil, o)})
	}
	a.printParts(head, parts...)
}
