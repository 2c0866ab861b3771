package site

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/templates"
)

// wantsArchive reports whether the archive of a pack, by its directory on the site, is
// made, or its record, of which the archive is a part.
func (b *build) wantsArchive(dir string) bool { return wantsArchive(b.sink, dir) }

func wantsArchive(sink publish.Target, dir string) bool {
	record, packed := sink.Wants(dir+schema.PackManifestName), sink.Wants(dir+archive.ArchiveName)
	return record || packed
}

// publish passes on pack.json and pack.tar.gz, and returns what the pack's page
// says of them.
func (w *making) publish() (templates.Archive, error) {
	bundle, err := NewBundle(w.ps.res, BundleOptions{
		Sources: w.b.opts.PublishSources, Runs: w.b.opts.PublishRuns,
		Open: w.openPublished, Size: w.sizePublished,
	})
	if err != nil {
		return templates.Archive{}, err
	}
	w.report(bundle.Diagnostics...)
	if bundle.Manifest == nil {
		return templates.Archive{}, nil
	}
	if err := w.put(w.ps.dir+schema.PackManifestName, bundle.JSON); err != nil {
		return templates.Archive{}, err
	}
	size, err := w.putFrom(w.ps.dir+archive.ArchiveName, bundle.Write)
	return templates.Archive{
		URL: archive.ArchiveName, Text: archive.ArchiveName, Bytes: size, Files: len(bundle.Manifest.Files),
		Record: schema.PackManifestName, Tree: bundle.Manifest.Tree,
	}, err
}

// splitAmong returns a split that this compile made, with its page; ok is false for
// one that was edited.
func (w *making) splitAmong(path string) (n *node, s split, ok bool) {
	i, ok := w.ps.splits[path]
	if !ok || w.ps.edited[path] {
		return nil, s, false
	}
	if n = w.ps.byPath[w.ps.splitAt(i).Document]; n == nil {
		return nil, s, false
	}
	splits, is := n.page.splits, func(s split) bool { return s.path == path }
	from := min(int(atomic.LoadInt32(&n.page.opened)), len(splits)) // they are asked for in order
	at := slices.IndexFunc(splits[from:], is) + from
	if at < from {
		if at = slices.IndexFunc(splits[:from], is); at < 0 {
			return nil, s, false
		}
	}
	atomic.StoreInt32(&n.page.opened, int32(at))
	return n, splits[at], true
}

// sizePublished returns the size of a split.
func (w *making) sizePublished(path string) (int64, bool) {
	_, s, ok := w.splitAmong(path)
	return int64(s.to - s.from), ok
}

// openPublished opens a file of the archive: what is in memory or in the store
// from there, the rest from where the compile wrote it or from the pack.
func (w *making) openPublished(path string) (io.ReadCloser, error) {
	if n, s, ok := w.splitAmong(path); ok {
		texts, err := w.archived.of(w.ps, n)
		if err != nil {
			return nil, err
		}
		return inMemory(texts[s.from:s.to]), nil
	}
	if path == pack.EntryName {
		return inMemory(w.ps.pack.Entry), nil
	}
	if w.ps.views[path] {
		text, err := w.ps.viewText(path)
		return inMemory(text), err
	}
	if !pack.LayerOf(path).IsOutput() {
		f, _, err := w.ps.pack.OpenFile(path)
		return f, err
	}
	if w.b.in.Open != nil {
		f, err := w.b.in.Open(w.ps.pack, path)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return w.openRecord(path)
}

// openRecord makes a record that is nowhere on disk yet.
func (w *making) openRecord(path string) (io.ReadCloser, error) {
	var record any
	switch path {
	case pack.IndexPath:
		record = w.ps.res.Index
	case pack.SourceMapPath:
		record = w.ps.res.SourceMap
	case w.ps.res.RunPath:
		record = &w.ps.res.Run
	case schema.RunLedgerPath(w.ps.res.RunPath):
		ledger, err := w.ps.res.Run.Ledger()
		if err != nil {
			return nil, err
		}
		record = ledger
	default:
		data, err := w.ps.settings.read(w.ps.pack, path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		return inMemory(data), nil
	}
	data, err := schema.Encode(record)
	return inMemory(data), err
}

// splitTexts holds the texts of the splits of one page: an archive takes them in
// sequence.
type splitTexts struct {
	mu    sync.Mutex
	page  *node
	texts []byte
}

func (t *splitTexts) of(ps *packSite, n *node) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.page != n {
		texts, err := ps.texts(n)
		if err != nil {
			return nil, err
		}
		t.page, t.texts = n, texts
	}
	return t.texts, nil
}

func inMemory(data []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(data)) }
