package loadout

import "math"

// Breakdown is the arithmetic of a match: every core entry and every entry
// that at least one keyword or pattern hits, included or not.
type Breakdown struct {
	Dialect  Dialect
	MinScore float64
	Words    []string // of the task, in order of first appearance
	Entries  []Rating // in the order of match; near misses and manual entries follow

	excerpt bool  // entries may be without texts: each is named by its position
	sums    *sums // of all entries, where only some are listed
}

// sums is what a breakdown counts that lists only some of its entries.
type sums struct {
	total int
	loads Loads
}

// Total is the number of entries, those beyond a limit of the list too.
func (b *Breakdown) Total() int {
	if b.sums != nil {
		return b.sums.total
	}
	return len(b.Entries)
}

// Rating is one entry of a Breakdown.
type Rating struct {
	Entry    *Entry
	Mode     Mode
	Included bool
	// Score holds the arithmetic. Its Total is 1 for core entries and 0 for
	// manual ones, whose words do not count.
	Score           Score
	MatchedKeywords []string
	MissedKeywords  []string
	MatchedPatterns []string
	Wording         int // that it is rated for: 0 the task, otherwise a place in MatchOptions.Also from 1

	position uint32 // of the entry in the index
}

// Loads is what a task would load.
type Loads struct {
	Entries             int
	Tokens, Eager, Lazy float64 // estimates; entries without one count nothing
}

// Loads sums up the included entries.
func (b *Breakdown) Loads() Loads {
	var l Loads
	if b.sums != nil {
		return b.sums.loads
	}
	for i := range b.Entries {
		r := &b.Entries[i]
		if r.Included {
			l.add(r.Entry.TokensEst, r.Mode == Eager)
		}
	}
	return l
}

// add adds an entry.
func (l *Loads) add(tokens float64, eager bool) {
	l.Entries++
	switch {
	case math.IsNaN(tokens):
		return
	case eager:
		l.Eager += tokens
	default:
		l.Lazy += tokens
	}
	l.Tokens += tokens
}

// Detail returns the arithmetic of Match for the same task, index and options.
func Detail(task string, ix *Index, opts MatchOptions) (*Breakdown, error) {
	if len(opts.Also) > 0 {
		return together(task, len(ix.Entries), opts, func(task string, opts MatchOptions) (*Breakdown, error) { return Detail(task, ix, opts) })
	}
	if err := ix.checkFor(opts); err != nil {
		return nil, err
	}
	b, tokens := newBreakdown(task, ix, &opts)
	var order []hit
	for i := range ix.Entries {
		order = b.rate(order, &ix.Entries[i], uint32(i), tokens, &opts)
	}
	sortHits(order)
	b.Entries = permute(b.Entries, order)
	return b, nil
}

// Detail returns what the function Detail returns for the same index.
func (m *Matcher) Detail(task string, opts MatchOptions) (*Breakdown, error) {
	if len(opts.Also) > 0 {
		return together(task, len(m.ix.Entries), opts, m.Detail)
	}
	if err := m.ix.checkFor(opts); err != nil {
		return nil, err
	}
	b, tokens := newBreakdown(task, m.ix, &opts)
	var order []hit
	rate := func(position uint32) { order = b.rate(order, &m.ix.Entries[position], position, tokens, &opts) }
	if opts.Dialect == Weighted { // forms of a word are not in the index
		for i := range m.ix.Entries {
			rate(uint32(i))
		}
	} else {
		m.finder.collect(task)
		m.finder.eachCandidate(func(rank uint32) { rate(m.finder.post.entry[rank]) })
	}
	sortHits(order)
	b.Entries = permute(b.Entries, order)
	return b, nil
}

// newBreakdown is a breakdown without entries, and the words of the task.
func newBreakdown(task string, ix *Index, opts *MatchOptions) (*Breakdown, tokenSet) {
	words := ix.tokens(task)
	tokens := setOf(words)
	b := &Breakdown{Dialect: opts.Dialect, MinScore: opts.Threshold(), Words: displayed(words)}
	if opts.weigh(task, ix); opts.weigher != nil {
		b.Words = withNames(opts.weigher.words, task)
	}
	return b, tokens
}

// rate adds an entry, and its place to the order, when it is core or something
// hits.
func (b *Breakdown) rate(order []hit, e *Entry, position uint32, tokens tokenSet, opts *MatchOptions) []hit {
	r := tokens.rate(e, opts)
	if r.Mode != Eager && len(r.MatchedKeywords)+len(r.MatchedPatterns) == 0 && r.Score.Evidence == nil {
		return order
	}
	r.position = position
	b.Entries = append(b.Entries, r)
	return append(order, hit{total: r.Score.rank(), tokens: e.sortTokens(), entry: position, place: uint32(len(b.Entries) - 1)})
}

