package loadout

import (
	"math"
	"slices"
)

// The lists of an index that is cut into small files, by key: a word of a task as the
// tokenizers cut it, the stem of a word after stemMark, and coreKey for the core entries,
// which no word decides on. All that scoring an entry needs of it is in its postings, so
// that the lists of the words of a task are enough to say which entries it loads, in which
// order and at what cost; see [Excerpt].
const (
	coreKey  = ""
	stemMark = "~" // after all other first characters of a key
)

// A posting is a byte of what follows, how many keywords the entry has, its tokens, and
// the keywords of several words that the word is a part of. Numbers are unsigned varints.
const (
	postMode    = 3      // the bits of the mode, as in a record; unusable entries have no postings
	postPattern = 1 << 2 // the word is in a pattern
	postSummary = 1 << 3 // the stem is in the summary alone
	postParts   = 1 << 4 // keywords of several words follow: the number of them, then place and words of each
	postSingle  = 5      // from here: how many keywords are the word alone
	postSingles = 7      // so many and more: the rest follows
)

// Tokens of a posting.
const (
	postUnknown = 0 // there is no estimate
	postFloat   = 1 // eight bytes follow
	postTokens  = 2 // and more: the estimate and this
)

// part is a keyword of several words, one of which is the word of a list.
type part struct{ place, words int }

// AppendVarint appends a number as an unsigned varint.
func AppendVarint(dst []byte, n int) []byte {
	for ; n >= 0x80; n >>= 7 {
		dst = append(dst, byte(n)|0x80)
	}
	return append(dst, byte(n))
}

// varints reads numbers and texts; what does not fit makes it damaged, and empty.
type varints struct {
	text    string
	damaged bool
}

func (v *varints) byte() byte {
	if v.text == "" {
		v.damaged = true
		return 0
	}
	b := v.text[0]
	v.text = v.text[1:]
	return b
}

