package rank

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/stem"
)

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
