package loadout

import (
	"math"
	"slices"
	"unsafe"
)

// OpenBinary reads the bytes of an index.bin. It keeps data, which must not
// change afterwards. A file that is damaged, cut short or of another version
// is a *BinaryError, never a wrong answer.
func OpenBinary(data []byte) (*Matcher, error) {
	header, err := binaryHeader(data)
	if err != nil {
		return nil, err
	}
	r := &binaryReader{data: data[4*headerFields:]}
	text := data[len(data)-checksumBytes-int(header[fieldText]) : len(data)-checksumBytes]
	r.text = unsafe.String(unsafe.SliceData(text), len(text))

	n := int(header[fieldEntries])
	ix := &Index{Entries: make([]Entry, n)}
	sizes := make([]uint32, 0, 2*n)
	for i := range ix.Entries {
		r.row(&ix.Entries[i])
		sizes = append(sizes, r.word(), r.word())
	}
	p := &postings{}
	p.entry = r.words(n)
	p.start = r.words(n + 1)
	p.words = r.words(int(header[fieldRecords]))
	keywords := r.texts(int(header[fieldKeywords]))
	patterns := r.texts(int(header[fieldPatterns]))
	p.terms = r.texts(int(header[fieldTerms]))
	p.postStart = r.words(len(p.terms) + 1)
	p.posts = r.words(int(header[fieldPosts]))
	head := r.at(header[fieldHead], header[fieldHead+1])
	for i := range ix.Entries {
		e := &ix.Entries[i]
		e.Keywords, keywords = r.split(keywords, sizes[2*i])
		e.Patterns, patterns = r.split(patterns, sizes[2*i+1])
	}
	if r.damaged || len(keywords)+len(patterns) > 0 || !p.plausible() || !p.fit(sizes) {
		return nil, errBinaryDamaged
	}
	ix.setHead(Value(head))
	ix.Budget = binaryBudget(&header)
	return newMatcher(ix, p), nil
}

// binaryBudget reads the budget from a header.
func binaryBudget(h *[headerFields]uint32) Budget {
	var f [4]float64
	for i := range f {
		f[i] = math.Float64frombits(uint64(h[fieldBudget+2*i]) | uint64(h[fieldBudget+2*i+1])<<32)
	}
	b := Budget{AlwaysLoaded: f[0], OnDemandTotal: f[1], AvgTaskLoad: f[2]}
	if !math.IsNaN(f[3]) {
		b.AvgObserved = &f[3]
	}
	return b
}

// split takes n strings off a list; none is nil.
func (r *binaryReader) split(list []string, n uint32) (head, tail []string) {
	if n == 0 {
		return nil, list
	}
	if uint64(n) > uint64(len(list)) {
		r.damaged = true
		return nil, list
	}
	return list[:n:n], list[n:]
}

// binaryHeader checks magic, version, size and checksum.
func binaryHeader(data []byte) (h [headerFields]uint32, err error) {
	if len(data) > maxBinary {
		return h, errBinaryLarge
	}
	if len(data) < 4*headerFields+checksumBytes {
		return h, errBinaryForeign
	}
	for i := range h {
		h[i] = word(data[4*i:])
	}
	if h[fieldMagic0] != binaryMagic0 || h[fieldMagic1] != binaryMagic1 || h[fieldVersion] != binaryVersion {
		return h, errBinaryForeign
	}
	end := len(data) - checksumBytes
	if binarySize(&h) != uint64(len(data)) || checksum(data[:end]) != word(data[end:]) {
		return h, errBinaryDamaged
	}
	return h, nil
}

