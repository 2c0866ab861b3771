package loadout

import (
	"math"
	"slices"
)

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
