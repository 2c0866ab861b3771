package eval

import (
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/render"
)

// WriteText writes the outcome of each suite, of goldens and of context evals.
func (e *Run) WriteText(p *render.Printer) {
	writeSuites(e, p)
	writeGoldens(e, p)
	writeContexts(e, p)
}

// writeSuites writes a line for each suite, and the cases that failed.
func writeSuites(e *Run, p *render.Printer) {
	if len(e.Suites) == 0 {
		return
	}
	if !p.Quiet {
		t := &columns.Table{Right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true}}
		t.Add("SUITE", "CASES", "PASSED", "PRECISION", "RECALL", "WARNINGS")
		for _, s := range e.Suites {
			sum := &s.Result.Record.Summary
			t.Add(diag.Printable(s.Member.Name()+" "+s.Name), amount.Grouped(sum.Total), amount.Grouped(sum.Passed),
				fraction(sum.Precision), fraction(sum.Recall), fraction(sum.WarningAccuracy))
		}
		t.Write(p.W)
	}
	for _, s := range e.Suites {
		for i := range s.Result.Cases {
			c := &s.Result.Cases[i]
			if c.Passed && !p.Verbose {
				continue
			}
			state := p.Red("failed")
			if c.Passed {
				state = p.Green("passed")
			}
			p.Printf("\n%s %s %s: expected %s, got %s: %q\n", state, diag.Printable(s.Member.Dir+"/"+s.Name),
				diag.Printable(secret.Redact(c.ID)), c.Expected, c.Actual, diag.Printable(secret.Redact(c.Prompt)))
			p.Printf("    %d of 5 hits = %s, selected from %s\n", c.Rating.Score.Matched, indexjson.Rounded(c.Rating.Score.Total), indexjson.Rounded(e.MinScore))
			p.Printf("    hit %s%s; words %s\n", render.Bracketed(c.Rating.MatchedKeywords), patternsHit(c.Rating.MatchedPatterns), render.WordsOf(c.Words))
			for _, w := range c.Warnings {
				p.Printf("    warning raised: %s\n", diag.Printable(w))
			}
		}
	}
}

func patternsHit(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return ", patterns " + render.Bracketed(list) + " + 0.2"
}

// fraction prints a ratio with two decimals.
func fraction(f *float64) string {
	if f == nil {
		return "-"
	}
	return ratio(*f)
}

// writeGoldens writes a line for each file of goldens, and every miss with its arithmetic.
func writeGoldens(e *Run, p *render.Printer) {
	if len(e.Goldens) == 0 {
		return
	}
	if !p.Quiet {
		t := &columns.Table{Right: map[int]bool{2: true, 3: true}}
		t.Add("ROUTING", "MATCHER", "TASKS", "MET")
		for _, g := range e.Goldens {
			t.Add(diag.Printable(g.Name), g.Dialect.String(), amount.Grouped(len(g.Results)), amount.Grouped(len(g.Results)-g.missed()))
		}
		if len(e.Suites) > 0 {
			p.Printf("\n")
		}
		t.Write(p.W)
	}
	for _, g := range e.Goldens {
		for i := range g.Results {
			t := &g.Results[i]
			if len(t.Misses) == 0 {
				continue
			}
			p.Printf("\n%s %s:%d: %q\n", p.Red("missed"), diag.Printable(g.Name), t.Task.Line, diag.Printable(secret.Redact(t.Task.Task)))
			for j := range t.Misses {
				writeMiss(p, &t.Misses[j], t, g.Dialect)
			}
		}
	}
}

