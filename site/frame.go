package site

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/packgen/packgen/assets"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/highlight"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// frames are what every page of a site has around its content.
type frames struct {
	opts   *Options
	assets *assets.Bundle
}

// of returns the frame of a page, by its path below the site root.
func (f *frames) of(page, title, description string) templates.Frame {
	out := templates.Frame{
		Lang: f.opts.Language, Site: f.opts.Title, Title: title, Description: diag.OneLine(description, 200),
		Root: root(page), Style: f.assets.Style, Script: f.assets.Script, Icon: f.assets.Icon,
		Here: "packs", Version: f.opts.Version, Policy: !f.opts.NoPolicy,
	}
	if f.opts.BaseURL != "" {
		out.Canonical = f.opts.BaseURL + article.EscapePath(strings.TrimSuffix(page, "index.html"))
	}
	return out
}

// seenFirst lets a page be seen before its scripts are there: one that is long, or that
// readers come to first. On a small page they are there in time, and what loads them is more
// than it saves.
func (f *frames) seenFirst(page *templates.Frame, text int) {
	if text >= longPage {
		page.First = templates.Inline(f.assets.First)
	}
	if look := f.assets.Look; text >= hugePage && look.Sum != "" {
		page.Look, page.Style = templates.Inline(look), nil
	}
}

// pageMaker holds what the views of a pack's pages are made of.
type pageMaker struct {
	frames *frames
	ps     *model.Pack
	paint  *highlight.Highlighter        // nil when code stays plain
	report func(list ...diag.Diagnostic) // takes what is wrong with a link
}

// frame returns the frame of a page of the pack, in the pack's language.
func (p *pageMaker) frame(page, title, description string) templates.Frame {
	f := p.frames.of(page, title, description)
	if lang := p.ps.Pack.Meta.Language; isLanguageTag(lang) {
		f.Lang = lang
	}
	return f
}

// home is the link to the page of the pack.
func (p *pageMaker) home(out string) templates.Link {
	return templates.Link{URL: model.Relative(out, p.ps.Dir+"index.html"), Text: p.ps.Name}
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

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// render puts a page into the sink.
func (b *build) render(page string, v templates.View) error {
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	if err := templates.Render(buf, v); err != nil {
		return fmt.Errorf("make %s: %w", page, err)
	}
	return b.put(page, buf.Bytes())
}

// root returns the way from a page to the site root: "" or "../../".
func root(page string) string {
	return strings.Repeat("../", strings.Count(page, "/"))
}
