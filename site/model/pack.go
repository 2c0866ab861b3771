package model

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/article"
)

// Pack is a pack as its pages show it. Nothing of it changes once [Of] has returned it.
type Pack struct {
	Name     string
	Dir      string // below the site root: "packs/<name>/"
	Pack     *pack.Pack
	Result   *compiler.Result
	Settings Settings

	Nodes   []*Node          // pages in compile order
	ByPath  map[string]*Node // by the path of the Markdown file
	Folders map[string]*Folder
	Reading []*Node // pages in the author's order

	Links   Links
	Outputs Outputs
	Doubts  Doubts
	Claims  Claims
	History History
	memo    memo
}

// Links is what links between pages are found by.
type Links struct {
	Found []diag.Diagnostic // that some lead to files which the site does not publish
	Table *reference.Table  // of the files that they may lead to
	Names reference.Names   // what [[…]] may call the pages
	Said  Sentences         // with links between pages
}

// Outputs are the files that a compile makes.
type Outputs struct {
	Splits   map[string]int32 // indexes into Index.Splits by path
	Views    map[string]bool  // paths of the views
	Withheld map[string]bool  // files that must not be published
	Edited   map[string]bool  // files of compiled/ that were kept as somebody edited them
}

// Doubts is what is stale or disputed.
type Doubts struct {
	Files  map[string]schema.Status // "needs-review", "stale" or "disputed" of the views and splits that rest on such material
	Claims *compiler.Doubts         // that are either
}

// Claims finds claims. What it takes time to make is made when it is first needed.
type Claims struct {
	ids     func() map[string]int32    // their places by their ids without a number
	Citing  func() map[string][]int32  // by the source that they rest on
	Since   func() map[ClaimKey]string // the day on which stale ones were found so
	Against func() map[int32][]int32   // what disputed ones are disputed with
	Titles  map[[2]string]string       // of sections that state them, by document and id
}

// memo is what was read of files once.
type memo struct {
	drawings, pictures sync.Map // what is wrong with an SVG and the size of a picture, by path: func() *refusal, func() image.Config
	sources, lengths   sync.Map // texts of cited sources and how many lines their pages show, by path
}

// Settings are what pages show of a pack besides what is in it, and where they read it.
type Settings struct {
	Sources, Excerpts bool // see [Options]
	Edit              string
	Locate            func(p *pack.Pack, name string) string
	Changed           func(p *pack.Pack, name string) time.Time
	Read              func(p *pack.Pack, path string) ([]byte, error) // see [Input]
}

// Node is one page of a pack.
type Node struct {
	Path   string // of the file
	Facts  *Facts
	Unit   *compiler.UnitInfo
	Out    string // below the site root
	order  int    // place in Pack.Nodes
	Place  int    // place in its folder
	Turn   int    // place in Pack.Reading
	Back   []Backlink
	Links  []int32 // pages that it links to, by their places in Pack.Nodes
	Splits []int32 // indexes into Index.Splits
	Claims []int32 // indexes into SourceMap.Claims

	ids atomic.Pointer[weak.Pointer[reference.IDs]] // of the elements that links may point at, until the collector takes them
}

// Name is what readers know a page by: its H1, otherwise the title in its front
// matter, otherwise the file stem.
func (n *Node) Name() string { return article.HeadingText(cmp.Or(n.Facts.FrontTitle, n.Unit.Title)) }

// short is what navigation calls a page.
func (n *Node) short() string {
	return article.HeadingText(cmp.Or(n.Facts.label, n.Facts.FrontTitle, n.Unit.Title))
}

