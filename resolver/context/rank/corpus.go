package rank

import (
	"math"
	"sort"

	"github.com/packgen/packgen/resolver/context/parallel"
)

// aboutShare is how much the name and the description of a pack raise the scores of its
// sections where they hold all of the query's weight.
const aboutShare = 0.1

// Part is the sections of one pack among those that are ranked together.
type Part struct {
	Index    *Index    // what BM25F counts in the sections; nil for another scorer
	Sections []Section // the sections themselves, for that
	About    []string  // what is said of the pack as a whole: it raises sections that fit, and finds none
}

// Len is the number of sections.
func (p *Part) Len() int {
	if p.Index != nil {
		return p.Index.Len()
	}
	return len(p.Sections)
}

// Ranges are the places of the sections of each part when they are ranked together.
func Ranges(parts []Part) []Range {
	list := make([]Range, len(parts))
	at := 0
	for i := range parts {
		list[i] = Range{at, at + parts[i].Len()}
		at = list[i].To
	}
	return list
}

// Score ranks the sections of several packs together as those of one. Without a ranking, damaged lists the parts whose
// index cannot be read.
func Score(s Scorer, query string, parts []Part) (r Ranking, damaged []int) {
	if b, ok := s.(BM25F); ok {
		return b.scoreParts(query, parts)
	}
	var sections []Section
	for i := range parts {
		sections = append(sections, parts[i].Sections...)
	}
	return s.Score(query, sections), nil
}

// scoreParts weighs the words of a query by how rare they are in all parts.
func (b BM25F) scoreParts(query string, parts []Part) (r Ranking, damaged []int) {
	q := parseQuery(query)
	found, errs := make([]occurrences, len(parts)), make([]error, len(parts))
	parallel.Ranges(len(parts), func(from, to int) {
		for i := from; i < to; i++ {
			found[i], errs[i] = parts[i].Index.find(q)
		}
	})
	for i, err := range errs {
		if err != nil {
			damaged = append(damaged, i)
		}
	}
	switch {
	case len(damaged) > 0:
		return nil, damaged
	case len(parts) == 1:
		return b.rank(q, found[0]), nil
	}
	ranges := Ranges(parts)
	o := join(q, found, ranges)
	for i := range parts {
		o.about = append(o.about, aboutness{ranges[i], termsIn(q, parts[i].About)})
	}
	return b.rank(q, o), nil
}

// join makes one of the occurrences in several ranges of sections.
func join(q *parsedQuery, list []occurrences, ranges []Range) occurrences {
	all := occurrences{postings: make([][]posting, len(q.terms)), versions: versions{}}
	for t := range all.postings { // lists that grow would be copied several times
		size := 0
		for i := range list {
			size += len(list[i].postings[t])
		}
		all.postings[t] = make([]posting, 0, size)
	}
	all.groups = make([]uint32, 0, ranges[len(ranges)-1].To)
	documents := uint32(0) // numbered so far
	for i := range list {
		o := &list[i]
		for t := range all.postings {
			for _, p := range o.postings[t] {
				p.section += ranges[i].From
				all.postings[t] = append(all.postings[t], p)
			}
		}
		most := uint32(0)
		for _, group := range o.groups {
			most = max(most, group)
			if group > 0 {
				group += documents
			}
			all.groups = append(all.groups, group)
		}
		documents += most
		for section, version := range o.versions {
			all.versions.add(section+ranges[i].From, version)
		}
		for f := range all.total {
			all.total[f] += o.total[f]
		}
	}
	all.length = func(section int) sectionLength {
		i := sort.Search(len(ranges), func(i int) bool { return section < ranges[i].To })
		return list[i].length(section - ranges[i].From)
	}
	return all
}

// aboutness is the terms of a query that are said of the pack of some sections.
type aboutness struct {
	sections Range
	terms    []int
}

// termsIn are the terms of a query that texts hold.
func termsIn(q *parsedQuery, texts []string) []int {
	var list []int
	c := NewTally()
	for _, text := range texts {
		c.Of(&Section{Title: text})
	}
	for _, stem := range c.stems {
		if t, ok := q.byStem[stem]; ok {
			list = append(list, t)
		}
	}
	return list
}

// raise raises the sections of packs that are about what the query says.
func (r *bm25Ranking) raise() {
	all := 0.0
	for _, t := range r.query.parts[0].terms {
		all += r.weight[t]
	}
	if len(r.about) == 0 || all == 0 {
		return
	}
	r.scores = make([][]float64, len(r.earned))
	for part, earned := range r.earned {
		scores := append([]float64{}, earned...)
		for _, a := range r.about {
			factor := 1 + aboutShare*r.shareOf(a.terms, all)
			for i := a.sections.From; i < a.sections.To; i++ {
				scores[i] = min(100, math.Round(scores[i]*factor*100)/100)
			}
		}
		r.scores[part] = scores
	}
}

// shareOf is the share of the query's weight that some terms have, each counted once.
func (r *bm25Ranking) shareOf(terms []int, all float64) float64 {
	held := make(map[int]bool, len(terms))
	for _, t := range terms {
		held[t] = true
	}
	sum := 0.0
	for _, t := range r.query.parts[0].terms {
		if held[t] {
			sum += r.weight[t]
		}
	}
	return sum / all
}

// Best is the section of a range that fits the query as a whole best; its score is 0 where
// none does, and for a scorer that does not know.
func Best(r Ranking, among Range) Hit {
	best := Hit{Title: true}
	if b, ok := r.(*bm25Ranking); ok {
		for i := among.From; i < among.To; i++ {
			if b.scores[0][i] > best.Score {
				best.Section, best.Score = i, b.scores[0][i]
			}
		}
	}
	return best
}
