package main

import (
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/eval/suites"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

type evalPrinter struct {
	*suites.Run
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
		e.printSuites()
		e.printGoldens()
		e.printContexts()
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

// printSuites prints a line for each suite, and the cases that failed.
func (e evalPrinter) printSuites() {
	if len(e.Suites) == 0 {
		return
	}
	if !e.quiet {
		t := &columns.Table{Right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true}}
		t.Add("SUITE", "CASES", "PASSED", "PRECISION", "RECALL", "WARNINGS")
		for _, s := range e.Suites {
			sum := &s.Result.Record.Summary
			t.Add(diag.Printable(s.Member.Name()+" "+s.Name), amount.Grouped(sum.Total), amount.Grouped(sum.Passed),
				fraction(sum.Precision), fraction(sum.Recall), fraction(sum.WarningAccuracy))
		}
		t.Write(e.stdout)
	}
	p := e.painterFor(e.stdout)
	for _, s := range e.Suites {
		for i := range s.Result.Cases {
			c := &s.Result.Cases[i]
			if c.Passed && !e.verbose {
				continue
			}
			state := p.Red("failed")
			if c.Passed {
				state = p.Green("passed")
			}
			fmt.Fprintf(e.stdout, "\n%s %s %s: expected %s, got %s: %q\n", state, diag.Printable(s.Member.Dir+"/"+s.Name),
				diag.Printable(secret.Redact(c.ID)), c.Expected, c.Actual, diag.Printable(secret.Redact(c.Prompt)))
			fmt.Fprintf(e.stdout, "    %d of 5 hits = %s, selected from %s\n", c.Rating.Score.Matched, indexjson.Rounded(c.Rating.Score.Total), indexjson.Rounded(e.MinScore))
			fmt.Fprintf(e.stdout, "    hit %s%s; words %s\n", bracketed(c.Rating.MatchedKeywords), patternsHit(c.Rating.MatchedPatterns), orNone(c.Words))
			for _, w := range c.Warnings {
				fmt.Fprintf(e.stdout, "    warning raised: %s\n", diag.Printable(w))
			}
		}
	}
}

func patternsHit(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return ", patterns " + bracketed(list) + " + 0.2"
}

// fraction prints a ratio with two decimals.
func fraction(f *float64) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *f)
}

// printGoldens prints a line for each file of goldens, and every miss with its arithmetic.
func (e evalPrinter) printGoldens() {
	if len(e.Goldens) == 0 {
		return
	}
	if !e.quiet {
		t := &columns.Table{Right: map[int]bool{2: true, 3: true}}
		t.Add("ROUTING", "MATCHER", "TASKS", "MET")
		for _, g := range e.Goldens {
			met := 0
			for i := range g.Results {
				if len(g.Results[i].Misses) == 0 {
					met++
				}
			}
			t.Add(diag.Printable(g.Name), g.Dialect.String(), amount.Grouped(len(g.Results)), amount.Grouped(met))
		}
		if len(e.Suites) > 0 {
			fmt.Fprintln(e.stdout)
		}
		t.Write(e.stdout)
	}
	p := e.painterFor(e.stdout)
	for _, g := range e.Goldens {
		for i := range g.Results {
			t := &g.Results[i]
			if len(t.Misses) == 0 {
				continue
			}
			fmt.Fprintf(e.stdout, "\n%s %s:%d: %q\n", p.Red("missed"), diag.Printable(g.Name), t.Task.Line, diag.Printable(secret.Redact(t.Task.Task)))
			for j := range t.Misses {
				e.printMiss(&t.Misses[j], t, g.Dialect)
			}
		}
	}
}

// printMiss prints one expectation that was not met.
func (e evalPrinter) printMiss(m *eval.Miss, t *eval.TaskResult, dialect loadout.Dialect) {
	w, id := e.stdout, diag.Printable(secret.Redact(m.ID))
	switch m.Kind {
	case eval.NoEntry:
		fmt.Fprintf(w, "  the index has no entry %s", id)
		if m.Nearest != "" {
			fmt.Fprintf(w, "; did you mean %s?", diag.Printable(m.Nearest))
		}
		fmt.Fprintln(w)
		return
	case eval.NotSelected:
		fmt.Fprintf(w, "  %s must be selected and is not\n", id)
	case eval.Unwanted:
		fmt.Fprintf(w, "  %s must not be selected and is, in place %d of %d\n", id, m.Got, len(t.Selected))
	case eval.RankTooLow:
		fmt.Fprintf(w, "  %s must be in place %d or better and is in place %d\n", id, m.Want, m.Got)
		for i := range min(m.Got-1, len(t.Selected)) {
			r := &t.Selected[i]
			fmt.Fprintf(w, "      %d. %s  %s, %s\n", i+1, diag.Printable(r.Entry.ID), indexjson.Rounded(r.Score), diag.Printable(r.Reason()))
		}
	case eval.TooMany:
		fmt.Fprintf(w, "  the plan loads %s tokens, %s are allowed\n", amount.Grouped(m.Got), amount.Grouped(m.Want))
		for i := range t.Selected {
			fmt.Fprintf(w, "      %s  %s\n", diag.Printable(t.Selected[i].Entry.ID), tokens(t.Selected[i].Entry))
		}
	}
	if o := m.Outlook; o != nil {
		e.printOutlook(o, dialect)
	}
}

// printOutlook prints the arithmetic of an entry, and what would change the outcome.
func (e evalPrinter) printOutlook(o *loadout.Outlook, dialect loadout.Dialect) {
	w := e.stdout
	if o.Mode == loadout.ByManual {
		fmt.Fprintln(w, "      manual: loaded by name only")
		return
	}
	fmt.Fprintf(w, "      %s\n", arithmetic(&o.Rating, dialect))
	fmt.Fprintf(w, "      hit %s%s, missed %s\n", bracketed(o.MatchedKeywords), patternsHit(o.MatchedPatterns), bracketed(o.MissedKeywords))
	switch {
	case len(o.Change.Add) > 0:
		fmt.Fprintf(w, "      a task with %s would select it\n", strings.Join(quotedAll(o.Change.Add), " and "))
	case len(o.Change.Remove) > 0:
		fmt.Fprintf(w, "      a task without %s would not\n", strings.Join(quotedAll(o.Change.Remove), " and "))
	}
}

func quotedAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", diag.Printable(s))
	}
	return out
}
