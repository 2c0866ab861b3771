package loadout

import "math/bits"

// Matcher answers Match from an inverted index. It keeps working memory, so
// that a match allocates nothing but its results, and serves one goroutine at
// a time; Clone makes another for the same index.
type Matcher struct {
	ix    *Index
	post  *postings
	cores []uint32 // ranks
	fault error    // what makes a match with Compat impossible
	marks bool     // whether the Unicode tokenizer cuts the words of any entry

	epoch      uint32
	termMark   []uint32 // by term: the epoch in which it was in the task
	candidates []uint64 // a bit by rank; all clear between matches
	found      []candidate
	buckets    buckets
	plain      scanner
	unicode    unicodeScanner
	question   []byte // the task as a question
	names      *nameScanner
}

// candidate is an included entry.
type candidate struct {
	total   float64 // what puts it in order
	bonus   float64 // of patterns
	rank    uint32
	matched uint32 // keywords that hit
}

// NewMatcher builds the inverted index of an index, which must not change
// afterwards.
func NewMatcher(ix *Index) *Matcher {
	return newMatcher(ix, buildPostings(ix.Entries))
}

func newMatcher(ix *Index, post *postings) *Matcher {
	m := &Matcher{ix: ix, post: post, marks: ix.anyUnicode()}
	for rank := range post.entry {
		if post.of(uint32(rank))[recordHead]&recordModeMask == recordEager {
			m.cores = append(m.cores, uint32(rank))
		}
	}
	for i := range ix.Entries {
		if e := &ix.Entries[i]; e.Fault != FaultNone && e.mode() == Lazy {
			m.fault = &entryError{i, e.ID, e.Fault}
			break
		}
	}
	return m.Clone()
}

// Clone returns a matcher for the same index with working memory of its own.
func (m *Matcher) Clone() *Matcher {
	return &Matcher{
		ix: m.ix, post: m.post, cores: m.cores, fault: m.fault, marks: m.marks,
		termMark:   make([]uint32, len(m.post.terms)),
		candidates: make([]uint64, (len(m.ix.Entries)+63)/64),
	}
}

// Index returns the index the matcher serves.
func (m *Matcher) Index() *Index { return m.ix }

// Match returns what the function Match returns for the same index.
func (m *Matcher) Match(task string, opts MatchOptions) ([]Result, error) {
	if len(opts.Also) > 0 {
		b, err := m.Detail(task, opts)
		return b.results(err)
	}
	if opts.Dialect == Weighted {
		return Match(task, m.ix, opts)
	}
	if opts.Compat {
		// A threshold of 0 or less includes entries that share no word.
		if m.fault != nil || !(opts.Threshold() > 0) || m.ix.Check() != nil {
			return Match(task, m.ix, opts)
		}
	} else if err := m.ix.Check(); err != nil {
		return nil, err
	}
	m.collect(task)
	m.found = m.found[:0]
	m.buckets.reset()
	words := 0
	m.eachCandidate(func(rank uint32) { words += m.rate(rank, &opts) })
	return m.results(words, &opts), nil
}

// collect marks the words of the task and gathers the entries that share one,
// and the core entries.
func (m *Matcher) collect(task string) {
	m.epoch++
	if m.epoch == 0 { // wrapped around: no old mark may look new
		clear(m.termMark)
		m.epoch = 1
	}
	for _, rank := range m.cores {
		m.candidates[rank/64] |= 1 << (rank % 64)
	}
	m.plain.text = task
	for word, ok := m.plain.next(); ok; word, ok = m.plain.next() {
		m.markWord(word)
	}
	if m.marks {
		m.unicode.text, m.unicode.task = task, true
		for word, ok := m.unicode.next(); ok; word, ok = m.unicode.next() {
			m.markWord(word)
		}
	}
	m.question = appendQuestion(m.question[:0], task)
	m.markWord(m.question)
	if m.names == nil {
		m.names = newNameScanner(m.markWord)
	}
	m.names.each(task, false)
}

// markWord marks a word of the task and gathers the entries that have it.
func (m *Matcher) markWord(word []byte) {
	p := m.post
	t, ok := p.find(word)
	if !ok || m.termMark[t] == m.epoch {
		return
	}
	m.termMark[t] = m.epoch
	for _, rank := range p.posts[p.postStart[t]:p.postStart[t+1]] {
		m.candidates[rank/64] |= 1 << (rank % 64)
	}
}

