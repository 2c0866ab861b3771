package loadout

import "slices"

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
