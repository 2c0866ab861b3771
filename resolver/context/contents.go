package context

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/parallel"
	"github.com/packgen/packgen/resolver/context/rank"
)

// The places of a pack that the resolver looks at.
const (
	compiledDir    = string(pack.Compiled) + "/"
	splitsDir      = pack.SplitsDir + "/"
	indexPath      = pack.IndexPath
	briefingPath   = "compiled/briefing.md"
	factsPath      = "compiled/facts.md"
	boundariesPath = "compiled/boundaries.md"
	sourceMapPath  = pack.SourceMapPath
	wikiIndexPath  = "wiki/index.md"
	questionsDir   = "wiki/open-questions/"

	contradictionsDir = "wiki/contradictions/"
)

// contents is an activated pack with what compile left in it.
type contents struct {
	from      Pack // as the request names it
	pack      *pack.Pack
	meta      *pack.Knowledge
	splits    []*unit
	views     []*unit
	sourceMap *schema.SourceMap // empty when there is none
	runs      *runs
	notes     []Warning        // about records that cannot be used
	doubts    *compiler.Doubts // claims of the source map that are stale or disputed
	lost      []*unit          // compiled files that are gone or not what compile wrote
	sums      sync.Map         // SHA-256 of index and source map, by path
	edited    bool             // index or source map is not what the newest run wrote
	uncut     bool             // none of the splits that a run made exists

	documents map[string]*docState
	sources   map[string]string // what has become of cited files, see source
	hashed    int64             // bytes of cited files, see unread
	lock      sync.Mutex        // for documents, sources and hashed

	snap     *snapshot // what is known of splits, in their place; nil where they are loaded
	cache    Cache     // nil where nothing can be kept
	counting sync.Once // for counted
	counted  *rank.Index
}

// openContents reads the manifest, the source map and the newest run of a pack, and
// the texts of its splits and views.
func openContents(from *Pack, cache Cache) (*contents, error) {
	p, _, err := pack.OpenFS(from.FS, from.Dir, from.Mappings...)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, fmt.Errorf("open pack %s: it is no longer readable", from.Dir)
	}
	s := &contents{pack: p, meta: &p.Meta, from: *from, sourceMap: &schema.SourceMap{}, documents: map[string]*docState{}, sources: map[string]string{}}
	var mapNote []Warning
	var wait sync.WaitGroup
	wait.Go(func() { mapNote = s.readSourceMap() })
	wait.Go(func() { s.runs = openRuns(p) })
	index, indexNote := s.readIndex()
	if index != nil {
		s.take(index)
		s.cache = cache
	} else {
		wait.Wait() // the newest run says what there was
		indexNote = append(indexNote, s.rebuild()...)
	}
	all := slices.Concat(s.splits, s.views)
	parallel.Ranges(len(all), func(from, to int) {
		for _, u := range all[from:to] {
			s.read(u)
		}
	})
	wait.Wait()
	s.doubts = compiler.DoubtsOf(s.sourceMap)
	s.compareSplits()
	s.keepIntact()
	s.notes = slices.Concat(indexNote, mapNote, s.goneRecords(), s.editedRecords())
	return s, nil
}

// readSourceMap reads the claims; a map that cannot be used counts as absent.
func (s *contents) readSourceMap() []Warning {
	if !s.pack.Has(sourceMapPath) {
		return nil
	}
	data, err := s.pack.ReadFile(sourceMapPath)
	if err == nil && saysNothing(data) && !s.pack.Has(answersQuestions) {
		s.noteRecord(sourceMapPath, data)
		return nil
	}
	if err == nil {
		var m *schema.SourceMap
		if m, err = schema.DecodeSourceMap(data); err == nil {
			s.sourceMap = m
			s.noteRecord(sourceMapPath, data)
			return nil
		}
	}
	return unusable(sourceMapPath, err)
}

// largeMap is the size in bytes from which a source map is only decoded when
// some claim in it matters.
const largeMap = 8 << 10

