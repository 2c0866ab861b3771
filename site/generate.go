package site

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/site/page"
)

// Input is what a site is generated from.
type Input struct {
	Results []*compiler.Result // compiled packs, with what the contributor of the site made
	Kept    []Kept             // packs that could not be built, in the order of their places
	Index   Index              // the loadout index that PutIndex published; zero when there is none
	Roles   []Role             // roles with a page each, in the order of the start page

	Report *Report // the usage report; nil: the site has none

	// Retrieval, by pack name, is drawn on the pages of the packs that it names.
	Retrieval map[string]page.Retrieval

	// Read returns a file that is below compiled/ and was not made by this
	// compile: a view made by hand, a split edited by hand. Nil reads from the
	// pack; a build that writes elsewhere (--overlay) looks there first.
	Read func(p *pack.Pack, path string) ([]byte, error)

	// Open opens a file below compiled/, indexes/ or runs/ as this compile left it,
	// for the archives of packs. Nil, as in a dry run: nothing was written, and the
	// archives are made of what the compile would write.
	Open func(p *pack.Pack, path string) (io.ReadCloser, error)

	// Paged, when set, is called once the pages of documents and wikis are made, and
	// before all that takes longer or is about the packs as a whole. What it returns
	// takes the place of Index.
	Paged func() (Index, error)

	// Progress, when set, is called after each file, from several
	// goroutines.
	Progress func(done, total int)
}

// Output says what was generated.
type Output struct {
	Files       int               // handed to the sink, without the index
	Pages       int               // of these, HTML
	Bytes       int64             // of all files
	Diagnostics []diag.Diagnostic // sorted; findings that only a site has, such as links to pages that do not exist
}

// build is a Generate in progress.
type build struct {
	*Site
	in     Input
	sink   publish.Target
	frames *page.Frames
	packs  []*packFacts // all, in the order of the results
	fresh  []*making    // those of which something has changed
	roles  []*rolePage
	jobs   []job
	owner  string // the pack that the jobs are planned for; "" is none

	planned int // jobs so far

	files, pages, done atomic.Int64
	bytes              atomic.Int64

	mu    sync.Mutex
	diags []diag.Diagnostic
}

// PackError says that the files of one pack could not be made.
type PackError struct {
	Name string
	Err  error
}

func (e *PackError) Error() string { return e.Err.Error() }

// Unwrap returns what went wrong.
func (e *PackError) Unwrap() error { return e.Err }

// job makes one file or a few. Jobs run at the same time, in no order: each
// must depend on the input alone.
type job func() error

// Pack makes the files of one compiled pack and puts them into the sink, so that its
// result need not be held while other packs are made: from then on [Site.Generate] takes
// the pack as one of which nothing has changed, and sections and chapters of the result are
// gone. It returns false, and leaves the pack to Generate, when nothing may be remembered of
// it. Paged is called when the pages of documents and wikis are made; nil calls nothing.
func (s *Site) Pack(ctx context.Context, r *compiler.Result, in Input, sink publish.Target, paged func()) (bool, error) {
	if !r.State.Known() {
		return false, nil
	}
	err := s.makeOne(ctx, r, in, sink, paged, func(w *making) { w.b.remember(w) })
	return err == nil, err
}

// Inspect makes the files of one compiled pack as Pack does, remembers nothing of them, and
// returns what is wrong in them.
func (s *Site) Inspect(ctx context.Context, r *compiler.Result, in Input, sink publish.Target) (found []diag.Diagnostic, err error) {
	err = s.makeOne(ctx, r, in, sink, nil, func(w *making) {
		diag.Sort(w.facts.diags)
		found = slices.Compact(w.facts.diags)
	})
	return found, err
}

// makeOne makes the files of one compiled pack and calls made before it closes the pack.
func (s *Site) makeOne(ctx context.Context, r *compiler.Result, in Input, sink publish.Target, paged func(), made func(w *making)) error {
	b, err := s.begin(in, sink)
	if err != nil {
		return err
	}
	w, err := b.open(r)
	if err != nil {
		return err
	}
	defer w.close()
	if err := makePack(ctx, w, paged); err != nil {
		return err
	}
	made(w)
	return nil
}

// makePack makes the files of one pack.
func makePack(ctx context.Context, w *making, paged func()) error {
	b := w.b
	w.releaseSections()
	if err := b.makePages(ctx, w); err != nil {
		return err
	}
	if paged != nil {
		paged()
	}
	b.addPack(w)
	if b.sink.Wants(llmsFullName) {
		b.addLarge(func() error { return keepFull(w) })
	}
	b.owner = ""
	return b.run(ctx)
}

// releaseSections drops the sections and chapters of a result. They take as much memory as
// the splits of the pack and are on disk by now; what pages need of them was taken by
// [build.open].
func (w *making) releaseSections() {
	r := w.ps.Result
	if w.b.in.Open == nil { // a dry run
		return
	}
	r.SourceMap.DocumentSections = nil
	if model.NewestRun(r) == r.RunPath && w.ps.History.Newest != nil {
		r.Run.Chapters = nil
	}
}

// previewed is how many pages a preview makes at most.
const previewed = 16

