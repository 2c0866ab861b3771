package context

import (
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/context/rank"
)

// The selection reasons that are words (agent-knowledge section 13.9).
const (
	reasonMatch      = "match:"   // and the score
	ReasonBoundary   = "boundary" // it says what another part is not for
	reasonView       = "view"
	reasonContextMap = "context-map"
	ReasonDefault    = "default" // no word called it: the pack has it for every query
	reasonEscalate   = "escalate"
	reasonPersona    = "persona:" // and the class
)

// pick is a unit that was taken.
type pick struct {
	*unit
	reason   string
	boundary bool // its place in the budget is reserved first (section 13.8)
}

// picker selects from one pack (section 13.5).
type picker struct {
	*contents
	words    rank.WordSet // of the query
	asked    []string     // the query, then its other wordings
	scorer   rank.Scorer
	pool     pool
	part     rank.Part // the pool as scorers see it
	field    *field    // what the pool is ranked in
	at       rank.Range
	picks    []pick
	taken    map[string]bool
	warnings []Warning
	broken   bool // what is kept of the pack does not hold
}

// gather returns a picker with the sections that it ranks.
func (s *contents) gather(asked []string, scorer rank.Scorer) *picker {
	p := &picker{contents: s, asked: asked, words: rank.NewWordSet(asked[0]), scorer: scorer, taken: map[string]bool{}}
	wiki, persona := s.meta.EffectiveProfile() == pack.WikiFirst, s.meta.EffectiveMode() == pack.ModePersona
	switch {
	case !wiki || persona && s.ranked().len() > 0:
		p.pool = p.splitsOrCut()
	case s.pack.HasDir("compiled") && !persona:
		p.pool = p.ranked()
	default:
		if !persona {
			p.warnUncompiled()
		}
		p.pool = units(p.pages())
	}
	p.part = rank.Part{Index: p.index(), About: []string{s.meta.Name, s.meta.Description}}
	if p.part.Index == nil {
		p.part.Sections = p.sections(all(p.pool), nil)
	}
	return p
}

// choose runs the branch of the pack's mode and profile.
func (p *picker) choose() {
	profile := p.meta.EffectiveProfile()
	switch {
	case p.meta.EffectiveMode() == pack.ModePersona:
		p.persona()
	case profile == pack.Hybrid:
		p.hybrid()
	case profile == pack.WikiFirst && p.pack.HasDir("compiled"):
		p.wikiFirst()
	case profile == pack.WikiFirst:
		p.wikiAlone()
	default:
		p.documentFirst()
	}
}

// take adds a unit, unless it is taken already: the first reason stays.
func (p *picker) take(u *unit, reason string) {
	if u == nil || p.taken[u.path] {
		return
	}
	if u = p.loaded(u); u == nil {
		return
	}
	p.taken[u.path] = true
	p.picks = append(p.picks, pick{u, reason, reason == ReasonBoundary})
}

func (p *picker) warn(severity diag.Severity, path, message string) {
	p.warnings = append(p.warnings, Warning{severity, path, message})
}

// takeRanked takes what ranks among the units that keep accepts, and reports
// whether anything did.
func (p *picker) takeRanked(keep func(*unit) bool) bool { return p.takeHits(keep, nil) }

// takeHits is takeRanked for the hits that accept takes. Each wording is ranked
// alone, and what they find is taken in turns.
func (p *picker) takeHits(keep func(*unit) bool, accept func(rank.Hit) bool) bool {
	lists := p.hits(keep)
	if accept != nil {
		for i := range lists {
			lists[i] = slices.DeleteFunc(lists[i], func(h rank.Hit) bool { return !accept(h) })
		}
	}
	found := false
	for turn, more := 0, true; more; turn++ {
		more = false
		for _, hits := range lists {
			if turn < len(hits) {
				p.take(p.pool.at(hits[turn].Section), hits[turn].Reason())
				found, more = true, true
			}
		}
	}
	return found
}

