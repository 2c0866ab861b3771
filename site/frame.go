package site

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/templates"
)

// frame returns what every page has around its content. Page is its path below
// the site root.
func (b *build) frame(page, title, description string) templates.Frame {
	f := templates.Frame{
		Lang: b.opts.Language, Site: b.opts.Title, Title: title, Description: oneLine(description, 200),
		Root: root(page), Style: b.assets.Style, Script: b.assets.Script, Icon: b.assets.Icon,
		Here: "packs", Version: b.opts.Version,
	}
	f.Policy = !b.opts.NoPolicy
	if b.opts.BaseURL != "" {
		f.Canonical = b.opts.BaseURL + article.EscapePath(strings.TrimSuffix(page, "index.html"))
	}
	return f
}

// frame returns the frame of a page of the pack, in the pack's language.
func (w *making) frame(page, title, description string) templates.Frame {
	f := w.b.frame(page, title, description)
	if lang := w.ps.pack.Meta.Language; isLanguageTag(lang) {
		f.Lang = lang
	}
	return f
}

// seenFirst lets a page be seen before its scripts are there: one that is long, or that
// readers come to first. On a small page they are there in time, and what loads them is more
// than it saves.
func (w *making) seenFirst(f *templates.Frame, text int) {
	if text >= longPage {
		f.First = templates.Inline(w.b.assets.First)
	}
	if look := w.b.assets.Look; text >= hugePage && look.Sum != "" {
		f.Look, f.Style = templates.Inline(look), nil
	}
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

// units counts the UTF-16 code units of text, the measure of token estimates.
func units(text []byte) int { return token.Units(text) }

// oneLine returns text on one line, cut at most characters.
func oneLine(s string, most int) string {
	return diag.Clip(strings.Join(strings.Fields(s), " "), most)
}
