package site

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// isPublished reports whether a file of the pack is on the site as it is.
func (ps *packSite) isPublished(name string) bool {
	return ps.mayPublish(name) && !(packpath.IsDrawing(name) && ps.refusal(name) != nil)
}

// mayPublish reports whether a file may be on the site by its name. A server
// decides by the ending what a browser makes of a file, so only the endings of
// [packpath.CanShow] are published. A file that is too large to be read is not.
func (ps *packSite) mayPublish(name string) bool {
	if ps.withheld[name] {
		return false
	}
	if !ps.pack.Has(name) {
		return ps.isSplit(name)
	}
	switch pack.LayerOf(name) {
	case pack.Documents, pack.Wiki:
		if strings.HasSuffix(name, ".md") {
			return ps.byPath[name] != nil
		}
	case "assets":
	case pack.Sources:
		if !ps.settings.sources {
			return false
		}
	case pack.Compiled:
		return ps.view(name) || ps.isSplit(name)
	default:
		return name == pack.EntryName || name == "LICENSE"
	}
	at, _ := ps.pack.Stat(name)
	return packpath.CanShow(name) && at.Size <= pack.MaxFileSize
}

// isSplit reports a split that is published with the page it was cut from.
func (ps *packSite) isSplit(name string) bool {
	i, ok := ps.splits[name]
	return ok && ps.byPath[ps.splitAt(i).Document] != nil
}

// view reports a view of the pack: a top-level file of compiled/.
func (ps *packSite) view(name string) bool {
	return ps.views[name] && !ps.withheld[name]
}

// addRaw plans the files that are published as they are, except for the Markdown
// of pages, which their own jobs read.
func (b *build) addRaw(w *making) {
	for _, f := range w.ps.pack.Files {
		if pack.LayerOf(f.Path) == pack.Compiled || w.ps.byPath[f.Path] != nil || !w.ps.mayPublish(f.Path) || f.Path == pack.EntryName {
			continue
		}
		b.add(func() error {
			if packpath.IsDrawing(f.Path) && refuses(w, f.Path) {
				return nil
			}
			data, err := w.ps.pack.ReadFile(f.Path)
			if err != nil {
				return fmt.Errorf("publish %s of %s: %w", f.Path, w.ps.name, err)
			}
			return w.put(w.ps.dir+f.Path, visible(f.Path, data))
		})
	}
	b.add(func() error {
		return w.put(w.ps.dir+pack.EntryName, markdown.Visible(pack.EntryName, w.ps.pack.Entry))
	})
	b.addLarge(func() error { return w.putRecord(pack.IndexPath, w.ps.res.Index) })
	b.addLarge(func() error { return w.putRecord(pack.SourceMapPath, w.ps.res.SourceMap) })
}

// visible is a file as a site publishes it: Markdown without what it hides from readers.
func visible(name string, data []byte) []byte {
	if !strings.HasSuffix(name, ".md") {
		return data
	}
	return markdown.Visible(name, data)
}

// putRecord publishes a record in the bytes that compile writes.
func (b *build) putRecord(path string, record any) error {
	_, err := b.putFrom(path, func(w io.Writer) error { return schema.Write(w, record) })
	return err
}

// putMarkdown publishes the Markdown of a page beside it, as a reader of the page sees it,
// and its splits.
func putMarkdown(w *making, n *node) error {
	sum := n.unit.Visible
	if !sum.Known() {
		sum = store.ParseDigest(n.unit.SHA256)
	}
	if w.keep(w.ps.dir+n.path, sum) {
		return putSplits(w, n)
	}
	data, err := w.ps.pack.ReadFile(n.path)
	if err != nil {
		return fmt.Errorf("publish %s of %s: %w", n.path, w.ps.name, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != n.unit.SHA256 && n.unit.SHA256 != "" {
		return fmt.Errorf("publish %s of %s: it changed while the site was being built; build again", n.path, w.ps.name)
	}
	if err := w.put(w.ps.dir+n.path, markdown.Visible(n.path, data)); err != nil {
		return err
	}
	return putSplits(w, n)
}

// putSplits publishes the splits of a page; those that are where they should are
// not read.
func putSplits(w *making, n *node) error {
	kept := map[string]bool{}
	left := false
	for _, s := range n.page.splits {
		if !w.ps.isIndexed(n, s.path) {
			continue
		}
		if !w.ps.edited[s.path] && w.keep(w.ps.dir+s.path, store.ParseDigest(w.ps.splitAt(w.ps.splits[s.path]).SHA256)) {
			kept[s.path] = true
		} else {
			left = true
		}
	}
	if !left {
		return nil
	}
	return w.ps.eachSplit(n, func(s split, text []byte) error {
		if kept[s.path] {
			return nil
		}
		return w.put(w.ps.dir+s.path, text)
	})
}

// eachSplit yields the splits of a page that are in the index of the pack, with
// their texts as they are used at run time: one that was edited is as
// edited (agent-knowledge section 6.8).
func (ps *packSite) eachSplit(n *node, yield func(s split, text []byte) error) error {
	if len(n.page.splits) == 0 {
		return nil
	}
	texts, err := ps.texts(n)
	if err != nil {
		return err
	}
	for _, s := range n.page.splits {
		if !ps.isIndexed(n, s.path) {
			continue // a path-collision: compile wrote another in its place
		}
		text := texts[s.from:s.to]
		if ps.edited[s.path] {
			if text, err = ps.settings.read(ps.pack, s.path); err != nil {
				return fmt.Errorf("publish %s of %s: %w", s.path, ps.name, err)
			}
		}
		if err := yield(s, text); err != nil {
			return err
		}
	}
	return nil
}

// texts returns the texts of the splits of a page, one after another.
func (ps *packSite) texts(n *node) ([]byte, error) {
	texts, err := ps.res.Blob(n.page.texts)
	if err == nil && len(texts) < n.page.splits[len(n.page.splits)-1].to {
		err = errors.New("the splits are damaged: build again")
	}
	if err != nil {
		return nil, fmt.Errorf("publish %s of %s: %w", n.path, ps.name, err)
	}
	return texts, nil
}

// isIndexed reports whether a split of a page is in the pack's index.
func (ps *packSite) isIndexed(n *node, name string) bool {
	i, ok := ps.splits[name]
	return ok && ps.splitAt(i).Document == n.path
}
