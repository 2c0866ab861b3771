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
