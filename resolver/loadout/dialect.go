package loadout

// Dialect is one of the two generations of the matcher (loadout section 1), or the
// weighted one, which is this program's own.
type Dialect uint8

// The dialects. The first two differ in how exact hits become a score; the third takes
// the forms of a word for one, and weighs words by how many entries hold them.
const (
	Coverage Dialect = iota // hits / keywords
	Recall                  // the greater of that and hits / 5
	Weighted                // what the words that hit are worth
)

// Dialects returns the names of the dialects, in their order.
func Dialects() []string { return []string{"coverage", "recall", "weighted"} }

// NamedDialect returns the dialect of a name; false when none has it.
func NamedDialect(name string) (Dialect, bool) {
	for i, n := range Dialects() {
		if n == name {
			return Dialect(i), true
		}
	}
	return Coverage, false
}

// String returns the name used on the command line and in outputs.
func (d Dialect) String() string {
	return Dialects()[min(d, Weighted)]
}

const (
	patternBonus = 0.2 // one bonus, however many patterns hit
	exactBonus   = 1   // of a pattern that is the task as a question
	nameBonus    = 0.9 // of a pattern that is a name in the task
	letterBonus  = 0.4 // of one that is a letter
	recallHits   = 5   // hits that make a full score in the recall dialect
)

// Score is a score with its arithmetic (loadout sections 6.3 and 7).
type Score struct {
	Matched      int       // keywords that hit
	Coverage     float64   // Matched by the number of keywords, 0 when there are none
	Absolute     float64   // Matched by 5; may exceed 1
	Base         float64   // Coverage, or in the recall dialect the greater of the two
	PatternBonus float64   // 0.2 when a pattern hits, more when it hits as a whole
	Total        float64   // min(1, Base + PatternBonus)
	Evidence     *Evidence // in the weighted dialect: what Base is the sum of, by 2; otherwise nil
}

// exactFirst orders an entry whose question the task is before all scores, which are
// at most 1.
const exactFirst = 2

// rank is what puts the entry in order: its total, unless the task is one of its questions
// or has a name of its titles, which counts beyond the most that a total can be.
func (s *Score) rank() float64 {
	switch {
	case s.IsQuestion():
		return exactFirst
	case s.HasName():
		return s.Base + s.PatternBonus
	}
	return s.Total
}

// IsQuestion reports whether the task is a question that the entry declares, word for word.
func (s *Score) IsQuestion() bool { return s.PatternBonus == exactBonus }

// HasName reports whether a name of the entry's titles is in the task.
func (s *Score) HasName() bool { return s.PatternBonus == nameBonus || s.PatternBonus == letterBonus }

// score is the one step in which the dialects differ. The bonus is that of the patterns.
func (d Dialect) score(hits, keywords int, bonus float64) Score {
	s := Score{Matched: hits, Absolute: float64(hits) / recallHits}
	if keywords > 0 {
		s.Coverage = float64(hits) / float64(keywords)
	}
	s.Base = s.Coverage
	if d == Recall {
		s.Base = max(s.Coverage, s.Absolute)
	}
	s.PatternBonus = bonus
	s.Total = min(1, s.Base+s.PatternBonus)
	return s
}

// bonus is what the patterns of an entry add that hit a task.
func (t tokenSet) bonus(matched []string) float64 {
	bonus := bonusFor(len(matched) > 0)
	for _, p := range matched {
		if isWhole(p) {
			bonus = max(bonus, wholeBonus(p))
		}
	}
	return bonus
}

// bonusFor is the bonus of patterns of which some hit and none as a whole.
func bonusFor(hit bool) float64 {
	if hit {
		return patternBonus
	}
	return 0
}

// Dead is an entry that the usage log never names (loadout section 16.2).
type Dead struct {
	Entry  *Entry
	Reason string
}

// FindDead returns the entries, core ones apart, that no event names, the
// largest first. It returns a *ShapeError for what is not an index.
func FindDead(ix *Index, events []Event) ([]Dead, error) {
	if err := ix.Check(); err != nil {
		return nil, err
	}
	used := map[Value]bool{}
	for i := range events {
		used[events[i].JSON().Get("entryId")] = true
	}
	var list []Dead
	var order []hit
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if e.Priority == PriorityCore || used[e.idValue()] {
			continue
		}
		size := e.TokensEst
		if size != size { // unknown ones come last
			size = -1
		}
		order = append(order, hit{total: size, entry: uint32(i), place: uint32(len(list))})
		list = append(list, Dead{e, "Never loaded (" + e.tokens().Text() + " tokens wasted in index)"})
	}
	sortHits(order)
	return permute(list, order), nil
}

// Overlap is a keyword that more than one entry lists, or one entry more than
// once (loadout section 16.3).
type Overlap struct {
	Keyword string
	Entries []string // ids in index order, repeats kept

	keyword Value
	ids     []Value
}

