package rank

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// Section is a piece of a pack that a scorer looks at: a split, a wiki page, or
// a section cut in memory.
type Section struct {
	Path      string   // as selections name it
	Document  string   // the document or page it comes from; "" when unknown
	Title     string   // its own title; the kind of a view
	TitlePath []string // titles above it, from the outermost: of its document, say
	Text      string   // Markdown, without front matter
	Questions []string // questions that it answers, written by the pack's author
}

// Scorer says how well sections fit a query. Scorers are safe for concurrent
// use.
type Scorer interface {
	// Name is what flags and records call it.
	Name() string
	// Score looks at all sections of one pack or of several, those of a pack one after
	// another in compile order.
	Score(query string, sections []Section) Ranking
}

// Range is some sections that follow one another: from From on, without To.
type Range struct{ From, To int }

// Has reports whether a section is one of them.
func (r Range) Has(section int) bool { return r.From <= section && section < r.To }

// Ranking is what a scorer found for one query in the sections of one pack or of several.
type Ranking interface {
	// Ranked returns the sections that fit, best first, among those that keep
	// accepts (nil accepts all). A section that does not fit is not returned.
	Ranked(keep func(section int) bool) []Hit
	// Elsewhere reports whether a section of a range that keep refuses fits clearly better
	// than all of the range that it accepts. A scorer that does not know returns false.
	Elsewhere(among Range, keep func(section int) bool) bool
	// Judge says how far some sections answer the query, out of those that keep accepts
	// (nil accepts all). A scorer that does not know is sure of every selection that is not
	// empty.
	Judge(selected []int, keep func(section int) bool) Judgement
}

// Judgement says how far selected sections answer a query.
type Judgement struct {
	Score   float64  // how far the best of all sections meets the query as a whole, from 0 to 100
	Names   []string // names in the query that no selected section holds, as written
	Rare    []string // other words of the query that hardly any section holds, and no selected one
	Without []string // parts of the query for which no section fits, as written; the query when it has no parts
	Open    bool     // the query has parts, and for one of them no section fits

	Reworded  bool // the query had other wordings, and Score is that of all of them
	OverPacks bool // the sections are those of several packs
}

// Hit is a section that fits a query.
type Hit struct {
	Section int     // index into the sections scored
	Score   float64 // greater is better; only comparable within one ranking
	Title   bool    // the query meets the section's title, or what stands for it
}

// Reason is the selection reason of a hit, "match:<score>": a whole score as an
// integer, another one with two decimals (agent-knowledge section 13.9).
func (h Hit) Reason() string {
	if whole := int64(h.Score); float64(whole) == h.Score {
		return "match:" + strconv.FormatInt(whole, 10)
	}
	return fmt.Sprintf("match:%.2f", h.Score)
}

// sortHits orders hits by score, then by the order of their sections.
func sortHits(hits []Hit) {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Section, b.Section))
	})
}

// New returns the scorer of that name: "bm25f" (also for "") or
// "overlap".
func New(name string) (Scorer, error) {
	switch name {
	case "", "bm25f":
		return BM25F{}, nil
	case "overlap":
		return Overlap{}, nil
	}
	return nil, fmt.Errorf("unknown scorer %q: write one of bm25f, overlap", name)
}

// Names returns the names that New takes, the default first.
func Names() []string { return []string{"bm25f", "overlap"} }

// Position is the place of one section in a ranking, with the reasons.
type Position struct {
	Place int      // by its score for the query as a whole, from 1; 0 when it shares no word with the query
	Score float64  // its own
	Best  float64  // of the best section
	Taken bool     // it is in the list for the query as a whole
	Full  bool     // that list has as many sections as it may
	Lacks []string // words of the query that the section does not hold, as the word rules cut them
	Above []int    // the sections before it, best first, at most maxAbove
}

// maxAbove is how many better sections a position names.
const maxAbove = 3

// Positioner is a ranking that gives the place of a section.
type Positioner interface {
	// Position looks at one section.
	Position(section int) Position
}

// Position looks at one section.
func (r *bm25Ranking) Position(section int) Position {
	isIt := func(h Hit) bool { return h.Section == section }
	hits := r.hits(0, nil, 0)
	s := Position{Score: r.scores[0][section], Place: slices.IndexFunc(hits, isIt) + 1}
	if len(hits) > 0 {
		s.Best = hits[0].Score
	}
	list := r.ofWhole(nil, r.Most)
	s.Taken, s.Full = slices.ContainsFunc(list, isIt), len(list) == mostAt(s.Best, r.Most)
	for _, h := range hits[:max(0, min(s.Place-1, maxAbove))] {
		s.Above = append(s.Above, h.Section)
	}
	for _, word := range Words(r.query.text) {
		if t, ok := r.query.byWord[word]; ok && !r.holds(section, t) && r.query.terms[t].weight == 1 {
			s.Lacks = appendOnce(s.Lacks, word)
		}
	}
	return s
}