// rate rates one entry, whether anything hits or not.
func (t tokenSet) rate(e *Entry, opts *MatchOptions) Rating {
	r := Rating{Entry: e, Mode: e.mode()}
	if r.Mode != Eager && !e.unusable() {
		for _, k := range e.Keywords {
			if t.keywordHit(e, k) {
				r.MatchedKeywords = append(r.MatchedKeywords, k)
			} else {
				r.MissedKeywords = append(r.MissedKeywords, k)
			}
		}
		for _, p := range e.Patterns {
			if t.patternHit(e, p) {
				r.MatchedPatterns = append(r.MatchedPatterns, p)
			}
		}
	}
	r.Score = opts.score(e, len(r.MatchedKeywords), t.bonus(r.MatchedPatterns))
	r.Included = opts.includes(r.Mode, &r.Score) && !e.unusable()
	return r
}

// AppendBreakdown appends a breakdown as compact JSON, listing at most limit of
// the included entries and at most near of the others, all when that is 0 or
// less. "total" and "loads" count them before that.
func AppendBreakdown(dst []byte, b *Breakdown, limit, near int) []byte {
	dst = AppendString(appendText(dst, `{"dialect":`), b.Dialect.String())
	dst = AppendNumber(appendText(dst, `,"minScore":`), b.MinScore)
	dst = appendStrings(appendText(dst, `,"tokens":`), b.Words)
	dst = AppendNumber(appendText(dst, `,"total":`), float64(b.Total()))
	loads := b.Loads()
	dst = AppendNumber(appendText(dst, `,"loads":{"entries":`), float64(loads.Entries))
	dst = AppendNumber(appendText(dst, `,"tokens":`), loads.Tokens)
	dst = appendText(dst, `},"entries":[`)
	included, others := 0, 0
	for i := range b.Entries {
		r := &b.Entries[i]
		count, most := &others, near
		if r.Included {
			count, most = &included, limit
		}
		if *count++; most > 0 && *count > most {
			continue
		}
		dst = appendRating(comma(dst), r)
		if b.excerpt {
			dst = append(AppendNumber(appendText(dst[:len(dst)-1], `,"at":`), float64(r.position)), '}')
		}
	}
	return appendText(dst, "]}")
}

// appendRating appends one entry of a breakdown as compact JSON.
func appendRating(dst []byte, r *Rating) []byte {
	e := r.Entry
	dst = AppendString(appendText(dst, `{"id":`), e.ID)
	dst = AppendString(appendText(dst, `,"priority":`), e.Priority)
	dst = AppendString(appendText(dst, `,"mode":`), string(r.Mode))
	dst = AppendNumber(appendText(dst, `,"tokens":`), e.TokensEst)
	dst = appendBool(appendText(dst, `,"included":`), r.Included)
	dst = AppendNumber(appendText(dst, `,"score":`), r.Score.Total)
	dst = AppendNumber(appendText(dst, `,"hits":`), float64(r.Score.Matched))
	dst = AppendNumber(appendText(dst, `,"keywords":`), float64(len(e.Keywords)))
	dst = AppendNumber(appendText(dst, `,"coverage":`), r.Score.Coverage)
	dst = AppendNumber(appendText(dst, `,"absolute":`), r.Score.Absolute)
	dst = AppendNumber(appendText(dst, `,"base":`), r.Score.Base)
	dst = AppendNumber(appendText(dst, `,"patternBonus":`), r.Score.PatternBonus)
	dst = appendStrings(appendText(dst, `,"matchedKeywords":`), r.MatchedKeywords)
	dst = appendStrings(appendText(dst, `,"missedKeywords":`), r.MissedKeywords)
	dst = appendStrings(appendText(dst, `,"matchedPatterns":`), r.MatchedPatterns)
	dst = AppendString(appendText(dst, `,"summary":`), e.Summary)
	dst = AppendString(appendText(dst, `,"path":`), e.Path)
	dst = AppendString(appendText(dst, `,"reason":`), reason(r.Mode, r.MatchedKeywords, r.MatchedPatterns, r.Score.Evidence))
	if r.Wording > 0 {
		dst = AppendNumber(appendText(dst, `,"wording":`), float64(r.Wording))
	}
	return append(appendEvidence(dst, r.Score.Evidence), '}')
}
