package resolver

import (
	"math"
	"strings"
)

// BM25F is the default scorer: BM25 over the fields of a section (its titles,
// the headings in it, its body, and the questions that its author says it
// answers), with a floor below which nothing fits and an early stop. Scores are
// the share of the query's weight that a section meets, from 0 to 100.
//
// The zero value has the settings that were calibrated on the context evals of
// this project's own packs (resolver/eval).
type BM25F struct {
	Floor float64 // the least score of a section that fits; 0 is DefaultFloor
	Stop  float64 // sections below this share of the best score are left out; 0 is DefaultStop
	Most  int     // sections for one part of a query; 0 is DefaultMost
}

// Calibrated settings of BM25F.
const (
	DefaultFloor = 20.0
	DefaultStop  = 0.55
	DefaultMost  = 8
)

// The fields of a section.
const (
	fieldTitle = iota
	fieldHeadings
	fieldBody
	fieldQuestions
	fieldCount
)

// The parameters of BM25F: how much a word in a field counts, how much the
// length of a field matters, and how soon more of the same word stops counting.
const saturation = 1.2

func fieldWeight() [fieldCount]float64 { return [fieldCount]float64{4, 2, 1, 4} }
func fieldLength() [fieldCount]float64 { return [fieldCount]float64{0.3, 0.5, 0.75, 0.3} }

// Name returns "bm25f".
func (BM25F) Name() string { return "bm25f" }

// usesQuestions says that author-written questions are worth reading.
func (BM25F) usesQuestions() bool { return true }

// Score counts the query's words in every section and weighs them.
func (b BM25F) Score(query string, sections []Section) Ranking {
	if b.Floor == 0 {
		b.Floor = DefaultFloor
	}
	if b.Stop == 0 {
		b.Stop = DefaultStop
	}
	if b.Most == 0 {
		b.Most = DefaultMost
	}
	q := parseQuery(query)
	counts := make([]counted, len(sections))
	parallel(len(sections), func(from, to int) {
		c := newCounter(q)
		for i := from; i < to; i++ {
			counts[i] = c.count(&sections[i])
		}
	})
	r := &bm25Ranking{BM25F: b, query: q, sections: sections, counts: counts}
	r.weigh()
	return r
}

// bm25Ranking holds the scores of every part of a query.
type bm25Ranking struct {
	BM25F
	query    *parsedQuery
	sections []Section
	counts   []counted
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
	sections := float64(len(r.counts))
	for t := range weight {
		df := float64(found[t])
		weight[t] = math.Log(1+(sections-df+0.5)/(df+0.5)) * r.query.terms[t].weight
	}
	met := make([][]termScore, len(r.counts))
	for i, c := range r.counts {
		for _, h := range c.hits {
			met[i] = append(met[i], termScore{h.term, weight[h.term] * saturate(h.count, c.length, total, sections)})
		}
	}
	for _, part := range r.query.parts {
		r.scores = append(r.scores, partScores(part, weight, met))
	}
}

type termScore struct {
	term  int
	score float64
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

// Ranked returns the sections that reach the floor and come near the best one:
// for the query as a whole, then the best one of each part that it left without
// an answer.
func (r *bm25Ranking) Ranked(keep func(int) bool) []Hit {
	best := map[int]float64{}
	for part := range r.scores {
		most := r.Most
		if part > 0 {
			most = 1
		}
		for _, h := range r.top(part, keep, most) {
			best[h.Section] = max(best[h.Section], h.Score)
		}
	}
	hits := make([]Hit, 0, len(best))
	for i := range r.sections {
		if score, ok := best[i]; ok {
			hits = append(hits, Hit{Section: i, Score: score, Title: true})
		}
	}
	sortHits(hits, r.sections)
	return hits
}

// top returns the best sections for one part, 0 being the whole query.
func (r *bm25Ranking) top(part int, keep func(int) bool, most int) []Hit {
	var hits []Hit
	best := 0.0
	for i, score := range r.scores[part] {
		if score >= r.Floor && (keep == nil || keep(i)) {
			hits = append(hits, Hit{Section: i, Score: score})
			best = max(best, score)
		}
	}
	sortHits(hits, r.sections)
	end := 0
	for end < len(hits) && end < most && hits[end].Score >= best*r.Stop {
		end++
	}
	return hits[:end]
}

// Unanswered returns the parts for which no section reaches the floor; the whole
// query when none of its parts has an answer.
func (r *bm25Ranking) Unanswered() []string {
	var list []string
	for part := 1; part < len(r.scores); part++ {
		if len(r.top(part, nil, 1)) == 0 {
			list = append(list, r.query.parts[part].text)
		}
	}
	whole := len(r.scores) > 0 && len(r.top(0, nil, 1)) > 0
	switch {
	case len(r.query.terms) == 0 || whole && len(list) < len(r.scores)-1:
		return list
	case whole:
		return nil
	case len(list) == len(r.scores)-1:
		return []string{strings.TrimSpace(r.query.text)}
	}
	return list
}