// saysNothing reports whether a large source map is sound JSON in which every
// claim is confirmed: then it has nothing to say to a resolver.
func saysNothing(data []byte) bool {
	if len(data) < largeMap {
		return false
	}
	for _, status := range []schema.Status{schema.Inferred, schema.Disputed, schema.Stale, schema.Missing, schema.SourceRequired} {
		if bytes.Contains(data, []byte(`"`+status+`"`)) {
			return false
		}
	}
	return !bytes.Contains(data, []byte(`\u`)) && json.Valid(data)
}

// unusable is the warning about a record that is skipped.
func unusable(name string, err error) []Warning {
	return []Warning{{diag.Warning, name, fmt.Sprintf("[schema-invalid] The record cannot be used: %v.", err)}}
}

// readIndex reads compiled/index.json; nil when it is missing or broken.
func (s *contents) readIndex() (*schema.Index, []Warning) {
	if !s.pack.Has(indexPath) {
		return nil, nil
	}
	data, err := s.pack.ReadFile(indexPath)
	if err == nil {
		var index *schema.Index
		if index, err = schema.DecodeIndex(data); err == nil {
			s.noteRecord(indexPath, data)
			return index, nil
		}
	}
	return nil, unusable(indexPath, err)
}

// take lists the files that an index names, those that are gone too. What lies
// outside of compiled/ is not a view, whatever an index says.
func (s *contents) take(index *schema.Index) {
	seen := map[string]bool{}
	usable := func(name, dir string) bool {
		ok := strings.HasPrefix(name, dir) && strings.HasSuffix(name, ".md") && packpath.Check(name) == nil && !seen[name]
		seen[name] = true
		return ok
	}
	splits, byOrder := index.Splits, func(a, b schema.Split) int { return a.Order - b.Order }
	if !slices.IsSortedFunc(splits, byOrder) {
		splits = slices.Clone(splits)
		slices.SortStableFunc(splits, byOrder)
	}
	for _, e := range splits {
		if !usable(e.Path, splitsDir) {
			continue
		}
		u := &unit{kind: split, path: e.Path, title: e.Title, section: e.SectionID, sections: sectionsOf(e), order: len(s.splits) + 1, sum: e.SHA256, anchors: e.SourceAnchors}
		if u.title == "" {
			u.title = stem(e.Path)
		}
		if packpath.Check(e.Document) == nil {
			u.document = e.Document
		}
		s.splits = append(s.splits, u)
	}
	for _, e := range index.Views {
		if usable(e.Path, compiledDir) && path.Dir(e.Path) == "compiled" {
			s.views = append(s.views, &unit{kind: view, path: e.Path, title: e.Kind, derived: e.DerivedFrom, order: len(s.views) + 1, sum: e.SHA256})
		}
	}
}

// sectionsOf are the ids of the sections that a split holds.
func sectionsOf(e schema.Split) []string {
	if len(e.Sections) > 0 {
		return e.Sections
	}
	return []string{e.SectionID}
}

// rebuild does without an index (section 6.7): it lists compiled/ in path order.
// Where a run has written an index, nothing vouches for the splits any more but the
// documents and pages themselves.
func (s *contents) rebuild() []Warning {
	gone := s.runMade(indexPath)
	if gone {
		s.recut()
	}
	for _, f := range s.pack.List("compiled") {
		if !strings.HasSuffix(f.Path, ".md") {
			continue
		}
		if path.Dir(f.Path) == "compiled" {
			s.views = append(s.views, &unit{kind: view, path: f.Path, title: stem(f.Path), order: len(s.views) + 1})
			continue
		}
		below, ok := strings.CutPrefix(f.Path, splitsDir)
		if !ok || gone {
			continue
		}
		u := &unit{kind: split, path: f.Path, title: stem(f.Path), section: stem(f.Path), sections: []string{stem(f.Path)}, order: len(s.splits) + 1}
		u.document = s.documentOf(below)
		if s.read(u); !u.absent {
			doc := markdown.Parse(f.Path, []byte(u.text))
			if len(doc.Headings) > 0 && doc.Headings[0].Text != "" {
				u.title = doc.Headings[0].Text
			}
		}
		s.splits = append(s.splits, u)
	}
	if gone && !s.pack.Has(indexPath) && s.pack.HasDir("compiled") {
		return []Warning{{diag.Warning, indexPath, "This record is gone since the newest compile run; the splits were compared with the documents."}}
	}
	return nil
}

