package build

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/store/remote"
	"github.com/packgen/packgen/resolver/repo"
)

// sendAll gives the service the outputs of the packs that were compiled here.
func (b *Run) sendAll(ctx context.Context, t *tools, tx publish.Target) {
	s := b.remote
	if s == nil || !b.Written {
		return
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2)
	for _, m := range b.out.shown {
		j := s.job(m)
		if j == nil || j.action == nil || m.Result == nil || !j.made {
			continue
		}
		if withheld(m.Findings()) {
			s.count(func(r *RemoteReport) { r.Kept++ })
			continue
		}
		if !s.upload || !s.well() || !m.Result.State.Known() {
			continue
		}
		group.Go(func() error {
			o, ok := b.collect(t, tx, m, j.sums)
			if !ok || ctx.Err() != nil {
				return nil
			}
			if err := s.send(ctx, j.action, func(to io.Writer) error {
				err := b.writePack(to, t, m, o, j.sums, leaving{}, b.readPage)
				j.shown = err == nil
				return err
			}); err != nil {
				s.leave(err)
			}
			return nil
		})
	}
	_ = group.Wait()
}

// collect lists the outputs of a pack; false when not all of them are known.
func (b *Run) collect(t *tools, tx publish.Target, m *repo.Member, before map[string]store.Digest) (*outputs, bool) {
	state := m.Result.State
	o := &outputs{name: m.Name(), state: state}
	pages, files, ok := t.pages.Held(m.Pack, state, tx)
	if !ok {
		return nil, false
	}
	o.site = files
	for _, f := range compiler.FilesAfter(m.State()) {
		o.after = append(o.after, store.File{Path: f.Path, Sum: f.Sum})
	}
	if len(o.after) == 0 {
		return nil, false
	}
	for _, h := range []held{
		{group: repo.PackGroup + m.Name(), key: state},
		{group: repo.IndexGroup, key: t.builder.Key(m.Pack, state)},
		{group: repo.SiteGroup, key: pages},
	} {
		if h.result, ok = t.disk.Group(h.group).Action(h.key); !ok {
			return nil, false
		}
		o.held = append(o.held, h)
	}
	// What the match page has of a pack follows from its entries, by whose bytes it is found: a
	// build that joins other packs with this one need not make it again.
	for _, key := range t.pages.MatchLists(o.name) {
		h := held{group: repo.SiteGroup, key: key}
		if h.result, ok = t.disk.Group(h.group).Action(h.key); ok {
			o.held = append(o.held, h)
		}
	}
	return o, true
}

// writePack writes the archive of the outputs of a pack. Page returns the bytes of a file of
// the site.
func (b *Run) writePack(to io.Writer, t *tools, m *repo.Member, o *outputs, before map[string]store.Digest, clean leaving, page func(path string) ([]byte, error)) error {
	w, err := b.beginOutputs(to, t, o, clean)
	if err != nil {
		return err
	}
	for _, f := range o.after {
		if was, known := before[f.Path]; !compiler.Generated(f.Path) || known && was == f.Sum {
			continue
		}
		data, err := atomicfile.Read(filepath.Join(b.ws.Paths.Abs(m.Dir), filepath.FromSlash(f.Path)), maxEntry)
		if err == nil {
			err = w.addFile(packEntry, f.Path, data, f.Sum)
		}
		if err != nil {
			return err
		}
	}
	return w.end(o, page)
}

// beginOutputs writes what an archive holds of the store.
func (b *Run) beginOutputs(to io.Writer, t *tools, o *outputs, clean leaving) (*outputsWriter, error) {
	w, err := writeOutputs(to, o)
	if err != nil {
		return nil, err
	}
	w.clean = clean
	written := map[store.Digest]bool{}
	for _, h := range o.held {
		for _, d := range h.result {
			if written[d] {
				continue
			}
			written[d] = true
			data, ok := t.disk.Group(h.group).Blob(d)
			if !ok {
				return nil, fmt.Errorf("a blob of %s is no longer in the store", o.name)
			}
			if err := w.add(blobEntry+d.String(), data); err != nil {
				return nil, err
			}
		}
	}
	return w, nil
}

// end writes what an archive holds of the site.
func (w *outputsWriter) end(o *outputs, page func(path string) ([]byte, error)) error {
	for _, f := range o.site {
		data, err := page(f.Path)
		if err == nil {
			err = w.addFile(siteEntry, f.Path, data, f.Sum)
		}
		if err != nil {
			return err
		}
	}
	return w.close()
}