// word reads a little-endian number.
func word(b []byte) uint32 {
	_ = b[3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// binaryReader reads tables one after another. The header has proved that
// they fit.
type binaryReader struct {
	data    []byte
	text    string
	damaged bool
}

func (r *binaryReader) word() uint32 {
	v := word(r.data)
	r.data = r.data[4:]
	return v
}

func (r *binaryReader) float() float64 {
	low := r.word()
	return math.Float64frombits(uint64(low) | uint64(r.word())<<32)
}

func (r *binaryReader) words(n int) []uint32 {
	list := make([]uint32, n)
	b := r.data[:4*n]
	for i := range list {
		list[i] = word(b[4*i:])
	}
	r.data = r.data[4*n:]
	return list
}

// at returns a stored text.
func (r *binaryReader) at(offset, size uint32) string {
	end := uint64(offset) + uint64(size)
	if end > uint64(len(r.text)) {
		r.damaged = true
		return ""
	}
	return r.text[offset:end]
}

func (r *binaryReader) ref() string {
	offset := r.word()
	return r.at(offset, r.word())
}

func (r *binaryReader) texts(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = r.ref()
	}
	return list
}

func (r *binaryReader) row(e *Entry) {
	e.Raw = Value(r.ref())
	e.ID, e.Path, e.Summary, e.Priority = r.ref(), r.ref(), r.ref(), r.ref()
	flags := r.word()
	e.Triggers = Triggers{Task: flags&flagTask != 0, Plan: flags&flagPlan != 0, Edit: flags&flagEdit != 0}
	if flags >= (uint32(FaultNotObject)+1)<<faultShift {
		r.damaged = true
	}
	e.unicode = flags&flagUnicode != 0
	e.Fault = Fault(flags >> faultShift)
	e.Lines = int(int32(r.word()))
	e.TokensEst = r.float()
}

// Need says which entries of an index an answer is about.
type Need struct {
	// Tasks are those that the entries are matched against, with Match; each of its Also
	// is one more.
	Tasks []string
	Match MatchOptions
	// Hits asks for the entries too that a task hits and does not include.
	Hits bool
	// IDs and Paths name entries.
	IDs, Paths []string
	// Keys are hashes of ids: what other indexes have, which may be the same.
	Keys []uint32
	// ByName is how many of the entries that load by name only are needed: the first.
	ByName int
}

// Select returns the index with those of its entries that an answer needs, in their order,
// and all those whose ids may be equal. It answers as the whole does, and is nil where the
// whole has to be read: for the quirks of the originals, and for an index that is not sound
// or was prebuilt by an earlier version.
func (p *Part) Select(need *Need) (*Index, *Omitted, error) {
	l, err := p.openLookups()
	if err != nil || l == nil || need.Match.Compat {
		return nil, nil, err
	}
	if err := p.index.Check(); err != nil {
		return nil, nil, err
	}
	s := selection{Part: p, few: &Index{Budget: p.index.Budget}, chosen: make([]bool, p.Size())}
	if err := s.choose(need, l); err != nil {
		return nil, nil, err
	}
	omitted := &Omitted{Entries: p.Size(), domain: l.domain, always: l.always, demand: l.demand}
	if err := s.read(need, omitted); err != nil {
		return nil, nil, err
	}
	s.few.setHead(p.index.Head)
	return s.few, omitted, nil
}

// selection is the work of Select.
type selection struct {
	*Part
	few    *Index
	chosen []bool // by position
}

func (s *selection) choose(need *Need, l *lookups) error {
	opts := need.Match
	also := opts.Also[:min(len(opts.Also), maxAlso)]
	opts.Also = nil
	for _, task := range slices.Concat(need.Tasks, also) {
		opts.weigher = nil
		found, err := s.rate(task, &opts)
		if err != nil {
			return err
		}
		if opts.weigher != nil {
			s.few.weighed = append(s.few.weighed, weighedTask{task, opts.weigher})
		}
		for _, r := range found {
			if r.included || need.Hits {
				s.chosen[s.finder.post.entry[r.rank]] = true
			}
		}
	}
	for _, id := range need.IDs {
		s.take(l.ids.of(Key(id)))
	}
	for _, path := range need.Paths {
		s.take(l.paths.of(Key(path)))
	}
	for _, key := range need.Keys {
		s.take(l.ids.of(key))
	}
	for i := 1; i < len(l.ids.keys); i++ {
		if l.ids.keys[i] == l.ids.keys[i-1] {
			s.take(l.ids.positions[i-1 : i+1])
		}
	}
	// One entry at least: from entries it is known how the words of a task are cut.
	if len(s.chosen) > 0 && !slices.Contains(s.chosen, true) {
		s.chosen[0] = true
	}
	return nil
}

func (s *selection) take(positions []uint32) {
	for _, position := range positions {
		s.chosen[position] = true
	}
}

// read reads the entries that were chosen, and the first of those that load by name only,
// and takes them off what is omitted.
func (s *selection) read(need *Need, o *Omitted) error {
	manual := make([]bool, len(s.chosen))
	for rank, position := range s.finder.post.entry {
		if s.finder.post.mode(uint32(rank)) == recordManual {
			manual[position] = true
			o.Manual++
		}
	}
	byName := 0
	for position := range s.chosen {
		if manual[position] && !s.chosen[position] && byName < need.ByName {
			byName++
			s.chosen[position] = true
		}
		if !s.chosen[position] {
			continue
		}
		e, err := s.entry(uint32(position))
		if err != nil {
			return err
		}
		if o.without(&e); manual[position] {
			o.Manual--
		}
		if need.Match.Dialect == Weighted && slices.Contains(need.IDs, e.ID) {
			if err := s.weighWords(&e); err != nil {
				return err
			}
		}
		s.few.Entries = append(s.few.Entries, e)
	}
	if *o != (Omitted{}) && (o.Entries < 0 || o.always < 0 || o.demand < 0 || o.domain < 0) {
		return errBinaryDamaged
	}
	return nil
}

// weighWords keeps what the words of an entry are worth: an explanation asks for it.
func (s *selection) weighWords(e *Entry) error {
	text := e.ownWords()
	w, _, err := s.weigh(text)
	s.finder.eachCandidate(func(uint32) {}) // weigh gathers them for a match
	s.few.weighed = append(s.few.weighed, weighedTask{text, w})
	return err
}

// without takes an entry off what is omitted.
func (o *Omitted) without(e *Entry) {
	one, tokens := lookups{}, e.TokensEst
	if math.IsNaN(tokens) {
		tokens = 0
	}
	one.count(e, int64(tokens))
	o.Entries--
	o.domain, o.always, o.demand = o.domain-one.domain, o.always-one.always, o.demand-one.demand
}

// Keys returns the hashes of the ids of all entries, sorted; nil where Select has no answer.
func (p *Part) Keys() []uint32 {
	l, err := p.openLookups()
	if err != nil || l == nil {
		return nil
	}
	return l.ids.keys
}
