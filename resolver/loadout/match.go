package loadout

import (
	"math/bits"
	"strconv"
)

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

// hit is one included entry while the results are being put in order. All
// sorts of the kernel are of hits, since each further type that is sorted
// costs the browser build some kilobytes.
type hit struct {
	total  float64 // the score
	tokens float64 // the estimate, +Inf when unknown
	entry  uint32  // the position in the index
	place  uint32  // the place in a list that is to be put in order
}

// before reports whether a comes before b: score descending, tokens ascending
// with unknown ones last, then position (loadout section 6.5).
func (a *hit) before(b *hit) bool {
	switch {
	case a.total != b.total:
		return a.total > b.total
	case a.tokens != b.tokens:
		return a.tokens < b.tokens
	}
	return a.entry < b.entry
}

// sortHits puts hits in order. It is a merge sort from runs of two upward; the
// general one of the standard library would add 7 KB to the browser build.
func sortHits(hits []hit) { sortWith(hits, nil) }

// sortWith sorts with the room of an earlier sort, and returns that for the next one.
func sortWith(hits, room []hit) []hit {
	if cap(room) < len(hits) {
		room = make([]hit, len(hits))
	}
	from, to := hits, room[:len(hits)]
	for width := 1; width < len(hits); width *= 2 {
		for start := 0; start < len(hits); start += 2 * width {
			middle := min(start+width, len(hits))
			end := min(start+2*width, len(hits))
			merge(to[start:end], from[start:middle], from[middle:end])
		}
		from, to = to, from
	}
	copy(hits, from)
	return room
}

// merge merges two sorted lists into dst.
func merge(dst, a, b []hit) {
	for i := range dst {
		if len(b) == 0 || len(a) > 0 && !b[0].before(&a[0]) {
			dst[i], a = a[0], a[1:]
		} else {
			dst[i], b = b[0], b[1:]
		}
	}
}

// permute returns the list in the order of the hits' places.
func permute[T any](list []T, hits []hit) []T {
	ordered := make([]T, len(list))
	for i, h := range hits {
		ordered[i] = list[h.place]
	}
	return ordered
}

// maxAlso is how many other wordings of a task are looked at; the rest is skipped.
const maxAlso = 20

// together answers several wordings of one task. Each is rated alone, and what they
// include is taken in turns, then what they do not; an entry has the best rating that a
// wording gives it.
func together(task string, entries int, opts MatchOptions, detail func(string, MatchOptions) (*Breakdown, error)) (*Breakdown, error) {
	also := opts.Also[:min(len(opts.Also), maxAlso)]
	opts.Also = nil
	all, err := detail(task, opts)
	if err != nil {
		return nil, err
	}
	lists := [1 + maxAlso][]Rating{all.Entries}
	for i, text := range also {
		b, _ := detail(text, opts) // the index has no fault
		for _, w := range b.Words {
			all.Words = addWord(all.Words, w)
		}
		for j := range b.Entries {
			b.Entries[j].Wording = i + 1
		}
		lists[i+1] = b.Entries
	}
	all.takeInTurns(lists[:1+len(also)], make([]uint32, entries))
	return all, nil
}

// takeInTurns joins lists, each entry once; at is a place for each entry of the index.
func (b *Breakdown) takeInTurns(lists [][]Rating, at []uint32) {
	b.Entries = nil
	for turn := 0; turn < 2*len(at); turn++ {
		for _, list := range lists {
			if place := turn % len(at); place < len(list) && list[place].Included == (turn < len(at)) {
				r := &list[place]
				if i := at[r.position]; i == 0 {
					b.Entries = append(b.Entries, *r)
					at[r.position] = uint32(len(b.Entries))
				} else if r.Score.Total > b.Entries[i-1].Score.Total {
					b.Entries[i-1] = *r
				}
			}
		}
	}
}

// results are the entries of a breakdown that are included, as Match returns them.
func (b *Breakdown) results(err error) ([]Result, error) {
	if err != nil {
		return nil, err
	}
	var list []Result
	for i := range b.Entries {
		r := &b.Entries[i]
		if r.Included {
			m := Result{Entry: r.Entry, Mode: r.Mode, Score: r.Score.Total, Rank: r.Score.rank(), MatchedKeywords: r.MatchedKeywords, MatchedPatterns: r.MatchedPatterns}
			if b.Dialect != Coverage && r.Mode == Lazy {
				m.Components = &r.Score
			}
			list = append(list, m)
		}
	}
	return list, nil
}

// wordFinder finds the entries that share a word with a task, by the tables of an index alone.
// It keeps working memory, and serves one goroutine at a time.
type wordFinder struct {
	post  *postings
	cores []uint32 // ranks of the core entries
	marks bool     // whether the Unicode tokenizer cuts the words of any entry

	epoch      uint32
	termMark   []uint32 // by term: the epoch in which it was in the task
	candidates []uint64 // a bit by rank; all clear between tasks
	plain      scanner
	unicode    unicodeScanner
	question   []byte // the task as a question
	names      *nameScanner
}