// documentOf guesses the document of a split by the path below
// compiled/splits/ (section 6.2), "" when there is none.
func (s *contents) documentOf(below string) string {
	dir := path.Dir(below)
	for _, name := range []string{below, dir + ".md", "documents/" + dir + ".md"} {
		if (strings.HasPrefix(name, "wiki/") || strings.HasPrefix(name, "documents/")) && s.pack.Has(name) {
			return name
		}
	}
	return ""
}

// view returns a view by path, or what takes its place; nil when there is none.
func (s *contents) view(name string) *unit { return find(s.views, name) }

// find returns the unit of a path, or what takes its place; nil when there is none.
func find(list []*unit, name string) *unit {
	for _, u := range list {
		if u.path == name || u.insteadOf == name {
			return u
		}
	}
	return nil
}

// text reads a text file of the pack; ok is false when that cannot be done.
func (s *contents) text(name string) (text []byte, ok bool) {
	if !s.pack.Has(name) {
		return nil, false
	}
	data, err := s.pack.ReadFile(name)
	if err != nil {
		return nil, false
	}
	return frontmatter.Decode(data)
}

// parse reads a Markdown file of the pack; nil when that cannot be done.
func (s *contents) parse(name string) *markdown.Document {
	text, ok := s.text(name)
	if !ok {
		return nil
	}
	return markdown.Parse(name, text)
}

// cutPrimary cuts the primary document in memory (section 13.5).
func (s *contents) cutPrimary() []*unit { return s.cut(s.meta.PrimaryDocument) }

// cut cuts a document in memory, as a compile would.
func (s *contents) cut(name string) []*unit {
	if !strings.HasSuffix(name, ".md") {
		return nil
	}
	doc := s.parse(name)
	if doc == nil {
		return nil
	}
	var list []*unit
	for _, t := range compiler.Sections(doc, s.meta) {
		list = append(list, cutUnit(name, t, len(list)+1))
	}
	return list
}

// cutUnit is a section that was cut in memory.
func cutUnit(name string, t compiler.SectionText, order int) *unit {
	return &unit{
		kind: cutSection, path: name + "#" + t.ID, title: t.Title, document: name, section: t.ID, sections: t.IDs,
		text: t.Text, order: order, anchors: t.SourceAnchors,
	}
}

// pages reads the wiki pages that a compile would turn into splits.
func (s *contents) pages() []*unit {
	var names []string
	for _, f := range s.pack.List("wiki") {
		if compiler.GetsSplits(f.Path) {
			names = append(names, f.Path)
		}
	}
	found := make([]*unit, len(names))
	parallel.Ranges(len(names), func(from, to int) {
		for i := from; i < to; i++ {
			found[i] = s.page(names[i])
		}
	})
	var list []*unit
	for _, u := range found {
		if u != nil {
			u.order = len(list) + 1
			list = append(list, u)
		}
	}
	return list
}

// page reads one wiki page as it is, without front matter; nil for one that a
// compile would leave out.
func (s *contents) page(name string) *unit {
	doc := s.parse(name)
	if doc == nil || doc.Status == schema.Draft || doc.Status == schema.Archived {
		return nil
	}
	t := compiler.PageText(doc)
	if t.Text == "" {
		return nil
	}
	return &unit{kind: wikiPage, path: name, title: t.Title, document: name, section: t.ID, sections: t.IDs, text: t.Text, anchors: t.SourceAnchors}
}
