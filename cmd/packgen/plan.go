package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/remote/elsewhere"
	"github.com/packgen/packgen/resolver/repo"
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
	match, err := f.score.options(a, flags)
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
	from, err := elsewhere.FromLayers(ctx, &a.Repo, f.from, f.offline)
	if err != nil {
		return err
	}
	// In JSON, what is not loaded is listed too.
	var need *loadout.Need
	if !a.json {
		need = &loadout.Need{Tasks: []string{task}, Match: match, ByName: a.printer().ByName()}
	}
	s, locked, err := a.readSome(ctx, f.stack, flags, diag.Warning, need, from...)
	if err != nil {
		return err
	}
	p, err := loadout.Plan(task, s.Merged, s.Layers, loadout.PlanOptions{Match: match, Phase: phases[f.phase]})
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	if a.json {
		a.printPlanJSON(task, f.phase, match.Dialect, s, p, locked)
		return nil
	}
	a.printFindings(s.Findings, nil)
	withOrigins(a.printer(), locked).Plan(task, match.Dialect, s, p)
	return nil
}

// printPlanJSON prints the envelope. In the shape of the format, "manual" is every entry
// that was not matched; manual_only holds those that load by name only.
func (a *app) printPlanJSON(task, phase string, dialect loadout.Dialect, s *repo.Stack, p *loadout.LoadPlan, locked *repo.LockedEntries) {
	a.printParts(struct {
		envelope
		Task    string                 `json:"task"`
		Matcher string                 `json:"matcher"`
		Phase   string                 `json:"phase,omitempty"`
		Origins map[string]repo.Origin `json:"origins,omitempty"`
	}{envelopeOf("plan", s.Findings), task, dialect.String(), phase, locked.OriginsOf(p.Preload, p.OnDemand)},
		part{"result", loadout.AppendPlan(nil, p)}, part{"manual_only", indexjson.List(p.ManualOnly, loadout.AppendEntry)})
}
