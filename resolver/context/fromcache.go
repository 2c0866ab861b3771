package context

import (
	"io/fs"
	"slices"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// pool is what is ranked: splits, sections cut in memory, or pages.
type pool interface {
	len() int
	at(i int) *unit
}

// units are a pool in memory.
type units []*unit

func (l units) len() int       { return len(l) }
func (l units) at(i int) *unit { return l[i] }

func (s *snapshot) len() int { return s.units.len() }

// all lists the units of a pool.
func all(p pool) []*unit {
	if list, ok := p.(units); ok {
		return list
	}
	list := make([]*unit, p.len())
	for i := range list {
		list[i] = p.at(i)
	}
	return list
}

// openFromCache opens a pack from what is kept of it; nil where that no longer holds. entry is
// the pack as the catalog has read it.
func openFromCache(from *Pack, entry *pack.Pack) *contents {
	if from.Cache == nil || entry == nil {
		return nil
	}
	snap := readSnapshot(from.Cache.Recall())
	if snap == nil || newestRun(from.FS) != snap.facts.Run.Path || !pack.Unchanged(from.FS, snap.files, snap.dirs) || !snap.mappingsHold(from.Mappings) {
		return nil
	}
	p := entry.Recall(snap.files, snap.mapped, from.Mappings)
	s := &contents{
		pack: p, meta: &p.Meta, snap: snap, from: *from,
		documents: map[string]*docState{}, sources: map[string]string{},
		sourceMap: &schema.SourceMap{Claims: snap.facts.Claims}, runs: &runs{pack: p, read: []*run{snap.run()}},
	}
	s.doubts = compiler.DoubtsOf(s.sourceMap)
	for i, v := range snap.facts.Views {
		s.views = append(s.views, &unit{kind: view, path: v.Path, title: v.Kind, derived: v.Derived, order: i + 1, sum: v.SHA256})
	}
	return s
}

// mappingsHold reports whether the same folders are mapped, and are as they were.
func (s *snapshot) mappingsHold(list []pack.Mapping) bool {
	if len(list) != len(s.mapped) {
		return false
	}
	for i := range list {
		if !s.mapped[i].Holds(&list[i]) {
			return false
		}
	}
	return true
}

// run is the newest run, as far as it is kept.
func (s *snapshot) run() *run {
	f := &s.facts.Run
	r := &run{path: f.Path, status: f.Status, inputs: f.Sources, outputs: map[string]bool{}, found: f.Found, allSplits: true}
	for _, name := range f.Outputs {
		r.outputs[name] = true
	}
	return r
}

// ranked is what is ranked of a compiled pack.
func (s *contents) ranked() pool {
	if s.snap != nil {
		return s.snap
	}
	return units(s.splits)
}

// loaded returns a unit with its text: itself, or a copy where texts are not loaded. It
// is nil, and what is kept is broken, when the file is no longer what compile wrote.
func (p *picker) loaded(u *unit) *unit {
	if u == nil || p.snap == nil || u.kind != split && u.kind != view || u.text != "" {
		return u
	}
	own := *u
	if p.read(&own); own.absent || own.altered {
		p.broken = true
		return nil
	}
	return &own
}

// statusOf is the status that a document or page declares.
func (s *contents) statusOf(name string) schema.Status {
	if s.snap != nil {
		return s.snap.facts.Statuses[name]
	}
	return s.document(name).status()
}

// newestRun is the path of the newest record of a compile run, "" when there is none.
func newestRun(fsys fs.FS) string {
	list, err := fs.Glob(fsys, "runs/*")
	if err != nil {
		return ""
	}
	return schema.NewestCompile(slices.Values(list))
}