// Of reads what the pages of a pack need to know of each other.
func Of(r *compiler.Result, s Settings, runs store.Store) (*Pack, error) {
	ps := &Pack{
		Pack: r.Pack, Name: r.Pack.Meta.Name, Dir: "packs/" + r.Pack.Meta.Name + "/", Result: r, Settings: s,
		History: History{res: r, read: s.Read, store: runs},
		ByPath:  map[string]*Node{}, Folders: map[string]*Folder{},
		Outputs: Outputs{Splits: make(map[string]int32, len(r.Index.Splits)), Views: map[string]bool{}, Withheld: map[string]bool{}, Edited: map[string]bool{}},
		Doubts:  Doubts{Files: r.Doubtful(), Claims: compiler.DoubtsOf(&r.SourceMap)},
	}
	ps.Claims = Claims{
		ids:     sync.OnceValue(func() map[string]int32 { return claimIDsOf(ps) }),
		Citing:  sync.OnceValue(func() map[string][]int32 { return citedOf(ps) }),
		Since:   sync.OnceValue(func() map[ClaimKey]string { return staleSinceOf(ps) }),
		Against: sync.OnceValue(func() map[int32][]int32 { return disputesOf(ps) }),
		Titles:  titlesOfClaims(&r.SourceMap),
	}
	for _, d := range r.Found {
		switch {
		case compiler.Withheld(d):
			ps.Outputs.Withheld[d.Path] = true
		case d.ID == "view-hand-edited":
			ps.Outputs.Edited[d.Path] = true
		}
	}
	for i := range r.Units {
		u := &r.Units[i]
		p, err := readPage(r, u)
		if err != nil {
			return nil, err
		}
		if p == nil || holdsSecret(ps, u.Path, p) {
			continue
		}
		n := &Node{Path: u.Path, Facts: p, Unit: u, Out: ps.Dir + HTMLPath(u.Path), order: len(ps.Nodes)}
		ps.Nodes = append(ps.Nodes, n)
		ps.ByPath[u.Path] = n
	}
	for _, v := range r.Index.Views {
		ps.Outputs.Views[v.Path] = true
	}
	for i, s := range r.Index.Splits {
		ps.Outputs.Splits[s.Path] = int32(i)
		if n := ps.ByPath[s.Document]; n != nil {
			n.Splits = append(n.Splits, int32(i))
		}
	}
	for i, c := range r.SourceMap.Claims {
		if n := ps.ByPath[c.Document]; n != nil {
			n.Claims = append(n.Claims, int32(i))
		}
	}
	if err := connect(ps); err != nil {
		ps.Close()
		return nil, err
	}
	return ps, nil
}

// Close lets go what is in temporary files.
func (ps *Pack) Close() { ps.Links.Said.close() }

// holdsSecret reports a page that a secret finding touched, itself or by one of
// its splits. All of it stays off the site.
func holdsSecret(ps *Pack, path string, p *Facts) bool {
	if ps.Outputs.Withheld[path] {
		return true
	}
	return slices.ContainsFunc(p.Splits, func(s Split) bool { return ps.Outputs.Withheld[s.Path] })
}

// connect finds what needs all pages to be known: folders, names, and who links
// to whom.
func connect(ps *Pack) error {
	arrange(ps)
	namePages(ps)
	nameRedirects(ps)
	return linkPages(ps)
}

// namePages fills the tables of paths and names.
func namePages(ps *Pack) {
	pages := make([]reference.Page, len(ps.Nodes))
	for i, n := range ps.Nodes {
		pages[i] = reference.Page{Path: n.Path, Title: n.Unit.Title, Aliases: n.Unit.Aliases}
	}
	ps.Links.Names = reference.NewNames(pages)
	has := func(name string) bool {
		return ps.ByPath[name] != nil || ps.Pack.Has(name) || ps.HasView(name) || ps.IsSplit(name)
	}
	hasDir := func(dir string) bool { return ps.HasFolder(dir) || ps.Pack.HasDir(dir) }
	ps.Links.Table = reference.NewTable(has, hasDir, func() []string {
		var files []string
		for _, f := range ps.Pack.Files {
			if !pack.LayerOf(f.Path).IsOutput() {
				files = append(files, f.Path)
			}
		}
		return files
	})
	ps.Links.Table.At(ps.Result.Places)
	ps.Links.Table.Listed(ps.Pack.ListedAs)
}

