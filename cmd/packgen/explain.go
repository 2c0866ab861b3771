package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/workspace"
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
			return a.entryIDs(f.stack, cmd.Flags()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.runExplain(f, args[0], cmd.Flags()) },
	}
	flags := cmd.Flags()
	f.stack.register(flags)
	f.score.register(flags)
	flags.StringVar(&f.task, "task", "", "a `TASK` to score the entry against; - reads it from standard input")
	return cmd
}

func (a *app) entryIDs(f stackFlags, flags *pflag.FlagSet) []string {
	if _, ok := a.locate(); !ok {
		return nil
	}
	s, err := a.readStack(f, flags, diag.Warning)
	if err != nil {
		return nil
	}
	var ids []string
	for i := range s.Merged.Entries {
		ids = append(ids, s.Merged.Entries[i].ID)
	}
	return ids
}

func (a *app) runExplain(f explainFlags, id string, flags *pflag.FlagSet) error {
	match, _, err := f.score.options(a, flags)
	if err != nil {
		return err
	}
	withTask := flags.Changed("task")
	task, err := a.readTask([]string{f.task})
	if err != nil {
		return err
	}
	s, err := a.readStack(f.stack, flags, diag.Warning)
	if err != nil {
		return err
	}
	x, err := s.Explain(id, false)
	if err != nil {
		return fmt.Errorf("explain %s: %w", id, err)
	}
	if x == nil {
		return a.unknownEntry(id, s)
	}
	var outlook *loadout.Outlook
	if withTask {
		if outlook, err = loadout.ExplainTask(task, id, &s.Merged.Index, match); err != nil {
			return fmt.Errorf("explain %s: %w", id, err)
		}
	}
	if a.json {
		a.printExplainJSON(task, withTask, match.Dialect, s, x, outlook)
		return nil
	}
	a.printFindings(s.Findings, nil)
	a.printExplanation(x)
	if outlook != nil {
		a.printOutlook(outlook, &match)
	}
	return nil
}

// unknownEntry reports an id that no layer has, in the JSON shape of the format.
func (a *app) unknownEntry(id string, s *workspace.Stack) error {
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
	result := append(loadout.AppendString([]byte(`{"error":"NOT_FOUND","entryId":`), id), '}')
	a.printParts(envelopeOf("explain", findings), part{"result", result})
	return errFindings
}

// printExplainJSON prints the envelope: the explanation in the shape of the format, and the
// outlook for a task beside it.
func (a *app) printExplainJSON(task string, withTask bool, dialect loadout.Dialect, s *workspace.Stack, x *loadout.Explanation, o *loadout.Outlook) {
	head := struct {
		envelope
		Task    *string `json:"task,omitempty"`
		Matcher string  `json:"matcher,omitempty"`
	}{envelope: envelopeOf("explain", s.Findings)}
	parts := []part{{"result", loadout.AppendExplanation(nil, x)}}
	if withTask {
		head.Task, head.Matcher = &task, dialect.String()
		parts = append(parts, part{"outlook", loadout.AppendOutlook(nil, o)})
	}
	a.printParts(head, parts...)
}

// printExplanation prints the layers that define an entry, the winner last.
func (a *app) printExplanation(x *loadout.Explanation) {
	w, p := a.stdout, a.painterFor(a.stdout)
	fmt.Fprintf(w, "%s  from %s\n", p.Bold(diag.Printable(x.ID)), diag.Printable(x.FinalLayer))
	if x.IsConflict() {
		names := make([]string, len(x.Definitions))
		for i, d := range x.Definitions {
			names[i] = d.Layer
		}
		fmt.Fprintf(w, "defined in %s; the last wins\n", chain(names))
	}
	for i, d := range x.Definitions {
		e := d.Entry
		name := diag.Printable(d.Layer)
		if i+1 == len(x.Definitions) {
			name = p.Green(name)
		}
		fmt.Fprintf(w, "\n%s  %s, %s tokens\n", name, orUnset(e.Priority), tokens(e))
		fmt.Fprintf(w, "    %s\n    keywords %s", diag.Printable(e.Summary), bracketed(e.Keywords))
		if len(e.Patterns) > 0 {
			fmt.Fprintf(w, ", patterns %s", bracketed(e.Patterns))
		}
		fmt.Fprintf(w, "\n    %s\n", p.Dim(diag.Printable(e.Path)))
		if d.Repeats > 0 {
			fmt.Fprintf(w, "    this layer defines the id %d times; the last is shown\n", d.Repeats+1)
		}
	}
}

// orUnset prints a priority, or that there is none.
func orUnset(priority string) string {
	if priority == "" {
		return "no priority"
	}
	return diag.Printable(priority)
}

// chain prints layers in the order in which they override each other. A layer that repeats
// an id is named once, with the count.
func chain(names []string) string {
	var parts []string
	for i := 0; i < len(names); {
		n := 1
		for i+n < len(names) && names[i+n] == names[i] {
			n++
		}
		part := names[i]
		if n > 2 {
			part += fmt.Sprintf(" (%s times)", amount.Grouped(n))
		} else if n == 2 {
			part += " → " + part
		}
		parts = append(parts, part)
		i += n
	}
	return diag.Printable(strings.Join(parts, " → "))
}

// printOutlook prints how an entry scores for a task.
func (a *app) printOutlook(o *loadout.Outlook, match *loadout.MatchOptions) {
	w, p := a.stdout, a.painterFor(a.stdout)
	fmt.Fprintf(w, "\n%s matcher, words of the task: %s\n", match.Dialect, orNone(o.Words))
	switch {
	case o.Included:
		fmt.Fprintf(w, "%s: rank %s of %s, score %s\n", p.Green("loaded"), amount.Grouped(o.Rank), amount.Grouped(o.Of), indexjson.Rounded(o.Score.Total))
	case o.Mode == loadout.ByManual:
		fmt.Fprintf(w, "%s: it is manual, which is loaded by name only\n", p.Red("not loaded"))
	default:
		fmt.Fprintf(w, "%s: score %s, below %s\n", p.Red("not loaded"), indexjson.Rounded(o.Score.Total), indexjson.Rounded(match.Threshold()))
	}
	fmt.Fprintf(w, "    %s\n", arithmetic(&o.Rating, match.Dialect))
	if o.Mode != loadout.Eager && match.Dialect != loadout.Weighted {
		fmt.Fprintf(w, "    hit %s", bracketed(o.MatchedKeywords))
		if len(o.MatchedPatterns) > 0 {
			fmt.Fprintf(w, ", patterns %s", bracketed(o.MatchedPatterns))
		}
		fmt.Fprintf(w, ", missed %s\n", bracketed(o.MissedKeywords))
	}
	fmt.Fprintf(w, "    %s\n", changeAdvice(o))
}

// changeAdvice describes the change that would flip the outcome.
func changeAdvice(o *loadout.Outlook) string {
	c := o.Change
	switch {
	case len(c.Add) > 0:
		return "to load it, add to the task: " + diag.Printable(strings.Join(c.Add, " "))
	case len(c.Remove) > 0:
		return "to leave it out, take out of the task: " + diag.Printable(strings.Join(c.Remove, " "))
	case c.Priority != "":
		return "to let the words of a task decide, give it the priority " + c.Priority
	}
	return "no change of the task flips this"
}