// Preview makes the pages of some files of a pack, by their paths, before the rest of it
// is made: Pack and Generate make the same bytes again. It reads the result of
// compiler.Options.Early.
func (s *Site) Preview(r *compiler.Result, files []string, show func(path string, data []byte) error) error {
	b, err := s.begin(Input{}, showing{publish.Nowhere, show})
	if err != nil {
		return err
	}
	ps, err := b.read(r)
	if err != nil {
		return err
	}
	w := b.making(ps, &packFacts{})
	defer w.close()
	for _, file := range files[:min(len(files), previewed)] {
		if n := ps.ByPath[file]; n != nil {
			if err := putPage(w, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// showing is a target that hands on what it is given.
type showing struct {
	publish.Target
	show func(path string, data []byte) error
}

// Put implements [publish.Target].
func (s showing) Put(path string, data []byte) (publish.Change, error) {
	return publish.Updated, s.show(path, data)
}

// Generate makes every file of the site and puts it into the sink. The files
// are the same for the same input, whatever the number of jobs.
func (s *Site) Generate(ctx context.Context, in Input, sink publish.Target) (*Output, error) {
	b, err := s.begin(in, sink)
	if err != nil {
		return nil, err
	}
	for _, r := range in.Results {
		if known := s.known[r.Pack.Meta.Name]; known != nil && r.Reused {
			b.packs = append(b.packs, known)
			b.files.Add(int64(known.files))
			continue
		}
		if r.Reused {
			return nil, errReused(r.Pack.Meta.Name)
		}
		w, err := b.open(r)
		if err != nil {
			return nil, err
		}
		defer w.close()
		b.packs = append(b.packs, w.facts)
		b.fresh = append(b.fresh, w)
	}
	if err := b.makePages(ctx, b.fresh...); err != nil {
		return nil, err
	}
	if in.Paged != nil {
		if b.in.Index, err = in.Paged(); err != nil {
			return nil, err
		}
	}
	for _, w := range b.fresh {
		b.addPack(w)
	}
	b.owner = ""
	if err := b.keepPacks(); err != nil {
		return nil, err
	}
	if err := b.addRoles(ctx); err != nil {
		return nil, err
	}
	b.addRoot()
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	b.addFront()
	b.addSearch()
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	for _, w := range b.fresh {
		b.remember(w)
	}
	for _, f := range b.packs {
		b.diags = append(b.diags, f.diags...)
	}
	diag.Sort(b.diags)
	return &Output{
		Files: int(b.files.Load()), Pages: int(b.pages.Load()), Bytes: b.bytes.Load(),
		Diagnostics: slices.Compact(b.diags),
	}, nil
}

// begin prepares to make files.
func (s *Site) begin(in Input, sink publish.Target) (*build, error) {
	b := &build{Site: s, in: in, sink: sink}
	if b.in.Read == nil {
		b.in.Read = func(p *pack.Pack, path string) ([]byte, error) { return p.ReadFile(path) }
	}
	bundle, err := s.assets()
	o := &s.opts
	b.frames = &page.Frames{
		Site: o.Title, Language: o.Language, BaseURL: o.BaseURL, Version: o.Version, Feed: o.feed(), Policy: !o.NoPolicy, Assets: bundle,
	}
	return b, err
}

// CheckAssets bundles the scripts and styles of the site, and its own.
func (s *Site) CheckAssets() error {
	if _, err := s.assets(); err != nil {
		return fmt.Errorf("generate the site: %w", err)
	}
	return nil
}

// makePages makes the pages of documents and wikis.
func (b *build) makePages(ctx context.Context, packs ...*making) error {
	for _, w := range packs {
		b.owner = w.ps.Name
		for _, n := range w.ps.Nodes {
			b.addDocument(w, n)
		}
	}
	b.owner = ""
	return b.run(ctx)
}

func (b *build) add(j job) {
	if owner := b.owner; owner != "" {
		made := j
		j = func() error {
			if err := made(); err != nil {
				return &PackError{owner, err}
			}
			return nil
		}
	}
	b.jobs = append(b.jobs, j)
	b.planned++
}

// addLarge plans a job whose file grows with the packs. These run one at a time,
// so that only one such file is in memory.
func (b *build) addLarge(j job) {
	b.add(func() error {
		b.large.Lock()
		defer b.large.Unlock()
		return j()
	})
}

// run does the jobs, as many at once as the options say.
func (b *build) run(ctx context.Context) error {
	jobs := b.jobs
	b.jobs = nil
	group, inner := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range b.opts.Jobs {
		group.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(jobs) {
					return nil
				}
				if err := inner.Err(); err != nil {
					return err
				}
				if err := jobs[i](); err != nil {
					return err
				}
				jobs[i] = nil
				if done := b.done.Add(1); b.in.Progress != nil {
					b.in.Progress(int(done), b.planned)
				}
			}
		})
	}
	return group.Wait()
}

// put hands a file to the sink.
func (b *build) put(path string, data []byte) error {
	b.count(path, data)
	if _, err := b.sink.Put(path, data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// putFrom passes on a file that may be as large as the packs and returns its
// size in bytes. Content may be called more than once.
func (b *build) putFrom(path string, content publish.Content) (int64, error) {
	var size int64
	_, err := b.sink.PutFrom(publish.File{Path: path, Content: func(w io.Writer) error {
		counted := &counter{w: w}
		buffered := bufio.NewWriterSize(counted, streamBuffer)
		if err := content(buffered); err != nil {
			return err
		}
		err := buffered.Flush()
		size = counted.n
		return err
	}})
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", path, err)
	}
	b.files.Add(1)
	b.bytes.Add(size)
	return size, nil
}

// streamBuffer is the size of the pieces of a streamed file, in bytes.
const streamBuffer = 64 << 10

// counter counts the bytes that go through it.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func (b *build) count(path string, data []byte) {
	b.files.Add(1)
	b.bytes.Add(int64(len(data)))
	if strings.HasSuffix(path, ".html") {
		b.pages.Add(1)
	}
}

func (b *build) report(list ...diag.Diagnostic) {
	if len(list) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.diags = append(b.diags, list...)
}
