package context

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/context/rank"
)

// The selection reasons that are words (agent-knowledge section 13.9).
const (
	reasonBoundary   = "boundary"
	reasonView       = "view"
	reasonContextMap = "context-map"
	reasonDefault    = "default"
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
	*shelf
	words    rank.WordSet // of the query
	query    string
	scorer   rank.Scorer
	pool     []*unit      // what is ranked: splits, sections cut in memory, or pages
	ranking  rank.Ranking // of the pool
	picks    []pick
	taken    map[string]bool
	warnings []Warning
}

// choose runs the branch of the pack's mode and profile.
func (s *shelf) choose(query string, scorer rank.Scorer) *picker {
	p := &picker{shelf: s, query: query, words: rank.NewWordSet(query), scorer: scorer, taken: map[string]bool{}}
	profile := s.meta.EffectiveProfile()
	compiled := s.pack.HasDir("compiled")
	switch {
	case s.meta.EffectiveMode() == pack.ModePersona:
		p.persona(profile)
	case profile == pack.Hybrid:
		p.hybrid()
	case profile == pack.WikiFirst && compiled:
		p.wikiFirst()
	case profile == pack.WikiFirst:
		p.wikiAlone()
	default:
		p.documentFirst()
	}
	return p
}

// take adds a unit, unless it is taken already: the first reason stays.
func (p *picker) take(u *unit, reason string) {
	if u == nil || p.taken[u.path] {
		return
	}
	p.taken[u.path] = true
	boundary := reason == reasonBoundary || markdown.BoundaryTitle(u.title)
	p.picks = append(p.picks, pick{u, reason, boundary})
}

func (p *picker) warn(severity, path, message string) {
	p.warnings = append(p.warnings, Warning{severity, path, message})
}

// rank scores the pool.
func (p *picker) rank(pool []*unit) {
	p.pool = pool
	var questions map[string][]string
	if rank.UsesQuestions(p.scorer) {
		questions = p.questions()
	}
	p.ranking = p.scorer.Score(p.query, p.sections(pool, questions))
}

// takeRanked takes what ranks among the units that keep accepts, and reports
// whether anything did.
func (p *picker) takeRanked(keep func(*unit) bool) bool {
	hits := p.ranking.Ranked(func(i int) bool { return keep == nil || keep(p.pool[i]) })
	for _, h := range hits {
		p.take(p.pool[h.Section], h.Reason())
	}
	return len(hits) > 0
}

// splitsOrCut ranks the splits or, when there are none at all, the sections of
// the primary document, cut in memory.
func (p *picker) splitsOrCut() {
	pool := p.splits
	if p.uncut {
		p.warn("warning", splitsDir, "No compiled splits; sections were cut from the documents as they are.")
	}
	if len(pool) == 0 {
		pool = p.cutPrimary()
		switch {
		case len(pool) > 0:
			p.warn("info", splitsDir, "No compiled splits; sections were cut from the primary document.")
		case p.meta.PrimaryDocument != "":
			p.warn("warning", p.meta.PrimaryDocument, "No compiled splits, and the primary document cannot be read.")
		case p.meta.HasDocuments():
			p.warn("warning", pack.EntryName, "No compiled splits, and no primary document is declared.")
		}
	}
	p.rank(pool)
}

// takeDefault takes the briefing, else the facts, else the first split.
func (p *picker) takeDefault() {
	for _, name := range []string{briefingPath, factsPath} {
		if u := p.view(name); u != nil {
			p.take(u, reasonDefault)
			return
		}
	}
	if len(p.pool) > 0 {
		p.take(p.pool[0], reasonDefault)
	}
}

// takeBoundaries takes the boundary splits that keep accepts.
func (p *picker) takeBoundaries(keep func(*unit) bool) {
	for _, u := range p.pool {
		if markdown.BoundaryTitle(u.title) && (keep == nil || keep(u)) {
			p.take(u, reasonBoundary)
		}
	}
}

// documentFirst is the branch of document-first data packs.
func (p *picker) documentFirst() {
	p.splitsOrCut()
	if !p.takeRanked(nil) {
		p.takeDefault()
	}
	p.takeBoundaries(nil)
	p.escalateSections()
}

