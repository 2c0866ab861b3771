package page

import (
	"bytes"
	"path"
	"slices"

	"github.com/packgen/packgen/compiler/amount"
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
