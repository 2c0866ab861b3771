package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/workspace"
	"github.com/packgen/packgen/resolver/workspace/library"
)

type planFlags struct {
	fromFlags
	stack stackFlags
	score scoreFlags
	phase string
}

// phases are the values of --phase; the empty one ignores triggers.
var phases = map[string]loadout.Phase{
	"": loadout.AnyPhase, "task": loadout.TaskPhase, "plan": loadout.PlanPhase, "edit": loadout.EditPhase,
}

func newPlan(a *app) *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "plan TASK",
		Short: "Show what to load for a task, over all layers",
		Long: `plan merges the layers of the loadout (global, org, project, session; a later
one wins) and says what to load for a task: at once, on demand, or by name only,
with the layer each entry comes from and the tokens it costs. "-" reads the task
from standard input.

A missing layer is normal. One that cannot be used is reported and
left out, and so is an entry of the wrong shape. --from adds what sites and packs
from elsewhere publish as the weakest layers: every other one wins over them.`,
		Example: "  packgen plan fix the release workflow\n  packgen plan --phase edit --json 'rename a flag'\n  packgen plan --session public/index.json descale the kettle",
		Args:    needsTask,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runPlan(cmd.Context(), f, args, cmd.Flags()) },
	}
	flags := cmd.Flags()
	f.stack.register(flags)
	f.fromFlags.register(a, flags, "add the index of a site or a pack")
	f.score.register(flags)
	flags.StringVar(&f.phase, "phase", "", "only entries whose triggers name this `PHASE`: task, plan or edit (default all)")
	return cmd
}

func (a *app) runPlan(ctx context.Context, f planFlags, args []string, flags *pflag.FlagSet) error {
	match, cfg, err := f.score.options(a, flags)
	if err != nil {
		return err
	}
	if flags.Changed("phase") {
		if err := oneOf("--phase", f.phase, "task", "plan", "edit"); err != nil {
			return err
		}
	}
	task, err := a.readTask(args)
	if err != nil {
		return err
	}
	from, err := library.FromLayers(ctx, &a.Workspace, f.from, f.offline, cfg)
	if err != nil {
		return err
	}
	s, err := a.readStack(f.stack, flags, diag.Warning, from...)
	if err != nil {
		return err
	}
	p, err := loadout.Plan(task, s.Merged, s.Layers, loadout.PlanOptions{Match: match, Phase: phases[f.phase]})
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	if a.json {
		a.printPlanJSON(task, f.phase, match.Dialect, s, p)
		return nil
	}
	a.printFindings(s.Findings, nil)
	a.printPlan(task, match.Dialect, s, p)
	return nil
}

// printPlanJSON prints the envelope. In the shape of the format, "manual" is every entry
// that was not matched; manual_only holds those that load by name only.
func (a *app) printPlanJSON(task, phase string, dialect loadout.Dialect, s *workspace.Stack, p *loadout.LoadPlan) {
	a.printParts(struct {
		envelope
		Task    string `json:"task"`
		Matcher string `json:"matcher"`
		Phase   string `json:"phase,omitempty"`
	}{envelopeOf("plan", s.Findings), task, dialect.String(), phase},
		part{"result", loadout.AppendPlan(nil, p)}, part{"manual_only", appendEntries(nil, p.ManualOnly)})
}

// appendEntries appends entries as a compact JSON array.
func appendEntries(dst []byte, entries []*loadout.Entry) []byte {
	dst = append(dst, '[')
	for i, e := range entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = loadout.AppendEntry(dst, e)
	}
	return append(dst, ']')
}

func (a *app) printPlan(task string, dialect loadout.Dialect, s *workspace.Stack, p *loadout.LoadPlan) {
	w := a.stdout
	fmt.Fprintf(w, "layers: %s\n%s matcher, words of the task: %s\n",
		diag.Printable(s.LayerList()), dialect, orNone(s.Tokenizer().Words(task)))
	origin := s.Origins()
	a.printLoads("at once", p.Preload, p.PreloadTokens, origin)
	a.printLoads("on demand", p.OnDemand, p.OnDemandTokens, origin)
	fmt.Fprintf(w, "\nnot loaded: %s", amount.Entries(len(p.Manual)))
	if n := len(p.ManualOnly); n > 0 {
		fmt.Fprintf(w, ", %s of them by name only", amount.Grouped(n))
	}
	fmt.Fprintln(w)
	if a.quiet {
		return
	}
	for i, e := range p.ManualOnly {
		if i == nearMisses && !a.verbose {
			fmt.Fprintf(w, "  and %s more; -v shows all\n", amount.Grouped(len(p.ManualOnly)-i))
			break
		}
		fmt.Fprintf(w, "  %s  %s tokens, from %s\n", diag.Printable(idText(e)), tokens(e), diag.Printable(origin[e]))
	}
	a.printBudget(s.Merged.Budget)
	a.printConflicts(s.Merged.Conflicts)
}

// printLoads prints the matches of one mode.
func (a *app) printLoads(when string, results []loadout.Result, sum float64, origin map[*loadout.Entry]string) {
	p := a.painterFor(a.stdout)
	fmt.Fprintf(a.stdout, "\n%s: %s, %s tokens\n", when, amount.Entries(len(results)), indexjson.Rounded(sum))
	for i := range results {
		r := &results[i]
		fmt.Fprintf(a.stdout, "  %s  %s  %s tokens, from %s\n      %s\n      %s\n",
			p.Bold(indexjson.Rounded(r.Score)), p.Green(diag.Printable(idText(r.Entry))), tokens(r.Entry), diag.Printable(origin[r.Entry]),
			diag.Printable(r.Reason()), p.Dim(diag.Printable(r.Entry.Path)))
	}
}

func (a *app) printBudget(b loadout.Budget) {
	fmt.Fprintf(a.stdout, "\nbudget: %s tokens always loaded, %s on demand, %s per domain entry\n",
		indexjson.Rounded(b.AlwaysLoaded), indexjson.Rounded(b.OnDemandTotal), indexjson.Rounded(b.AvgTaskLoad))
}

// printConflicts prints the ids that are defined more than once.
func (a *app) printConflicts(conflicts []loadout.Conflict) {
	if len(conflicts) == 0 {
		return
	}
	fmt.Fprintf(a.stdout, "\ndefined more than once, the last wins:\n")
	for _, c := range conflicts {
		fmt.Fprintf(a.stdout, "  %s  %s\n", diag.Printable(c.ID.Text()), chain(c.Layers))
	}
}
