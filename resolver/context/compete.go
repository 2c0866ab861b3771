package context

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/resolver/context/rank"
)

// field is packs whose sections compete: they are ranked together, as if they were of one
// pack.
type field struct {
	packs    []*candidate
	pickers  []*picker
	rankings []rank.Ranking         // one for each wording
	allowed  func(section int) bool // the sections of packs that are in use; nil allows all
}

// competition is what a request makes of the packs of a collection.
type competition struct {
	*Collection
	req      *Request
	useCache bool // the cache of a pack is enough, for a scorer that needs no texts
	asked    asked
}

// choose decides which packs are used and picks from each, in activation order: from those
// that the caller activated each by itself, otherwise from those whose sections fit the
// query best.
func (m *competition) choose(ctx context.Context) ([]*choice, error) {
	active, rest := activated(m.candidates(), m.req)
	if len(active) == 0 {
		return m.best(ctx, rest)
	}
	list := make([]*choice, len(active))
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(openAtOnce)
	for i, c := range active {
		list[i] = &choice{candidate: c}
		if c.blocked {
			continue
		}
		group.Go(func() error {
			chosen, err := m.compete(running, []*candidate{c}, func(*field) []int { return []int{0} })
			if err == nil {
				list[i] = chosen[0]
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return list, ctx.Err()
}

// best chooses among packs that nobody activated. The catalog decides alone where no
// section fits: then packs that it calls fitting give what they have for every query, or
// say why they are not used.
func (m *competition) best(ctx context.Context, list []*candidate) ([]*choice, error) {
	usable, blocked := gated(list, m.req)
	alone := len(list) == 1
	for _, c := range usable {
		m.asked.packs = append(m.asked.packs, c.name())
	}
	var chosen []*choice
	if len(usable) > 0 {
		var err error
		chosen, err = m.compete(ctx, usable, func(f *field) []int {
			if order := f.winners(m.req); len(order) > 0 {
				return order
			}
			return f.fitting(m.req, alone)
		})
		if err != nil {
			return nil, err
		}
	}
	for _, c := range chosen {
		c.gate(m.req)
	}
	if len(chosen) > 0 {
		return chosen, nil
	}
	for _, c := range blocked {
		m.asked.kept = append(m.asked.kept, fmt.Sprintf("%s (%s)", c.name(), strings.TrimSuffix(c.kept, ".")))
	}
	for _, c := range fittingBest(blocked, m.req, alone) {
		c.gate(m.req)
		chosen = append(chosen, &choice{candidate: c})
	}
	return chosen, nil
}

// compete ranks the sections of packs together and picks from the winners, which are
// places in the field. What is kept of a pack may turn out not to hold: then that pack is
// read as a whole, and all are ranked again.
func (m *competition) compete(ctx context.Context, list []*candidate, winners func(*field) []int) ([]*choice, error) {
	f := &field{packs: list, pickers: make([]*picker, len(list))}
	for {
		if err := m.gather(ctx, f); err != nil {
			return nil, err
		}
		var chosen []*choice
		if f.rank(m.req) {
			for _, i := range winners(f) {
				f.pickers[i].pick(list[i].Always)
				chosen = append(chosen, &choice{candidate: list[i], picker: f.pickers[i]})
			}
		}
		if !f.drop(chosen) {
			return chosen, ctx.Err()
		}
	}
}

// gather opens the packs of a field that are not open, and counts their sections.
func (m *competition) gather(ctx context.Context, f *field) error {
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(openAtOnce)
	for i, c := range f.packs {
		if f.pickers[i] != nil {
			continue
		}
		group.Go(func() error {
			if err := running.Err(); err != nil {
				return err
			}
			s, err := m.open(c)
			if err != nil {
				return fmt.Errorf("read pack %s: %w", c.Dir, err)
			}
			f.pickers[i] = s.gather(m.req.wordings(), m.req.Scorer)
			return nil
		})
	}
	return group.Wait()
}

// open returns what is kept of a pack, where that is enough, otherwise all of it.
func (m *competition) open(c *candidate) (*contents, error) {
	if _, counts := m.req.Scorer.(rank.BM25F); m.useCache && counts && !c.whole {
		if s := m.cached(c); s != nil {
			return s, nil
		}
	}
	return m.contents(c)
}

// rank ranks all sections. It is false where what is counted of a pack is damaged: its
// picker is broken then.
func (f *field) rank(req *Request) bool {
	parts := make([]rank.Part, len(f.pickers))
	for i, p := range f.pickers {
		parts[i] = p.part
	}
	f.rankings = nil
	for _, wording := range req.wordings() {
		r, damaged := rank.Score(req.Scorer, wording, parts)
		for _, i := range damaged {
			f.pickers[i].broken = true
		}
		if r == nil {
			return false
		}
		f.rankings = append(f.rankings, r)
	}
	for i, at := range rank.Ranges(parts) {
		f.pickers[i].field, f.pickers[i].at = f, at
	}
	return true
}

// drop closes the packs that have to be read as a whole, and those that were picked from
// before that was known; false when there are none.
func (f *field) drop(chosen []*choice) bool {
	if !slices.ContainsFunc(f.pickers, func(p *picker) bool { return p.broken }) {
		return false
	}
	for i, p := range f.pickers {
		f.packs[i].whole = f.packs[i].whole || p.broken
		if p.broken || slices.ContainsFunc(chosen, func(c *choice) bool { return c.picker == p }) {
			f.pickers[i] = nil
		}
	}
	return true
}

// winners are the packs with the best sections, best first, at most maxActivated: a stale
// one not beside a ready one of the same type and scope (section 14.1), and a second
// persona not unless the caller confirms.
func (f *field) winners(req *Request) []int {
	out := make([]bool, len(f.packs))
	f.allowed = nil
	for {
		order := f.order()
		again := false
		for place, i := range order {
			better := func(o int) bool { return f.packs[i].yields(f.packs[o]) }
			second := func(o int) bool { return f.packs[i].isPersona() && f.packs[o].isPersona() }
			if slices.ContainsFunc(order, better) || !slices.Contains(req.Confirm, "personas") && slices.ContainsFunc(order[:place], second) {
				out[i], again = true, true
			}
		}
		if !again {
			return f.withVoice(order[:min(len(order), maxActivated)])
		}
		f.allowed = func(section int) bool { return !out[f.packOf(section)] }
	}
}

// withVoice adds to the winners the persona that the catalog fits at least as well as any
// other pack. It says how to answer, not what: what is asked need not be in its sections.
func (f *field) withVoice(winners []int) []int {
	best, voice := 0, -1
	for i, c := range f.packs {
		best = max(best, c.score)
		if c.isPersona() && c.score > 0 && (voice < 0 || c.score > f.packs[voice].score) {
			voice = i
		}
	}
	isPersona := func(i int) bool { return f.packs[i].isPersona() }
	if voice < 0 || len(winners) == 0 || f.packs[voice].score < best || slices.ContainsFunc(winners, isPersona) {
		return winners
	}
	return append(slices.Clip(winners), voice)
}

// order are the packs of the sections that the wordings find, the best first; of two that
// fit alike a ready one comes first.
func (f *field) order() []int {
	best := map[int]float64{}
	for _, hits := range rank.Wordings(f.rankings, f.allowed) {
		for _, h := range hits {
			i := f.packOf(h.Section)
			best[i] = max(best[i], h.Score)
		}
	}
	most := 0.0
	for _, score := range best {
		most = max(most, score)
	}
	for i, p := range f.pickers {
		if score := f.bestOf(p).Score; best[i] == 0 && score >= packNear*most && score > 0 && (f.allowed == nil || f.allowed(p.at.From)) {
			best[i] = score
		}
	}
	order := make([]int, 0, len(best))
	for i := range best {
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(best[b], best[a]), cmp.Compare(f.packs[a].severity(), f.packs[b].severity()), a-b)
	})
	return order
}

// packNear is the share of the best score of all packs from which on the best section of
// a pack is taken beside it: what one pack says does not hide what another says.
const packNear = 0.65

// bestOf is the section of a pack that fits a wording best; none has a score of 0.
func (f *field) bestOf(p *picker) rank.Hit {
	var best rank.Hit
	for _, r := range f.rankings {
		if h := rank.Best(r, p.at); h.Score > best.Score {
			best = h
		}
	}
	return best
}

// packOf is the pack of a section.
func (f *field) packOf(section int) int {
	return sort.Search(len(f.pickers)-1, func(i int) bool { return section < f.pickers[i].at.To })
}

// fitting are the packs that the catalog calls fitting, for a query that no section fits.
func (f *field) fitting(req *Request, alone bool) []int {
	var order []int
	for _, c := range fittingBest(f.packs, req, alone) {
		order = append(order, slices.Index(f.packs, c))
	}
	return order
}

// pick picks what the query asks for, with the files that go with every answer.
func (p *picker) pick(always []string) {
	p.choose()
	p.always(always)
	p.withhold()
	p.mark()
}