// writeMiss writes one expectation that was not met.
func writeMiss(p *render.Printer, m *Miss, t *TaskResult, dialect loadout.Dialect) {
	id := diag.Printable(secret.Redact(m.ID))
	switch m.Kind {
	case NoEntry:
		p.Printf("  the index has no entry %s", id)
		if m.Nearest != "" {
			p.Printf("; did you mean %s?", diag.Printable(m.Nearest))
		}
		p.Printf("\n")
		return
	case NotSelected:
		p.Printf("  %s must be selected and is not\n", id)
	case Unwanted:
		p.Printf("  %s must not be selected and is, in place %d of %d\n", id, m.Got, len(t.Selected))
	case RankTooLow:
		p.Printf("  %s must be in place %d or better and is in place %d\n", id, m.Want, m.Got)
		for i := range min(m.Got-1, len(t.Selected)) {
			r := &t.Selected[i]
			p.Printf("      %d. %s  %s, %s\n", i+1, diag.Printable(r.Entry.ID), indexjson.Rounded(r.Score), diag.Printable(r.Reason()))
		}
	case TooMany:
		p.Printf("  the plan loads %s tokens, %s are allowed\n", amount.Grouped(m.Got), amount.Grouped(m.Want))
		for i := range t.Selected {
			p.Printf("      %s  %s\n", diag.Printable(t.Selected[i].Entry.ID), render.Tokens(t.Selected[i].Entry))
		}
	}
	if o := m.Outlook; o != nil {
		writeOutlook(p, o, dialect)
	}
}

// writeOutlook writes the arithmetic of an entry, and what would change the outcome.
func writeOutlook(p *render.Printer, o *loadout.Outlook, dialect loadout.Dialect) {
	if o.Mode == loadout.ByManual {
		p.Printf("      manual: loaded by name only\n")
		return
	}
	p.Printf("      %s\n", render.Arithmetic(&o.Rating, dialect))
	p.Printf("      hit %s%s, missed %s\n", render.Bracketed(o.MatchedKeywords), patternsHit(o.MatchedPatterns), render.Bracketed(o.MissedKeywords))
	switch {
	case len(o.Change.Add) > 0:
		p.Printf("      a task with %s would select it\n", strings.Join(quotedAll(o.Change.Add), " and "))
	case len(o.Change.Remove) > 0:
		p.Printf("      a task without %s would not\n", strings.Join(quotedAll(o.Change.Remove), " and "))
	}
}

func quotedAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", diag.Printable(s))
	}
	return out
}

// writeContexts writes the results of each pack's queries with their own budgets, then the
// curve.
func writeContexts(e *Run, p *render.Printer) {
	if len(e.Contexts) == 0 {
		return
	}
	right := map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true}
	t := &columns.Table{Right: right}
	t.Add("CONTEXT", "QUERIES", "RECALL", "IN ITS PACK", "PARAPHRASED", "PRECISION", "TOKENS", "OVER BUDGET", "FALSE ANSWERS")
	curve := &columns.Table{Right: map[int]bool{1: true}}
	curve.Add("CURVE", "BUDGET", "RECALL", "PRECISION", "TOKENS")
	for _, c := range e.Contexts {
		s := &c.Report.Summary
		name := diag.Printable(c.Pack)
		t.Add(name, amount.Grouped(s.Cases), ratio(s.Recall), ratio(c.Report.Inside.Recall), ratio(s.ParaphraseRecall), ratio(s.Precision), amount.Grouped(int(s.Tokens+0.5)),
			amount.Grouped(s.Violations), fmt.Sprintf("%d of %d", s.FalseAnswers, s.Unanswerable))
		for _, p := range c.Report.Curve {
			at := atBudget(p)
			curve.Add(name, amount.Grouped(p.Budget), at[0].String(), at[1].String(), at[2].String())
		}
	}
	p.Below(t)
	p.Printf("\n")
	writeTotals(e, p)
	if e.Curve {
		p.Below(curve)
	}
	for _, c := range e.Contexts {
		c.writeMisses(p)
	}
}

// writeTotals writes the figures of each half over all packs, with the intervals that hold
// 95 % of the resamples.
func writeTotals(e *Run, p *render.Printer) {
	t := &columns.Table{Right: map[int]bool{1: true}}
	t.Add("TOTAL", "QUERIES", "RECALL", "PRECISION", "TOKENS", "REFUSED")
	totals := e.Totals()
	for at := 0; at+4 <= len(totals); at += 4 {
		row := []string{totals[at].Half, amount.Grouped(totals[at+2].Of)}
		for _, f := range totals[at : at+4] {
			row = append(row, f.String())
		}
		t.Add(row...)
	}
	t.Write(p.W)
}

func ratio(f float64) string { return fmt.Sprintf("%.2f", f) }
