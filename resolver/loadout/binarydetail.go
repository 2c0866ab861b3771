package loadout

import (
	"math"
	"slices"
)

// Most is how many entries a breakdown lists: of the included ones, and of the others.
type Most struct{ Included, Others int }

// rated is what the tables say of an entry for a task.
type rated struct {
	total    float64
	rank     uint32
	mode     uint32 // of its record
	included bool
}

// Detail returns what the function Detail returns for the same index, of which it lists at
// most that many entries; [Breakdown.Total] and [Breakdown.Loads] count all of them. It is
// nil where the whole index has to be read: for the quirks of the originals, for other
// wordings, and for an index that is not sound.
func (p *Part) Detail(task string, opts MatchOptions, most Most) (*Breakdown, error) {
	if l, err := p.openLookups(); err != nil || l == nil || opts.Compat || len(opts.Also) > 0 {
		return nil, err
	}
	found, err := p.rate(task, &opts)
	if err != nil {
		return nil, err
	}
	listed := map[bool]int{}
	few, positions, err := p.best(found, func(r *rated) bool {
		listed[r.included]++
		if r.included {
			return listed[true] <= most.Included
		}
		return listed[false] <= most.Others
	})
	if err != nil {
		return nil, err
	}
	counted := sums{total: len(found)}
	if counted.loads, err = p.loads(found); err != nil {
		return nil, err
	}
	b, err := Detail(task, few, opts)
	if err != nil {
		return nil, err
	}
	for i := range b.Entries {
		b.Entries[i].position = positions[b.Entries[i].position]
	}
	b.sums = &counted
	if p.finder.marks && p.Size() > 0 {
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
	if err := p.index.Check(); err != nil {
		return nil, err
	}
	var held []heldWords
	if opts.Dialect == Weighted {
		var err error
		if opts.weigher, held, err = p.weigh(task); err != nil {
			return nil, err
		}
	}
	p.finder.collect(task)
	var found []rated
	p.finder.eachCandidate(func(rank uint32) {
		if !slotsSound(p.finder.post.of(rank), len(p.finder.post.terms)) {
			return
		}
		h := p.finder.count(rank)
		s := opts.Dialect.score(h.keywords, h.all, h.bonus)
		if held != nil && h.mode == recordLazy {
			opts.weigher.score(&s, held[rank], false)
		}
		included := opts.includes(loadMode(h.mode), &s)
		if h.mode == recordEager || h.keywords+h.patterns > 0 || s.Evidence != nil {
			found = append(found, rated{s.rank(), rank, h.mode, included})
		}
	})
	return found, nil
}

// Where a row has the estimate of tokens, and how many rows are read at once.
const (
	rowEstimate = 4 * 12
	rowsAtOnce  = 64
)

// loads sums up what the included entries cost.
func (p *Part) loads(found []rated) (l Loads, err error) {
	const row = 4 * rowFields
	found = slices.DeleteFunc(slices.Clone(found), func(r rated) bool { return !r.included })
	place := func(r rated) int { return int(p.finder.post.entry[r.rank]) }
	slices.SortFunc(found, func(a, b rated) int { return place(a) - place(b) })
	data, block := make([]byte, rowsAtOnce*row), -1
	for _, r := range found {
		at := place(r)
		if at/rowsAtOnce != block {
			block = at / rowsAtOnce
			first := block * rowsAtOnce
			if err := p.read(data[:min(rowsAtOnce, p.Size()-first)*row], p.rows+int64(first)*row); err != nil {
				return l, err
			}
		}
		estimate := data[at%rowsAtOnce*row+rowEstimate:]
		l.add(math.Float64frombits(uint64(word(estimate))|uint64(word(estimate[4:]))<<32), r.mode == recordEager)
	}
	return l, nil
}
