package render

import (
	"fmt"
	"math"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// manyRows is the number of selected entries shown without Verbose.
const manyRows = 100

// Most is how many entries of a match are shown.
func (p *Printer) Most() loadout.Most {
	if p.Verbose {
		return loadout.Most{Included: math.MaxInt, Others: math.MaxInt}
	}
	return loadout.Most{Included: manyRows, Others: fewRows}
}

// ByName is how many entries are shown that load by name only.
func (p *Printer) ByName() int {
	if p.Quiet {
		return 0
	}
	return p.Rows(math.MaxInt, fewRows)
}

// Match writes the entries that a task selects from the index of a name, what they cost,
// and the near misses.
func (p *Printer) Match(name string, detail *loadout.Breakdown) {
	p.Printf("%s, %s matcher, threshold %s\n", diag.Printable(name), detail.Dialect, indexjson.Rounded(detail.MinScore))
	p.Printf("words of the task: %s\n", WordsOf(detail.Words))
	var missed []*loadout.Rating
	shown, most := 0, p.Most().Included
	for i := range detail.Entries {
		r := &detail.Entries[i]
		if !r.Included {
			missed = append(missed, r)
			continue
		}
		if shown == most {
			continue
		}
		shown++
		p.Printf("\n%s  %s  %s tokens, %s\n", p.Bold(indexjson.Rounded(r.Score.Total)), p.Green(ID(r.Entry)), Tokens(r.Entry), r.Mode)
		p.rating(r, detail.Dialect, r.Mode == loadout.Lazy)
		p.Printf("    %s\n", p.Dim(diag.Printable(r.Entry.Path)))
		writeOrigin(p, "    ", r.Entry)
	}
	l := detail.Loads()
	if rest := l.Entries - shown; rest > 0 {
		p.Printf("\nand %s more; -v shows all\n", amount.Grouped(rest))
	}
	p.Printf("\nwould load %s: %s tokens (%s eager, %s lazy)\n",
		amount.Entries(l.Entries), indexjson.Rounded(l.Tokens), indexjson.Rounded(l.Eager), indexjson.Rounded(l.Lazy))
	if len(missed) > 0 && !p.Quiet {
		p.misses(missed, detail.Total()-l.Entries)
	}
}

// misses writes the entries that the words of a task hit but that are not included, of
// which there are that many.
func (p *Printer) misses(list []*loadout.Rating, all int) {
	p.Printf("\nnear misses:\n")
	shown := p.Rows(len(list), fewRows)
	for _, r := range list[:shown] {
		why := "score " + indexjson.Rounded(r.Score.Total) + ", keywords " + Bracketed(r.MatchedKeywords)
		if v := r.Score.Evidence; v != nil {
			why = "score " + indexjson.Rounded(r.Score.Total) + ", words " + Bracketed(v.Words)
		}
		if r.Mode == loadout.ByManual {
			why = "manual: loaded by name only; would have hit " + Bracketed(append(r.MatchedKeywords, r.MatchedPatterns...))
		}
		p.Printf("  %s  %s\n", ID(r.Entry), why)
	}
	if rest := all - shown; rest > 0 {
		p.Printf("  and %s more; -v shows all\n", amount.Grouped(rest))
	}
}

// rating writes the arithmetic of a score, and with words those that hit and missed.
func (p *Printer) rating(r *loadout.Rating, dialect loadout.Dialect, words bool) {
	p.Printf("    %s\n", Arithmetic(r, dialect))
	if !words || dialect == loadout.Weighted {
		return
	}
	p.Printf("    hit %s", Bracketed(r.MatchedKeywords))
	if len(r.MatchedPatterns) > 0 {
		p.Printf(", patterns %s", Bracketed(r.MatchedPatterns))
	}
	p.Printf(", missed %s\n", Bracketed(r.MissedKeywords))
}

// Arithmetic spells out a score (loadout sections 6.3 and 7).
func Arithmetic(r *loadout.Rating, dialect loadout.Dialect) string {
	if r.Mode == loadout.Eager {
		return "core: always loaded"
	}
	s := r.Score
	coverage := fmt.Sprintf("%d of %d keywords = %s", s.Matched, len(r.Entry.Keywords), indexjson.Rounded(s.Coverage))
	if dialect == loadout.Weighted {
		coverage = weighed(s)
	}
	if dialect == loadout.Recall {
		coverage = fmt.Sprintf("the greater of %s and %d of 5 = %s", coverage, s.Matched, indexjson.Rounded(s.Absolute))
	}
	if s.PatternBonus > 0 {
		reason := "a pattern"
		switch {
		case s.IsQuestion():
			reason = "a question that it declares"
		case s.HasName():
			reason = "a name in its title"
		}
		coverage += fmt.Sprintf("; + %s for %s = %s", indexjson.Rounded(s.PatternBonus), reason, indexjson.Rounded(s.Base+s.PatternBonus))
	}
	if s.Base+s.PatternBonus > 1 {
		coverage += "; at most 1"
	}
	return coverage
}

// weighed spells out a weighted score without the bonus for a pattern.
func weighed(s loadout.Score) string {
	if s.Evidence == nil {
		return "no word hits"
	}
	words := make([]string, len(s.Evidence.Words))
	for i, word := range s.Evidence.Words {
		words[i] = fmt.Sprintf("%s %s", indexjson.Rounded(s.Evidence.Worth[i]), diag.Printable(word))
		if i >= len(words)-s.Evidence.InSummary {
			words[i] += " in the summary"
		}
	}
	return fmt.Sprintf("(%s) by 2 = %s", strings.Join(words, " + "), indexjson.Rounded(s.Base))
}
