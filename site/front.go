package site

import (
	"bytes"
	"fmt"

	"github.com/packgen/packgen/site/page"
	"github.com/packgen/packgen/templates"
)

// frontPage is the start page.
const frontPage = "index.html"

// keepFront puts the page of the pack as the start page into the store, when a site is to
// open on it: that page is made with those of the site, which no longer know the pack.
func keepFront(w *making, published templates.Archive) error {
	if !w.b.opts.Front {
		return nil
	}
	v, err := page.Pack(w.pages, frontPage, published)
	if err != nil {
		return err
	}
	v.Front = true
	if v.Canonical != "" {
		v.Canonical = w.b.frames.Of(w.ps.Dir+"index.html", "", "").Canonical // all links lead there
	}
	var page bytes.Buffer
	if err := templates.Render(&page, v); err != nil {
		return fmt.Errorf("make the start page: %w", err)
	}
	w.facts.front = w.b.opts.Store.SetBlob(page.Bytes())
	return nil
}

// alone returns the pack that the site opens on: the only one, where there is nothing else
// that the start page would list; nil otherwise.
func (b *build) alone() *packFacts {
	if len(b.packs) != 1 || len(b.roles) > 0 || b.in.Report != nil {
		return nil
	}
	return b.packs[0]
}

// opens reports whether the start page is that of a pack. Where the pack has pages of an
// earlier build alone, it is a list that leads on.
func (b *build) opens() bool {
	f := b.alone()
	return f != nil && b.opts.Front && f.said.Card.Kept == nil
}

// addFront plans the start page of a site that opens on its pack.
func (b *build) addFront() {
	if !b.opens() {
		return
	}
	b.add(func() error {
		page, ok := b.opts.Store.Blob(b.packs[0].front)
		if !ok {
			return errReused(b.packs[0].name)
		}
		return b.put(frontPage, page)
	})
}
