package page

import (
	"strconv"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// RuleRefused is the rule id of a drawing that could do something when it is
// opened by its own address, and is not published for that.
const RuleRefused = "svg-refused"

// refused reports a link or picture that leads to a drawing that is not
// published.
func (l linker) refused(h article.Placeholder, what string) {
	if packpath.IsDrawing(h.Target) && l.ps.MayPublish(h.Target) {
		l.dangling(h, what, "the drawing is refused", "correct the drawing, as "+RuleRefused+" says")
	}
}

// dangling reports a link or picture whose file exists and is not on the site.
// What is in a view is reported where it was taken from.
func (l linker) dangling(h article.Placeholder, what, why, hint string) {
	if l.from == nil && l.file != pack.EntryName {
		return
	}
	l.report(diag.Diagnostic{
		ID: refBroken, Severity: diag.Warning, Pack: l.ps.Name, Path: l.file, Line: h.Line, Column: h.Column,
		Message: "the " + what + " \"" + diag.Clip(h.Target, 80) + "\" is left out of the page: " + why, Hint: hint,
	})
}

// image writes a picture, or its text where there is none to show.
func (l linker) image(w *templates.Markup, h article.Placeholder) {
	ps := l.ps
	why := ""
	switch {
	case !ps.Pack.Has(h.Target):
		why = "No such image in this pack" // compile reports it
	case !model.IsImage(h.Target):
		why = "Not an image that a page can show"
		l.dangling(h, "image", "a page cannot show a file of this kind", "use a PNG, JPEG, GIF, WebP, AVIF or SVG file, or write a link")
	case !ps.MayPublish(h.Target):
		why = "Not published on this site"
		l.dangling(h, "image", "it is not published", "keep pictures in assets/, or beside the page")
	case packpath.IsDrawing(h.Target) && model.Refusal(ps, h.Target) != nil:
		why = "Not published on this site"
		l.refused(h, "image")
	}
	if why != "" {
		w.Raw(`<span class=lost`)
		w.Attr("title", why)
		w.Raw(">")
		w.Literal([]byte(h.Alt))
		w.Raw("</span>")
		return
	}
	w.Raw("<img")
	w.Attr("src", model.Relative(l.out, ps.Dir+h.Target))
	w.Attr("alt", h.Alt)
	if h.Title != "" {
		w.Attr("title", h.Title)
	}
	if h.Class != "" {
		w.Attr("class", h.Class)
	}
	width, height := model.PictureSize(ps, h.Target)
	if h.Width > 0 || h.Height > 0 {
		width, height = fitted(width, height, h.Width, h.Height)
	}
	if width > 0 {
		w.Attr("width", strconv.Itoa(width))
	}
	if height > 0 {
		w.Attr("height", strconv.Itoa(height))
	}
	w.Raw(` loading=lazy>`)
}

// fitted returns the size of a picture that is shown in another width or height than
// its own: what is not written follows from its proportions.
func fitted(width, height, wantWidth, wantHeight int) (w, h int) {
	switch {
	case wantWidth > 0 && wantHeight > 0, width == 0 || height == 0:
		return wantWidth, wantHeight
	case wantWidth > 0:
		return wantWidth, max(1, height*wantWidth/width)
	}
	return max(1, width*wantHeight/height), wantHeight
}