// namedPath returns the file that [[name]] or [[name|label]] means in a file; "" for none.
func namedPath(ps *Pack, name, from string) string {
	name, label, _ := strings.Cut(name, "|")
	found, _, _ := ps.Links.Table.Labelled(ps.Links.Names, from, name, "", label)
	return found.Path
}

// idsOf returns the ids of a page: of its headings, of its elements, of the marks of
// splits with an id of their own.
func (ps *Pack) idsOf(n *Node) *reference.IDs {
	if known := n.ids.Load(); known != nil {
		if ids := known.Value(); ids != nil {
			return ids
		}
	}
	headings := make([]string, len(n.Unit.Headings))
	for i, h := range n.Unit.Headings {
		headings[i] = h.ID
	}
	var sections []string
	for _, i := range n.Splits {
		s := ps.Split(i)
		if len(n.Facts.Splits) > 1 || len(s.Sections) > 1 { // it is marked
			sections = append(append(sections, s.SectionID), s.Sections...)
		}
	}
	ids := reference.NewIDs(headings, n.Unit.Targets, sections)
	known := weak.Make(ids)
	n.ids.Store(&known)
	return ids
}

// FindID returns the id on a page that a fragment means.
func (ps *Pack) FindID(n *Node, fragment string) (id string, ok bool) {
	return ps.idsOf(n).Find(fragment)
}

// SectionURL returns the URL of a section seen from another page: of the page
// alone when it has no such id.
func (ps *Pack) SectionURL(from string, n *Node, id string) string {
	url := Relative(from, n.Out)
	if found, ok := ps.FindID(n, id); ok && found != "" {
		url += "#" + article.EscapeFragment(found)
	}
	return url
}

// Split returns a split by its index.
func (ps *Pack) Split(i int32) *schema.Split { return &ps.Result.Index.Splits[i] }

// LastChange returns when a file of a pack was last changed; zero when no dates are shown,
// or the date is not known.
func (s *Settings) LastChange(p *pack.Pack, name string) time.Time {
	if s.Changed == nil {
		return time.Time{}
	}
	return s.Changed(p, name)
}

// IsPublished reports whether a file of the pack is on the site as it is.
func (ps *Pack) IsPublished(name string) bool {
	return ps.MayPublish(name) && !(packpath.IsDrawing(name) && Refusal(ps, name) != nil)
}

// MayPublish reports whether a file may be on the site by its name. A server
// decides by the ending what a browser makes of a file, so only the endings of
// [packpath.CanShow] are published. A file that is too large to be read is not.
func (ps *Pack) MayPublish(name string) bool {
	if ps.Outputs.Withheld[name] {
		return false
	}
	if !ps.Pack.Has(name) {
		return ps.IsSplit(name)
	}
	switch pack.LayerOf(name) {
	case pack.Documents, pack.Wiki:
		if strings.HasSuffix(name, ".md") {
			return ps.ByPath[name] != nil
		}
	case "assets":
	case pack.Sources:
		if !ps.Settings.Sources {
			return false
		}
	case pack.Compiled:
		return ps.HasView(name) || ps.IsSplit(name)
	default:
		return name == pack.EntryName || name == "LICENSE"
	}
	at, _ := ps.Pack.Stat(name)
	return packpath.CanShow(name) && at.Size <= pack.MaxFileSize
}

// IsSplit reports a split that is published with the page it was cut from.
func (ps *Pack) IsSplit(name string) bool {
	i, ok := ps.Outputs.Splits[name]
	return ok && ps.ByPath[ps.Split(i).Document] != nil
}

// HasView reports a view of the pack: a top-level file of compiled/.
func (ps *Pack) HasView(name string) bool {
	return ps.Outputs.Views[name] && !ps.Outputs.Withheld[name]
}

