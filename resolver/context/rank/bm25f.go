package rank

import (
	"cmp"
	"math"
	"unicode/utf8"
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
	From int     // sections that those to score were found among; 0 when they are all there are
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

// Score counts the words of every section and weighs those of the query.
func (b BM25F) Score(query string, sections []Section) Ranking {
	r, _ := b.scoreParts(query, []Part{{Index: NewIndex(sections)}})
	return r
}

// occurrences are the terms of a query in the sections of a pack.
type occurrences struct {
	postings [][]posting                     // by term, in the order of sections
	length   func(section int) sectionLength // words of each field
	total    sectionTotal
	groups   []uint32 // by section: a number for its document, 0 when that is unknown
	about    []aboutness
	versions versions // of sections whose titles name one
}

// posting is a term in one section.
type posting struct {
	section int
	count   [fieldCount]int
}

// sectionTotal is the sum of the lengths of all sections.
type sectionTotal [fieldCount]float64

// rank weighs what occurs.
func (b BM25F) rank(q *parsedQuery, o occurrences) Ranking {
	b.Stop, b.Most = cmp.Or(b.Stop, defaultStop), cmp.Or(b.Most, defaultMost)
	r := &bm25Ranking{BM25F: b, occurrences: o, query: q}
	r.weigh()
	return r
}

// bm25Ranking holds the scores of every part of a query.
type bm25Ranking struct {
	BM25F
	occurrences
	query  *parsedQuery
	weight []float64   // by term
	earned [][]float64 // what sections earn by their own words: by part, then by section
	scores [][]float64 // the same, raised by what is said of their packs
}

// weigh computes the score of every section for every part.
func (r *bm25Ranking) weigh() {
	r.weight = make([]float64, len(r.query.terms))
	for t := range r.weight {
		r.weight[t] = r.rarity(t) * r.query.terms[t].weight
		switch {
		case r.isNoWord(t):
			r.weight[t] *= weakWeight
		case isCommon(r.query.terms[t].stem) && !r.isCalled(t):
			r.weight[t] = 0
		}
	}
	standsFor := r.standIns()
	in := make([][]bool, len(r.query.parts)) // by part, then by term
	r.scores = make([][]float64, len(r.query.parts))
	for p, part := range r.query.parts {
		r.scores[p], in[p] = make([]float64, len(r.groups)), make([]bool, len(r.weight))
		for _, t := range part.terms {
			in[p][t] = true
		}
	}
	earn := func(term, section int, weight float64) {
		for p := range r.scores {
			if in[p][term] {
				r.scores[p][section] += weight
			}
		}
	}
	for t, list := range r.postings {
		for i := range list {
			share := r.share(&list[i])
			earn(t, list[i].section, r.weight[t]*share)
			for _, s := range standsFor[t] {
				// The other term keeps its weight in the whole, and earns as much
				// as the one that stands in for it.
				earn(s.term, list[i].section, min(r.weight[s.term], r.rarity(t))*s.weight*share)
			}
		}
	}
	for p := range r.scores {
		r.percent(p)
		r.lean(r.scores[p])
	}
	r.preferNewest()
	r.earned = r.scores
	r.raise()
}

// isCalled reports a heading of common words that there is, where the query names no longer
// one that it is a part of: "what we do" does not ask for "Do".
func (r *bm25Ranking) isCalled(term int) bool {
	for t, other := range r.query.terms {
		if isCommon(other.stem) && len(r.postings[t]) > 0 && isWithin(r.query.terms[term].stem, other.stem) {
			return false
		}
	}
	return len(r.postings[term]) > 0
}

// isNoWord reports a pair of syllables, or a word with signs, that no section holds. More often
// than not the two are the end of one word and the start of the next, or belong to the
// question.
func (r *bm25Ranking) isNoWord(term int) bool {
	stem := r.query.terms[term].stem
	first, _ := utf8.DecodeRuneInString(stem)
	return len(r.postings[term]) == 0 && (isSyllable(first) || isSigned(stem))
}

// isPart reports a pair of letters of a script with few of them, such as Thai: a part of
// a word, which says nothing alone.
func (r *bm25Ranking) isPart(term int) bool {
	first, _ := utf8.DecodeRuneInString(r.query.terms[term].stem)
	return paired(first) && !isSyllable(first)
}

// rarity is the inverse document frequency of a term. In a pack of three sections no
// word is rare; what it lacks must not weigh more than all that it says.
func (r *bm25Ranking) rarity(term int) float64 {
	found := float64(len(r.postings[term]))
	return math.Log(1 + (max(float64(len(r.groups)), float64(r.From), minCorpus)-found+0.5)/(found+0.5))
}

// share is what a section earns of a term's weight.
func (r *bm25Ranking) share(p *posting) float64 {
	share := saturate(p.count, r.length(p.section), r.total, float64(len(r.groups)))
	return share + headingShare*(inHeadings(p.count)-share)
}

// percent makes what sections have earned for a part shares of its weight, rounded so
// that they are equal on every machine.
func (r *bm25Ranking) percent(part int) {
	all := 0.0
	for _, t := range r.query.parts[part].terms {
		all += r.weight[t]
	}
	for i, sum := range r.scores[part] {
		if sum > 0 {
			r.scores[part][i] = math.Round(sum/all*1e4) / 1e2
		}
	}
}

// lean lets a section that meets part of a query gain from its neighbours: the
// sections of one document stand for its topic together.
func (r *bm25Ranking) lean(scores []float64) {
	best := map[uint32]float64{}
	for i, score := range scores {
		if score > 0 {
			best[r.groups[i]] = max(best[r.groups[i]], score)
		}
	}
	best[0] = 0 // of documents that are not known
	for i, score := range scores {
		if score > 0 {
			scores[i] = math.Round((score+neighbourShare*(best[r.groups[i]]-score))*100) / 100
		}
	}
}

// standIns returns, for each term, the terms that it stands in for: those that no
// section holds, and for which it is the first choice among those that do.
func (r *bm25Ranking) standIns() map[int][]standIn {
	list := map[int][]standIn{}
	for t, term := range r.query.terms {
		if len(r.postings[t]) > 0 || term.only {
			continue
		}
		for _, s := range term.instead {
			if len(r.postings[s.term]) > 0 {
				list[s.term] = append(list[s.term], standIn{t, s.weight})
				break
			}
		}
	}
	return list
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
func saturate(count [fieldCount]int, length sectionLength, total sectionTotal, sections float64) float64 {
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

// Elsewhere reports whether a section of some that keep refuses fits better than all of
// them that it accepts.
func (r *bm25Ranking) Elsewhere(among Range, keep func(int) bool) bool {
	inside, outside := 0.0, 0.0
	for i := among.From; i < among.To; i++ {
		switch score := r.scores[0][i]; {
		case score == 0:
		case keep(i):
			inside = max(inside, score)
		default:
			outside = max(outside, score)
		}
	}
	return outside > inside
}