// FindOverlaps returns the keywords listed more than once, the most shared
// first. Keywords are compared as they are. An entry without a list of
// keywords is skipped; with compat it is an error.
func FindOverlaps(ix *Index, compat bool) ([]Overlap, error) {
	if err := ix.Check(); err != nil {
		return nil, err
	}
	var all []Overlap
	place := map[Value]int{}
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if compat && (e.Fault == FaultKeywordsMissing || e.Fault >= FaultKeywords) {
			return nil, &entryError{i, e.ID, e.Fault}
		}
		id := e.idValue()
		for _, k := range e.Keywords {
			keyword := Value(AppendString(nil, k))
			n, ok := place[keyword]
			if !ok {
				n = len(all)
				place[keyword] = n
				all = append(all, Overlap{Keyword: k, keyword: keyword})
			}
			all[n].Entries = append(all[n].Entries, id.Text())
			all[n].ids = append(all[n].ids, id)
		}
	}
	var list []Overlap
	var order []hit
	for i := range all {
		if len(all[i].ids) > 1 {
			order = append(order, hit{total: float64(len(all[i].ids)), entry: uint32(i), place: uint32(len(list))})
			list = append(list, all[i])
		}
	}
	sortHits(order)
	return permute(list, order), nil
}

// AppendOverlaps appends overlaps as a compact JSON array.
func AppendOverlaps(dst []byte, list []Overlap) []byte {
	dst = append(dst, '[')
	for i := range list {
		dst = append(appendText(comma(dst), `{"keyword":`), list[i].keyword...)
		dst = append(appendValues(appendText(dst, `,"entries":`), list[i].ids), '}')
	}
	return append(dst, ']')
}

// Breadth is the budget of an index by tier (loadout section 16.4).
type Breadth struct {
	TotalTokens, CoreTokens, DomainTokens, ManualTokens float64
	CoreEntries, DomainEntries, ManualEntries           int
	AvgDomainSize                                       float64
	Largest, Smallest                                   *Entry // nil without entries
	ObservedAvg                                         *float64
}

// AnalyzeBudget sums an index by tier. Summaries of a usage log, when given,
// give the observed average. Entries without a number count nothing; with
// compat they make the sums what JavaScript makes of them.
func AnalyzeBudget(ix *Index, summaries []Summary, compat bool) (*Breadth, error) {
	if err := ix.Check(); err != nil {
		return nil, err
	}
	b := &Breadth{}
	core, domain, manual := tally{compat: compat}, tally{compat: compat}, tally{compat: compat}
	for i := range ix.Entries {
		e := &ix.Entries[i]
		switch e.Priority {
		case PriorityCore:
			core.add(e)
			b.CoreEntries++
		case PriorityDomain:
			domain.add(e)
			b.DomainEntries++
		case PriorityManual:
			manual.add(e)
			b.ManualEntries++
		}
		if b.Largest == nil || e.TokensEst > b.Largest.TokensEst {
			b.Largest = e
		}
		if b.Smallest == nil || e.TokensEst <= b.Smallest.TokensEst {
			b.Smallest = e
		}
	}
	b.CoreTokens, b.DomainTokens, b.ManualTokens = core.sum.float(), domain.sum.float(), manual.sum.float()
	b.TotalTokens = core.sum.add(domain.sum).add(manual.sum).float()
	if b.DomainEntries > 0 {
		b.AvgDomainSize = round(b.DomainTokens / float64(b.DomainEntries))
	}
	var tokens amount
	loads := 0
	for i := range summaries {
		tokens = tokens.add(summaries[i].total)
		loads += summaries[i].LoadCount
	}
	if loads > 0 {
		average := round(tokens.float() / float64(loads))
		b.ObservedAvg = &average
	}
	return b, nil
}

// AppendBreadth appends a budget by tier as compact JSON.
func AppendBreadth(dst []byte, b *Breadth) []byte {
	dst = AppendNumber(appendText(dst, `{"totalTokens":`), b.TotalTokens)
	dst = AppendNumber(appendText(dst, `,"coreTokens":`), b.CoreTokens)
	dst = AppendNumber(appendText(dst, `,"domainTokens":`), b.DomainTokens)
	dst = AppendNumber(appendText(dst, `,"manualTokens":`), b.ManualTokens)
	dst = AppendNumber(appendText(dst, `,"coreEntries":`), float64(b.CoreEntries))
	dst = AppendNumber(appendText(dst, `,"domainEntries":`), float64(b.DomainEntries))
	dst = AppendNumber(appendText(dst, `,"manualEntries":`), float64(b.ManualEntries))
	dst = AppendNumber(appendText(dst, `,"avgDomainSize":`), b.AvgDomainSize)
	dst = appendSize(appendText(dst, `,"largestEntry":`), b.Largest)
	dst = appendSize(appendText(dst, `,"smallestEntry":`), b.Smallest)
	dst = appendText(dst, `,"observedAvg":`)
	if b.ObservedAvg == nil {
		return appendText(dst, "null}")
	}
	return append(AppendNumber(dst, *b.ObservedAvg), '}')
}

// appendSize appends id and size of an entry, null for none.
func appendSize(dst []byte, e *Entry) []byte {
	if e == nil {
		return appendText(dst, "null")
	}
	dst = append(dst, '{')
	if id := e.idValue(); id != "" {
		dst = append(AppendKey(dst, "id"), id...)
	}
	if tokens := e.tokens(); tokens != "" {
		dst = append(AppendKey(dst, "tokens"), tokens...)
	}
	return append(dst, '}')
}