// hits are the sections of the pack that each wording finds: among all that compete with
// them, or among those of the pack that keep accepts.
func (p *picker) hits(keep func(*unit) bool) [][]rank.Hit {
	accepts := p.field.allowed
	if keep != nil {
		accepts = func(i int) bool { return p.at.Has(i) && keep(p.pool.at(i-p.at.From)) }
	}
	lists := rank.Wordings(p.field.rankings, accepts)
	for i, hits := range lists {
		lists[i] = nil
		for _, h := range hits {
			if p.at.Has(h.Section) {
				h.Section -= p.at.From
				lists[i] = append(lists[i], h)
			}
		}
	}
	if none := func(hits []rank.Hit) bool { return len(hits) == 0 }; keep == nil && !slices.ContainsFunc(lists, func(h []rank.Hit) bool { return !none(h) }) {
		if h := p.field.bestOf(p); h.Score > 0 {
			h.Section -= p.at.From
			lists[0] = []rank.Hit{h}
		}
	}
	return lists
}

// splitsOrCut returns the splits or, when there are none at all, the sections of
// the primary document, cut in memory.
func (p *picker) splitsOrCut() pool {
	pool := p.ranked()
	if p.uncut {
		p.warn(diag.Warning, splitsDir, "No compiled splits; sections were cut from the documents as they are.")
	}
	if pool.len() == 0 {
		pool = units(p.cutPrimary())
		switch {
		case pool.len() > 0:
			p.warn(diag.Info, splitsDir, "No compiled splits; sections were cut from the primary document.")
		case p.meta.PrimaryDocument != "":
			p.warn(diag.Warning, p.meta.PrimaryDocument, "No compiled splits, and the primary document cannot be read.")
		case p.meta.HasDocuments():
			p.warn(diag.Warning, pack.EntryName, "No compiled splits, and no primary document is declared.")
		}
	}
	return pool
}

// takeDefault takes the briefing, otherwise the facts, otherwise the first split.
func (p *picker) takeDefault() {
	for _, name := range []string{briefingPath, factsPath} {
		if u := p.view(name); u != nil {
			p.take(u, ReasonDefault)
			return
		}
	}
	if p.pool.len() > 0 {
		p.take(p.pool.at(0), ReasonDefault)
	}
}

// documentFirst is the branch of document-first data packs.
func (p *picker) documentFirst() {
	if !p.takeRanked(nil) {
		p.takeDefault()
	}
	p.takeBoundaries(true)
	p.escalateSections()
}

// wikiAlone is the branch of wiki-first data packs without compiled/.
func (p *picker) wikiAlone() {
	if index := p.page(wikiIndexPath); index != nil {
		p.take(index, ReasonDefault)
	}
	p.takeRanked(nil)
}

// warnUncompiled says that pages are read where compiled views should be.
func (p *picker) warnUncompiled() {
	severity := diag.Info
	if p.runMade(indexPath) {
		severity = diag.Warning // there were some
	}
	p.warn(severity, compiledDir, "No compiled views; wiki pages were read.")
}

// wikiFirst is the branch of wiki-first data packs.
func (p *picker) wikiFirst() {
	found := p.takeHits(nil, func(h rank.Hit) bool { return h.Title })
	if !found && p.isLost(factsPath) {
		found = p.takeRanked(nil) // the facts come from these pages
	}
	if facts := p.loaded(p.view(factsPath)); !found && facts != nil && p.words.Shares(rank.Words(rank.Prose(facts.text))) {
		p.take(facts, reasonView)
		found = true
	}
	if briefing := p.view(briefingPath); !found && briefing != nil {
		p.take(briefing, ReasonDefault)
	}
	p.takeBoundaries(false)
	p.take(p.view(boundariesPath), ReasonBoundary)
	p.escalatePages()
}

