package loadout

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
	keywords, patterns := 0, 0
	for _, e := range m.found {
		k, p := m.rate(e, &opts)
		keywords, patterns = keywords+k, patterns+p
	}
	sortHits(m.hits)
	return m.results(keywords+patterns, &opts), nil
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

// rate scores a candidate by the exact rule and keeps it when it is included.
// It returns how many keywords and patterns its result lists.
func (m *Matcher) rate(e uint32, opts *MatchOptions) (keywords, patterns int) {
	record := m.post.of(e)
	h := hit{entry: e, tokens: recordEstimate(record)}
	mode := record[recordMode]
	if mode == recordLazy {
		keywords, patterns = m.count(record)
		h.matched = uint32(keywords)
		h.pattern = patterns > 0
	}
	s := opts.Dialect.score(keywords, int(record[recordKeywords]), h.pattern)
	if mode == recordUnusable || !opts.includes(loadModes[mode], &s) {
		return 0, 0
	}
	h.total = s.Total
	m.hits = append(m.hits, h)
	return keywords, patterns
}

// count returns how many keywords and how many patterns of a record hit.
func (m *Matcher) count(record []uint32) (keywords, patterns int) {
	slots := record[recordWords:]
	for range record[recordKeywords] {
		n := slots[0]
		if m.allMarked(slots[1 : 1+n]) {
			keywords++
		}
		slots = slots[1+n:]
	}
	for range record[recordPatterns] {
		n := slots[0]
		if m.anyMarked(slots[1 : 1+n]) {
			patterns++
		}
		slots = slots[1+n:]
	}
	return keywords, patterns
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
		record := m.post.of(h.entry)
		r := &results[i]
		*r = Result{Entry: &m.ix.Entries[h.entry], Score: h.total, Mode: loadModes[record[recordMode]]}
		if r.Mode != Lazy {
			continue
		}
		start := len(lists)
		lists = m.appendHits(lists, record)
		middle := start + int(h.matched)
		r.MatchedKeywords = lists[start:middle:middle]
		r.MatchedPatterns = lists[middle:len(lists):len(lists)]
		if opts.Dialect == Recall {
			scores[i] = Recall.score(int(h.matched), int(record[recordKeywords]), h.pattern)
			r.Components = &scores[i]
		}
	}
	return results
}

// appendHits appends the keywords of a record that hit, then the patterns.
func (m *Matcher) appendHits(list []string, record []uint32) []string {
	slots := record[recordWords:]
	for i := range record[recordKeywords] {
		n := slots[0]
		if m.allMarked(slots[1 : 1+n]) {
			list = append(list, m.post.keywords[record[recordFirstKeyword]+i])
		}
		slots = slots[1+n:]
	}
	for i := range record[recordPatterns] {
		n := slots[0]
		if m.anyMarked(slots[1 : 1+n]) {
			list = append(list, m.post.patterns[record[recordFirstPattern]+i])
		}
		slots = slots[1+n:]
	}
	return list
}
