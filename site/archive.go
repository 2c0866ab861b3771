package site

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// wantsArchive reports whether the archive of a pack, by its directory on the site, is
// made, or its record, of which the archive is a part.
func (b *build) wantsArchive(dir string) bool { return wantsArchive(b.sink, dir) }

func wantsArchive(sink publish.Target, dir string) bool {
	record, packed := sink.Wants(dir+schema.PackManifestName), sink.Wants(dir+archive.ArchiveName)
	return record || packed
}

// putArchive passes on pack.json and pack.tar.gz, and returns what the pack's page
// says of them.
func putArchive(w *making) (templates.Archive, error) {
	bundle, err := NewBundle(w.ps.Result, BundleOptions{
		Sources: w.b.opts.PublishSources, Runs: w.b.opts.PublishRuns, Open: w.files.open, Size: w.files.size,
	})
	if err != nil {
		return templates.Archive{}, err
	}
	w.report(bundle.Diagnostics...)
	if bundle.Manifest == nil {
		return templates.Archive{}, nil
	}
	if err := w.put(w.ps.Dir+schema.PackManifestName, bundle.JSON); err != nil {
		return templates.Archive{}, err
	}
	size, err := w.putFrom(w.ps.Dir+archive.ArchiveName, bundle.Write)
	return templates.Archive{
		URL: archive.ArchiveName, Text: archive.ArchiveName, Bytes: size, Files: len(bundle.Manifest.Files),
		Record: schema.PackManifestName, Tree: bundle.Manifest.Tree,
	}, err
}

// packFiles opens the files of a pack as a compile has left them. It holds the texts of the
// splits of one page: an archive takes them in sequence.
type packFiles struct {
	ps      *model.Pack
	written func(p *pack.Pack, path string) (io.ReadCloser, error) // see [Input]

	mu    sync.Mutex
	page  *model.Node
	texts []byte
}

// split returns a split that this compile made, with its page; ok is false for
// one that was edited.
func (f *packFiles) split(path string) (n *model.Node, s model.Split, ok bool) {
	i, ok := f.ps.Outputs.Splits[path]
	if !ok || f.ps.Outputs.Edited[path] {
		return nil, s, false
	}
	if n = f.ps.ByPath[f.ps.Split(i).Document]; n == nil {
		return nil, s, false
	}
	// Both lists of the splits of a page are in one order; some are in the first one alone.
	from, _ := slices.BinarySearch(n.Splits, i)
	at := slices.IndexFunc(n.Facts.Splits[from:], func(s model.Split) bool { return s.Path == path })
	if at < 0 {
		return nil, s, false
	}
	return n, n.Facts.Splits[from+at], true
}

// size returns the size of a split.
func (f *packFiles) size(path string) (int64, bool) {
	_, s, ok := f.split(path)
	return int64(s.To - s.From), ok
}

// open opens a file of the archive: what is in memory or in the store
// from there, the rest from where the compile wrote it or from the pack.
func (f *packFiles) open(path string) (io.ReadCloser, error) {
	if n, s, ok := f.split(path); ok {
		texts, err := f.textsOf(n)
		if err != nil {
			return nil, err
		}
		return inMemory(texts[s.From:s.To]), nil
	}
	if path == pack.EntryName {
		return inMemory(f.ps.Pack.Entry), nil
	}
	if f.ps.Outputs.Views[path] {
		text, err := model.ViewText(f.ps, path)
		return inMemory(text), err
	}
	if !pack.LayerOf(path).IsOutput() {
		file, _, err := f.ps.Pack.OpenFile(path)
		return file, err
	}
	if f.written != nil {
		file, err := f.written(f.ps.Pack, path)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return f.record(path)
}

// record makes a record that is nowhere on disk yet.
func (f *packFiles) record(path string) (io.ReadCloser, error) {
	var record any
	res := f.ps.Result
	switch path {
	case pack.IndexPath:
		record = res.Index
	case pack.SourceMapPath:
		record = res.SourceMap
	case res.RunPath:
		record = &res.Run
	case schema.RunLedgerPath(res.RunPath):
		ledger, err := res.Run.Ledger()
		if err != nil {
			return nil, err
		}
		record = ledger
	default:
		data, err := f.ps.Settings.Read(f.ps.Pack, path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		return inMemory(data), nil
	}
	data, err := schema.Encode(record)
	return inMemory(data), err
}

// textsOf returns the texts of the splits of a page.
func (f *packFiles) textsOf(n *model.Node) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.page != n {
		texts, err := model.SplitTexts(f.ps, n)
		if err != nil {
			return nil, err
		}
		f.page, f.texts = n, texts
	}
	return f.texts, nil
}

func inMemory(data []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(data)) }
