package site

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/model"
)

// addRaw plans the files that are published as they are, except for the Markdown
// of pages, which their own jobs read.
func (b *build) addRaw(w *making) {
	for _, f := range w.ps.Pack.Files {
		if pack.LayerOf(f.Path) == pack.Compiled || w.ps.ByPath[f.Path] != nil || !w.ps.MayPublish(f.Path) || f.Path == pack.EntryName {
			continue
		}
		b.add(func() error {
			if packpath.IsDrawing(f.Path) && refuses(w, f.Path) {
				return nil
			}
			data, err := w.ps.Pack.ReadFile(f.Path)
			if err != nil {
				return fmt.Errorf("publish %s of %s: %w", f.Path, w.ps.Name, err)
			}
			return w.put(w.ps.Dir+f.Path, model.Visible(f.Path, data))
		})
	}
	b.add(func() error {
		return w.put(w.ps.Dir+pack.EntryName, markdown.Visible(pack.EntryName, w.ps.Pack.Entry))
	})
	b.addLarge(func() error { return w.putRecord(pack.IndexPath, w.ps.Result.Index) })
	b.addLarge(func() error { return w.putRecord(pack.SourceMapPath, w.ps.Result.SourceMap) })
}

// putRecord publishes a record in the bytes that compile writes.
func (b *build) putRecord(path string, record any) error {
	_, err := b.putFrom(path, func(w io.Writer) error { return schema.Write(w, record) })
	return err
}

// putMarkdown publishes the Markdown of a page beside it, as a reader of the page sees it,
// and its splits.
func putMarkdown(w *making, n *model.Node) error {
	sum := n.Unit.Visible
	if !sum.Known() {
		sum = store.ParseDigest(n.Unit.SHA256)
	}
	if w.keep(w.ps.Dir+n.Path, sum) {
		return putSplits(w, n)
	}
	data, err := w.ps.Pack.ReadFile(n.Path)
	if err != nil {
		return fmt.Errorf("publish %s of %s: %w", n.Path, w.ps.Name, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != n.Unit.SHA256 && n.Unit.SHA256 != "" {
		return fmt.Errorf("publish %s of %s: it changed while the site was being built; build again", n.Path, w.ps.Name)
	}
	if err := w.put(w.ps.Dir+n.Path, markdown.Visible(n.Path, data)); err != nil {
		return err
	}
	return putSplits(w, n)
}

// putSplits publishes the splits of a page; those that are where they should are
// not read.
func putSplits(w *making, n *model.Node) error {
	kept := map[string]bool{}
	left := false
	for _, s := range n.Facts.Splits {
		if !model.IsIndexed(w.ps, n, s.Path) {
			continue
		}
		if !w.ps.Outputs.Edited[s.Path] && w.keep(w.ps.Dir+s.Path, store.ParseDigest(w.ps.Split(w.ps.Outputs.Splits[s.Path]).SHA256)) {
			kept[s.Path] = true
		} else {
			left = true
		}
	}
	if !left {
		return nil
	}
	return model.EachSplit(w.ps, n, func(s model.Split, text []byte) error {
		if kept[s.Path] {
			return nil
		}
		return w.put(w.ps.Dir+s.Path, text)
	})
}
