package render

import (
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// Summary writes how often entries were loaded.
func (p *Printer) Summary(list []loadout.Summary) {
	if len(list) == 0 {
		return
	}
	t := &columns.Table{Right: map[int]bool{1: true, 2: true}}
	t.Add("ENTRY", "LOADS", "TOKENS", "LAST", "TRIGGERS", "MODES")
	for _, s := range list {
		t.Add(diag.Printable(s.EntryID), amount.Grouped(s.LoadCount), Number(s.TotalTokens), diag.Printable(s.LastLoaded),
			diag.Printable(strings.Join(s.Triggers, ", ")), diag.Printable(strings.Join(s.Modes, ", ")))
	}
	p.Below(t)
}

// Dead writes those of all entries that were never loaded.
func (p *Printer) Dead(list []loadout.Dead, all int) {
	if len(list) > 0 {
		t := &columns.Table{Right: map[int]bool{1: true}}
		t.Add("NEVER LOADED", "TOKENS", "PRIORITY")
		for _, d := range list {
			t.Add(ID(d.Entry), Tokens(d.Entry), orUnset(d.Entry.Priority))
		}
		p.Below(t)
	}
	p.Printf("\n%s of %s never loaded, %s tokens\n", amount.Grouped(len(list)), amount.Entries(all), indexjson.Rounded(DeadTokens(list)))
}

// DeadTokens sums the estimates of entries that were never loaded.
func DeadTokens(list []loadout.Dead) float64 {
	sum := 0.0
	for _, d := range list {
		sum += known(d.Entry)
	}
	return sum
}

// Overlaps writes the keywords that several of all entries list.
func (p *Printer) Overlaps(list []loadout.Overlap, all int) {
	if len(list) == 0 {
		p.Printf("no keyword is shared among %s\n", amount.Entries(all))
		return
	}
	p.OverlapTable("KEYWORD", list)
}

// OverlapTable writes a row for each shared keyword.
func (p *Printer) OverlapTable(head string, list []loadout.Overlap) {
	t := &columns.Table{Right: map[int]bool{1: true}}
	t.Add(head, "ENTRIES", "WHICH")
	for _, o := range list {
		t.Add(diag.Printable(o.Keyword), amount.Grouped(len(o.Entries)), p.Shortened(o.Entries))
	}
	t.Write(p.W)
}

// Budget writes what entries of each priority cost, and what a load cost on average.
func (p *Printer) Budget(b *loadout.Breadth) {
	t := &columns.Table{Right: map[int]bool{1: true, 2: true}}
	t.Add("PRIORITY", "ENTRIES", "TOKENS")
	t.Add(loadout.PriorityCore, amount.Grouped(b.CoreEntries), indexjson.Rounded(b.CoreTokens))
	t.Add(loadout.PriorityDomain, amount.Grouped(b.DomainEntries), indexjson.Rounded(b.DomainTokens))
	t.Add(loadout.PriorityManual, amount.Grouped(b.ManualEntries), indexjson.Rounded(b.ManualTokens))
	t.Add("all", amount.Grouped(b.CoreEntries+b.DomainEntries+b.ManualEntries), indexjson.Rounded(b.TotalTokens))
	p.Below(t)
	p.Printf("\nmean of a domain entry: %s tokens\n", indexjson.Rounded(b.AvgDomainSize))
	if b.Largest != nil && b.Smallest != nil {
		p.Printf("largest: %s, %s tokens\nsmallest: %s, %s tokens\n", ID(b.Largest), Tokens(b.Largest), ID(b.Smallest), Tokens(b.Smallest))
	}
	if b.ObservedAvg != nil {
		p.Printf("observed mean of a load: %s tokens\n", Number(*b.ObservedAvg))
	} else {
		p.Printf("observed mean of a load: none, the log has no load\n")
	}
}