func (v *varints) number() (n int) {
	for shift := 0; ; shift += 7 {
		b := v.byte()
		n |= int(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
		if shift > 21 { // more than anything here is
			v.fail()
			return 0
		}
	}
}

func (v *varints) cut() string {
	n := v.number()
	if n > len(v.text) {
		v.fail()
		return ""
	}
	s := v.text[:n]
	v.text = v.text[n:]
	return s
}

func (v *varints) fail() { v.text, v.damaged = "", true }

// tokens reads the tokens of a posting.
func (v *varints) tokens() float64 {
	switch n := v.number(); n {
	case postUnknown:
		return math.NaN()
	case postFloat:
		bits := uint64(0)
		for i := 0; i < 64; i += 8 {
			bits |= uint64(v.byte()) << i
		}
		return math.Float64frombits(bits)
	default:
		return float64(n - postTokens)
	}
}

// posted is what one list says of an entry.
type posted struct {
	flags   byte
	singles int
	parts   []part
}

// Post hands on the keys of the lists that an entry is in, each once and in no order that
// means anything, with its posting in the list.
func Post(e *Entry, yield func(key string, posting []byte)) {
	if e.unusable() {
		return
	}
	mode := e.recordMode()
	if mode == recordEager {
		yield(coreKey, e.appendPosting(nil, posted{flags: byte(mode)}))
		return
	}
	var keys []string
	lists := map[string]*posted{}
	at := func(key string) *posted {
		if lists[key] == nil {
			keys, lists[key] = append(keys, key), &posted{flags: byte(mode)}
		}
		return lists[key]
	}
	for i, k := range e.Keywords {
		words, ok := e.pieces(k, false)
		if !ok {
			continue // it can never hit
		}
		for _, word := range words {
			if p := at(word); len(words) == 1 {
				p.singles++
			} else {
				p.parts = append(p.parts, part{i, len(words)})
			}
		}
	}
	for _, text := range e.Patterns {
		words, _ := e.pieces(text, true)
		for _, word := range words {
			at(word).flags |= postPattern
		}
	}
	if mode == recordLazy {
		(&weigher{}).eachStem(e, func(stem []byte, inSummary bool) {
			if key := stemMark + string(stem); lists[key] == nil && inSummary {
				at(key).flags |= postSummary
			} else {
				at(key)
			}
		})
	}
	for _, key := range keys {
		yield(key, e.appendPosting(nil, *lists[key]))
	}
}

// appendPosting appends a posting.
func (e *Entry) appendPosting(dst []byte, p posted) []byte {
	p.flags |= byte(min(p.singles, postSingles)) << postSingle
	if len(p.parts) > 0 {
		p.flags |= postParts
	}
	dst = append(dst, p.flags)
	if p.singles >= postSingles {
		dst = AppendVarint(dst, p.singles-postSingles)
	}
	dst = AppendVarint(dst, len(e.Keywords))
	switch n := e.TokensEst; {
	case math.IsNaN(n):
		dst = append(dst, postUnknown)
	case n == math.Trunc(n) && n >= 0 && n < 1<<30:
		dst = AppendVarint(dst, int(n)+postTokens)
	default:
		dst = append(dst, postFloat)
		for bits, i := math.Float64bits(n), 0; i < 64; i += 8 {
			dst = append(dst, byte(bits>>i))
		}
	}
	if len(p.parts) > 0 {
		dst = AppendVarint(dst, len(p.parts))
		for _, x := range p.parts {
			dst = AppendVarint(AppendVarint(dst, x.place), x.words)
		}
	}
	return dst
}

// postings is the inverted index of an Index: for each word the entries whose
// keywords or patterns hold it. A word is known by its number, its place in
// terms.
//
// An entry is posted under the first piece of each keyword (all pieces have to
// hit, so any one finds it) and under every piece of each pattern (one is
// enough). Keywords and patterns that cannot hit are posted nowhere; neither
// are core entries, which need no words.
type postings struct {
	records
	terms     []string // sorted
	postStart []uint32 // by term: start of its entries in posts; one more at the end
	posts     []uint32 // ranks, ascending for each term
}

// buildPostings makes the inverted index of entries.
func buildPostings(entries []Entry) *postings {
	b := newBuilder()
	for i := range entries {
		b.add(&entries[i])
	}
	return b.postings()
}

// postings returns the inverted index of the entries that were added.
func (b *builder) postings() *postings {
	p := &postings{records: b.ranked(), terms: b.terms}
	p.sortTerms(b.number)
	p.post()
	return p
}

// sortTerms numbers the words by their sorted order instead of appearance.
func (p *postings) sortTerms(number map[string]uint32) {
	slices.Sort(p.terms)
	renumber := make([]uint32, len(p.terms))
	for i, word := range p.terms {
		renumber[number[word]] = uint32(i)
	}
	for rank := range p.entry {
		eachSlot(p.of(uint32(rank)), func(_ bool, terms []uint32) {
			for i, t := range terms {
				terms[i] = renumber[t]
			}
		})
	}
}

// post fills the lists of ranks by term: once to count, once to write.
func (p *postings) post() {
	p.postStart = make([]uint32, len(p.terms)+1)
	p.eachPosting(func(t, _ uint32) { p.postStart[t+1]++ })
	for i := 1; i < len(p.postStart); i++ {
		p.postStart[i] += p.postStart[i-1]
	}
	p.posts = make([]uint32, p.postStart[len(p.terms)])
	next := slices.Clone(p.postStart[:len(p.terms)])
	p.eachPosting(func(t, rank uint32) {
		p.posts[next[t]] = rank
		next[t]++
	})
}

// eachPosting calls yield for each pair of term and rank once, ranks ascending.
func (p *postings) eachPosting(yield func(term, rank uint32)) {
	last := make([]uint32, len(p.terms)) // by term: the last rank posted, plus one
	for rank := range uint32(len(p.entry)) {
		eachSlot(p.of(rank), func(pattern bool, terms []uint32) {
			if !pattern && len(terms) > 0 {
				terms = terms[:1]
			}
			for _, t := range terms {
				if last[t] != rank+1 {
					last[t] = rank + 1
					yield(t, rank)
				}
			}
		})
	}
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

// plausible reports whether the tables point only where they may. The slots of a record
// are looked at when it is needed: see slotsSound.
func (p *postings) plausible() bool {
	if !ascending(p.start, len(p.words)) || !below(p.entry, len(p.entry)) || !ascending(p.postStart, len(p.posts)) || !below(p.posts, len(p.entry)) {
		return false
	}
	for rank := range p.entry {
		if p.start[rank+1]-p.start[rank] < recordSlots {
			return false
		}
	}
	return true
}

// fit reports whether the records are those of entries with these numbers of keywords and
// patterns, two for each entry.
func (p *postings) fit(sizes []uint32) bool {
	for rank, position := range p.entry {
		record := p.of(uint32(rank))
		if record[recordKeywords] != sizes[2*position] || record[recordHead]>>recordModeBits != sizes[2*position+1] || !slotsSound(record, len(p.terms)) {
			return false
		}
	}
	return true
}

// stemPostings is the inverted index of the weighted dialect: for each stem the entries
// that words decide on and that hold a form of it. Words that say nothing about a task
// are left out.
type stemPostings struct {
	stems []string // sorted
	start []uint32 // by stem: start of its entries in posts; one more at the end
	posts []uint32 // twice the rank, and one more where the summary alone holds it
}

// stemBuilder collects the postings of stems: by position, and so in the order in which
// entries come.
type stemBuilder struct {
	w     weigher
	lists map[string]*[]uint32
}

// addEntry posts the words of an entry that words decide on.
func (b *stemBuilder) addEntry(e *Entry, position int) {
	if e.recordMode() != recordLazy {
		return
	}
	b.w.eachStem(e, func(stem []byte, inSummary bool) {
		list := b.lists[string(stem)]
		if list == nil {
			list = &[]uint32{}
			b.lists[string(stem)] = list
		}
		post := uint32(position) << 1
		if inSummary {
			post |= 1
		}
		if n := len(*list); n == 0 || (*list)[n-1]>>1 != post>>1 {
			*list = append(*list, post)
		}
	})
}

// postings makes the inverted index of the entries, which have these positions by rank.
func (b *stemBuilder) postings(positions []uint32) *stemPostings {
	s, total := &stemPostings{start: []uint32{0}}, 0
	for text, list := range b.lists {
		s.stems = append(s.stems, text)
		total += len(*list)
	}
	rank := make([]uint32, len(positions))
	for i, position := range positions {
		rank[position] = uint32(i)
	}
	slices.Sort(s.stems)
	s.posts = make([]uint32, 0, total)
	for _, text := range s.stems {
		from := len(s.posts)
		for _, post := range *b.lists[text] {
			s.posts = append(s.posts, rank[post>>1]<<1|post&1)
		}
		slices.Sort(s.posts[from:])
		s.start = append(s.start, uint32(len(s.posts)))
	}
	return s
}

// stemMagic ends the text of an index.bin that has stems. To readers that know nothing of
// them they are text that nothing refers to.
const stemMagic = 0x5354454f // "OETS"; earlier rules of stems had others, and files no lookups

// stemTrailer is what the text ends in: three numbers, of stems, of postings, and the mark.
const stemTrailer = 3 * 4

// append appends the stems to the text of a file: their places in it (two numbers each),
// start, posts and the trailer.
func (s *stemPostings) append(text []byte, places []uint32) []byte {
	for _, table := range [][]uint32{places, s.start, s.posts, {uint32(len(s.stems)), uint32(len(s.posts)), stemMagic}} {
		text = appendWords(text, table)
	}
	return text
}

// partStems is what a Part has in memory of the stems: not their postings.
type partStems struct {
	stemPostings
	first, posts int64 // offsets of the tables and of the postings
	count        int64 // of the stems
}

// findStems finds the stems at the end of the text.
func (p *Part) findStems() error {
	size := int64(p.header[fieldText])
	if size < stemTrailer {
		return errBinaryForeign
	}
	end := p.text + size - stemTrailer
	trailer, err := p.table(end, stemTrailer)
	if err != nil {
		return err
	}
	s := &p.stems
	s.count = int64(trailer.word())
	s.posts = end - 4*int64(trailer.word())
	s.first = s.posts - 4*(3*s.count+1)
	switch {
	case trailer.word() != stemMagic:
		return errBinaryForeign
	case s.first < p.text:
		return errBinaryDamaged
	}
	return nil
}

// openStems reads the stems, once they are needed.
func (p *Part) openStems() error {
	s := &p.stems
	if s.start != nil {
		return nil
	}
	table, err := p.table(s.first, s.posts-s.first)
	if err != nil {
		return err
	}
	places, start := table.inPlace(2*s.count), table.inPlace(s.count+1)
	if s.stems, err = p.terms(places); err != nil {
		return err
	}
	if !ascending(start, int(p.text+int64(p.header[fieldText])-stemTrailer-s.posts)/4) {
		return errBinaryDamaged
	}
	s.start = start
	return nil
}

// weigh looks for the words of a task in the postings of their stems, and gathers the
// entries that hold one.
func (p *Part) weigh(task string) (*weigher, []heldWords, error) {
	if err := p.openStems(); err != nil {
		return nil, nil, err
	}
	s, w, entries := &p.stems, cutTask(task), 0.0
	held := make([]heldWords, len(p.finder.post.entry))
	for t, text := range w.stems {
		at, ok := slices.BinarySearch(s.stems, text)
		if !ok {
			continue
		}
		n := int64(s.start[at+1] - s.start[at])
		table, err := p.table(s.posts+4*int64(s.start[at]), 4*n)
		if err != nil {
			return nil, nil, err
		}
		w.worth[t] = float64(n)
		for _, post := range table.inPlace(n) {
			rank := post >> 1
			if uint64(rank) >= uint64(len(held)) {
				return nil, nil, errBinaryDamaged
			}
			if post&1 == 0 {
				held[rank].strong |= 1 << t
			} else {
				held[rank].summary |= 1 << t
			}
			p.finder.gather(rank)
		}
	}
	for rank := range p.finder.post.entry {
		if p.finder.post.mode(uint32(rank)) == recordLazy {
			entries++
		}
	}
	w.weighIn(entries)
	return w, held, nil
}
