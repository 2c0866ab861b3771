package page

import (
	"strings"

	"github.com/packgen/packgen/assets"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/highlight"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

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
