package loadout

import "strconv"

// DefaultMinScore is the score from which an entry is included.
const DefaultMinScore = 0.1

// MatchOptions chooses how Match scores. The zero value is the coverage
// dialect with the default threshold.
type MatchOptions struct {
	Dialect Dialect
	// MinScore replaces DefaultMinScore, or WeightedMinScore, when it is not nil.
	MinScore *float64
	// Compat reproduces the quirks of the originals (loadout section 28): a
	// threshold of 0 or less lets in manual entries and entries without a hit,
	// and one entry of the wrong shape fails the whole match.
	Compat bool
	// Also are other wordings of the task, and questions for parts of it, at most 20. Each
	// is matched alone; what they select is taken in turns, each entry once.
	Also []string

	weigher *weigher // of the task and the index, in the weighted dialect
}

// Threshold is the score from which an entry is included.
func (o *MatchOptions) Threshold() float64 {
	switch {
	case o.MinScore == nil && o.Dialect == Weighted:
		return WeightedMinScore
	case o.MinScore == nil:
		return DefaultMinScore
	}
	return *o.MinScore
}

// Mode is how a matched entry is loaded (loadout section 2.1).
type Mode string

// The load modes.
const (
	Eager    Mode = "eager"
	Lazy     Mode = "lazy"
	ByManual Mode = "manual"
)

// mode returns the load mode of the entry's results.
func (e *Entry) mode() Mode {
	switch e.Priority {
	case PriorityCore:
		return Eager
	case PriorityManual:
		return ByManual
	}
	return Lazy
}

// weigh prepares the options for a task, where the dialect asks for that.
func (o *MatchOptions) weigh(task string, ix *Index) {
	if o.Dialect == Weighted && o.weigher == nil {
		o.weigher = weigh(task, ix)
	}
}

// score is the score of an entry of which that many keywords hit.
func (o *MatchOptions) score(e *Entry, hits int, bonus float64) Score {
	s := o.Dialect.score(hits, len(e.Keywords), bonus)
	if o.weigher != nil && e.mode() == Lazy && !e.unusable() {
		o.weigher.score(&s, o.weigher.held(e), true)
	}
	return s
}

// Result is one matched entry (loadout section 2.5).
type Result struct {
	Entry           *Entry
	Score           float64
	MatchedKeywords []string // in index order, repeats kept
	MatchedPatterns []string // in index order, repeats kept
	Mode            Mode
	// Components is the arithmetic of a recall or weighted score; nil in the coverage
	// dialect and for core and manual entries.
	Components *Score
	// Rank puts results in order: it is the score, and more where the task is a question
	// that the entry declares.
	Rank float64
}

// Reason says why the entry matched (loadout section 6.4).
func (r *Result) Reason() string {
	var words *Evidence
	if r.Components != nil {
		words = r.Components.Evidence
	}
	return reason(r.Mode, r.MatchedKeywords, r.MatchedPatterns, words)
}

func reason(mode Mode, keywords, patterns []string, words *Evidence) string {
	if mode == Eager {
		return "core: always loaded"
	}
	var b []byte
	if words != nil {
		return string(appendList(appendText(b, "words ["), words.Words))
	}
	if len(keywords) > 0 {
		b = appendList(appendText(b, "keywords ["), keywords)
		if len(patterns) == 0 {
			return string(b)
		}
		b = appendText(b, " + ")
	}
	return string(appendList(appendText(b, "patterns ["), patterns))
}

func appendList(b []byte, list []string) []byte {
	for i, s := range list {
		if i > 0 {
			b = appendText(b, ", ")
		}
		b = append(b, s...)
	}
	return append(b, ']')
}

// entryError names an entry that cannot be matched.
type entryError struct {
	Position int // in the index, from 0
	ID       string
	Fault    Fault
}

func (e *entryError) Error() string {
	msg := "entry " + strconv.Itoa(e.Position)
	if e.ID != "" {
		msg += " (" + e.ID + ")"
	}
	return msg + ": " + e.Fault.String()
}

// Match returns the entries of the index that the task needs, best first
// (loadout sections 6 and 7), after those one of whose questions the task is. Ties go to the entry with fewer tokens, then to
// the earlier one; an entry without an estimate comes after those with one.
//
// It returns a *ShapeError when the index that was read is not one. An entry
// of the wrong shape is skipped (its Fault says why); with Compat it is an error.
func Match(task string, ix *Index, opts MatchOptions) ([]Result, error) {
	if len(opts.Also) > 0 {
		b, err := Detail(task, ix, opts)
		return b.results(err)
	}
	if err := ix.checkFor(opts); err != nil {
		return nil, err
	}
	tokens := setOf(ix.tokens(task))
	opts.weigh(task, ix)
	var results []Result
	var order []hit
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if r, ok := tokens.match(e, &opts); ok {
			order = append(order, hit{total: r.Rank, tokens: e.sortTokens(), entry: uint32(i), place: uint32(len(results))})
			results = append(results, r)
		}
	}
	sortHits(order)
	return permute(results, order), nil
}