func newFinder(post *postings, marks bool) wordFinder {
	f := wordFinder{
		post: post, marks: marks,
		termMark: make([]uint32, len(post.terms)), candidates: make([]uint64, (len(post.entry)+63)/64),
	}
	for rank := range post.entry {
		if post.mode(uint32(rank)) == recordEager {
			f.cores = append(f.cores, uint32(rank))
		}
	}
	return f
}

// collect marks the words of the task and gathers the entries that share one,
// and the core entries.
func (f *wordFinder) collect(task string) {
	f.epoch++
	if f.epoch == 0 { // wrapped around: no old mark may look new
		clear(f.termMark)
		f.epoch = 1
	}
	for _, rank := range f.cores {
		f.gather(rank)
	}
	f.plain.text = task
	for word, ok := f.plain.next(); ok; word, ok = f.plain.next() {
		f.markWord(word)
	}
	if f.marks {
		f.unicode.text, f.unicode.task = task, true
		for word, ok := f.unicode.next(); ok; word, ok = f.unicode.next() {
			f.markWord(word)
		}
	}
	f.question = appendQuestion(f.question[:0], task)
	f.markWord(f.question)
	if f.names == nil {
		f.names = newNameScanner(f.markWord)
	}
	f.names.each(task, false)
}

func (f *wordFinder) gather(rank uint32) { f.candidates[rank/64] |= 1 << (rank % 64) }

// markWord marks a word of the task and gathers the entries that have it.
func (f *wordFinder) markWord(word []byte) {
	p := f.post
	t, ok := p.find(word)
	if !ok || f.termMark[t] == f.epoch {
		return
	}
	f.termMark[t] = f.epoch
	for _, rank := range p.posts[p.postStart[t]:p.postStart[t+1]] {
		f.gather(rank)
	}
}

// eachCandidate calls yield with the ranks that collect gathered, ascending,
// and forgets them.
func (f *wordFinder) eachCandidate(yield func(rank uint32)) {
	for i, set := range f.candidates {
		if set == 0 {
			continue
		}
		f.candidates[i] = 0
		for ; set != 0; set &= set - 1 {
			yield(uint32(i*64 + bits.TrailingZeros64(set)))
		}
	}
}

// hits is what the tables say of an entry for the words that are marked.
type hits struct {
	mode               uint32 // of the record
	all                int    // its keywords
	keywords, patterns int    // that hit; none of a core entry
	bonus              float64
}

// count counts the keywords and patterns of an entry that hit.
func (f *wordFinder) count(rank uint32) hits {
	record := f.post.of(rank)
	h := hits{mode: record[recordHead] & recordModeMask, all: int(record[recordKeywords])}
	if h.mode == recordEager {
		return h
	}
	slots := record[recordSlots:]
	var terms []uint32
	for range h.all {
		if slots[0] < slotList { // nearly always one word
			if f.termMark[slots[0]] == f.epoch {
				h.keywords++
			}
			slots = slots[1:]
			continue
		}
		if terms, slots = slot(slots); f.allMarked(terms) {
			h.keywords++
		}
	}
	for len(slots) > 0 {
		if terms, slots = slot(slots); f.anyMarked(terms) {
			h.patterns++
			h.bonus = max(h.bonus, patternBonus)
			if last := terms[len(terms)-1]; f.termMark[last] == f.epoch && isWhole(f.post.terms[last]) {
				h.bonus = max(h.bonus, wholeBonus(f.post.terms[last]))
			}
		}
	}
	return h
}

// allMarked reports whether there are terms and all are words of the task.
func (f *wordFinder) allMarked(terms []uint32) bool {
	for _, t := range terms {
		if f.termMark[t] != f.epoch {
			return false
		}
	}
	return len(terms) > 0
}

func (f *wordFinder) anyMarked(terms []uint32) bool {
	for _, t := range terms {
		if f.termMark[t] == f.epoch {
			return true
		}
	}
	return false
}

// appendHits appends the keywords of an entry that hit, and says how many these are, then
// the patterns. A plain keyword of one piece is its term, which is closer in memory than
// the entry's text.
func (f *wordFinder) appendHits(list []string, rank uint32, e *Entry) (hits []string, keywords int) {
	start, record := len(list), f.post.of(rank)
	slots := record[recordSlots:]
	plain := !f.marks || !e.unicode // mostly known without reading the entry, which is far away in memory
	var terms []uint32
	for i := range record[recordKeywords] {
		if t := slots[0]; t < slotList && plain {
			if f.termMark[t] == f.epoch {
				list = append(list, f.post.terms[t])
			}
			slots = slots[1:]
			continue
		}
		if terms, slots = slot(slots); f.allMarked(terms) {
			list = append(list, e.Keywords[i])
		}
	}
	keywords = len(list) - start
	for i := 0; len(slots) > 0; i++ {
		if terms, slots = slot(slots); f.anyMarked(terms) {
			list = append(list, e.Patterns[i])
		}
	}
	return list, keywords
}
