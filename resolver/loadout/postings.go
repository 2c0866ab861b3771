package loadout

import "slices"

// postings is the inverted index of an Index: for each word the entries whose
// keywords or patterns hold it. A word is known by its number, its place in
// terms. All tables come from index.bin as they stand.
//
// An entry is posted under the first piece of each keyword (all pieces have to
// hit, so any one finds it) and under every piece of each pattern (one is
// enough). Keywords and patterns that cannot hit are posted nowhere; neither
// are core entries, which need no words.
type postings struct {
	terms     []string // sorted
	postStart []uint32 // by term: start of its entries in posts; one more at the end
	posts     []uint32 // entries

	keywords pieces
	patterns pieces
	rank     []uint32 // by entry: its place among all by tokens, then position
}

// pieces holds the words of the keywords, or of the patterns, of all entries:
// a slot for each, in order.
type pieces struct {
	start     []uint32 // by entry: its first slot; one more at the end
	termStart []uint32 // by slot: its first term; one more at the end
	term      []uint32 // terms; none where the slot can never hit
}

// Matcher answers Match from an inverted index. It keeps working memory, so
// that a match allocates nothing but its results, and serves one goroutine at
// a time; Clone makes another for the same index.
type Matcher struct {
	ix    *Index
	post  *postings
	cores []uint32
	fault error // what makes a match with Compat impossible

	epoch     uint32
	termMark  []uint32 // by term: the epoch in which it was in the task
	entryMark []uint32 // by entry: the epoch in which it became a candidate
	found     []uint32 // candidates
	hits      []hit
	word      []byte
}

// hit is an included candidate.
type hit struct {
	total   float64
	rank    uint32
	entry   uint32
	matched uint32
	pattern bool
}

// NewMatcher builds the inverted index of an index, which must not change
// afterwards.
func NewMatcher(ix *Index) *Matcher {
	return newMatcher(ix, buildPostings(ix.Entries))
}

func newMatcher(ix *Index, post *postings) *Matcher {
	m := &Matcher{ix: ix, post: post}
	for i := range ix.Entries {
		e := &ix.Entries[i]
		switch {
		case e.Priority == PriorityCore:
			m.cores = append(m.cores, uint32(i))
		case m.fault == nil && e.Fault != FaultNone && e.mode() == Lazy:
			m.fault = &EntryError{i, e.ID, e.Fault}
		}
	}
	return m.Clone()
}

// Clone returns a matcher for the same index with working memory of its own.
func (m *Matcher) Clone() *Matcher {
	return &Matcher{
		ix: m.ix, post: m.post, cores: m.cores, fault: m.fault,
		termMark:  make([]uint32, len(m.post.terms)),
		entryMark: make([]uint32, len(m.ix.Entries)),
	}
}

// Index returns the index the matcher serves.
func (m *Matcher) Index() *Index { return m.ix }

// Match returns what the function Match returns for the same index.
func (m *Matcher) Match(task string, opts MatchOptions) ([]Result, error) {
	if opts.Compat {
		// A threshold of 0 or less includes entries that share no word.
		if m.fault != nil || !(opts.minScore() > 0) || m.ix.Check() != nil {
			return Match(task, m.ix, opts)
		}
	} else if err := m.ix.Check(); err != nil {
		return nil, err
	}
	m.collect(task)
	m.hits = m.hits[:0]
	words := 0
	for _, e := range m.found {
		words += m.rate(e, &opts)
	}
	slices.SortFunc(m.hits, func(a, b hit) int {
		switch {
		case a.total > b.total:
			return -1
		case a.total < b.total:
			return 1
		case a.rank != b.rank:
			return int(int64(a.rank) - int64(b.rank))
		}
		return int(int64(a.entry) - int64(b.entry))
	})
	return m.results(words, &opts), nil
}

// collect marks the words of the task and gathers the entries that share one,
// and the core entries.
func (m *Matcher) collect(task string) {
	m.epoch++
	if m.epoch == 0 { // wrapped around: no old mark may look new
		clear(m.termMark)
		clear(m.entryMark)
		m.epoch = 1
	}
	m.found = append(m.found[:0], m.cores...)
	p := m.post
	sc := scanner{text: task, word: m.word}
	for {
		word, ok := sc.next()
		if !ok {
			break
		}
		t, ok := p.find(word)
		if !ok || m.termMark[t] == m.epoch {
			continue
		}
		m.termMark[t] = m.epoch
		for _, e := range p.posts[p.postStart[t]:p.postStart[t+1]] {
			if m.entryMark[e] != m.epoch {
				m.entryMark[e] = m.epoch
				m.found = append(m.found, e)
			}
		}
	}
	m.word = sc.word
}

