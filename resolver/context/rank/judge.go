package rank

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/packgen/packgen/compiler/stem"
	"github.com/packgen/packgen/resolver/context/parallel"
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

// Overlap is the reference scorer of agent-knowledge section 13.5: two points
// for each word of the query in the title, one for each in the body alone.
type Overlap struct{}

// Name returns "overlap".
func (Overlap) Name() string { return "overlap" }

// Score counts shared words.
func (Overlap) Score(query string, sections []Section) Ranking {
	words := WordSet{}
	for _, w := range Words(query) {
		words[w] = true
	}
	r := &overlapRanking{hits: make([]Hit, len(sections))}
	parallel.Ranges(len(sections), func(from, to int) {
		var scan wordScanner
		seen := WordSet{}
		for i := from; i < to; i++ {
			clear(seen)
			note := func(word []byte) {
				if words[string(word)] && !seen[string(word)] {
					seen[string(word)] = true
				}
			}
			scan.all(sections[i].Title, true, note)
			title := len(seen)
			scan.all(Prose(belowTitle(&sections[i])), true, note)
			r.hits[i] = Hit{Section: i, Score: float64(title + len(seen)), Title: title > 0}
		}
	})
	return r
}

type overlapRanking struct {
	hits []Hit // by section
}

// Ranked returns every section with a score above 0.
func (r *overlapRanking) Ranked(keep func(int) bool) []Hit {
	var list []Hit
	for _, h := range r.hits {
		if h.Score > 0 && (keep == nil || keep(h.Section)) {
			list = append(list, h)
		}
	}
	sortHits(list)
	return list
}

// Elsewhere returns false: shared words say too little.
func (r *overlapRanking) Elsewhere(Range, func(int) bool) bool { return false }

// Judge is sure of every selection: shared words say too little.
func (r *overlapRanking) Judge(selected []int, _ func(int) bool) Judgement {
	if len(selected) == 0 {
		return Judgement{}
	}
	return Judgement{Score: sureScore}
}

// What makes sections of several versions equal: they hold the same words of the query,
// and their scores differ by no more than a share. Those of one document, as the releases
// of a changelog, need the same score but for rounding.
const (
	equalElsewhere = 0.95
	equalInside    = 0.995
	mostEqual      = 64 // sections that are looked at, the best ones

	leastStep = 0.01 // by which an older version is below a newer one
)

// isNumbered reports a word that may be a version: a v and numbers, "v2" too.
func isNumbered(word string) bool {
	return len(word) > 1 && word[0] == 'v' && stem.IsDigit(word[1]) && strings.Trim(word[1:strings.IndexByte(word+"~", '~')], "0123456789.") == ""
}

// namesVersion reports whether the query asks for a version.
func (q *parsedQuery) namesVersion() bool {
	return slices.ContainsFunc(q.terms, func(t queryTerm) bool { return !t.only && isNumbered(t.stem) })
}

// versions are the newest versions that the titles of sections name, by section.
type versions map[int]string

func (v versions) add(section int, version string) {
	if old, ok := v[section]; !ok || compareVersions(version, old) > 0 {
		v[section] = version
	}
}

// compareVersions compares two versions number by number; what comes before a release is
// older than it.
func compareVersions(a, b string) int {
	a, stageA, earlyA := strings.Cut(a[1:], "~")
	b, stageB, earlyB := strings.Cut(b[1:], "~")
	numbersA, numbersB := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(numbersA), len(numbersB)) {
		if order := compareNumbers(numbersA[i], numbersB[i]); order != 0 {
			return order
		}
	}
	if order := cmp.Compare(len(numbersA), len(numbersB)); order != 0 {
		return order
	}
	switch {
	case earlyA != earlyB && earlyA:
		return -1
	case earlyA != earlyB:
		return 1
	}
	nameA, nameB := strings.TrimRight(stageA, "0123456789"), strings.TrimRight(stageB, "0123456789")
	return cmp.Or(cmp.Compare(nameA, nameB), compareNumbers(stageA[len(nameA):], stageB[len(nameB):]))
}

// compareNumbers compares numbers of any length.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// preferNewest gives the newest of several equal sections the best of their scores, the
// next newest the next one, and so on, so that no two are the same. A query that names a version asks for that one.
func (r *bm25Ranking) preferNewest() {
	if len(r.versions) < 2 || r.query.namesVersion() {
		return
	}
	for part, scores := range r.scores {
		list := make([]Hit, 0, len(r.versions))
		for section := range r.versions {
			if section < len(scores) && scores[section] > 0 {
				list = append(list, Hit{Section: section, Score: scores[section]})
			}
		}
		sortHits(list)
		list = list[:min(len(list), mostEqual)]
		for len(list) > 1 {
			var equal, rest []Hit
			held := r.heldOf(part, list[0].Section)
			for _, h := range list {
				if h.Score >= r.equalShare(list[0], h)*list[0].Score && r.heldOf(part, h.Section) == held {
					equal = append(equal, h)
				} else {
					rest = append(rest, h)
				}
			}
			newest := slices.Clone(equal)
			slices.SortStableFunc(newest, func(a, b Hit) int { return compareVersions(r.versions[b.Section], r.versions[a.Section]) })
			for i, h := range newest {
				scores[h.Section] = math.Round((equal[i].Score-leastStep*float64(i))*100) / 100
			}
			list = rest
		}
	}
}

// equalShare is the share of the better of two scores from which on the sections are equal.
func (r *bm25Ranking) equalShare(best, other Hit) float64 {
	if group := r.groups[best.Section]; group != 0 && group == r.groups[other.Section] {
		return equalInside
	}
	return equalElsewhere
}

// heldOf says which terms of a part a section holds.
func (r *bm25Ranking) heldOf(part, section int) string {
	var b strings.Builder
	for _, t := range r.query.parts[part].terms {
		b.WriteString(strconv.FormatBool(r.holds(section, t))[:1])
	}
	return b.String()
}
