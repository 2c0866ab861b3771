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
func (ps *packSite) publish() (templates.Archive, error) {
	bundle, err := NewBundle(ps.res, BundleOptions{
		Sources: ps.b.opts.PublishSources, Runs: ps.b.opts.PublishRuns,
		Open: ps.openPublished, Size: ps.sizePublished,
	})
	if err != nil {
		return templates.Archive{}, err
	}
	ps.report(bundle.Diagnostics...)
	if bundle.Manifest == nil {
		return templates.Archive{}, nil
	}
	if err := ps.put(ps.dir+schema.PackManifestName, bundle.JSON); err != nil {
		return templates.Archive{}, err
	}
	size, err := ps.putFrom(ps.dir+archive.ArchiveName, bundle.Write)
	return templates.Archive{
		URL: archive.ArchiveName, Text: archive.ArchiveName, Bytes: size, Files: len(bundle.Manifest.Files),
		Record: schema.PackManifestName, Tree: bundle.Manifest.Tree,
	}, err
}

// splitAmong returns a split that this compile made, with its page; ok is false for
// one that was edited.
func (ps *packSite) splitAmong(path string) (n *node, s split, ok bool) {
	i, ok := ps.splits[path]
	if !ok || ps.edited[path] {
		return nil, s, false
	}
	if n = ps.byPath[ps.splitAt(i).Document]; n == nil {
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
func (ps *packSite) sizePublished(path string) (int64, bool) {
	_, s, ok := ps.splitAmong(path)
	return int64(s.to - s.from), ok
}

// openPublished opens a file of the archive: what is in memory or in the store
// from there, the rest from where the compile wrote it or from the pack.
func (ps *packSite) openPublished(path string) (io.ReadCloser, error) {
	if n, s, ok := ps.splitAmong(path); ok {
		texts, err := ps.archived.of(ps, n)
		if err != nil {
			return nil, err
		}
		return inMemory(texts[s.from:s.to]), nil
	}
	if path == pack.EntryName {
		return inMemory(ps.pack.Entry), nil
	}
	if ps.views[path] {
		text, err := ps.viewText(path)
		return inMemory(text), err
	}
	if !pack.LayerOf(path).IsOutput() {
		f, _, err := ps.pack.OpenFile(path)
		return f, err
	}
	if ps.b.in.Open != nil {
		f, err := ps.b.in.Open(ps.pack, path)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return ps.openRecord(path)
}

// openRecord makes a record that is nowhere on disk yet.
func (ps *packSite) openRecord(path string) (io.ReadCloser, error) {
	var record any
	switch path {
	case pack.IndexPath:
		record = ps.res.Index
	case pack.SourceMapPath:
		record = ps.res.SourceMap
	case ps.res.RunPath:
		record = &ps.res.Run
	case schema.RunLedgerPath(ps.res.RunPath):
		ledger, err := ps.res.Run.Ledger()
		if err != nil {
			return nil, err
		}
		record = ledger
	default:
		data, err := ps.b.in.Read(ps.pack, path)
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
