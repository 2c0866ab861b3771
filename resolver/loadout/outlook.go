package loadout

// Outlook says how one entry fares with a task, and what would change it.
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

// mostRemoved is how many words a Change takes out of a task at most.
const mostRemoved = 16

// ExplainTask says how the entry with that id fares with a task; nil when there
// is none. It returns what Match returns for bad input.
func ExplainTask(task, id string, ix *Index, opts MatchOptions) (*Outlook, error) {
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
	case o.Included:
		o.Change.Remove = displayed(wordsToRemove(e, ix.tokens(task), &opts))
	default:
		o.Change.Add = displayed(tokens.wordsToAdd(e, &opts))
	}
	return o, nil
}

// wordsToAdd returns the fewest words whose addition to the task would include
// an entry; nil when none would.
func (t tokenSet) wordsToAdd(e *Entry, opts *MatchOptions) []string {
	var best []string
	hits, pattern := 0, false
	var missing [][]string // by missed keyword that can hit: the words it lacks
	for _, k := range e.Keywords {
		if t.keywordHit(e, k) {
			hits++
		} else if words, ok := e.pieces(k, false); ok {
			missing = append(missing, t.lacking(words))
		}
	}
	for _, p := range e.Patterns {
		pattern = pattern || t.patternHit(e, p)
	}
	included := func(hits int, pattern bool) bool {
		s := opts.Dialect.score(hits, len(e.Keywords), pattern)
		return opts.includes(Lazy, &s)
	}
	if !pattern && included(hits, true) {
		if word := e.firstOfPatterns(); word != "" {
			best = []string{word}
		}
	}
	sortByLength(missing)
	var words []string
	for i, lacking := range missing {
		for _, w := range lacking {
			words = addWord(words, w)
		}
		if best != nil && len(words) >= len(best) {
			return best
		}
		if included(hits+i+1, pattern) {
			return words
		}
		if i >= mostAdded {
			break
		}
	}
	return best
}

// mostAdded is how many keywords wordsToAdd tries to complete.
const mostAdded = 64

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

// firstOfPatterns returns the first word that would hit one of the patterns.
func (e *Entry) firstOfPatterns() string {
	for _, p := range e.Patterns {
		if words, ok := e.pieces(p, true); ok {
			return words[0]
		}
	}
	return ""
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

// wordsToRemove returns words without which the task would leave an entry out,
// each time taking the one that costs the score most; nil when too many would
// have to go.
func wordsToRemove(e *Entry, words []string, opts *MatchOptions) []string {
	left := setOf(words)
	var removed []string
	for range mostRemoved {
		best, lowest := "", 2.0
		for _, w := range words {
			if !left[w] || !mentions(e, w) {
				continue
			}
			left[w] = false
			if r := left.rate(e, opts); r.Score.Total < lowest {
				best, lowest = w, r.Score.Total
			}
			left[w] = true
		}
		if best == "" {
			return nil
		}
		left[best] = false
		removed = append(removed, best)
		if r := left.rate(e, opts); !r.Included {
			return removed
		}
	}
	return nil
}

// mentions reports whether a word is a piece of a keyword or pattern.
func mentions(e *Entry, word string) bool {
	for _, pattern := range [...]bool{false, true} {
		texts := e.Keywords
		if pattern {
			texts = e.Patterns
		}
		for _, text := range texts {
			words, _ := e.pieces(text, pattern)
			for _, w := range words {
				if w == word {
					return true
				}
			}
		}
	}
	return false
}

// AppendOutlook appends an outlook as compact JSON, null for nil.
func AppendOutlook(dst []byte, o *Outlook) []byte {
	if o == nil {
		return appendText(dst, "null")
	}
	dst = appendStrings(appendText(dst, `{"words":`), o.Words)
	dst = AppendNumber(appendText(dst, `,"rank":`), float64(o.Rank))
	dst = AppendNumber(appendText(dst, `,"of":`), float64(o.Of))
	dst = AppendRating(appendText(dst, `,"rating":`), &o.Rating)
	dst = appendStrings(appendText(dst, `,"change":{"add":`), o.Change.Add)
	dst = appendStrings(appendText(dst, `,"remove":`), o.Change.Remove)
	dst = AppendString(appendText(dst, `,"priority":`), o.Change.Priority)
	return appendText(dst, "}}")
}
