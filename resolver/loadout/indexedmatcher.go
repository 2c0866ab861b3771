package loadout

// Matcher answers Match from an inverted index. It keeps working memory, so
// that a match allocates nothing but its results, and serves one goroutine at
// a time.
type Matcher struct {
	ix           *Index
	fault        error // what makes a match with Compat impossible
	finder       wordFinder
	found, spare []hit // the included entries, by rank
}

// NewMatcher builds the inverted index of an index, which must not change
// afterwards.
func NewMatcher(ix *Index) *Matcher {
	return newMatcher(ix, buildPostings(ix.Entries))
}

func newMatcher(ix *Index, post *postings) *Matcher {
	m := &Matcher{ix: ix, finder: newFinder(post, ix.anyUnicode())}
	for i := range ix.Entries {
		if e := &ix.Entries[i]; e.Fault != FaultNone && e.mode() == Lazy {
			m.fault = &entryError{i, e.ID, e.Fault}
			break
		}
	}
	return m
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
	m.finder.collect(task)
	m.found = m.found[:0]
	words := 0
	m.finder.eachCandidate(func(rank uint32) { words += m.rate(rank, &opts) })
	return m.results(words, &opts), nil
}

// rate scores a candidate by the exact rule and keeps it when it is included.
// It returns how many keywords and patterns its result lists.
func (m *Matcher) rate(rank uint32, opts *MatchOptions) int {
	h := m.finder.count(rank)
	s := opts.Dialect.score(h.keywords, h.all, h.bonus)
	if h.mode == recordUnusable || !opts.includes(loadMode(h.mode), &s) {
		return 0
	}
	m.found = append(m.found, hit{total: s.rank(), entry: rank})
	return h.keywords + h.patterns
}

// results makes the results of the entries found, whose lists hold that many
// words in all.
func (m *Matcher) results(words int, opts *MatchOptions) []Result {
	if len(m.found) == 0 {
		return nil
	}
	m.spare = sortWith(m.found, m.spare)
	results := make([]Result, len(m.found))
	lists := make([]string, 0, words)
	for i, found := range m.found {
		e := &m.ix.Entries[m.finder.post.entry[found.entry]]
		r := &results[i]
		r.Entry, r.Score, r.Rank, r.Mode = e, min(1, found.total), found.total, loadMode(m.finder.post.mode(found.entry))
		if r.Mode != Lazy {
			continue
		}
		start := len(lists)
		var keywords int
		lists, keywords = m.finder.appendHits(lists, found.entry, e)
		middle := start + keywords
		r.MatchedKeywords = lists[start:middle:middle]
		r.MatchedPatterns = lists[middle:len(lists):len(lists)]
		if opts.Dialect == Recall {
			s := Recall.score(keywords, len(e.Keywords), m.finder.count(found.entry).bonus)
			r.Components = &s
		}
	}
	return results
}
