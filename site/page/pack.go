package page

import (
	"bytes"
	"cmp"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/assets"
	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/highlight"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// Limits of a pack's page.
const (
	maxSplitRows = 80  // splits listed: more would be most of the page
	maxFindings  = 50  // diagnostics listed
	maxSegments  = 160 // pieces of the bar; smaller ones are drawn together
)

// softCap is the size in tokens above which compile cuts a split again
// (agent-knowledge section 6.3). A split above it is marked.
const softCap = 1200

// Pack is the page of the pack, as it is at out.
func Pack(p *Pages, out string, published templates.Archive) (templates.Pack, error) {
	to := func(name string) string { return model.Relative(out, p.Model.Dir+name) }
	guide := markdown.Parse(pack.EntryName, p.Model.Pack.EntryText)
	body, err := p.article(guide, out)
	if err != nil {
		return templates.Pack{}, err
	}
	meta := &p.Model.Pack.Meta
	v := templates.Pack{
		Frame: p.frame(out, p.Model.Name, meta.Description),
		Name:  p.Model.Name, Description: meta.Description, Status: string(meta.Status),
		Notices: notices(p.Model), Facts: dataSheet(p.Model, out), Guide: template.HTML(withoutName(body, p.Model.Name)),
		Tokens: p.Model.Result.Index.TotalTokenEstimate, Splits: len(p.Model.Result.Index.Splits),
		SoftCap: softCap, Shelf: shelf(p.Model, out), Curve: curve(p.Retrieval),
		Index: to(pack.IndexPath), Archive: published,
	}
	if published.URL != "" {
		v.Archive.URL = to(published.URL)
	}
	if published.Record != "" {
		v.Archive.Record = to(published.Record)
	}
	p.Frames.SeenFirst(&v.Frame, longPage)
	v.Frame.Markdown, v.Frame.Feed = to(pack.EntryName), p.Frames.Feed
	v.Bar, v.Over = bar(p.Model)
	v.Tabs, v.Primary = tabs(p.Model, to)
	v.Views = viewRows(p.Model, out)
	v.Groups, v.MoreSplits = splitGroups(p.Model, out)
	v.Findings, v.MoreFinds = findings(p.Model, out)
	v.Files = []templates.Link{
		{URL: to(printPage), Text: "to print"},
		{URL: to(pack.EntryName), Text: pack.EntryName},
		{URL: v.Index, Text: pack.IndexPath},
		{URL: to(pack.SourceMapPath), Text: pack.SourceMapPath},
	}
	if run := model.NewestRun(p.Model.Result); run != "" {
		v.Files = append(v.Files, templates.Link{URL: to(run), Text: run})
	}
	return v, nil
}

// withoutName takes a first heading off the guide that says what the page is called.
func withoutName(guide []byte, name string) []byte {
	heading, rest, found := bytes.Cut(guide, []byte("</h1>\n"))
	at := bytes.LastIndexByte(heading, '>') + 1
	if found && bytes.HasPrefix(heading, []byte("<h1")) && strings.EqualFold(strings.ReplaceAll(string(heading[at:]), " ", "-"), name) {
		return rest
	}
	return guide
}

// article renders a file that is not a document or wiki page: the guide, a view.
// Paths in backticks are links in it, since that is how both name pages.
func (p *Pages) article(doc *markdown.Document, out string) ([]byte, error) {
	a := article.Render(doc, nil, article.Options{Paint: p.Highlighter, Linked: func(name string) bool { return isLinked(p.Model, name) }})
	m := templates.Markup{B: make([]byte, 0, len(a.HTML))}
	l := linker{ps: p.Model, file: doc.Path, out: out, report: p.Report}
	if err := article.Fill(&m, a.HTML, a.Placeholders, l.open); err != nil {
		return nil, err
	}
	return m.B, nil
}

// isLinked reports a path in backticks that is a link.
func isLinked(ps *model.Pack, name string) bool {
	return ps.Pack.Has(name) || ps.HasFolder(strings.TrimSuffix(name, "/"))
}

// tabs lead to the other pages about the pack.
func tabs(ps *model.Pack, to func(name string) string) (tabs []templates.Link, primary templates.Link) {
	for _, root := range ps.Roots() {
		l := templates.Link{URL: to(root.Path + ".html"), Text: root.Counted()}
		if primary.URL == "" {
			primary = l
		}
		tabs = append(tabs, l)
	}
	tabs = append(tabs,
		templates.Link{URL: to("claims.html"), Text: amount.Counted(len(ps.Result.SourceMap.Claims), "claim")},
		templates.Link{URL: to("history.html"), Text: "History"},
		templates.Link{URL: to(GraphName), Text: "Graph"})
	return tabs, primary
}

// dataSheet is the data sheet: what KNOWLEDGE.md declares, effective values where
// it is silent.
func dataSheet(ps *model.Pack, out string) []templates.Fact {
	m := &ps.Pack.Meta
	var list []templates.Fact
	fact := func(name, value, badge string) {
		if value != "" {
			list = append(list, templates.Fact{Name: name, Value: value, Badge: badge})
		}
	}
	fact("Status", string(m.Status), string(m.Status))
	fact("Trust", cmp.Or(m.Trust, "not declared"), m.Trust)
	fact("Profile", ps.Result.Index.Profile, "")
	fact("Mode", ps.Result.Index.RuntimeMode, "")
	fact("Grounding", cmp.Or(m.Grounding, "not declared"), "")
	fact("Type", m.Type, "")
	fact("Version", m.Version, "")
	fact("Updated", m.Updated, "")
	fact("Language", m.Language, "")
	fact("Scope", m.Scope, "")
	fact("Licence", m.License, "")
	fact("Maintainers", strings.Join(m.Maintainers, ", "), "")
	if p := m.ProducedBy; p != nil {
		fact("Produced by", strings.TrimSpace(p.Name+" "+p.Version), "")
	}
	if n := ps.ByPath[m.PrimaryDocument]; n != nil {
		list = append(list, templates.Fact{Name: "Primary", Value: n.Name(), URL: model.Relative(out, n.Out)})
	}
	fact("Last compile", string(ps.Result.Run.Status), string(ps.Result.Run.Status))
	return list
}

// bar shows how the tokens are spread, in the order of the splits, and counts the splits
// that are too large. Neighbours that would be too thin to see are drawn together.
func bar(ps *model.Pack) (bar []templates.Segment, over int) {
	total := 0
	for _, s := range ps.Result.Index.Splits {
		total += s.TokenEstimate
	}
	if total == 0 {
		return nil, 0
	}
	least := total / maxSegments
	sum, start, members := 0, 0, 0
	document, tone := "", 1
	for i, s := range ps.Result.Index.Splits {
		if s.Document != document && members == 0 {
			document = s.Document
			tone = 1 - tone
		}
		sum += s.TokenEstimate
		members++
		if last := i == len(ps.Result.Index.Splits)-1; sum-start < least && !last {
			continue
		}
		title := s.Title + ": " + amount.Counted(s.TokenEstimate, "token")
		if members > 1 {
			title = amount.Counted(members, "split") + ": " + amount.Counted(sum-start, "token")
		}
		x := start * 1000 / total
		piece := templates.Segment{X: x, Width: max(1, sum*1000/total-x-1), Title: title, Tone: tone}
		if members == 1 && s.TokenEstimate > softCap {
			piece.Tone = 2
			over++
		}
		bar = append(bar, piece)
		start, members = sum, 0
	}
	return bar, over
}

// maxShelf is how many folders and pages of a level the page of a pack names at most.
const maxShelf = 40

// shelf lists the folders and pages of the first two levels, in the author's order. What a
// long folder has more is on its page.
func shelf(ps *model.Pack, out string) []templates.ShelfItem {
	var list []templates.ShelfItem
	for _, root := range ps.Roots() {
		list = append(list, templates.ShelfItem{URL: model.Relative(out, root.Out), Text: model.RootNames[root.Path], Inside: root.Pages})
		for _, it := range root.Items[:min(len(root.Items), maxShelf)] {
			row := templates.ShelfItem{URL: model.Relative(out, it.Out()), Text: diag.OneLine(it.Name(), 120), Deep: true}
			if it.Folder != nil {
				row.Text += "/"
				row.Inside = it.Folder.Pages
			}
			list = append(list, row)
		}
		if more := len(root.Items) - maxShelf; more > 0 {
			list = append(list, templates.ShelfItem{URL: model.Relative(out, root.Out), Text: amount.Grouped(more) + " more", Deep: true})
		}
	}
	return list
}

func viewRows(ps *model.Pack, out string) []templates.ViewRow {
	var rows []templates.ViewRow
	for _, v := range ps.Result.Index.Views {
		if ps.HasView(v.Path) {
			rows = append(rows, templates.ViewRow{
				URL: model.Relative(out, ps.Dir+model.HTMLPath(v.Path)), Raw: model.Relative(out, ps.Dir+v.Path),
				Kind: v.Kind, Tokens: v.TokenEstimate, HandMade: len(v.DerivedFrom) == 0,
				Doubt: string(model.ViewDoubt(ps, &v).Status),
			})
		}
	}
	return rows
}

// splitGroups lists the splits by the file they were cut from, up to a limit.
// Pages that gave one split each are listed by folder.
func splitGroups(ps *model.Pack, out string) (groups []templates.SplitGroup, more int) {
	largest := softCap
	for _, s := range ps.Result.Index.Splits {
		largest = max(largest, s.TokenEstimate)
	}
	shown, folder := 0, ""
	for _, n := range ps.Nodes {
		if len(n.Splits) == 0 {
			continue
		}
		if shown >= maxSplitRows {
			more += len(n.Splits)
			continue
		}
		if dir := path.Dir(n.Path); len(n.Splits) > 1 {
			groups = append(groups, templates.SplitGroup{Title: n.Name(), URL: model.Relative(out, n.Out), Path: n.Path})
			folder = ""
		} else if dir != folder {
			groups = append(groups, templates.SplitGroup{Title: dir + "/", URL: model.Relative(out, ps.Folders[dir].Out)})
			folder = dir
		}
		g := &groups[len(groups)-1]
		for _, i := range n.Splits {
			s := ps.Split(i)
			g.Tokens += s.TokenEstimate
			if shown++; shown > maxSplitRows {
				more++
				continue
			}
			g.Splits = append(g.Splits, templates.SplitRow{
				Title: model.ShownTitle(n, s), URL: ps.SectionURL(out, n, s.SectionID), Raw: model.Relative(out, ps.Dir+s.Path),
				Tokens: s.TokenEstimate, Width: max(1, s.TokenEstimate*100/largest), Over: s.TokenEstimate > softCap,
				Doubt: string(ps.Doubts.Files[s.Path]),
			})
		}
	}
	return groups, more
}

// findings lists what compile reported, worst first and of each rule its share, and
// what there is more.
func findings(ps *model.Pack, out string) (list []templates.Finding, more string) {
	shares, kinds := diag.Share(ps.Result.Diagnostics, maxFindings)
	for _, d := range shares {
		f := templates.Finding{Severity: d.Severity.String(), ID: d.ID, Place: d.Place(), Message: d.Message, Hint: d.Hint}
		if n := ps.ByPath[d.Path]; n != nil {
			f.URL = model.Relative(out, n.Out)
		}
		if compiler.Withheld(d) {
			f.Message = "something in this file looks like a secret; it was kept off the site"
		}
		list = append(list, f)
	}
	return list, diag.Left(kinds)
}

// Frames are what every page of a site has around its content.
type Frames struct {
	Site     string // its title
	Language string // of our own words on pages without a pack
	BaseURL  string // see [Options]
	Version  string // of packgen
	Feed     string // name of the feed; "" for none
	Policy   bool   // the content security policy is on the page
	Assets   *assets.Bundle
}

// Of returns the frame of a page, by its path below the site root.
func (f *Frames) Of(page, title, description string) templates.Frame {
	out := templates.Frame{
		Lang: f.Language, Site: f.Site, Title: title, Description: diag.OneLine(description, 200),
		Root: root(page), Style: f.Assets.Style, Script: f.Assets.Script, Icon: f.Assets.Icon,
		Here: "packs", Version: f.Version, Policy: f.Policy,
	}
	if f.BaseURL != "" {
		out.Canonical = f.BaseURL + article.EscapePath(strings.TrimSuffix(page, "index.html"))
	}
	return out
}

// SeenFirst lets a page be seen before its scripts are there: one that is long, or that
// readers come to first. On a small page they are there in time, and what loads them is more
// than it saves.
func (f *Frames) SeenFirst(page *templates.Frame, text int) {
	if text >= longPage {
		page.First = templates.Inline(f.Assets.First)
	}
	if look := f.Assets.Look; text >= hugePage && look.Sum != "" {
		page.Look, page.Style = templates.Inline(look), nil
	}
}

// Pages holds what the views of a pack's pages are made of.
type Pages struct {
	Frames      *Frames
	Model       *model.Pack
	Highlighter *highlight.Highlighter        // nil when code stays plain
	Report      func(list ...diag.Diagnostic) // takes what is wrong with a link

	Retrieval Retrieval // is drawn on the page of the pack
}

// frame returns the frame of a page of the pack, in the pack's language.
func (p *Pages) frame(page, title, description string) templates.Frame {
	f := p.Frames.Of(page, title, description)
	if lang := p.Model.Pack.Meta.Language; isLanguageTag(lang) {
		f.Lang = lang
	}
	return f
}

// home is the link to the page of the pack.
func (p *Pages) home(out string) templates.Link {
	return templates.Link{URL: model.Relative(out, p.Model.Dir+"index.html"), Text: p.Model.Name}
}

// From how many bytes of text on a page is long, and from how many it waits for no other
// file: on a slow line a file that comes after the page costs more than its 10 kB in it.
const (
	longPage = 32 << 10
	hugePage = 128 << 10
)

// isLanguageTag reports text that may be in a lang attribute (BCP 47, in
// form only).
func isLanguageTag(s string) bool {
	if s == "" || len(s) > 35 {
		return false
	}
	for i := range len(s) {
		if c := s[i] | 0x20; s[i] != '-' && (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}

// root returns the way from a page to the site root: "" or "../../".
func root(page string) string {
	return strings.Repeat("../", strings.Count(page, "/"))
}

// GraphName is the page of a pack that shows how its pages link to each other.
const GraphName = "graph.html"

// graphListed is how many pages the page of the graph lists.
const graphListed = 100

// Graph is the page of the graph. Without script it lists the pages that most others
// link to.
func Graph(p *Pages, out string) templates.Graph {
	v := templates.Graph{
		Frame: p.frame(out, "Graph · "+p.Model.Name, "How the pages of "+p.Model.Name+" link to each other"),
		Pack:  p.home(out), Pages: len(p.Model.Nodes),
	}
	linked := slices.Clone(p.Model.Nodes)
	slices.SortStableFunc(linked, func(a, b *model.Node) int { return len(b.Back) - len(a.Back) })
	for _, n := range linked[:min(len(linked), graphListed)] {
		if len(n.Back) > 0 {
			v.Rows = append(v.Rows, templates.GraphRow{URL: model.Relative(out, n.Out), Title: diag.OneLine(n.Name(), 120), From: len(n.Back), To: len(n.Links)})
		}
	}
	for _, n := range p.Model.Nodes {
		v.Links += len(n.Links)
	}
	return v
}