// wikiAlone is the branch of wiki-first data packs without compiled/.
func (p *picker) wikiAlone() {
	severity := "info"
	if p.runMade(indexPath) {
		severity = "warning" // there were some
	}
	p.warn(severity, compiledDir, "No compiled views; wiki pages were read.")
	if index := p.page(wikiIndexPath); index != nil {
		p.take(index, reasonDefault)
	}
	p.rank(p.pages())
	p.takeRanked(nil)
}

// wikiFirst is the branch of wiki-first data packs.
func (p *picker) wikiFirst() {
	p.rank(p.splits)
	found := false
	for _, h := range p.ranking.Ranked(nil) {
		if h.Title {
			p.take(p.pool[h.Section], h.Reason())
			found = true
		}
	}
	if !found && p.isLost(factsPath) {
		found = p.takeRanked(nil) // the facts come from these pages
	}
	if facts := p.view(factsPath); !found && facts != nil && p.words.Shares(rank.Words(rank.Prose(facts.text))) {
		p.take(facts, reasonView)
		found = true
	}
	if briefing := p.view(briefingPath); !found && briefing != nil {
		p.take(briefing, reasonDefault)
	}
	p.take(p.view(boundariesPath), reasonBoundary)
	p.escalatePages()
}

// hybrid is the branch of hybrid data packs.
func (p *picker) hybrid() {
	p.splitsOrCut()
	paths, mapped := p.preferred()
	preferred := func(u *unit) bool {
		return slices.ContainsFunc(paths, func(name string) bool { return u.belongsTo(name) })
	}
	// The preferred paths are not enough when the answer stands elsewhere.
	elsewhere := p.ranking.Elsewhere(func(i int) bool { return preferred(p.pool[i]) })
	found := false
	if elsewhere {
		found = p.takeRanked(nil)
	}
	found = p.takeRanked(preferred) || found
	if !found && mapped {
		for _, u := range slices.Concat(p.pool, p.views) {
			if preferred(u) {
				p.take(u, reasonContextMap)
				found = true
			}
		}
	}
	if !found && !p.takeRanked(nil) {
		p.takeDefault()
	}
	p.takeBoundaries(preferred)
	p.take(p.view(boundariesPath), reasonBoundary)
	p.escalateSections()
	p.escalatePages()
}

// preferred returns the paths of the context-map entry whose label shares the
// most words with the query, else the primary document.
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
			most, paths = shared, e.Paths
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
func (p *picker) persona(profile string) {
	if profile == pack.WikiFirst && len(p.splits) == 0 {
		p.rank(p.pages())
	} else {
		p.splitsOrCut()
	}
	has := map[string]bool{}
	for _, c := range []struct {
		name  string
		class markdown.Class
	}{
		{"voice", markdown.ClassVoice}, {"values", markdown.ClassValues}, {"taboos", markdown.ClassTaboos},
		{"boundaries", markdown.ClassPersonaBoundaries}, {"usage", markdown.ClassUsage},
	} {
		for _, u := range p.pool {
			if c.class.Has(u.title) {
				has[c.name] = true
				p.take(u, reasonPersona+c.name)
			}
		}
	}
	p.takeRanked(nil)
	if !has["voice"] || !has["taboos"] && !has["boundaries"] {
		p.warn("warning", pack.EntryName, "Persona limits are incomplete.")
	}
}

// escalatePages adds the wiki pages behind a taken split or view that have
// changed since its run.
func (p *picker) escalatePages() {
	for _, name := range p.outdated("wiki/") {
		if u := p.page(name); u != nil {
			p.take(u, reasonEscalate)
		}
	}
}

// escalateSections adds the sections of documents behind a taken split that have
// changed since its run, as they are now (section 13.2 rule 4). A section whose
// text is still that of its split adds nothing.
func (p *picker) escalateSections() {
	for _, name := range p.outdated("documents/") {
		now := map[string]*unit{}
		for _, u := range p.cut(name) {
			now[u.section] = u
		}
		for _, old := range p.picks {
			if u := now[old.section]; old.kind == split && old.document == name && u != nil && u.text != old.text {
				p.take(u, reasonEscalate)
			}
		}
	}
}

// outdated lists the files below a folder that stand behind what was taken and
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
		for _, name := range t.behind() {
			if strings.HasPrefix(name, folder) && p.changed(name, r) {
				list = append(list, name)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
