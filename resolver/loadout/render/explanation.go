package render

import (
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// Explanation writes the layers that define an entry, the winner last.
func (p *Printer) Explanation(x *loadout.Explanation) {
	p.Printf("%s  from %s\n", p.Bold(diag.Printable(x.ID)), diag.Printable(x.FinalLayer))
	if x.IsConflict() {
		names := make([]string, len(x.Definitions))
		for i, d := range x.Definitions {
			names[i] = d.Layer
		}
		p.Printf("defined in %s; the last wins\n", chain(names))
	}
	for i, d := range x.Definitions {
		e := d.Entry
		name := diag.Printable(d.Layer)
		if i+1 == len(x.Definitions) {
			name = p.Green(name)
		}
		p.Printf("\n%s  %s, %s tokens\n", name, orUnset(e.Priority), Tokens(e))
		p.Printf("    %s\n    keywords %s", diag.Printable(e.Summary), Bracketed(e.Keywords))
		if len(e.Patterns) > 0 {
			p.Printf(", patterns %s", Bracketed(e.Patterns))
		}
		p.Printf("\n    %s\n", p.Dim(diag.Printable(e.Path)))
		writeOrigin(p, "    ", e)
		if d.Repeats > 0 {
			p.Printf("    this layer defines the id %d times; the last is shown\n", d.Repeats+1)
		}
	}
}

// Outlook writes how an entry scores for a task.
func (p *Printer) Outlook(o *loadout.Outlook, match *loadout.MatchOptions) {
	p.Printf("\n%s matcher, words of the task: %s\n", match.Dialect, WordsOf(o.Words))
	switch {
	case o.Included:
		p.Printf("%s: rank %s of %s, score %s\n", p.Green("loaded"), amount.Grouped(o.Rank), amount.Grouped(o.Of), indexjson.Rounded(o.Score.Total))
	case o.Mode == loadout.ByManual:
		p.Printf("%s: it is manual, which is loaded by name only\n", p.Red("not loaded"))
	default:
		p.Printf("%s: score %s, below %s\n", p.Red("not loaded"), indexjson.Rounded(o.Score.Total), indexjson.Rounded(match.Threshold()))
	}
	p.rating(&o.Rating, match.Dialect, o.Mode != loadout.Eager)
	p.Printf("    %s\n", changeAdvice(o))
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