// hybrid is the branch of hybrid data packs.
func (p *picker) hybrid() {
	paths, mapped := p.preferred()
	preferred := func(u *unit) bool {
		return slices.ContainsFunc(paths, func(name string) bool { return u.belongsTo(name) })
	}
	// The preferred paths are not enough when the answer is elsewhere.
	elsewhere := p.field.rankings[0].Elsewhere(p.at, func(i int) bool { return preferred(p.pool.at(i - p.at.From)) })
	found := false
	if elsewhere {
		found = p.takeRanked(nil)
	}
	found = p.takeRanked(preferred) || found
	if !found && mapped {
		for _, u := range slices.Concat(all(p.pool), p.views) {
			if preferred(u) {
				p.take(u, reasonContextMap)
				found = true
			}
		}
	}
	if !found && !p.takeRanked(nil) {
		p.takeDefault()
	}
	p.takeBoundaries(true)
	p.take(p.view(boundariesPath), ReasonBoundary)
	p.escalateSections()
	p.escalatePages()
}

// preferred returns the paths of the context-map entry whose label shares the
// most words with the query, otherwise the primary document.
func (p *picker) preferred() (paths []string, mapped bool) {
	guide := markdown.Parse(pack.EntryName, p.pack.EntryText)
	most := 0
	for _, e := range guide.ContextMap() {
		shared := 0
		for w := range rank.NewWordSet(e.Label) {
			if p.words[w] {
				shared++
			}
		}
		if shared > most {
			most, paths = shared, p.pack.AsListed(e.Paths)
		}
	}
	if most > 0 {
		return paths, true
	}
	if p.meta.PrimaryDocument != "" {
		return []string{p.meta.PrimaryDocument}, false
	}
	return nil, false
}

// persona is the branch of persona packs, whatever their profile.
func (p *picker) persona() {
	has := map[string]bool{}
	for _, c := range personaClasses() {
		for _, u := range all(p.pool) {
			if c.class.Has(u.title) {
				has[c.name] = true
				p.take(u, reasonPersona+c.name)
			}
		}
	}
	p.takeRanked(nil)
	if !has["voice"] || !has["taboos"] && !has["boundaries"] {
		p.warn(diag.Warning, pack.EntryName, "Persona limits are incomplete.")
	}
}

// personaClass is a class of titles in a persona pack.
type personaClass struct {
	name  string
	class markdown.Class
}

// personaClasses are taken whatever the query is, in this order.
func personaClasses() []personaClass {
	return []personaClass{
		{"voice", markdown.ClassVoice}, {"values", markdown.ClassValues}, {"taboos", markdown.ClassTaboos},
		{"boundaries", markdown.ClassPersonaBoundaries}, {"usage", markdown.ClassUsage},
	}
}

// escalatePages adds the wiki pages of a taken split or view that have
// changed since its run.
func (p *picker) escalatePages() {
	for _, name := range p.outdated("wiki/") {
		if u := p.page(name); u != nil {
			p.take(u, reasonEscalate)
		}
	}
}

// escalateSections adds the sections of the document of a taken split that have
// changed since its run, as they are now (section 13.2 rule 4). A section whose
// text is still that of its split adds nothing.
func (p *picker) escalateSections() {
	for _, name := range p.outdated("documents/") {
		now := map[string]*unit{}
		for _, u := range p.cut(name) {
			for _, id := range u.sections {
				now[id] = u
			}
		}
		for _, old := range p.picks {
			if old.kind != split || old.document != name {
				continue
			}
			for _, id := range old.sections {
				if u := now[id]; u != nil && u.text != old.text {
					p.take(u, reasonEscalate)
				}
			}
		}
	}
}

