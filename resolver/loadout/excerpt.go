package loadout

// Excerpt answers for an index of which only the lists of some words, and some entries,
// are at hand: what a browser has read of the files of a site. It says of a task whose
// lists it has what [Detail] says for the whole index, to the last digit; of entries that
// are not at hand it knows no texts.
//
// # Format
//
// Numbers are unsigned varints of at most 28 bits; a text has its length in bytes in front.
//
//	"PKDX", 1
//	entries of the index; how many of them words decide on, without those that the
//	  entries at hand take the place of; 1 for the Unicode tokenizer
//	lists: each its key, the number of packs that have postings in it, and of each the
//	  place of its first entry in the index and a text of postings: after the distance
//	  from the one before (the first from -1) see [Post]
//	entries at hand: the place of each; 1 where it takes the place of what the lists say;
//	  and its JSON
type Excerpt struct {
	entries, lazy int
	unicode       bool
	lists         []list
	hand          []held
}

// list is the packs that have postings for a key.
type list struct{ key, packs string }

// held is an entry at hand.
type held struct {
	place  uint32
	edited bool
	entry  Entry
}

// excerptMagic starts an excerpt of the version that is read.
const excerptMagic = "PKDX\x01"

// maxExcerpt is the most entries that an index may have of which an excerpt is read.
const maxExcerpt = 1 << 22

// OpenExcerpt reads an excerpt; a *BinaryError says that it is damaged or something else.
func OpenExcerpt(data string) (*Excerpt, error) {
	if !hasPrefix(data, excerptMagic) {
		return nil, errBinaryForeign
	}
	v := &varints{text: data[len(excerptMagic):]}
	x := &Excerpt{entries: v.number(), lazy: v.number(), unicode: v.number() == 1}
	for n := v.number(); n > 0 && !v.damaged; n-- {
		x.lists = append(x.lists, list{v.cut(), v.cut()})
	}
	for n := v.number(); n > 0 && !v.damaged; n-- {
		h := held{place: uint32(v.number()), edited: v.number() == 1}
		h.entry = DecodeEntry(Value(v.cut()))
		h.entry.unicode = x.unicode
		x.hand = append(x.hand, h)
	}
	if v.damaged || v.text != "" || x.entries > maxExcerpt {
		return nil, errBinaryDamaged
	}
	return x, nil
}

// Keys are the keys of the lists that an excerpt needs to answer for a task, in no order.
func Keys(task string, opts MatchOptions, unicode bool) []string {
	keys := append(appendTokens(nil, task, true, unicode), coreKey)
	if opts.Dialect == Weighted {
		for _, s := range cutTask(task).stems {
			keys = addText(keys, append([]byte(stemMark), s...))
		}
	}
	for _, text := range opts.Also {
		keys = append(keys, Keys(text, MatchOptions{Dialect: opts.Dialect}, unicode)...)
	}
	return keys
}

// sketch is what the lists say of an entry for a task.
type sketch struct {
	place          uint32
	flags          byte
	keywords, hits int
	tokens         float64
	held           heldWords
	bonus          float64 // of a pattern that hits as a whole
	open           []part  // keywords of several words, of which that many have not been seen
}

// sketches are those of the entries that share a word with a task.
type sketches struct {
	x    *Excerpt
	list []sketch
	at   []uint32 // by place: where it is in the list, from 1
}

// Detail returns what the function Detail returns for the whole index; Compat is not
// looked at. An entry that is not at hand is one without texts and words.
func (x *Excerpt) Detail(task string, opts MatchOptions) (*Breakdown, error) {
	if len(opts.Also) > 0 {
		return together(task, x.entries, opts, x.Detail)
	}
	words := appendTokens(nil, task, true, x.unicode)
	tokens := setOf(words)
	s := &sketches{x: x, at: make([]uint32, x.entries)}
	sound := s.add(coreKey, nil)
	for _, word := range words {
		sound = s.add(word, nil) && sound
	}
	b := &Breakdown{Dialect: opts.Dialect, MinScore: opts.Threshold(), Words: displayed(words), excerpt: true}
	if opts.Dialect == Weighted {
		w := cutTask(task)
		for t, stem := range w.stems {
			sound = s.add(stemMark+stem, &stemBit{w, t}) && sound
		}
		lazy := float64(x.lazy)
		for i := range x.hand {
			if h := &x.hand[i]; h.edited {
				lazy += w.count(&h.entry)
			}
		}
		w.weighIn(lazy)
		opts.weigher, b.Words = w, withNames(w.words, task)
	}
	if !sound {
		return nil, errBinaryDamaged
	}
	var order []hit
	for i := range x.hand {
		if h := &x.hand[i]; h.edited {
			order = b.rate(order, &h.entry, h.place, tokens, &opts)
		}
	}
	for i := range s.list {
		var err error
		if order, err = b.rateSketch(order, &s.list[i], x, tokens, &opts); err != nil {
			return nil, err
		}
	}
	sortHits(order)
	b.Entries = permute(b.Entries, order)
	return b, nil
}

