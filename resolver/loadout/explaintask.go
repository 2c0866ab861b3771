package loadout

import "math"

// Outlook says how one entry scores for a task, and what would change it.
type Outlook struct {
	Rating
	Words []string // of the task, in order of first appearance
	// Rank is the entry's place among the Of entries included, from 1; 0 when
	// it is not included.
	Rank, Of int
	Change   Change
}

// Change is the smallest change found that would flip the outcome. All fields
// are empty when no task flips it.
type Change struct {
	Add      []string // words that, added to the task, would include the entry
	Remove   []string // words that, taken out of the task, would leave it out
	Priority string   // the priority that would let words decide
}

// mostWeighed is up to how many words of a task are compared with the
// other to find those to take out.
const mostWeighed = 16

// ExplainTask says how the entry with that id scores for a task; nil when there
// is none. It looks at no other wording, and returns what Match returns for bad input.
func ExplainTask(task, id string, ix *Index, opts MatchOptions) (*Outlook, error) {
	opts.Also = nil
	results, err := Match(task, ix, opts)
	if err != nil {
		return nil, err
	}
	e := ix.Lookup(id)
	if e == nil {
		return nil, nil
	}
	b, tokens := newBreakdown(task, ix, &opts)
	o := &Outlook{Rating: tokens.rate(e, &opts), Words: b.Words, Of: len(results)}
	for i := range results {
		if results[i].Entry == e {
			o.Rank = i + 1
		}
	}
	switch {
	case e.unusable(): // no word helps an entry of the wrong shape
	case o.Mode != Lazy:
		o.Change.Priority = PriorityDomain
	case opts.weigher != nil:
		o.Change = opts.weigher.change(task, &o.Rating, ix, &opts)
	case o.Included:
		o.Change.Remove = displayed(wordsToRemove(e, ix.tokens(task), &opts))
	default:
		o.Change.Add = displayed(tokens.wordsToAdd(e, &opts))
	}
	return o, nil
}

// wordsToAdd returns the fewest words found whose addition to the task would
// include an entry; nil when none would. A word of a pattern, whose bonus may
// stand for several keywords, is tried before the keywords are completed.
func (t tokenSet) wordsToAdd(e *Entry, opts *MatchOptions) []string {
	best := t.complete(e, opts, "")
	for _, p := range e.Patterns[:min(mostPatterns, len(e.Patterns))] {
		if t.patternHit(e, p) {
			return best
		}
		words, _ := e.pieces(p, true)
		for _, w := range words[:min(mostPatterns, len(words))] {
			if isWhole(w) {
				continue
			}
			if found := t.complete(e, opts, w); found != nil && (best == nil || len(found) < len(best)) {
				best = found
			}
		}
	}
	return best
}

// mostPatterns is how many patterns wordsToAdd tries, and how many words of
// each.
const mostPatterns = 4

// complete returns the word first, if any, and those that complete the keywords
// which lack least, as many as it takes to include the entry; nil when that
// does not.
func (t tokenSet) complete(e *Entry, opts *MatchOptions, first string) (words []string) {
	if first != "" {
		t[first] = true
		defer delete(t, first)
		words = append(words, first)
	}
	r := t.rate(e, opts)
	if r.Included {
		return words
	}
	var missing [][]string // by missed keyword that can hit: the words it lacks
	for _, k := range r.MissedKeywords {
		if pieces, ok := e.pieces(k, false); ok {
			missing = append(missing, t.lacking(pieces))
		}
	}
	sortByLength(missing)
	for i, lacking := range missing {
		for _, w := range lacking {
			words = addWord(words, w)
		}
		s := opts.Dialect.score(r.Score.Matched+i+1, len(e.Keywords), bonusFor(len(r.MatchedPatterns) > 0))
		if opts.includes(Lazy, &s) {
			return words
		}
	}
	return nil
}

// lacking returns those words that the task has not.
func (t tokenSet) lacking(words []string) []string {
	var list []string
	for _, w := range words {
		if !t[w] {
			list = addWord(list, w)
		}
	}
	return list
}

// sortByLength orders lists, the shortest first.
func sortByLength(lists [][]string) {
	order := make([]hit, len(lists))
	for i := range lists {
		order[i] = hit{tokens: float64(len(lists[i])), entry: uint32(i), place: uint32(i)}
	}
	sortHits(order)
	copy(lists, permute(lists, order))
}

// wordsToRemove returns words without which the task would leave an entry out.
// Few of them are taken one at a time, each the one that costs the score most;
// of many, the shortest run of those that the entry mentions most often.
func wordsToRemove(e *Entry, words []string, opts *MatchOptions) []string {
	words = mentioned(e, words)
	left := setOf(words)
	if len(words) > mostWeighed {
		low, high := 1, len(words)
		for low < high {
			middle := (low + high) / 2
			if r := setOf(words[middle:]).rate(e, opts); r.Included {
				low = middle + 1
			} else {
				high = middle
			}
		}
		return words[:low]
	}
	var removed []string
	for len(removed) < len(words) {
		best, lowest := "", 2.0
		for _, w := range words {
			if !left[w] {
				continue
			}
			left[w] = false
			if r := left.rate(e, opts); r.Score.Total < lowest {
				best, lowest = w, r.Score.Total
			}
			left[w] = true
		}
		left[best] = false
		removed = append(removed, best)
		if r := left.rate(e, opts); !r.Included {
			return removed
		}
	}
	return nil
}