// find returns the number of a word.
func (p *postings) find(word []byte) (uint32, bool) {
	low, high := 0, len(p.terms)
	for low < high {
		mid := int(uint(low+high) >> 1)
		if p.terms[mid] < string(word) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == len(p.terms) || p.terms[low] != string(word) {
		return 0, false
	}
	return uint32(low), true
}

// rate scores a candidate by the exact rule, keeps it when it is included, and
// returns how many keywords and patterns its result lists.
func (m *Matcher) rate(e uint32, opts *MatchOptions) int {
	entry := &m.ix.Entries[e]
	h := hit{entry: e, rank: m.post.rank[e]}
	mode := entry.mode()
	listed := 0
	if mode == Lazy {
		k := &m.post.keywords
		for slot := k.start[e]; slot < k.start[e+1]; slot++ {
			if m.allMarked(k.slot(slot)) {
				h.matched++
			}
		}
		listed = int(h.matched)
		p := &m.post.patterns
		for slot := p.start[e]; slot < p.start[e+1]; slot++ {
			if m.anyMarked(p.slot(slot)) {
				h.pattern = true
				listed++
			}
		}
	}
	s := opts.Dialect.score(int(h.matched), len(entry.Keywords), h.pattern)
	if !opts.includes(mode, &s) {
		return 0
	}
	h.total = s.Total
	m.hits = append(m.hits, h)
	return listed
}

// slot returns the terms of one keyword or pattern.
func (p *pieces) slot(i uint32) []uint32 {
	return p.term[p.termStart[i]:p.termStart[i+1]]
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

// results makes the results of the sorted hits, whose lists hold that many
// words in all.
func (m *Matcher) results(words int, opts *MatchOptions) []Result {
	if len(m.hits) == 0 {
		return nil
	}
	results := make([]Result, len(m.hits))
	lists := make([]string, 0, words)
	var scores []Score
	if opts.Dialect == Recall {
		scores = make([]Score, len(m.hits))
	}
	for i, h := range m.hits {
		e := &m.ix.Entries[h.entry]
		r := &results[i]
		*r = Result{Entry: e, Score: h.total, Mode: e.mode(), position: int(h.entry)}
		if r.Mode != Lazy {
			continue
		}
		start := len(lists)
		lists = m.appendKeywords(lists, h.entry)
		r.MatchedKeywords = lists[start:len(lists):len(lists)]
		start = len(lists)
		lists = m.appendPatterns(lists, h.entry)
		r.MatchedPatterns = lists[start:len(lists):len(lists)]
		if opts.Dialect == Recall {
			scores[i] = Recall.score(int(h.matched), len(e.Keywords), h.pattern)
			r.Components = &scores[i]
		}
	}
	return results
}

// appendKeywords appends the keywords of an entry that hit.
func (m *Matcher) appendKeywords(list []string, e uint32) []string {
	k := &m.post.keywords
	for slot := k.start[e]; slot < k.start[e+1]; slot++ {
		if m.allMarked(k.slot(slot)) {
			list = append(list, m.ix.Entries[e].Keywords[slot-k.start[e]])
		}
	}
	return list
}

// appendPatterns appends the patterns of an entry that hit.
func (m *Matcher) appendPatterns(list []string, e uint32) []string {
	p := &m.post.patterns
	for slot := p.start[e]; slot < p.start[e+1]; slot++ {
		if m.anyMarked(p.slot(slot)) {
			list = append(list, m.ix.Entries[e].Patterns[slot-p.start[e]])
		}
	}
	return list
}

// builder gathers the words of all entries.
type builder struct {
	number map[string]uint32 // in order of first appearance
	words  []string
}

// buildPostings makes the inverted index of entries.
func buildPostings(entries []Entry) *postings {
	b := &builder{number: map[string]uint32{}}
	p := &postings{keywords: newPieces(len(entries)), patterns: newPieces(len(entries))}
	for i := range entries {
		e := &entries[i]
		matched := e.Priority != PriorityCore && !e.unusable()
		for _, k := range e.Keywords {
			if matched {
				p.keywords.term = b.keyword(p.keywords.term, k)
			}
			p.keywords.termStart = append(p.keywords.termStart, uint32(len(p.keywords.term)))
		}
		for _, k := range e.Patterns {
			if matched {
				p.patterns.term = b.pattern(p.patterns.term, k)
			}
			p.patterns.termStart = append(p.patterns.termStart, uint32(len(p.patterns.term)))
		}
		p.keywords.start = append(p.keywords.start, uint32(len(p.keywords.termStart)-1))
		p.patterns.start = append(p.patterns.start, uint32(len(p.patterns.termStart)-1))
	}
	b.sortTerms(p)
	p.post(len(entries))
	p.rank = ranks(entries)
	return p
}

func newPieces(entries int) pieces {
	return pieces{start: append(make([]uint32, 0, entries+1), 0), termStart: []uint32{0}}
}

func (b *builder) intern(word string) uint32 {
	n, ok := b.number[word]
	if !ok {
		n = uint32(len(b.words))
		b.number[word] = n
		b.words = append(b.words, word)
	}
	return n
}

// keyword appends the terms of a keyword, none when it can never hit.
func (b *builder) keyword(terms []uint32, keyword string) []uint32 {
	if !Reachable(keyword) {
		return terms
	}
	for rest := keyword; ; {
		piece, tail, more := cutKeyword(rest)
		terms = append(terms, b.intern(piece))
		if !more {
			return terms
		}
		rest = tail
	}
}

// pattern appends the terms of those pieces of a pattern that can hit.
func (b *builder) pattern(terms []uint32, pattern string) []uint32 {
	for rest := pattern; ; {
		piece, tail, more := cutPattern(rest)
		if reachable(piece) {
			terms = append(terms, b.intern(piece))
		}
		if !more {
			return terms
		}
		rest = tail
	}
}

// sortTerms numbers the words by their sorted order instead of appearance.
func (b *builder) sortTerms(p *postings) {
	p.terms = slices.Clone(b.words)
	slices.Sort(p.terms)
	renumber := make([]uint32, len(b.words))
	for i, word := range p.terms {
		renumber[b.number[word]] = uint32(i)
	}
	for _, list := range [][]uint32{p.keywords.term, p.patterns.term} {
		for i, t := range list {
			list[i] = renumber[t]
		}
	}
}

// post fills the lists of entries by term: once to count, once to write.
func (p *postings) post(entries int) {
	p.postStart = make([]uint32, len(p.terms)+1)
	p.eachPosting(entries, func(t, _ uint32) { p.postStart[t+1]++ })
	for i := 1; i < len(p.postStart); i++ {
		p.postStart[i] += p.postStart[i-1]
	}
	p.posts = make([]uint32, p.postStart[len(p.terms)])
	next := slices.Clone(p.postStart[:len(p.terms)])
	p.eachPosting(entries, func(t, e uint32) {
		p.posts[next[t]] = e
		next[t]++
	})
}

// eachPosting calls yield for each pair of term and entry once, entries in order.
func (p *postings) eachPosting(entries int, yield func(term, entry uint32)) {
	last := make([]uint32, len(p.terms)) // by term: the last entry posted, plus one
	emit := func(t, e uint32) {
		if last[t] != e+1 {
			last[t] = e + 1
			yield(t, e)
		}
	}
	for e := range uint32(entries) {
		for slot := p.keywords.start[e]; slot < p.keywords.start[e+1]; slot++ {
			if terms := p.keywords.slot(slot); len(terms) > 0 {
				emit(terms[0], e)
			}
		}
		for slot := p.patterns.start[e]; slot < p.patterns.start[e+1]; slot++ {
			for _, t := range p.patterns.slot(slot) {
				emit(t, e)
			}
		}
	}
}

// ranks returns each entry's place in the order of tokens, then position.
func ranks(entries []Entry) []uint32 {
	order := make([]uint32, len(entries))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		return compareTokens(entries[a].TokensEst, entries[b].TokensEst)
	})
	rank := make([]uint32, len(entries))
	place := uint32(0)
	for i, e := range order {
		if i > 0 && compareTokens(entries[order[i-1]].TokensEst, entries[e].TokensEst) != 0 {
			place = uint32(i)
		}
		rank[e] = place
	}
	return rank
}