// stemBit is a word of a task by its stem.
type stemBit struct {
	w *weigher
	t int
}

// add adds the postings of a key; false when they are damaged. Those of entries that
// were edited are skipped.
func (s *sketches) add(key string, stem *stemBit) bool {
	packs := &varints{}
	for i := range s.x.lists {
		if l := &s.x.lists[i]; l.key == key {
			packs.text = l.packs
		}
	}
	for packs.text != "" {
		place := packs.number() - 1
		v := &varints{text: packs.cut()}
		for v.text != "" {
			place += v.number()
			if place < 0 || place >= len(s.at) {
				return false
			}
			if e := s.posting(v, uint32(place), stem); e != nil {
				if isWhole(key) {
					e.bonus = max(e.bonus, wholeBonus(key))
				}
			}
		}
		if v.damaged {
			return false
		}
	}
	return !packs.damaged
}

// posting adds a posting and returns what is known of its entry; nil for one that was edited.
func (s *sketches) posting(v *varints, place uint32, stem *stemBit) *sketch {
	flags := v.byte()
	hits := int(flags >> postSingle)
	if hits == postSingles {
		hits += v.number()
	}
	keywords, tokens := v.number(), v.tokens()
	var parts []part
	if flags&postParts != 0 {
		for n := v.number(); n > 0 && !v.damaged; n-- {
			parts = append(parts, part{v.number(), v.number()})
		}
	}
	if h := s.x.at(place); h != nil && h.edited {
		return nil
	}
	if s.at[place] == 0 {
		s.list = append(s.list, sketch{place: place, keywords: keywords, tokens: tokens})
		s.at[place] = uint32(len(s.list))
	}
	e := &s.list[s.at[place]-1]
	if stem != nil {
		stem.w.worth[stem.t]++
		if flags&postSummary != 0 {
			e.held.summary |= 1 << stem.t
		} else {
			e.held.strong |= 1 << stem.t
		}
		return e
	}
	e.flags |= flags
	e.hits += hits
	for _, p := range parts {
		e.see(p)
	}
	return e
}

// see counts a keyword as a hit once all of its words were seen.
func (e *sketch) see(p part) {
	for i := range e.open {
		if o := &e.open[i]; o.place == p.place {
			if o.words--; o.words == 0 {
				e.hits++
			}
			return
		}
	}
	p.words--
	e.open = append(e.open, p)
}

// at returns the entry of a place when it is at hand.
func (x *Excerpt) at(place uint32) *held {
	for i := range x.hand {
		if x.hand[i].place == place {
			return &x.hand[i]
		}
	}
	return nil
}

// rateSketch rates an entry by what the lists say of it; one at hand by its words, and the
// two must be the same.
func (b *Breakdown) rateSketch(order []hit, s *sketch, x *Excerpt, tokens tokenSet, opts *MatchOptions) ([]hit, error) {
	r := Rating{Mode: loadMode(uint32(s.flags & postMode)), Entry: &Entry{TokensEst: s.tokens}}
	bonus := max(s.bonus, bonusFor(s.flags&postPattern != 0))
	r.Score = opts.Dialect.score(s.hits, s.keywords, bonus)
	if opts.weigher != nil && r.Mode == Lazy {
		opts.weigher.score(&r.Score, s.held, true)
	}
	r.Included = opts.includes(r.Mode, &r.Score)
	if r.Mode != Eager && s.hits == 0 && s.flags&postPattern == 0 && r.Score.Evidence == nil {
		return order, nil // some words of a keyword
	}
	if h := x.at(s.place); h != nil {
		full := tokens.rate(&h.entry, opts)
		if full.Score.Total != r.Score.Total || full.Included != r.Included || full.Entry.sortTokens() != r.Entry.sortTokens() {
			return order, errBinaryDamaged
		}
		r = full
	}
	r.position = s.place
	b.Entries = append(b.Entries, r)
	return append(order, hit{total: r.Score.rank(), tokens: r.Entry.sortTokens(), entry: s.place, place: uint32(len(b.Entries) - 1)}), nil
}

// Place is the place of the entry in the index.
func (r *Rating) Place() int { return int(r.position) }

// AppendExcerpt appends the head of an excerpt, up to the number of its lists, which follow.
func AppendExcerpt(dst []byte, entries, lazy int, unicode bool, lists int) []byte {
	dst = AppendVarint(AppendVarint(append(dst, excerptMagic...), entries), lazy)
	if unicode {
		dst = append(dst, 1)
	} else {
		dst = append(dst, 0)
	}
	return AppendVarint(dst, lists)
}
