package page

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// View is the page of a view.
func View(p *Pages, out string, view *schema.View, text []byte) (templates.Document, error) {
	name, kind := view.Path, view.Kind
	shown, whole := firstPart(text)
	doc := markdown.Parse(name, slices.Clone(shown))
	body, err := p.article(doc, out)
	if err != nil {
		return templates.Document{}, err
	}
	v := templates.Document{
		Frame:  p.frame(out, kind+" · "+p.Model.Name, "The "+kind+" of "+p.Model.Name),
		Pack:   p.home(out),
		Trail:  []templates.Link{{Text: string(pack.Compiled)}},
		Kind:   "view",
		Tokens: token.Estimate(text),
		Body:   body,

		Notices: viewNotices(p.Model, view, out),
	}
	v.Frame.Markdown = path.Base(name)
	p.Frames.SeenFirst(&v.Frame, len(body))
	if !whole {
		v.Notices = append(v.Notices, templates.Notice{
			Kind: "note", Title: "Only the beginning is shown.", Text: "This view has " + amount.Counted(v.Tokens, "token") + ".",
			URL: path.Base(name), More: "The whole view",
		})
	}
	if !model.HasTitle(doc) {
		v.Heading = kind
	}
	return v, nil
}

// maxShown is how much of a view its page shows, in bytes. Views grow with the
// pack; a page that a browser cannot open serves nobody.
const maxShown = 256 << 10

// firstPart returns the text up to a blank line before the limit, and whether
// that is all of it.
func firstPart(text []byte) (part []byte, whole bool) {
	if len(text) <= maxShown {
		return text, true
	}
	part = text[:maxShown]
	if i := bytes.LastIndex(part, []byte("\n\n")); i > 0 {
		return part[:i+1], false
	}
	if i := bytes.LastIndexByte(part, '\n'); i > 0 {
		return part[:i+1], false
	}
	return nil, false
}

// printPage is the page that shows a pack as one document.
const printPage = "print.html"

// PagesInPrint is how many pages one document has; a larger pack is printed in parts.
const PagesInPrint = 200

// Print is a part of the pack as one document.
func Print(p *Pages, out string, part, parts int) templates.Print {
	reading := p.Model.Reading
	v := templates.Print{
		Frame: p.frame(out, "To print · "+p.Model.Name, ""),
		Pack:  p.home(out), Description: p.Model.Pack.Meta.Description, Pages: len(reading),
		Pager: pagerOf("print", part, parts),
	}
	for _, n := range reading[(part-1)*PagesInPrint : min(len(reading), part*PagesInPrint)] {
		v.Rows = append(v.Rows, templates.Link{URL: model.Relative(out, n.Out), Text: diag.OneLine(n.Name(), 200)})
	}
	return v
}

// Source is a page of a source and of some claims that rest on it.
func Source(p *Pages, out, name string, claims []int32) templates.Source {
	base := path.Base(name)
	v := templates.Source{
		Frame: p.frame(out, base+" · "+p.Model.Name, "What "+p.Model.Name+" states on the word of "+base),
		Pack:  p.home(out), All: templates.Link{URL: model.Relative(out, p.Model.Dir+"claims.html"), Text: "claims"},
		Path: name, Rows: claimRows(p.Model, out, claims),
	}
	for i := range v.Rows {
		row := &v.Rows[i]
		row.ID = ""
		if fragment, ok := strings.CutPrefix(row.Source.Text, base+"#"); ok { // the title names the file
			row.Source.Text = "#" + fragment
		}
	}
	if p.Model.IsPublished(name) {
		v.Raw = model.Relative(out, p.Model.Dir+name)
	}
	return v
}
