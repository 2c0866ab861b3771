package rank

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// How far the best section must meet a query (see met), for a selection to be sure (see
// [Judgement.Sure]). Calibrated; see the package documentation.
const (
	sureScore  = 36.0
	leastScore = 22.0
	// Over several packs some section meets part of almost any query, so more is needed.
	sureScoreOverPacks  = 45.0
	leastScoreOverPacks = 40.0
	// rewordedScore decides where there are other wordings, for the mean of the two that
	// are met furthest.
	rewordedScore = 60.0
)

// rareShare is the share of the sections up to which a word counts as rare.
const rareShare = 0.005

// Sure reports whether a selection answers the query: it holds the names in it, and
// the best section meets so much of the query that it is about the same thing, and so
// for each of its parts. In between, a rare word that nothing selected holds decides. With other wordings they
// must be met further, and words of the query need not be there: that is
// what the others are for.
func (j Judgement) Sure() bool {
	switch {
	case len(j.Names) > 0, j.Open:
		return false
	case j.Reworded:
		return j.Score >= rewordedScore
	case j.OverPacks:
		return j.Score >= sureScoreOverPacks || j.Score >= leastScoreOverPacks && len(j.Rare) == 0
	}
	return j.Score >= sureScore || j.Score >= leastScore && len(j.Rare) == 0
}

// JudgeTogether judges a query with its other wordings, in this order: the names are
// those of the query itself, the score is the best one, with two other wordings or more the
// mean of the best two: one wording alone may meet a section by chance. A query that is met
// clearly needs no other wording.
func JudgeTogether(list []Judgement) Judgement {
	all := list[0]
	all.Reworded = len(list) > 1
	all.Open = all.Open && !all.Reworded
	scores := make([]float64, len(list))
	for i, j := range list {
		scores[i] = j.Score
	}
	slices.Sort(scores)
	slices.Reverse(scores)
	all.Score = scores[0]
	if len(scores) > 2 && list[0].Score < clearScore {
		all.Score = math.Round((scores[0]+scores[1])*50) / 100
	}
	return all
}

// Judge looks for the words of the query in the selected sections.
func (r *bm25Ranking) Judge(selected []int, keep func(int) bool) Judgement {
	var j Judgement
	if len(r.query.terms) == 0 {
		return j
	}
	j.Score, j.OverPacks = r.met(0, keep), len(r.about) > 1
	rare := max(1, int(rareShare*float64(len(r.groups))))
	seen := map[int]bool{}
	first := true
	for _, word := range strings.FieldsFunc(r.query.text, between) {
		name := isName(word, first)
		first = strings.ContainsAny(word[len(word)-1:], ".?!")
		for _, part := range Words(word) {
			t, ok := r.query.byWord[part]
			if !ok || seen[t] || r.query.terms[t].weight < 1 || r.isNoWord(t) || r.isPart(t) || slices.ContainsFunc(selected, func(i int) bool { return r.holds(i, t) }) {
				continue
			}
			seen[t] = true
			switch {
			case name:
				j.Names = appendOnce(j.Names, trimMarks(word))
			case len(r.postings[t]) <= rare:
				j.Rare = appendOnce(j.Rare, trimMarks(word))
			}
		}
	}
	j.Without = r.without(keep)
	j.Open = len(j.Without) > 0 && len(r.query.parts) > 1
	return j
}

// met says how far the best section meets a part, from 0 to 100: the mean of its score
// and of the share of the part's weight that it holds at all. A score alone is low in a
// short pack, where no section says a word often.
func (r *bm25Ranking) met(part int, keep func(int) bool) float64 {
	best := -1
	for i, score := range r.scores[part] {
		if score > 0 && (best < 0 || score > r.scores[part][best]) && (keep == nil || keep(i)) {
			best = i
		}
	}
	if best < 0 {
		return 0
	}
	return math.Round((r.earned[part][best]+100*r.held(part, best))*50) / 100
}

// held is the share of the weight of a part that a section holds at all.
func (r *bm25Ranking) held(part, section int) float64 {
	all, some := 0.0, 0.0
	for _, t := range r.query.parts[part].terms {
		all += r.weight[t]
		if r.holds(section, t) {
			some += r.weight[t]
		}
	}
	return some / all
}

// holds reports whether a section holds a term.
func (r *bm25Ranking) holds(section, term int) bool { return r.posting(section, term) != nil }

// posting is a term in a section; nil when the section does not hold it.
func (r *bm25Ranking) posting(section, term int) *posting {
	list := r.postings[term]
	i, ok := slices.BinarySearchFunc(list, section, func(p posting, section int) int { return p.section - section })
	if !ok {
		return nil
	}
	return &list[i]
}

// without returns the parts that no section meets; the query when it has no parts.
func (r *bm25Ranking) without(keep func(int) bool) []string {
	var list []string
	for i, part := range r.query.parts {
		if i == 0 && len(r.query.parts) > 1 {
			continue
		}
		if r.met(i, keep) < leastScore {
			list = append(list, strings.TrimSpace(part.text))
		}
	}
	return list
}

// between reports the characters between the words of a query, as written: marks
// inside a name ("Node.js", "fly.io", "C++") belong to it.
func between(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"`()[]{}<>,;:/", r) }

// trimMarks cuts the marks off that surround a word in a sentence.
func trimMarks(word string) string { return strings.Trim(word, ".?!'*_") }

// isName reports whether a word of a query looks like a name: it has a digit, a sign as
// "C++" has, a capital inside, or a capital where no sentence starts.
func isName(word string, first bool) bool {
	for i, c := range word {
		if unicode.IsDigit(c) || unicode.IsUpper(c) && (i > 0 || !first) || i > 0 && (c == '#' || c == '+') {
			return true
		}
	}
	return false
}

func appendOnce(list []string, word string) []string {
	if slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}
