package usage

import (
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/hook"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/render"
)

const (
	// Rows shown without Verbose: of loads and overlaps, of dead entries, of words of misses.
	loadRows, deadRows, wordRows = 10, 15, 12
	// fewLoads is the number of loads from which their scores are meaningful.
	fewLoads = 10
)

// WriteText writes a report on the log that is shown under a name.
func (r *Report) WriteText(p *render.Printer, log string) {
	p.Printf("%s: %s\n", diag.Printable(log), amount.Counted(len(r.Events), "event"))
	if len(r.Events) == 0 {
		p.Printf("    the hook adds one whenever it points an agent to something; packgen connect wires it, packgen doctor says whether it runs\n")
	}
	if len(r.Usage) > 0 {
		t := &columns.Table{Right: map[int]bool{1: true, 2: true}}
		t.Add("LOADED", "TIMES", "TOKENS", "LAST")
		for _, s := range r.Usage[:p.Rows(len(r.Usage), loadRows)] {
			t.Add(diag.Printable(s.EntryID), amount.Grouped(s.LoadCount), render.Number(s.TotalTokens), diag.Printable(s.LastLoaded))
		}
		p.Below(t)
	}
	r.writeDead(p)
	if len(r.Overlaps) > 0 {
		p.Printf("\n")
		p.OverlapTable("SHARED KEYWORD", r.Overlaps[:p.Rows(len(r.Overlaps), loadRows)])
		p.Printf("    a word of several entries points to all of them: leave it where it is most specific\n")
	}
	p.Printf("\nestimated load of a task: %s tokens\n", indexjson.Rounded(r.Estimated))
	if r.Breadth.ObservedAvg != nil {
		p.Printf("observed mean of a load: %s tokens\n", indexjson.Rounded(*r.Breadth.ObservedAvg))
	} else {
		p.Printf("observed mean of a load: none, the log has no load\n")
	}
	r.writeScores(p)
	r.writeMissedWords(p)
}

func (r *Report) writeDead(p *render.Printer) {
	if len(r.Dead) == 0 {
		return
	}
	t := &columns.Table{Right: map[int]bool{1: true}}
	t.Add("NEVER LOADED", "TOKENS")
	for _, d := range r.Dead[:p.Rows(len(r.Dead), deadRows)] {
		t.Add(render.ID(d.Entry), render.Tokens(d.Entry))
	}
	p.Below(t)
	p.Printf("%s never loaded, %s tokens\n    give them keywords that prompts use, or take them out\n", amount.Entries(len(r.Dead)), indexjson.Rounded(render.DeadTokens(r.Dead)))
}

func (r *Report) writeScores(p *render.Printer) {
	if r.Scores == nil {
		return
	}
	t := &columns.Table{Right: map[int]bool{1: true}}
	t.Add("SCORE", "LOADS")
	for i, n := range r.Scores {
		if n > 0 {
			t.Add(ScoreLabel(i), amount.Grouped(n))
		}
	}
	p.Below(t)
	if n := r.Scored(); n >= fewLoads && 2*r.Faint > n {
		p.Printf("    %d of %d loads have fewer than %d matched words: their keywords are too common, or too few\n    drop such words, or raise %s above %v\n",
			r.Faint, n, faintHits, hook.FloorVariable, hook.DefaultFloor)
	}
}

func (r *Report) writeMissedWords(p *render.Printer) {
	if r.Misses == 0 {
		return
	}
	p.Printf("\n%s matched nothing\n", amount.Counted(r.Misses, "prompt"))
	if len(r.Words) == 0 {
		return
	}
	t := &columns.Table{Right: map[int]bool{1: true}}
	t.Add("WORD", "PROMPTS", "SUGGESTION")
	for _, w := range r.Words[:p.Rows(len(r.Words), wordRows)] {
		suggestion := "a topic of its own?"
		if w.Near != "" {
			suggestion = "add it to the keywords of " + w.Near
		}
		t.Add(diag.Printable(w.Word), amount.Grouped(w.Prompts), diag.Printable(suggestion))
	}
	p.Below(t)
}