// tokens returns the words of a task that the entries of the index may ask for.
func (ix *Index) tokens(task string) []string {
	return appendTokens(nil, task, true, ix.anyUnicode())
}

// anyUnicode reports whether the Unicode tokenizer cuts the words of any entry.
func (ix *Index) anyUnicode() bool {
	for i := range ix.Entries {
		if ix.Entries[i].unicode {
			return true
		}
	}
	return false
}

// checkFor reports what makes a match impossible with these options.
func (ix *Index) checkFor(opts MatchOptions) error {
	if opts.Compat && ix.Head.Get("entries") == `""` {
		return nil // JavaScript walks an empty text as an empty list
	}
	if err := ix.Check(); err != nil || !opts.Compat {
		return err
	}
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if e.mode() == Lazy && e.Fault != FaultNone {
			return &entryError{i, e.ID, e.Fault}
		}
	}
	return nil
}

// unusable reports whether the entry's shape keeps it out of every match.
func (e *Entry) unusable() bool {
	return e.Fault >= FaultKeywords && e.mode() == Lazy
}

// match scores one entry by its words.
func (t tokenSet) match(e *Entry, opts *MatchOptions) (Result, bool) {
	r := Result{Entry: e, Mode: e.mode()}
	if r.Mode == Lazy {
		if e.unusable() {
			return r, false
		}
		for _, k := range e.Keywords {
			if t.keywordHit(e, k) {
				r.MatchedKeywords = append(r.MatchedKeywords, k)
			}
		}
		for _, p := range e.Patterns {
			if t.patternHit(e, p) {
				r.MatchedPatterns = append(r.MatchedPatterns, p)
			}
		}
	}
	s := opts.score(e, len(r.MatchedKeywords), t.bonus(r.MatchedPatterns))
	if !opts.includes(r.Mode, &s) {
		return r, false
	}
	r.Score, r.Rank = s.Total, s.rank()
	if opts.Dialect != Coverage && r.Mode == Lazy {
		r.Components = &s
	}
	return r, true
}

// includes decides whether an entry of that mode and score is in the result,
// and sets the total of core and manual entries, whose words are not looked at.
func (o *MatchOptions) includes(mode Mode, s *Score) bool {
	hit := s.Matched > 0 || s.PatternBonus > 0 || s.Evidence != nil
	switch mode {
	case Eager:
		s.Total = 1
	case ByManual:
		s.Total = 0
		if !o.Compat {
			return false
		}
	default:
		if !hit && !o.Compat {
			return false
		}
	}
	return s.Total >= o.Threshold()
}

// appendResult appends a result as compact JSON, its keys in the order of
// loadout section 2.5. Native and WebAssembly builds print through it.
func appendResult(dst []byte, r *Result) []byte {
	dst = AppendEntry(appendText(dst, `{"entry":`), r.Entry)
	dst = AppendNumber(appendText(dst, `,"score":`), r.Score)
	dst = appendStrings(appendText(dst, `,"matchedKeywords":`), r.MatchedKeywords)
	dst = appendStrings(appendText(dst, `,"matchedPatterns":`), r.MatchedPatterns)
	dst = AppendString(appendText(dst, `,"reason":`), r.Reason())
	dst = AppendString(appendText(dst, `,"mode":`), string(r.Mode))
	if c := r.Components; c != nil {
		dst = AppendNumber(appendText(dst, `,"scoreComponents":{"matched":`), float64(c.Matched))
		dst = AppendNumber(appendText(dst, `,"coverage":`), c.Coverage)
		dst = AppendNumber(appendText(dst, `,"absolute":`), c.Absolute)
		dst = AppendNumber(appendText(dst, `,"base":`), c.Base)
		dst = AppendNumber(appendText(dst, `,"patternBonus":`), c.PatternBonus)
		dst = appendEvidence(dst, c.Evidence)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// AppendResults appends results as a compact JSON array.
func AppendResults(dst []byte, results []Result) []byte {
	dst = append(dst, '[')
	for i := range results {
		dst = appendResult(comma(dst), &results[i])
	}
	return append(dst, ']')
}
