package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/repo"
)

type evalFlags struct {
	eval.Options
	gate
	matcher, scorer string
	fix             bool
}

func newEval(a *app) *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval [pack...]",
		Short: "Run selection evals, routing goldens and context evals",
		Long: `eval measures how packs are found, without a model.

Selection suites, evals/discovery.*.json in a pack, say which prompts should
select the pack: the words of its name, type and description and its declared
keywords are matched against each prompt. Routing goldens, evals/routing.yaml in
a pack or at the root of the repository, say which entries of the loadout index
a task must and must not select, at which place, and how many tokens may be
loaded. The index is made from the packs as they are now; nothing is compiled.

Context evals, evals/context.yaml in a compiled pack, say which sections resolve
must select for a query. Each figure is printed for the train half, by which
settings and words may be chosen, and for the validation half, which judges.

Every miss shows its arithmetic. The exit code is 1 when a case failed, or a
figure of the validation half is below what the suite asks for under least;
--fail-on says otherwise.`,
		Example: "  packgen eval\n  packgen eval --misses handbook\n  packgen eval --ask handbook\n  packgen eval handbook --suite evals/discovery.train.json\n  packgen eval --update --dry-run",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runEval(cmd.Context(), f, args, cmd.Flags().Changed("matcher"))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Suite, "suite", "", "run only this suite, a `FILE` relative to the pack")
	keepPath(flags, "suite")
	flags.StringVar(&f.Index, "index", "", "run routing goldens against this index `FILE` instead of a fresh one")
	flags.StringVar(&f.matcher, "matcher", "coverage", "the `DIALECT` of goldens that name none: "+dialectNames())
	flags.Float64Var(&f.MinScore, "select-score", eval.SelectScore, "`SCORE` from which a prompt selects a pack")
	flags.BoolVar(&f.Record, "write-run", false, "write runs/eval-discovery-*.json into each pack")
	flags.BoolVar(&f.Update, "update", false, "rewrite routing goldens that were missed so that they expect what happens now")
	flags.BoolVar(&f.DryRun, "dry-run", false, "with --write-run or --update: say what would be written and write nothing")
	flags.BoolVar(&f.Curve, "curve", false, "draw recall of evals/context.yaml against budget; needs compiled packs")
	flags.BoolVar(&f.Misses, "misses", false, "say what kept each lost section of the train half out of its selection")
	flags.BoolVar(&f.fix, "ask", false, "offer the query of each lost section as a question of its page, and write it on y")
	flags.StringVar(&f.scorer, "scorer", "bm25f", "the `SCORER` of evals/context.yaml: bm25f or overlap")
	alsoNamed(cmd, map[string]string{"record": "write-run", "fix": "ask"})
	f.gate.register(flags)
	return cmd
}

func (a *app) runEval(ctx context.Context, f evalFlags, names []string, matcherGiven bool) error {
	err := a.Load()
	if err != nil {
		return err
	}
	if !matcherGiven {
		f.matcher = a.Config.Matcher
	}
	if err := errors.Join(oneOf("--matcher", f.matcher, loadout.Dialects()...), f.gate.check()); err != nil {
		return err
	}
	if f.MinScore <= 0 || f.MinScore > 1 {
		return diag.WithHint(errors.New("--select-score is out of range"), "write a number above 0, up to 1")
	}
	if err := oneOf("--scorer", f.scorer, rank.Names()...); err != nil {
		return err
	}
	f.Scorer, _ = rank.New(f.scorer) // oneOf has checked the name
	f.Misses = f.Misses || f.fix
	f.Dialect, _ = loadout.NamedDialect(f.matcher) // oneOf has checked the name
	if f.At, err = repo.IndexTime(a.Getenv); err != nil {
		return err
	}
	l := repo.NewLibrary(&a.Repo)
	defer l.Close()
	f.Open = l.Open
	e, err := eval.Evaluate(ctx, &a.Repo, f.Options, names)
	if err != nil {
		return err
	}
	defer e.Close()
	printer := evalPrinter{e, a, f.gate}
	if f.fix && a.json {
		if err := e.OfferQuestions(a.stdin, a.stderr, io.Discard); err != nil {
			return err
		}
	}
	err = printer.report()
	if f.fix && !a.json {
		return cmp.Or(e.OfferQuestions(a.stdin, a.stderr, a.stdout), err)
	}
	return err
}

type evalPrinter struct {
	*eval.Run
	*app
	gate gate
}

// report writes records and goldens if asked to, prints the outcome and returns the error
// that sets the exit code.
func (e evalPrinter) report() error {
	r, findings := e.Chosen, e.Findings()
	if err := e.Keep(); err != nil {
		return err
	}
	failed := e.Failed()
	bad := e.gate.closedFor(diag.Count(findings, diag.Error) > 0 || failed > 0, diag.Count(findings, diag.Warning) > 0)
	if e.json {
		e.printEvalJSON(r, findings, bad)
	} else {
		e.printFindings(findings, r.Dirs())
		e.WriteText(e.printer())
		for _, name := range e.Written {
			verb := "wrote"
			if e.DryRun {
				verb = "would write"
			}
			fmt.Fprintf(e.stdout, "%s %s\n", verb, name)
		}
		if len(e.Suites)+len(e.Goldens)+len(e.Contexts) == 0 && len(findings) == 0 && !e.quiet {
			fmt.Fprintln(e.stderr, "note: there are no evals: packs keep them as evals/discovery.train.json and evals/routing.yaml")
		}
	}
	if bad {
		return errFindings
	}
	return nil
}

// printEvalJSON prints the envelope. When one suite ran, its keys are at the top level too,
// as in the reference tool (agent-knowledge section 17.4).
func (e evalPrinter) printEvalJSON(r *repo.Packs, findings []diag.Diagnostic, bad bool) {
	out := struct {
		envelope
		*eval.SuiteJSON                    // the only suite; nil when there are none or several
		Suites          []eval.SuiteJSON   `json:"suites"`
		Routing         []eval.GoldenJSON  `json:"routing"`
		Context         []eval.ContextJSON `json:"context,omitempty"`
		Totals          []eval.Total       `json:"totals,omitempty"`
		DryRun          bool               `json:"dry_run"`
		Written         []string           `json:"written"`
	}{
		envelope: envelope{
			OK: diag.Count(findings, diag.Error) == 0, Status: schema.Passed, Command: "eval", Findings: findingsOf(findings),
		},
		Suites: []eval.SuiteJSON{}, Routing: []eval.GoldenJSON{}, DryRun: e.DryRun, Written: append([]string{}, e.Written...),
	}
	switch {
	case !out.OK:
		out.Status = schema.Failed
	case bad:
		out.Status = schema.NeedsReview
	}
	if len(r.Members) == 1 {
		out.Pack = r.Members[0].Name()
	}
	for _, s := range e.Suites {
		out.Suites = append(out.Suites, s.JSON())
	}
	if len(out.Suites) == 1 {
		out.SuiteJSON = &out.Suites[0]
	}
	for _, g := range e.Goldens {
		out.Routing = append(out.Routing, g.JSON())
	}
	for _, c := range e.Contexts {
		out.Context = append(out.Context, c.JSON())
	}
	out.Totals = e.Totals()
	e.printJSON(out)
}
