package eval

import (
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/render"
)

// WriteText writes the changes: + added, - removed, ~ changed.
func (d *Diff) WriteText(p *render.Printer, dialect loadout.Dialect) {
	for _, e := range d.Gained {
		p.Printf("%s  %s tokens, %s, keywords %s\n", p.Green("+ "+diag.Printable(e.ID)), render.Tokens(e), diag.Printable(e.Priority), render.Bracketed(e.Keywords))
	}
	for _, e := range d.Lost {
		p.Printf("%s  %s tokens\n", p.Red("- "+diag.Printable(e.ID)), render.Tokens(e))
	}
	for i := range d.Changed {
		p.Printf("%s  %s\n", p.Bold("~ "+diag.Printable(d.Changed[i].After.ID)), d.Changed[i].Line())
	}
	if len(d.Gained)+len(d.Lost)+len(d.Changed) > 0 {
		p.Printf("\n")
	}
	for _, t := range d.Tasks {
		p.Printf("%q: %s tokens (%s)\n", diag.Printable(secret.Redact(t.Task)), amount.Grouped(t.Tokens[1]), amount.Signed(t.Tokens[1]-t.Tokens[0]))
		for _, id := range t.Gained {
			p.Printf("    %s\n", p.Green("+ "+diag.Printable(id)))
		}
		for _, id := range t.Lost {
			p.Printf("    %s\n", p.Red("- "+diag.Printable(id)))
		}
		for _, m := range t.Moved {
			p.Printf("    %s from place %d to %d\n", diag.Printable(m.ID), m.Before, m.After)
		}
	}
	if len(d.Tasks) > 0 {
		p.Printf("\n")
	}
	p.Printf("%s gained, %d lost, %d changed; all entries %s tokens (%s); tasks that select something else: %d of %s (%s matcher)\n",
		amount.Entries(len(d.Gained)), len(d.Lost), len(d.Changed), amount.Grouped(d.Tokens[1]), amount.Signed(d.Tokens[1]-d.Tokens[0]),
		len(d.Tasks), amount.Grouped(d.Asked), dialect)
}
