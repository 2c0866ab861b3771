package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/packgen/packgen/resolver/context/parallel"
)

// BM25F is the default scorer: BM25 over the fields of a section (its titles,
// the headings in it, its body, and the questions that its author says it
// answers), with an early stop. Scores are the share of the query's weight that
// a section meets, from 0 to 100; a part of them is what its headings say alone
// (headingShare).
//
// The zero value has the settings that were calibrated (see the package
// documentation).
type BM25F struct {
	Stop float64 // sections below this share of the best score are left out; 0 is the calibrated one
	Most int     // sections for one wording of a query; 0 is the calibrated number
}

// headingShare is the part of a score that is the share of the query's weight in the
// titles, the headings and the author's questions of a section: they say what it is
// about, where a body may only mention it, however often.
const headingShare = 0.2

// neighbourShare is how far a section moves towards the best one of its
// document.
const neighbourShare = 0.1

// The fields of a section.
const (
	fieldTitle = iota
	fieldHeadings
	fieldBody
	fieldQuestions
	fieldCount
)

// minCorpus is the least number of sections that words are taken to be drawn
// from.
const minCorpus = 20.0

// saturation is how soon more of the same word stops counting (k1).
const saturation = 1.2

// fieldWeight is how much a word in each field counts.
func fieldWeight() [fieldCount]float64 { return [fieldCount]float64{4, 2, 1, 4} }

// fieldLength is how much the length of each field matters (b).
func fieldLength() [fieldCount]float64 { return [fieldCount]float64{0.3, 0.5, 0.75, 0.3} }

// Name returns "bm25f".
func (BM25F) Name() string { return "bm25f" }

// usesQuestions says that author-written questions are worth reading.
func (BM25F) usesQuestions() bool { return true }

// Score counts the query's words in every section and weighs them.
func (b BM25F) Score(query string, sections []Section) Ranking {
	q := parseQuery(query)
	counts := make([]counted, len(sections))
	parallel.Ranges(len(sections), func(from, to int) {
		c := newCounter(q)
		for i := from; i < to; i++ {
			counts[i] = c.count(&sections[i])
			sortTerms(counts[i].hits)
		}
	})
	return b.rank(q, sections, counts)
}

// rank weighs counts.
func (b BM25F) rank(q *parsedQuery, sections []Section, counts []counted) Ranking {
	b.Stop, b.Most = cmp.Or(b.Stop, defaultStop), cmp.Or(b.Most, defaultMost)
	r := &bm25Ranking{BM25F: b, query: q, sections: sections, counts: counts}
	r.weigh()
	return r
}

// sortTerms orders the terms of a section, so that sums are equal however they were
// counted.
func sortTerms(hits []termCount) {
	slices.SortFunc(hits, func(a, b termCount) int { return a.term - b.term })
}

// bm25Ranking holds the scores of every part of a query.
type bm25Ranking struct {
	BM25F
	query    *parsedQuery
	sections []Section
	counts   []counted
	weight   []float64   // by term
	scores   [][]float64 // by part, then by section
}

// weigh computes the score of every section for every part.
func (r *bm25Ranking) weigh() {
	n := len(r.query.terms)
	found := make([]int, n) // sections that hold a term
	var total [fieldCount]float64
	for _, c := range r.counts {
		for _, h := range c.hits {
			found[h.term]++
		}
		for f, length := range c.length {
			total[f] += float64(length)
		}
	}
	weight := make([]float64, n)
	r.weight = weight
	sections := float64(len(r.counts))
	// In a pack of three sections no word is rare; what it lacks must not weigh
	// more than all that it says.
	corpus := max(sections, minCorpus)
	rarity := func(df int) float64 { return math.Log(1 + (corpus-float64(df)+0.5)/(float64(df)+0.5)) }
	for t := range weight {
		weight[t] = rarity(found[t]) * r.query.terms[t].weight
	}
	standsFor := r.standIns(found)
	met := make([][]termScore, len(r.counts))
	for i, c := range r.counts {
		for _, h := range c.hits {
			share := saturate(h.count, c.length, total, sections)
			share += headingShare * (inHeadings(h.count) - share)
			met[i] = append(met[i], termScore{h.term, weight[h.term] * share})
			for _, s := range standsFor[h.term] {
				// The other term keeps its weight in the whole, and earns as much
				// as the one that stands in for it.
				met[i] = append(met[i], termScore{s.term, min(weight[s.term], rarity(found[h.term])) * s.weight * share})
			}
		}
	}
	for _, part := range r.query.parts {
		scores := partScores(part, weight, met)
		r.lean(scores)
		r.scores = append(r.scores, scores)
	}
}

// lean lets a section that meets part of a query gain from its neighbours: the
// sections of one document stand for its topic together.
func (r *bm25Ranking) lean(scores []float64) {
	best := map[string]float64{}
	for i, score := range scores {
		if d := r.sections[i].Document; d != "" {
			best[d] = max(best[d], score)
		}
	}
	for i, score := range scores {
		if score > 0 {
			scores[i] = math.Round((score+neighbourShare*(best[r.sections[i].Document]-score))*100) / 100
		}
	}
}

// standIns returns, for each term, the terms that it stands in for: those that no
// section holds, and for which it is the first choice among those that do.
func (r *bm25Ranking) standIns(found []int) map[int][]standIn {
	list := map[int][]standIn{}
	for t, term := range r.query.terms {
		if found[t] > 0 || term.only {
			continue
		}
		for _, s := range term.instead {
			if found[s.term] > 0 {
				list[s.term] = append(list[s.term], standIn{t, s.weight})
				break
			}
		}
	}
	return list
}

type termScore struct {
	term  int
	score float64
}

// inHeadings is 1 for a term that a section's titles, headings or questions hold.
func inHeadings(count [fieldCount]int) float64 {
	if count[fieldTitle]+count[fieldHeadings]+count[fieldQuestions] > 0 {
		return 1
	}
	return 0
}

// saturate adds up a term's counts over the fields and flattens the sum to below
// 1.
func saturate(count, length [fieldCount]int, total [fieldCount]float64, sections float64) float64 {
	weights, lengths := fieldWeight(), fieldLength()
	sum := 0.0
	for f := range count {
		if count[f] == 0 {
			continue
		}
		relative := float64(length[f]) * sections / total[f]
		sum += float64(weights[f] * float64(count[f]) / (1 - lengths[f] + lengths[f]*relative))
	}
	return sum / (saturation + sum)
}

// partScores is the share, in percent, of a part's weight that each section
// meets. Shares are rounded, so that they are equal on every machine.
func partScores(part queryPart, weight []float64, met [][]termScore) []float64 {
	all := 0.0
	for _, t := range part.terms {
		all += weight[t]
	}
	scores := make([]float64, len(met))
	if all == 0 {
		return scores
	}
	in := make([]bool, len(weight))
	for _, t := range part.terms {
		in[t] = true
	}
	for i := range met {
		sum := 0.0
		for _, m := range met[i] {
			if in[m.term] {
				sum += m.score
			}
		}
		scores[i] = math.Round(sum/all*1e4) / 1e2
	}
	return scores
}

// Elsewhere reports whether a section that keep refuses fits better than all that
// it accepts.
func (r *bm25Ranking) Elsewhere(keep func(int) bool) bool {
	inside, outside := 0.0, 0.0
	for i, score := range r.scores[0] {
		if keep(i) {
			inside = max(inside, score)
		} else {
			outside = max(outside, score)
		}
	}
	return outside > inside
}
