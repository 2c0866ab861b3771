package loadout

import "math/bits"

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