// mentioned returns those words of a task that are pieces of a keyword or
// pattern, those that are so most often first.
func mentioned(e *Entry, words []string) []string {
	count := make(map[string]int, len(words))
	for _, w := range words {
		if !isWhole(w) || nameOf(w) != "" { // without any of its words the task is no longer a question
			count[w] = 0
		}
	}
	for _, pattern := range [...]bool{false, true} {
		texts := e.Keywords
		if pattern {
			texts = e.Patterns
		}
		for _, text := range texts {
			pieces, _ := e.pieces(text, pattern)
			for _, w := range pieces {
				if n, ok := count[w]; ok {
					count[w] = n + 1
				}
			}
		}
	}
	var list []string
	var order []hit
	for _, w := range words {
		if n := count[w]; n > 0 {
			order = append(order, hit{total: float64(n), entry: uint32(len(list)), place: uint32(len(list))})
			list = append(list, w)
		}
	}
	if len(list) <= mostWeighed {
		return list
	}
	sortHits(order)
	return permute(list, order)
}

// AppendOutlook appends an outlook as compact JSON, null for nil.
func AppendOutlook(dst []byte, o *Outlook) []byte {
	if o == nil {
		return appendText(dst, "null")
	}
	dst = appendStrings(appendText(dst, `{"words":`), o.Words)
	dst = AppendNumber(appendText(dst, `,"rank":`), float64(o.Rank))
	dst = AppendNumber(appendText(dst, `,"of":`), float64(o.Of))
	dst = appendRating(appendText(dst, `,"rating":`), &o.Rating)
	dst = appendStrings(appendText(dst, `,"change":{"add":`), o.Change.Add)
	dst = appendStrings(appendText(dst, `,"remove":`), o.Change.Remove)
	dst = AppendString(appendText(dst, `,"priority":`), o.Change.Priority)
	return appendText(dst, "}}")
}

// Explanation says where an entry comes from (loadout section 13).
type Explanation struct {
	ID         string
	FinalLayer string // the layer that wins
	// Definitions are those of the layers that have the entry, weakest first.
	Definitions []Definition
}

// Definition is what one layer says about an entry.
type Definition struct {
	Layer string
	Entry *Entry
	// Repeats counts further definitions of the id in the same layer.
	Repeats int
}

// IsConflict reports whether more than one layer defines the entry.
func (x *Explanation) IsConflict() bool { return len(x.Definitions) > 1 }

// Explain says which layers define an entry and which of them wins; nil when
// none does. Where a layer defines the id twice it shows the definition that
// wins, the last; with compat the first, as the originals do. A layer that is
// not an index has no entries; with compat it is a *ShapeError.
func Explain(id string, layers []Layer, compat bool) (*Explanation, error) {
	x := &Explanation{ID: id}
	for i := range layers {
		ix := layers[i].Index
		if err := ix.Check(); err != nil {
			if compat {
				return nil, err
			}
			continue
		}
		d := Definition{Layer: layers[i].Name}
		for j := range ix.Entries {
			e := &ix.Entries[j]
			if e.ID != id || !e.hasID() {
				continue
			}
			if d.Entry != nil {
				d.Repeats++
			}
			if d.Entry == nil || !compat {
				d.Entry = e
			}
		}
		if d.Entry != nil {
			x.Definitions = append(x.Definitions, d)
			x.FinalLayer = d.Layer
		}
	}
	if len(x.Definitions) == 0 {
		return nil, nil
	}
	return x, nil
}

// AppendExplanation appends an explanation as compact JSON, null for nil.
func AppendExplanation(dst []byte, x *Explanation) []byte {
	if x == nil {
		return appendText(dst, "null")
	}
	dst = AppendString(appendText(dst, `{"id":`), x.ID)
	dst = AppendString(appendText(dst, `,"finalLayer":`), x.FinalLayer)
	dst = appendText(dst, `,"definitions":[`)
	for i := range x.Definitions {
		dst = appendDefinition(comma(dst), &x.Definitions[i])
	}
	dst = appendText(dst, `],"overrideChain":[`)
	for i := range x.Definitions {
		dst = AppendString(comma(dst), x.Definitions[i].Layer)
	}
	dst = appendBool(appendText(dst, `],"isConflict":`), x.IsConflict())
	return append(dst, '}')
}

// appendDefinition appends the fields of an entry that an explanation shows.
// Missing ones are left out.
func appendDefinition(dst []byte, d *Definition) []byte {
	dst = AppendString(appendText(dst, `{"layer":`), d.Layer)
	entry := d.Entry.JSON()
	for _, field := range [...][2]string{
		{"summary", "summary"}, {"priority", "priority"}, {"tokens_est", "tokens"}, {"keywords", "keywords"}, {"path", "path"},
	} {
		if v := entry.Get(field[0]); v != "" {
			dst = append(AppendKey(dst, field[1]), v...)
		}
	}
	return append(dst, '}')
}

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
