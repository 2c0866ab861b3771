package render

import (
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// Layers writes where layers were looked for and what they merge to. Rel shortens a path.
func (p *Printer) Layers(s *repo.Stack, rel func(string) string) {
	t := &columns.Table{Right: map[int]bool{2: true, 3: true}}
	t.Add("LAYER", "STATE", "ENTRIES", "TOKENS", "PATH")
	for _, at := range s.Searched {
		state, entries, sum := "missing", "", ""
		switch layer := s.Layer(at.Name); {
		case at.Malformed:
			state = "malformed"
		case layer != nil:
			state, entries, sum = "loaded", amount.Grouped(len(layer.Index.Entries)), amount.Grouped(int64(sumTokens(layer.Index.Entries)))
		}
		t.Add(at.Name, state, entries, sum, diag.Printable(rel(at.Path)))
	}
	t.Write(p.W)
	if len(s.Merged.Entries) == 0 || p.Quiet {
		return
	}
	p.Printf("\n")
	t = &columns.Table{Right: map[int]bool{2: true}}
	t.Add("ENTRY", "PRIORITY", "TOKENS", "FROM")
	for i := range s.Merged.Entries {
		e := &s.Merged.Entries[i]
		t.Add(ID(e), orUnset(e.Priority), Tokens(e), diag.Printable(s.Merged.Provenance[i].Layer))
	}
	t.Write(p.W)
	p.budgetAndConflicts(s.Merged)
}

// Plan writes what to load for a task, by the layers of a stack.
func (p *Printer) Plan(task string, dialect loadout.Dialect, s *repo.Stack, plan *loadout.LoadPlan) {
	p.Printf("layers: %s\n%s matcher, words of the task: %s\n",
		diag.Printable(s.LayerList()), dialect, WordsOf(s.Tokenizer().Words(task)))
	origin := s.Origins()
	p.loads("at once", plan.Preload, plan.PreloadTokens, origin)
	p.loads("on demand", plan.OnDemand, plan.OnDemandTokens, origin)
	p.Printf("\nnot loaded: %s", amount.Entries(plan.NotLoaded()))
	if n := plan.ByName(); n > 0 {
		p.Printf(", %s of them by name only", amount.Grouped(n))
	}
	p.Printf("\n")
	if p.Quiet {
		return
	}
	shown := p.Rows(len(plan.ManualOnly), fewRows)
	for _, e := range plan.ManualOnly[:shown] {
		p.Printf("  %s  %s tokens, from %s\n", ID(e), Tokens(e), diag.Printable(origin[e]))
	}
	if rest := plan.ByName() - shown; rest > 0 {
		p.Printf("  and %s more; -v shows all\n", amount.Grouped(rest))
	}
	p.budgetAndConflicts(s.Merged)
}

// loads writes the matches of one mode.
func (p *Printer) loads(when string, results []loadout.Result, sum float64, origin map[*loadout.Entry]string) {
	p.Printf("\n%s: %s, %s tokens\n", when, amount.Entries(len(results)), indexjson.Rounded(sum))
	for i := range results {
		r := &results[i]
		p.Printf("  %s  %s  %s tokens, from %s\n      %s\n      %s\n",
			p.Bold(indexjson.Rounded(r.Score)), p.Green(ID(r.Entry)), Tokens(r.Entry), diag.Printable(origin[r.Entry]),
			diag.Printable(r.Reason()), p.Dim(diag.Printable(r.Entry.Path)))
		writeOrigin(p, "      ", r.Entry)
	}
}

// budgetAndConflicts writes the budget of merged layers, and the ids that are defined more
// than once, those of the same layers on one line.
func (p *Printer) budgetAndConflicts(m *loadout.Merged) {
	b := m.Budget
	p.Printf("\nbudget: %s tokens always loaded, %s on demand, %s per domain entry\n",
		indexjson.Rounded(b.AlwaysLoaded), indexjson.Rounded(b.OnDemandTotal), indexjson.Rounded(b.AvgTaskLoad))
	if len(m.Conflicts) == 0 {
		return
	}
	p.Printf("\ndefined more than once, the last wins:\n")
	var chains []string
	ids := map[string][]string{} // by chain
	for _, c := range m.Conflicts {
		by := chain(c.Layers)
		if ids[by] == nil {
			chains = append(chains, by)
		}
		ids[by] = append(ids[by], diag.Printable(c.ID.Text()))
	}
	for _, by := range chains {
		list := ids[by]
		more := ""
		if n := len(list) - conflictsShown; n > 1 {
			list, more = list[:conflictsShown], fmt.Sprintf(" and %s more", amount.Grouped(n))
		}
		p.Printf("  %s: %s%s\n", by, strings.Join(list, ", "), more)
	}
}

// conflictsShown is how many ids of one chain of layers are named: the index of a project
// repeats all entries of its packs.
const conflictsShown = 5

// chain joins layers in the order in which they override each other. A layer that repeats
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
