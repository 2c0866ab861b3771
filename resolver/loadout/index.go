package loadout

// Version is the index version that writers emit (loadout section 2.3).
const Version = "1.0.0"

// The three priorities with a meaning (loadout section 2.1). Any other value
// is scored like PriorityDomain and reported by validation.
const (
	PriorityCore   = "core"   // always loaded
	PriorityDomain = "domain" // loaded when the task matches
	PriorityManual = "manual" // loaded only by name
)

// Triggers says in which phases of work an entry is offered (loadout section
// 2.1). The matcher ignores them.
type Triggers struct {
	Task, Plan, Edit bool
}

// DefaultTriggers returns the triggers of an entry that names none: task and plan.
func DefaultTriggers() Triggers { return Triggers{Task: true, Plan: true} }

// Budget is the token budget of an index (loadout section 2.4), in tokens.
type Budget struct {
	AlwaysLoaded  float64  // core entries
	OnDemandTotal float64  // all others
	AvgTaskLoad   float64  // OnDemandTotal by the number of domain entries, rounded
	AvgObserved   *float64 // from a usage log; nil prints null
}

// Entry is one thing that can be loaded (loadout section 2.2).
type Entry struct {
	ID       string
	Path     string
	Keywords []string
	Patterns []string
	Priority string
	Summary  string
	Triggers Triggers
	// TokensEst is the estimate of the payload in tokens. NaN when the index
	// that was read gives no number.
	TokensEst float64
	// Lines is the number of lines of the payload, 0 when it is not known.
	Lines int
	// Raw is the entry as it was read; results and writers print it unchanged.
	// Empty for an entry made by a program: its fields are printed instead.
	Raw Value
	// Fault says what is wrong with the shape of an entry that was read.
	Fault Fault

	unicode bool // whether the Unicode tokenizer cuts its words
}

// Index is a loadout index (loadout section 2.3).
type Index struct {
	Version   string
	Generated string // ISO 8601, UTC, milliseconds
	Source    string // the MEMORY.md a memory index came from, otherwise empty
	Entries   []Entry
	Budget    Budget
	LazyLoad  bool
	// Tokenizer is how the index cuts texts into words; SetTokenizer sets it.
	Tokenizer Tokenizer
	// Head is the index as it was read with its list of entries emptied, so
	// that unknown keys survive; empty for an index made by a program. An
	// index whose Head has no array under "entries" is malformed: Check says so.
	Head Value

	weighed []weighedTask // where only some entries were read
}

// Fault is what keeps an entry from being read or matched as written.
type Fault uint8

// The faults of an entry, worst last.
const (
	FaultNone            Fault = iota
	FaultKeywordsMissing       // no keywords: counted as an empty list
	FaultPatternsMissing       // no patterns: counted as an empty list
	FaultKeywords              // keywords is not a list of strings: never matched
	FaultPatterns              // patterns is not a list of strings: never matched
	FaultNotObject             // the entry is not an object: never matched
)

// String names the fault in a message.
func (f Fault) String() string {
	switch f {
	case FaultKeywordsMissing:
		return "keywords is missing"
	case FaultPatternsMissing:
		return "patterns is missing"
	case FaultKeywords:
		return "keywords is not a list of strings"
	case FaultPatterns:
		return "patterns is not a list of strings"
	case FaultNotObject:
		return "entry is not an object"
	}
	return "no fault"
}

// ShapeError says that a value is not an index.
type ShapeError struct {
	Problem string
}

func (e *ShapeError) Error() string { return "not a loadout index: " + e.Problem }

// Check returns a *ShapeError when the index that was read is not an object
// with a list of entries (loadout section 6.6).
func (ix *Index) Check() error {
	if ix.Head == "" {
		return nil
	}
	if ix.Head.Kind() != Object {
		return &ShapeError{"it is not an object"}
	}
	switch entries := ix.Head.Get("entries"); entries.Kind() {
	case Array:
		return nil
	case Missing:
		return &ShapeError{"it has no entries"}
	}
	return &ShapeError{"entries is not a list"}
}

// Lookup returns the first entry with exactly that id, whatever its priority,
// or nil (loadout section 7).
func (ix *Index) Lookup(id string) *Entry {
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if e.ID == id && e.hasID() {
			return e
		}
	}
	return nil
}

// hasID reports whether the id is a string: an entry that was read may have
// none, or a number, and then no text equals it.
func (e *Entry) hasID() bool {
	return e.ID != "" || e.Raw == "" || e.Raw.Get("id") == `""`
}

// DecodeAtMost reads an index from a value. What is not an index keeps its text in
// Head, and Check reports it. It is not ok, and stops, once there are more than that
// many entries.
func DecodeAtMost(v Value, entries int) (ix *Index, ok bool) {
	ix = &Index{}
	head := make([]byte, 0, 256)
	if v.Kind() != Object {
		ix.Head = v
		if v == "" {
			ix.Head = "null"
		}
		return ix, true
	}
	ok = true
	head = append(head, '{')
	v.Members(func(key string, member Value) bool {
		head = AppendKey(head, key)
		if key == "entries" && member.Kind() == Array {
			head = append(head, "[]"...)
			ix.Entries, ok = decodeEntries(member, entries)
		} else {
			head = append(head, member...)
		}
		return ok
	})
	ix.setHead(Value(append(head, '}')))
	ix.Budget = decodeBudget(ix.Head.Get("budget"))
	return ix, ok
}

// setHead sets Head and the fields that are in it, except for the budget.
func (ix *Index) setHead(head Value) {
	ix.Head = head
	ix.Version, _ = head.Get("version").Str()
	ix.Generated, _ = head.Get("generated").Str()
	ix.Source, _ = head.Get("source").Str()
	ix.LazyLoad = head.Get("lazyLoad") == "true"
	if v := head.Get("tokenizer"); v != "" {
		name, _ := v.Str()
		ix.SetTokenizer(Tokenizer(name))
	}
}

func decodeBudget(v Value) (b Budget) {
	b.AlwaysLoaded, _ = v.Get("always_loaded_est").Num()
	b.OnDemandTotal, _ = v.Get("on_demand_total_est").Num()
	b.AvgTaskLoad, _ = v.Get("avg_task_load_est").Num()
	if observed, ok := v.Get("avg_task_load_observed").Num(); ok {
		b.AvgObserved = &observed
	}
	return b
}

// entrySize is about how many bytes an entry has in compact JSON.
const entrySize = 256

func decodeEntries(list Value, most int) (entries []Entry, ok bool) {
	entries, ok = make([]Entry, 0, len(list)/entrySize), true
	list.Items(func(item Value) bool {
		if ok = len(entries) < most; ok {
			entries = append(entries, DecodeEntry(item))
		}
		return ok
	})
	return entries, ok
}

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
