package loadout

import (
	"math"
	"slices"
)

// Most is how many entries a breakdown lists: of the included ones, and of the others.
type Most struct{ Included, Others int }

// sums is what a breakdown counts that lists only some of its entries.
type sums struct {
	total int
	loads Loads
}

// rated is what the tables say of an entry for a task.
type rated struct {
	total    float64
	rank     uint32
	included bool
}

// CanDetail reports whether Detail answers with these options. For the others the whole
// index has to be read, as it has for one in which the words of an entry have the wrong
// shape.
func (p *Part) CanDetail(opts MatchOptions) bool {
	if opts.Compat || len(opts.Also) > 0 || opts.Dialect == Weighted && !p.HasStems() {
		return false
	}
	post := p.matcher.post
	wordless := 0
	for rank := range post.entry {
		record := post.of(uint32(rank))
		if record[recordHead]&recordModeMask == recordUnusable {
			return false
		}
		if record[recordHead] != recordLazy || record[recordKeywords] > 0 {
			continue
		}
		// A text in place of a list has no words either.
		wordless++
		if e, err := p.entry(post.entry[rank]); wordless > readSingly || err != nil || textForList(&e) {
			return false
		}
	}
	return true
}

func textForList(e *Entry) bool {
	return e.JSON().Get("keywords").Kind() == String || e.JSON().Get("patterns").Kind() == String
}

// Detail returns what the function Detail returns for the same index, of which it lists at
// most that many entries; [Breakdown.Total] and [Breakdown.Loads] count all of them. It
// is for the options that CanDetail allows.
func (p *Part) Detail(task string, opts MatchOptions, most Most) (*Breakdown, error) {
	found, err := p.rate(task, &opts)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b rated) int {
		switch {
		case a.total > b.total:
			return -1
		case a.total < b.total:
			return 1
		}
		return int(a.rank) - int(b.rank)
	})
	counted := sums{total: len(found)}
	if counted.loads, err = p.loads(found); err != nil {
		return nil, err
	}
	few := &Index{Head: p.head}
	var positions []uint32
	listed := map[bool]int{}
	for _, r := range found {
		limit := most.Others
		if r.included {
			limit = most.Included
		}
		if listed[r.included]++; listed[r.included] > limit {
			continue
		}
		position := p.matcher.post.entry[r.rank]
		e, err := p.entry(position)
		if err != nil {
			return nil, err
		}
		few.Entries, positions = append(few.Entries, e), append(positions, position)
	}
	few.SetTokenizer(p.matcher.ix.Tokenizer)
	b, err := Detail(task, few, opts)
	if err != nil {
		return nil, err
	}
	for i := range b.Entries {
		b.Entries[i].position = positions[b.Entries[i].position]
	}
	b.sums = &counted
	if p.matcher.marks && p.Size() > 0 {
		b.Words = displayed(appendTokens(nil, task, true, true))
		if opts.weigher != nil {
			b.Words = withNames(opts.weigher.words, task)
		}
	}
	return b, nil
}

// rate scores, by the tables alone, every core entry and every entry that a word of the
// task hits.
func (p *Part) rate(task string, opts *MatchOptions) ([]rated, error) {
	m := p.matcher
	if err := m.ix.Check(); err != nil {
		return nil, err
	}
	var held []heldWords
	if opts.Dialect == Weighted {
		stems, err := p.openStems()
		if err != nil {
			return nil, err
		}
		if opts.weigher, held, err = p.weigh(task, stems); err != nil {
			return nil, err
		}
	}
	m.collect(task)
	var found []rated
	m.eachCandidate(func(rank uint32) {
		record := m.post.of(rank)
		if !slotsSound(record, len(m.post.terms)) {
			return
		}
		mode := record[recordHead] & recordModeMask
		keywords, patterns, bonus := 0, 0, 0.0
		if mode != recordEager {
			keywords, patterns, bonus = m.count(record)
		}
		s := opts.Dialect.score(keywords, int(record[recordKeywords]), bonus)
		words := heldWords{}
		if held != nil && mode == recordLazy {
			if words = held[rank]; words != (heldWords{}) {
				s.Evidence = &Evidence{}
			}
			opts.weigher.base(&s, words)
		}
		included := opts.includes(loadMode(mode), &s)
		if mode == recordEager || keywords+patterns > 0 || s.Evidence != nil {
			found = append(found, rated{total: s.rank(), rank: rank, included: included})
		}
	})
	return found, nil
}

// loads sums up what the included entries cost, in their order.
func (p *Part) loads(found []rated) (l Loads, err error) {
	estimate, err := p.estimates(len(found))
	if err != nil {
		return l, err
	}
	post := p.matcher.post
	for _, r := range found {
		if !r.included {
			continue
		}
		l.Entries++
		tokens, err := estimate(post.entry[r.rank])
		if err != nil {
			return l, err
		}
		if math.IsNaN(tokens) {
			continue
		}
		l.Tokens += tokens
		if post.of(r.rank)[recordHead]&recordModeMask == recordEager {
			l.Eager += tokens
		} else {
			l.Lazy += tokens
		}
	}
	return l, nil
}

// Where a row has the estimate of tokens, and up to which number of entries each is read
// by itself.
const (
	rowEstimate = 4 * 12
	readSingly  = 1000
	rowsAtOnce  = 4096
)

// estimates returns a function that says the estimate of an entry by its position, for
// about that many calls.
func (p *Part) estimates(calls int) (func(position uint32) (float64, error), error) {
	estimate := func(b []byte) float64 {
		return math.Float64frombits(uint64(word(b)) | uint64(word(b[4:]))<<32)
	}
	if calls <= readSingly {
		return func(position uint32) (float64, error) {
			data := make([]byte, 8)
			err := p.read(data, p.rows+int64(position)*rowFields*4+rowEstimate)
			return estimate(data), err
		}, nil
	}
	all := make([]float64, 0, p.Size())
	data := make([]byte, rowsAtOnce*rowFields*4)
	for len(all) < p.Size() {
		n := min(rowsAtOnce, p.Size()-len(all))
		if err := p.read(data[:n*rowFields*4], p.rows+int64(len(all))*rowFields*4); err != nil {
			return nil, err
		}
		for i := range n {
			all = append(all, estimate(data[i*rowFields*4+rowEstimate:]))
		}
	}
	return func(position uint32) (float64, error) { return all[position], nil }, nil
}
