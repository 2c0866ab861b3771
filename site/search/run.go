package search

import (
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context/rank"
)

// Words joins the words of some pages that follow each other. Of a page it depends on the
// note, and on the numbers and questions of its sections. It returns false when a note is
// damaged.
func Words(pages []Page) (string, bool) {
	j := joiner{words: lists{}, part: &Part{}, untitled: true}
	for i := range pages {
		if !j.page(&pages[i]) {
			return "", false
		}
	}
	w := store.NewWriter(1 << 12)
	for _, n := range j.part.Totals {
		w.Uint(n)
	}
	j.words.write(w, 0)
	return w.Text(), true
}

// run adds some pages.
func (j *joiner) run(run *Run) bool {
	if run.Words == "" {
		for i := range run.Pages {
			if !j.page(&run.Pages[i]) {
				return false
			}
		}
		return true
	}
	base := j.part.Sections
	for i := range run.Pages {
		p := &run.Pages[i]
		for s := range p.Sections {
			j.section(p, s)
		}
	}
	words := store.NewReader(run.Words)
	var totals [rank.Fields]int
	for f := range totals {
		totals[f] = words.Uint()
	}
	j.count(totals)
	n := words.CountOf(leastWord)
	return j.add(words, n, base)
}