// outdated lists the files below a folder that what was taken is made from and that
// have changed since its run, by path.
func (p *picker) outdated(folder string) []string {
	var list []string
	for _, t := range p.picks {
		if t.kind != split && t.kind != view {
			continue
		}
		r := p.runs.of(t.path)
		if r == nil {
			continue
		}
		for _, name := range t.madeFrom() {
			if strings.HasPrefix(name, folder) && p.changed(name, r) {
				list = append(list, name)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// keyBoundary is how an author says that a document, or some sections of it, are
// boundaries: in the front matter "boundary: true", a section id or a list of them, in
// metadata.loadout "boundary: true" for one split.
const keyBoundary = "boundary"

// takeBoundaries takes the splits that are boundaries and were not taken for the
// query. One that its author declares always goes along (agent-knowledge section
// 13.5). One that is a boundary by its title is about what is around it: a section
// of its document, a document that is nothing else of its folder. It goes along
// where something there was taken for the query.
func (p *picker) takeBoundaries(guess bool) {
	documents, folders := map[string]bool{}, map[string]bool{}
	for _, t := range p.picks {
		if strings.HasPrefix(t.reason, reasonMatch) || t.reason == reasonContextMap {
			documents[t.document], folders[path.Dir(t.document)] = true, true
		}
	}
	for _, b := range p.boundaryUnits() {
		u := p.pool.at(b.Unit)
		if b.Declared || guess && (documents[u.document] || b.Alone && folders[path.Dir(u.document)]) {
			p.take(u, ReasonBoundary)
		}
	}
}

// boundary is a unit of the pool that is one.
type boundary struct {
	Unit     int  `json:"unit"`
	Declared bool `json:"declared,omitempty"` // by its author; otherwise by its title
	Alone    bool `json:"alone,omitempty"`    // its document is nothing else
}

// boundaryUnits are the boundaries of the pool.
func (p *picker) boundaryUnits() []boundary {
	if s, ok := p.pool.(*snapshot); ok {
		return s.facts.Boundaries
	}
	pool := all(p.pool)
	return p.boundariesAmong(pool, p.frontBoundaries(documentsOf(pool)))
}

// boundariesAmong are the boundaries among units; front are the places that front matter
// calls so.
func (s *contents) boundariesAmong(pool []*unit, front []string) []boundary {
	declared := s.declaredBoundaries(front)
	more := map[string]bool{} // documents with a section that is not a boundary
	for _, u := range pool {
		if !markdown.IsBoundary(u.title) && u.section != "overview" {
			more[u.document] = true
		}
	}
	var list []boundary
	for i, u := range pool {
		b := boundary{Unit: i, Alone: !more[u.document]}
		b.Declared = declared[u.document] || declared[u.id()] || slices.ContainsFunc(u.sections, func(id string) bool { return declared[u.document+"#"+id] })
		if b.Declared || markdown.IsBoundary(u.title) {
			list = append(list, b)
		}
	}
	return list
}

// declaredBoundaries are the documents, the sections "document#section" and the ids
// of splits that the pack's author calls boundaries; front are those of front matter.
func (s *contents) declaredBoundaries(front []string) map[string]bool {
	found := map[string]bool{}
	for _, place := range front {
		found[place] = true
	}
	splits := frontmatter.NewMap(pack.EntryName, s.meta.Metadata, nil).Map("loadout")
	for _, key := range splits.Keys() {
		if is, _ := splits.Map(key.Value).Bool(keyBoundary); is {
			found[key.Value] = true
		}
	}
	return found
}

// boundariesOf reads the key "boundary" of one file.
func (s *contents) boundariesOf(name string) []string {
	if !strings.HasSuffix(name, ".md") {
		return nil
	}
	return PageBoundaries(name, s.document(name).front(keyBoundary))
}

// PageBoundaries returns the places that the front matter of a document or page calls
// boundaries: the file, or sections of it as name#section.
func PageBoundaries(name string, top frontmatter.Map) []string {
	if is, _ := top.Bool(keyBoundary); is {
		return []string{name}
	}
	sections, _ := top.StringOrStrings(keyBoundary)
	list := make([]string, len(sections))
	for i, section := range sections {
		list[i] = name + "#" + section
	}
	return list
}
