package context

import (
	"bytes"
	"context"
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
	"github.com/packgen/packgen/compiler/token"
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

// Layout is what a selection from a compiled pack depends on beside the words of its
// splits, for programs that select without this package. Splits are numbered as an
// index lists them.
type Layout struct {
	Views      []string         `json:"views,omitempty"` // paths
	Boundaries []boundary       `json:"boundaries,omitempty"`
	Map        []mapPlace       `json:"map,omitempty"`     // of a hybrid pack: the entries of the context map
	Primary    *place           `json:"primary,omitempty"` // and its primary document
	Classes    map[string][]int `json:"classes,omitempty"` // of a persona pack: splits by class of title
}

// mapPlace is an entry of a context map.
type mapPlace struct {
	Words []string `json:"words"` // of its label
	place
}

// place is what lies at some paths.
type place struct {
	Splits []int    `json:"splits,omitempty"`
	Views  []string `json:"views,omitempty"`
}

// LayoutOf returns the layout of a compiled pack. Declared are the places that the front
// matter of its documents and pages calls boundaries, as [PageBoundaries] lists them.
func LayoutOf(p *pack.Pack, index *schema.Index, declared []string) *Layout {
	s := &contents{pack: p, meta: &p.Meta}
	s.take(index)
	l := &Layout{Boundaries: s.boundariesAmong(s.splits, declared)}
	for _, v := range s.views {
		l.Views = append(l.Views, v.path)
	}
	switch {
	case p.Meta.EffectiveMode() == pack.ModePersona:
		l.Classes = map[string][]int{}
		for _, c := range personaClasses() {
			for i, u := range s.splits {
				if c.class.Has(u.title) {
					l.Classes[c.name] = append(l.Classes[c.name], i)
				}
			}
		}
	case p.Meta.EffectiveProfile() == pack.Hybrid:
		for _, e := range markdown.Parse(pack.EntryName, p.EntryText).ContextMap() {
			l.Map = append(l.Map, mapPlace{rank.Words(e.Label), s.placeOf(p.AsListed(e.Paths))})
		}
		primary := s.placeOf([]string{p.Meta.PrimaryDocument})
		l.Primary = &primary
	}
	return l
}

// placeOf finds what lies at some paths of a context map.
func (s *contents) placeOf(paths []string) place {
	var found place
	at := func(u *unit) bool { return slices.ContainsFunc(paths, u.belongsTo) }
	for i, u := range s.splits {
		if at(u) {
			found.Splits = append(found.Splits, i)
		}
	}
	for _, v := range s.views {
		if at(v) {
			found.Views = append(found.Views, v.path)
		}
	}
	return found
}

// Marked returns the text of a split or view of a pack that was just compiled, with
// markers after its stale and disputed claims. Document is where a split comes from;
// "" for a view.
func Marked(p *pack.Pack, doubts *compiler.Doubts, document, path, text string) string {
	s := &contents{pack: p, meta: &p.Meta, doubts: doubts, runs: &runs{pack: p}}
	return s.marked(&unit{kind: split, path: path, document: document, text: text}).text
}

// SectionInfo is a section that queries are ranked over.
type SectionInfo struct {
	Path      string // of the split or page, or documents/x.md#section
	Document  string
	Section   string   // id in the document
	Sections  []string // ids of all sections in it
	Tokens    int
	Questions int // of its author, those for the whole document included
}

// Sections lists the sections of the first pack that a query is ranked over, in
// compile order.
func (o *Collection) Sections(ctx context.Context) ([]SectionInfo, error) {
	req := Request{Scorer: rank.BM25F{}, Allow: []schema.Status{schema.Draft, schema.Archived}, Confirm: []schema.Status{schema.Disputed}}
	p, err := o.firstPicker(ctx, &req)
	if err != nil {
		return nil, fmt.Errorf("list sections: %w", err)
	}
	if p == nil {
		return nil, nil
	}
	var out []SectionInfo
	for i, s := range p.sections(all(p.pool), p.questions()) {
		u := p.pool.at(i)
		out = append(out, SectionInfo{s.Path, s.Document, u.section, u.sections, token.Estimate(s.Text), len(s.Questions)})
	}
	return out, nil
}

// firstPicker is what selects from the first pack that a request activates; nil when it
// activates none, or one that holds nothing to select from.
func (o *Collection) firstPicker(ctx context.Context, req *Request) (*picker, error) {
	chosen, err := (&competition{Collection: o, req: req}).choose(ctx)
	if err != nil || len(chosen) == 0 {
		return nil, err
	}
	return chosen[0].picker, nil
}

// kind says what a unit is.
type kind uint8

const (
	split      kind = iota // a file below compiled/splits/
	view                   // another Markdown file of compiled/
	cutSection             // a section of a document, cut in memory
	wikiPage               // a page of wiki/, read as it is
)

// unit is a piece of a pack that can be selected.
type unit struct {
	kind     kind
	path     string   // as selections name it
	title    string   // of a view: its kind
	document string   // document or page it comes from; "" for a view, or when unknown
	section  string   // section id, the first of several; "" for a view
	sections []string // ids of all sections in it
	derived  []string // files a view is made from
	order    int      // 1-based
	text     string   // Markdown; "" until it is read
	absent   bool     // the file is gone, or no text

	sum       string        // SHA-256 that compiled/index.json records; "" when it records none
	anchors   []string      // of its sources, as recorded
	altered   bool          // its text is not what was recorded
	old       bool          // its document has changed, and says something else
	insteadOf string        // the compiled file whose place it takes
	doubt     schema.Status // "stale" or "disputed" for the worst of its claims
	claims    []Claim       // those that are either
	cites     []string      // the anchors that it was marked by
	parsed    bool          // cites are those of its text
}

// id is that of a split (agent-knowledge section 6.2); "" for any other unit.
func (u *unit) id() string {
	below, ok := strings.CutPrefix(u.path, splitsDir)
	if !ok {
		return ""
	}
	return strings.TrimSuffix(below, ".md")
}

// read loads the text of a unit that is a file. A file that is gone, too large
// or no text is absent: an entry whose file is gone is ignored (agent-knowledge
// section 6.7).
func (s *contents) read(u *unit) {
	if u.text != "" || u.absent {
		return
	}
	data, err := s.pack.ReadFile(u.path)
	if err == nil {
		text, ok := frontmatter.Decode(data)
		if strings.HasSuffix(u.path, ".md") {
			text = markdown.Visible(u.path, text)
		}
		u.text, err = string(text), nil
		u.absent = !ok
		u.altered = u.sum != "" && !schema.HasSum(data, u.sum)
	}
	u.absent = u.absent || err != nil
}

// sections turns units into what scorers look at.
func (s *contents) sections(units []*unit, questions map[string][]string) []rank.Section {
	list := s.places(units)
	var front frontmatter.Map // of the document at hand
	for i, u := range units {
		list[i].Text = u.text
		if strings.HasSuffix(u.document, ".md") {
			if i == 0 || units[i-1].document != u.document {
				front = s.document(u.document).front("title", "description")
			}
			list[i].TitlePath = append(list[i].TitlePath, FrontTitles(u.document, u.title, front)...)
		}
		list[i].Questions = append(list[i].Questions, questions[u.document]...)
		for _, id := range u.sections {
			list[i].Questions = append(list[i].Questions, questions[u.document+"#"+id]...)
		}
		if id := u.id(); id != "" && id != u.document {
			list[i].Questions = append(list[i].Questions, questions[id]...)
		}
	}
	return list
}

// places are sections without what is counted in them.
func (s *contents) places(units []*unit) []rank.Section {
	list := make([]rank.Section, len(units))
	for i, u := range units {
		list[i] = rank.Section{Path: u.path, Document: u.document, Title: u.title, TitlePath: TitlePath(u.document)}
	}
	return list
}

// TitlePath names what a section is in, by the path of its document.
func TitlePath(document string) []string {
	_, below, _ := strings.Cut(strings.TrimSuffix(document, ".md"), "/")
	if below == "" {
		return nil
	}
	return strings.Split(below, "/")
}

// maxDescription is how much of the description of a page counts, in bytes.
const maxDescription = 1024

// FrontTitles are what the front matter of a document or page calls it: its description, and
// its title for a section that is only called after the file, since the text has no title.
// They are among the titles that the section is in.
func FrontTitles(document, title string, front frontmatter.Map) []string {
	var list []string
	if own, _ := front.String("title"); own != "" && calledAfterFile(document, title) {
		list = append(list, own)
	}
	if said, _ := front.String("description"); said != "" {
		list = append(list, strings.ToValidUTF8(said[:min(len(said), maxDescription)], ""))
	}
	return list
}

// calledAfterFile reports whether the title of a section is the name of its file.
func calledAfterFile(document, title string) bool {
	return strings.HasSuffix(document, ".md") && title == stem(document)
}

// belongsTo reports whether a unit lies at a path of a context map: a document
// or page, one section of it, a directory, or a compiled file.
func (u *unit) belongsTo(name string) bool {
	file, section, _ := strings.Cut(name, "#")
	switch {
	case strings.HasSuffix(file, "/"):
		return strings.HasPrefix(u.document, file) || strings.HasPrefix(u.path, file)
	case u.path == name || u.path == file && u.kind != cutSection:
		return true
	case u.document == "" || u.document != file:
		return false
	}
	inside := func(id string) bool { return id == section || strings.HasPrefix(id, section+"--") }
	return section == "" || slices.ContainsFunc(u.sections, inside) ||
		u.kind == split && u.path == splitsDir+u.document
}

// stem is a file name without its extension.
func stem(name string) string { return strings.TrimSuffix(path.Base(name), ".md") }
