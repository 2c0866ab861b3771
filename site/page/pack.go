package page

import (
	"bytes"
	"cmp"
	"html/template"
	"path"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/site/article"
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
