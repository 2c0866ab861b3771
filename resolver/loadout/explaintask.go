package loadout

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