// SourceURL returns the URL of what an anchor names: a page of the pack, a
// file of sources/ where these are published, or else the page of the claims that rest on
// it. Lost says why it cannot exist.
func (ps *Pack) SourceURL(from, target, fragment string) (url, lost string) {
	if n := ps.ByPath[target]; n != nil {
		url := Relative(from, n.Out)
		if id, ok := ps.FindID(n, fragment); ok && id != "" {
			url += "#" + article.EscapeFragment(id)
		}
		return url, ""
	}
	switch {
	case ps.IsPublished(target):
		if url := ps.SourceLine(from, schema.ClaimSource{Path: target, Anchor: fragment}); url != "" {
			return url, ""
		}
		return Relative(from, ps.Dir+target), ""
	case target == "":
		return "", "Not an anchor to a file of this pack"
	case !ps.Pack.Has(target):
		return "", "No such source in this pack"
	}
	return ps.SourceLine(from, schema.ClaimSource{Path: target, Anchor: fragment}), ""
}

// SourcePage returns the page of a source that claims rest on; "" when there is none.
func (ps *Pack) SourcePage(name string) string {
	if len(ps.Claims.Citing()[name]) == 0 {
		return ""
	}
	return ps.Dir + "cited/" + strings.TrimPrefix(name, "sources/") + ".html"
}

// SourceLine returns the URL of the page of a source, at the cited line where it shows lines.
func (ps *Pack) SourceLine(from string, s schema.ClaimSource) string {
	out := ps.SourcePage(s.Path)
	if out == "" {
		return ""
	}
	url := ""
	if out != from {
		url = Relative(from, out)
	}
	if m := lineFragment.FindStringSubmatch(s.Anchor); m != nil && hasLine(ps, s.Path, m[1]) {
		return url + "#L" + m[1]
	}
	if url == "" {
		return Relative(from, out)
	}
	return url
}

// Roots are documents/ and wiki/, the one with the primary source first.
func (ps *Pack) Roots() []*Folder {
	names := []string{string(pack.Documents), string(pack.Wiki)}
	if ps.Result.Index.Profile == "wiki-first" {
		slices.Reverse(names)
	}
	var list []*Folder
	for _, name := range names {
		if f := ps.Folders[name]; f != nil {
			list = append(list, f)
		}
	}
	return list
}

// Inside returns the folder that a page is in, as the navigation shows it: the index page
// of a folder is in that folder.
func (ps *Pack) Inside(n *Node) *Folder { return ps.Folders[path.Dir(n.Path)] }

// HasFolder reports a folder with pages in it, or below it.
func (ps *Pack) HasFolder(name string) bool {
	return ps.Folders[name] != nil
}

// Placeholders returns the placeholders of the article of a page, in order. They are read when the
// page is put together: of all pages at once they would fill much memory.
func (ps *Pack) Placeholders(n *Node) ([]article.Placeholder, error) {
	_, placeholders, err := ReadFacts(ps, n)
	return placeholders, err
}

// DayOf is a date as pages show it; "" for one that is not known.
func DayOf(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.DateOnly)
}

// InPack is the address of a page in its pack, without ending: what the graph calls it.
func InPack(ps *Pack, n *Node) string {
	return strings.TrimSuffix(strings.TrimPrefix(n.Out, ps.Dir), ".html")
}

// ShownTitle is the title of a split as people read it: the front matter of
// the page may have a better one than the name of the file.
func ShownTitle(n *Node, s *schema.Split) string {
	stem := strings.TrimSuffix(path.Base(n.Path), ".md")
	switch rest, below := strings.CutPrefix(s.Title, stem+": "); {
	case n.Facts.FrontTitle == "" || n.Unit.Title != stem:
		return s.Title
	case below:
		return rest
	case s.Title == stem:
		return n.Name()
	}
	return s.Title
}

// Guide is the Markdown body of KNOWLEDGE.md.
func Guide(ps *Pack) []byte {
	return markdown.Visible(pack.EntryName, ps.Pack.EntryText[min(max(ps.Pack.Guide, 0), len(ps.Pack.EntryText)):])
}

