package context

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/pack"
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

// Confidence says whether a selection answers the query as a whole.
type Confidence string

// The two confidences. What an uncertain selection lacks is listed under missing.
const (
	Sure      Confidence = "sure"
	Uncertain Confidence = "uncertain"
)

// maxUnanswered is how much of a query without an answer is repeated under
// missing, in bytes.
const maxUnanswered = 400

// judge says how far what was kept of a pack answers the query, together with what was
// kept of those that were ranked with it and are of its kind. Words that say what the packs
// are about need not be in it.
func (c *choice) judge(list []*choice, about rank.WordSet) rank.Judgement {
	peers := slices.DeleteFunc(slices.Clone(list), func(o *choice) bool {
		return o.picker == nil || o.field != c.field || o.outdated != c.outdated || o.isPersona() != c.isPersona()
	})
	var selected []int
	for _, o := range peers {
		place := o.places()
		for _, k := range o.kept {
			if i := place(k.unit); i >= 0 && strings.HasPrefix(k.reason, reasonMatch) {
				selected = append(selected, o.at.From+i)
			}
		}
	}
	keep := func(i int) bool {
		return slices.ContainsFunc(peers, func(o *choice) bool { return o.at.Has(i) })
	}
	judged := make([]rank.Judgement, len(c.field.rankings))
	for i, r := range c.field.rankings {
		judged[i] = r.Judge(selected, keep)
	}
	j := rank.JudgeTogether(judged)
	known := func(word string) bool {
		return !slices.ContainsFunc(rank.Words(word), func(w string) bool { return !about[w] })
	}
	j.Names, j.Rare = slices.DeleteFunc(j.Names, known), slices.DeleteFunc(j.Rare, known)
	return j
}

// places returns a function that finds the place of a unit in the pool, -1 for any other.
func (p *picker) places() func(*unit) int {
	if p.snap != nil {
		return func(u *unit) int {
			if u.kind != split {
				return -1
			}
			return u.order - 1
		}
	}
	at := make(map[string]int, p.pool.len())
	for i, u := range all(p.pool) {
		at[u.path] = i
	}
	return func(u *unit) int {
		if i, ok := at[u.path]; ok {
			return i
		}
		return -1
	}
}

// confidenceOf is sure when one data pack answers the query. A persona is asked for its
// voice, not for facts: alone it is sure of that, unless nobody named it and the query has
// names or rare words that it does not hold. A pack is not sure of a text that its
// document does not hold, nor of any while it is not known which of its claims are stale.
func confidenceOf(list []*choice) Confidence {
	data, personas := false, false
	for _, c := range list {
		switch {
		case c.picker == nil:
		case c.outdated:
			data = true
		case c.isPersona() && (c.Activation != ResolverDriven || len(c.result.judgement.Names)+len(c.result.judgement.Rare) == 0):
			personas = true
		case c.result.judgement.Sure():
			return Sure
		default:
			data = true
		}
	}
	if personas && !data {
		return Sure
	}
	return Uncertain
}

// lacking lists what the data packs have no answer for. Where none is sure: names and
// rare words of the query that the selection does not hold, otherwise the query. Where one
// is: the parts of the query that it leaves open.
func lacking(list []*choice) []string {
	var judged []rank.Judgement
	for _, c := range list {
		if c.picker != nil && c.meta.EffectiveMode() != pack.ModePersona {
			judged = append(judged, c.result.judgement)
		}
	}
	sure := slices.ContainsFunc(judged, rank.Judgement.Sure)
	var lacking []string
	for _, j := range judged {
		switch {
		case sure && !j.Sure():
		case !sure && j.Score > 0 && len(j.Names)+len(j.Rare) > 0:
			lacking = append(append(lacking, j.Names...), j.Rare...)
		default:
			lacking = append(lacking, j.Without...)
		}
	}
	for i, phrase := range lacking {
		if len(phrase) > maxUnanswered {
			lacking[i] = strings.ToValidUTF8(phrase[:maxUnanswered], "") + "…"
		}
	}
	return lacking
}

// Rule is what kept a section out of a selection.
type Rule string

// The rules, in the order in which they are looked at.
const (
	BySplit    Rule = "split"    // no section of the pack has this name
	ByBudget   Rule = "budget"   // it was taken and did not fit
	ByWords    Rule = "words"    // it shares no word with the query
	ByStop     Rule = "stop"     // it is too far from the best one and adds no words of the query
	ByPlace    Rule = "place"    // enough better sections were found
	ByBoundary Rule = "boundary" // it is one, and boundaries have had their share of the budget
	ByBranch   Rule = "branch"   // the pack's profile or context map looks elsewhere
)

// Miss says why a section that should have been selected was not.
type Miss struct {
	Section string // as it was asked for
	Path    string // of the split or page; "" when there is none
	Rule    Rule
	Place   int // by score, from 1; 0 when it has none
	Score   float64
	Best    float64  // of the best section
	Lacks   []string // words of the query that it does not hold
	Above   []Above  // better sections, best first
}

// Above is a section that outranks another.
type Above struct {
	Path  string
	Score float64
}

// Misses says, for sections of the first pack that the request activates, what kept
// them out of its selection: those of names that were not selected. covers reports
// whether a path, a document and a section id are what a name means.
func (o *Collection) Misses(ctx context.Context, req Request, names []string, covers func(f File, name string) bool) ([]Miss, error) {
	if req.Scorer == nil {
		req.Scorer = rank.BM25F{}
	}
	p, err := o.firstPicker(ctx, &req)
	if err != nil {
		return nil, fmt.Errorf("look for what was missed: %w", err)
	}
	if p == nil {
		return nil, nil
	}
	req.Budget, _ = effectiveBudget(req.Budget)
	files, _, _ := fit(p.picks, req.Budget, p.bestPart)
	var misses []Miss
	for _, name := range names {
		if !slices.ContainsFunc(files, func(f File) bool { return covers(f, name) }) {
			misses = append(misses, p.miss(name, covers))
		}
	}
	return misses, nil
}

// miss says what kept one section out.
func (p *picker) miss(name string, covers func(f File, name string) bool) Miss {
	m := Miss{Section: name, Rule: BySplit}
	place := -1
	for i, u := range all(p.pool) {
		if covers(File{Path: u.path, Document: u.document, Sections: u.sections}, name) && (place < 0 || p.position(i).Score > p.position(place).Score) {
			place = i // a document as a whole counts as its best section
		}
	}
	if place < 0 {
		return m
	}
	u, s := p.pool.at(place), p.position(place)
	m.Path, m.Place, m.Score, m.Best, m.Lacks = u.path, s.Place, s.Score, s.Best, s.Lacks
	for _, i := range s.Above {
		m.Above = append(m.Above, Above{p.pool.at(i).path, p.position(i).Score})
	}
	switch {
	case slices.ContainsFunc(p.picks, func(t pick) bool { return t.boundary && t.path == u.path }):
		m.Rule = ByBoundary
	case p.taken[u.path]:
		m.Rule = ByBudget
	case s.Place == 0:
		m.Rule = ByWords
	case s.Taken:
		m.Rule = ByBranch
	case s.Full:
		m.Rule = ByPlace
	default:
		m.Rule = ByStop
	}
	return m
}

// position is the place of a section of the pool, the zero value for a scorer that has none.
func (p *picker) position(i int) rank.Position {
	if r, ok := p.field.rankings[0].(rank.Positioner); ok {
		return r.Position(i)
	}
	return rank.Position{}
}