// eachCandidate calls yield with the ranks that collect gathered, ascending,
// and forgets them.
func (m *Matcher) eachCandidate(yield func(rank uint32)) {
	for i, set := range m.candidates {
		if set == 0 {
			continue
		}
		m.candidates[i] = 0
		for ; set != 0; set &= set - 1 {
			yield(uint32(i*64 + bits.TrailingZeros64(set)))
		}
	}
}

// rate scores a candidate by the exact rule and keeps it when it is included.
// It returns how many keywords and patterns its result lists.
func (m *Matcher) rate(rank uint32, opts *MatchOptions) int {
	record := m.post.of(rank)
	mode := record[recordHead] & recordModeMask
	keywords, patterns, bonus := 0, 0, 0.0
	if mode == recordLazy {
		keywords, patterns, bonus = m.count(record)
	}
	s := opts.Dialect.score(keywords, int(record[recordKeywords]), bonus)
	if mode == recordUnusable || !opts.includes(loadMode(mode), &s) {
		return 0
	}
	m.found = append(m.found, candidate{total: s.rank(), bonus: bonus, rank: rank, matched: uint32(keywords)})
	m.buckets.count(s.rank())
	return keywords + patterns
}

// count returns how many keywords and how many patterns of a record hit, and the bonus of
// the patterns.
func (m *Matcher) count(record []uint32) (keywords, patterns int, bonus float64) {
	slots := record[recordSlots:]
	var terms []uint32
	for range record[recordKeywords] {
		if slots[0] < slotList { // nearly always one word
			if m.termMark[slots[0]] == m.epoch {
				keywords++
			}
			slots = slots[1:]
			continue
		}
		if terms, slots = slot(slots); m.allMarked(terms) {
			keywords++
		}
	}
	for len(slots) > 0 {
		if terms, slots = slot(slots); m.anyMarked(terms) {
			patterns++
			bonus = max(bonus, patternBonus)
			if last := terms[len(terms)-1]; m.termMark[last] == m.epoch && isWhole(m.post.terms[last]) {
				bonus = max(bonus, wholeBonus(m.post.terms[last]))
			}
		}
	}
	return keywords, patterns, bonus
}

// allMarked reports whether there are terms and all are words of the task.
func (m *Matcher) allMarked(terms []uint32) bool {
	for _, t := range terms {
		if m.termMark[t] != m.epoch {
			return false
		}
	}
	return len(terms) > 0
}

func (m *Matcher) anyMarked(terms []uint32) bool {
	for _, t := range terms {
		if m.termMark[t] == m.epoch {
			return true
		}
	}
	return false
}

// results makes the results of the candidates kept, whose lists hold that many
// words in all.
func (m *Matcher) results(words int, opts *MatchOptions) []Result {
	if len(m.found) == 0 {
		return nil
	}
	m.buckets.prepare(m.found)
	results := make([]Result, len(m.found))
	lists := make([]string, 0, words)
	var scores []Score
	if opts.Dialect == Recall {
		scores = make([]Score, len(m.found))
	}
	for i := range m.found {
		c := &m.found[i]
		record := m.post.of(c.rank)
		e := &m.ix.Entries[m.post.entry[c.rank]]
		r := &results[m.buckets.place(c.total)]
		r.Entry, r.Score, r.Rank, r.Mode = e, min(1, c.total), c.total, loadMode(record[recordHead]&recordModeMask)
		if r.Mode != Lazy {
			continue
		}
		start := len(lists)
		lists = m.appendHits(lists, record, e)
		middle := start + int(c.matched)
		r.MatchedKeywords = lists[start:middle:middle]
		r.MatchedPatterns = lists[middle:len(lists):len(lists)]
		if opts.Dialect == Recall {
			scores[i] = Recall.score(int(c.matched), int(record[recordKeywords]), c.bonus)
			r.Components = &scores[i]
		}
	}
	return results
}

// appendHits appends the keywords of an entry that hit, then the patterns. A
// plain keyword of one piece is its term, which is closer in memory than the
// entry's text.
func (m *Matcher) appendHits(list []string, record []uint32, e *Entry) []string {
	slots := record[recordSlots:]
	plain := !m.marks || !e.unicode // mostly known without reading the entry, which is far away in memory
	var terms []uint32
	for i := range record[recordKeywords] {
		if t := slots[0]; t < slotList && plain {
			if m.termMark[t] == m.epoch {
				list = append(list, m.post.terms[t])
			}
			slots = slots[1:]
			continue
		}
		if terms, slots = slot(slots); m.allMarked(terms) {
			list = append(list, e.Keywords[i])
		}
	}
	for i := 0; len(slots) > 0; i++ {
		if terms, slots = slot(slots); m.anyMarked(terms) {
			list = append(list, e.Patterns[i])
		}
	}
	return list
}