// Visible is a file as a site publishes it: Markdown without what it hides from readers.
func Visible(name string, data []byte) []byte {
	if !strings.HasSuffix(name, ".md") {
		return data
	}
	return markdown.Visible(name, data)
}

// EachSplit yields the splits of a page that are in the index of the pack, with
// their texts as they are used at run time: one that was edited is as
// edited (agent-knowledge section 6.8).
func EachSplit(ps *Pack, n *Node, yield func(s Split, text []byte) error) error {
	if len(n.Facts.Splits) == 0 {
		return nil
	}
	texts, err := SplitTexts(ps, n)
	if err != nil {
		return err
	}
	for _, s := range n.Facts.Splits {
		if !IsIndexed(ps, n, s.Path) {
			continue // a path-collision: compile wrote another in its place
		}
		text := texts[s.From:s.To]
		if ps.Outputs.Edited[s.Path] {
			if text, err = ps.Settings.Read(ps.Pack, s.Path); err != nil {
				return fmt.Errorf("publish %s of %s: %w", s.Path, ps.Name, err)
			}
		}
		if err := yield(s, text); err != nil {
			return err
		}
	}
	return nil
}

// SplitTexts returns the texts of the splits of a page, one after another.
func SplitTexts(ps *Pack, n *Node) ([]byte, error) {
	texts, err := ps.Result.Blob(n.Facts.texts)
	if err == nil && len(texts) < n.Facts.Splits[len(n.Facts.Splits)-1].To {
		err = errors.New("the splits are damaged: build again")
	}
	if err != nil {
		return nil, fmt.Errorf("publish %s of %s: %w", n.Path, ps.Name, err)
	}
	return texts, nil
}

// IsIndexed reports whether a split of a page is in the pack's index.
func IsIndexed(ps *Pack, n *Node, name string) bool {
	i, ok := ps.Outputs.Splits[name]
	return ok && ps.Split(i).Document == n.Path
}

// ViewText returns the bytes of a view: as compile made it, or as its owner
// keeps it.
func ViewText(ps *Pack, name string) ([]byte, error) {
	if text, ok := ps.Result.Views[name]; ok && !ps.Outputs.Edited[name] {
		return []byte(text), nil
	}
	data, err := ps.Settings.Read(ps.Pack, name)
	if err != nil {
		return nil, fmt.Errorf("publish %s of %s: %w", name, ps.Name, err)
	}
	return data, nil
}

// RuleUnpublished is the rule about files that pages link to and that are not on the site.
const RuleUnpublished = "file-unpublished"

// unpublishedLinks counts the links of pages to files that the site does not publish.
type unpublishedLinks struct {
	count        int
	from, target string // of the first
}

// note counts a link that leads to such a file.
func (u *unpublishedLinks) note(ps *Pack, from *Node, target string) {
	switch pack.LayerOf(target) {
	case pack.Documents, pack.Wiki, "assets":
	default:
		return
	}
	if ps.ByPath[target] != nil || ps.Outputs.Withheld[target] || !ps.Pack.Has(target) || ps.MayPublish(target) {
		return
	}
	if u.count++; u.count == 1 {
		u.from, u.target = from.Path, target
	}
}

// findings says that pages link to such files, once for a pack.
func (u *unpublishedLinks) findings(name string) []diag.Diagnostic {
	if u.count == 0 {
		return nil
	}
	message := fmt.Sprintf("a link leads to %s, which is in the archive and not on the site", u.target)
	if n := u.count - 1; n > 0 {
		message += "; " + amount.Counted(n, "more link") + " to such files"
	}
	return []diag.Diagnostic{{
		ID: RuleUnpublished, Severity: diag.Warning, Pack: name, Path: u.from, Message: message,
		Hint: "link to where the file is published, or show it as text in the page",
	}}
}