// readPage returns the bytes of a file of the site.
func (b *Run) readPage(path string) ([]byte, error) {
	return atomicfile.Read(filepath.Join(b.Out, filepath.FromSlash(path)), maxEntry)
}

// leaving are the digests of texts without a likely secret, each looked through once: the
// site has the same bytes as the pack of many files. Nil is for an action, whose inputs the
// service has already.
type leaving map[store.Digest]bool

// addFile adds a file, which must still have its digest. A likely secret in it ends the
// archive: compile has withheld what it found, and nothing that it did not find may leave.
func (w *outputsWriter) addFile(kind, name string, data []byte, sum store.Digest) error {
	if store.Sum(data) != sum {
		return fmt.Errorf("%s has changed", name)
	}
	if w.clean != nil && !w.clean[sum] {
		if secret.HasKnown(secret.Find(data)) {
			return fmt.Errorf("%s may hold a secret", name)
		}
		w.clean[sum] = true
	}
	return w.add(kind+name, data)
}

// send gives the service the outputs of an action.
func (s *service) send(ctx context.Context, a *remote.Action, write func(to io.Writer) error) error {
	f, err := scratch.NewFile("", "outputs")
	if err != nil {
		return nil
	}
	defer f.Close()
	sum := sha256.New()
	if err := write(io.MultiWriter(f, sum)); err != nil {
		return nil // somebody has changed a file since: the next build sends it
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	blob := remote.Blob{Digest: remote.Digest{Sum: store.Digest(sum.Sum(nil)), Size: size}, Packed: true, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(f, 0, size)), nil
	}}
	if err := s.client.Upload(ctx, []remote.Blob{blob}); err != nil {
		return err
	}
	if err := s.client.SetResult(ctx, a, &remote.Result{Files: map[string]remote.Digest{outputsFile: blob.Digest}}); err != nil {
		return err
	}
	s.count(func(r *RemoteReport) { r.Sent, r.Given = r.Sent+1, r.Given+size })
	return nil
}

// spooled takes the pages of a pack that is compiled for another machine: one after another
// in one file that nobody else sees, until the archive of the outputs is written. To make
// each of them a file takes longer than to make its bytes.
type spooled struct {
	publish.Target
	file scratch.File

	mu    sync.Mutex
	size  int64
	files map[string]spooledFile
}

// spooledFile is where the bytes of a file are.
type spooledFile struct {
	from, size int64
	sum        store.Digest
}

// newSpooled makes that file in a directory.
func newSpooled(dir string) (*spooled, error) {
	f, err := scratch.NewFile(dir, "pages")
	if err != nil {
		return nil, fmt.Errorf("make a place for pages: %w", err)
	}
	return &spooled{Target: publish.Nowhere, file: f, files: map[string]spooledFile{}}, nil
}

// Put implements [publish.Target].
func (s *spooled) Put(path string, data []byte) (publish.Change, error) {
	return s.PutFrom(publish.File{Path: path, Content: publish.Bytes(data)})
}

// PutFrom is Put for a file that is made in pieces.
func (s *spooled) PutFrom(f publish.File) (publish.Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, twice := s.files[f.Path]; twice {
		return "", fmt.Errorf("publish %s: %w", f.Path, publish.ErrDuplicate)
	}
	sum := sha256.New()
	to := &counted{io.MultiWriter(io.NewOffsetWriter(s.file, s.size), sum), 0}
	if err := f.Content(to); err != nil {
		return "", fmt.Errorf("publish %s: %w", f.Path, err)
	}
	s.files[f.Path] = spooledFile{s.size, to.n, store.Digest(sum.Sum(nil))}
	s.size += to.n
	return publish.Created, nil
}

// counted counts what is written.
type counted struct {
	io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// Sum implements [publish.Target].
func (s *spooled) Sum(path string) (publish.Kept, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[path]
	return publish.Kept{Path: path, Sum: f.sum}, ok
}

// read returns the bytes of a file.
func (s *spooled) read(path string) ([]byte, error) {
	f, ok := s.files[path]
	if !ok {
		return nil, fmt.Errorf("%s was not made", path)
	}
	data := make([]byte, f.size)
	_, err := s.file.ReadAt(data, f.from)
	return data, err
}

func (s *spooled) close() { _ = s.file.Close() }
