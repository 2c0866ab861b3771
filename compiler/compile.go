package compiler

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/baseline"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// compilation is a compile in progress.
type compilation struct {
	pack      *pack.Pack
	opt       Options
	profile   string
	mode      string
	grounding string
	documents bool // documents/ is a primary source
	wiki      bool // wiki/ is one

	files   []*file // Markdown files of documents/ and wiki/: compile order, then the rest
	byPath  map[string]*file
	guide   *file             // KNOWLEDGE.md, for its links
	limits  []string          // list items of the guide that are under a boundary heading
	inputs  map[string]*input // every input by path, known after readInputs
	linked  []string          // pages that wiki/index.md links to, in order
	links   *links
	out     *outputs
	history *history
	ledger  *baseline.Ledger // of the claims as they are now

	inConflict func(text string) bool // claims with that text; nil when there are none
	ids        claimIDs
	facts      *view
	coverage   []string // of the chapters, known with the index
	copies     copies
	memory     *memory
	dirs       map[string]bool // of outputs after the run; nil until somebody asks
	known      publishedClaims
	names      reference.Names   // of the pages; nil until a wiki link asks
	schemes    map[string]bool   // of links that are not kept, once reported
	beside     map[string]*input // files of the pack that are neither inputs nor outputs
	found      []diag.Diagnostic // what is about no unit and no output
}

// Compile reads a pack and writes its compiled views, source map and run record
// (agent-knowledge sections 6 to 9); in a dry run it writes nothing. All outputs
// become visible together, after everything was read; when an error is returned
// or the context ends before, the earlier outputs are untouched.
//
// Faults of the pack are diagnostics of the result, those of gates also of the
// run record. The error is for work that could not be done: a file that cannot
// be read or written, another process that holds the lock (it wraps
// publish.ErrLocked), an ended context, an error of the visitor.
func Compile(ctx context.Context, p *pack.Pack, o Options) (*Result, error) {
	o, err := o.normalise(p)
	if err != nil {
		return nil, err
	}
	c := newCompilation(p, o)
	if c.out, err = openOutputs(ctx, c); err != nil {
		return nil, err
	}
	defer c.out.close()
	c.memory = openMemory(c)
	defer c.memory.close()
	if r := c.unchanged(); r != nil {
		return r, nil
	}
	c.out.readIndex(c.pack)
	if c.history, err = openHistory(c.out.old); err != nil {
		return nil, err
	}
	c.readGuide()
	if err := c.readSources(ctx); err != nil {
		return nil, err
	}
	if err := c.readFiles(ctx); err != nil {
		return nil, err
	}
	c.readInputs()
	if err := c.findCopies(ctx); err != nil {
		return nil, err
	}
	if !c.recallHistory() {
		c.history.read(c.files, c.inputs)
	}
	if err := c.assess(ctx); err != nil {
		return nil, err
	}
	return c.join(ctx)
}

func newCompilation(p *pack.Pack, o Options) *compilation {
	c := &compilation{
		pack: p, opt: o,
		profile: p.Meta.EffectiveProfile(), mode: p.Meta.EffectiveMode(), grounding: p.Meta.EffectiveGrounding(),
		byPath: map[string]*file{}, links: newLinks(p),
	}
	c.documents = c.profile != "wiki-first"
	c.wiki = c.profile != "document-first"
	return c
}

// readGuide reads the guide: its limits go into a view, and its links are judged
// like those of documents and pages.
func (c *compilation) readGuide() {
	doc := markdown.Parse(entryFile, c.pack.EntryText)
	c.guide = &file{path: entryFile}
	c.guide.describe(doc)
	c.guide.scan(doc)
	c.guide.written = linksOf(doc)
	c.guide.refs = c.links.check(c.guide)
	if len(c.guide.secrets) == 0 {
		c.limits = doc.BoundaryItems()
	}
}

// readFiles does the actions of all units, in parallel.
func (c *compilation) readFiles(ctx context.Context) error {
	if err := c.orderFiles(); err != nil {
		return err
	}
	var primary, unread []*file
	for _, f := range c.files {
		if f.role != inputOnly {
			primary = append(primary, f)
		}
		if !f.read {
			unread = append(unread, f)
		}
	}
	findRivals(primary)
	return c.parallel(ctx, len(unread), func(i int) error { return c.analyse(unread[i]) })
}

// orderFiles puts the Markdown files into compile order: the primary document,
// the other documents by path, the pages in page order; behind them those that
// are inputs only.
func (c *compilation) orderFiles() error {
	for _, entry := range c.pack.Files {
		if isUnit(entry.Path) {
			f := &file{path: entry.Path, size: entry.Size, role: roleOf(entry.Path, c.documents, c.wiki)}
			c.files = append(c.files, f)
			c.byPath[f.path] = f
		}
	}
	linked, err := c.linkedPages()
	if err != nil {
		return err
	}
	for i, name := range linked {
		c.byPath[name].order = i - len(linked) // before the pages that nobody links to
	}
	slices.SortStableFunc(c.files, func(a, b *file) int {
		return cmp.Or(
			cmp.Compare(c.rank(a), c.rank(b)),
			cmp.Compare(a.order, b.order),
			strings.Compare(a.path, b.path),
		)
	})
	for i, f := range c.files {
		f.order = i
	}
	return nil
}

// rank orders the groups of files.
func (c *compilation) rank(f *file) int {
	switch {
	case f.role == inputOnly:
		return 3
	case !strings.HasPrefix(f.path, "documents/"):
		return 2 // pages have an order of their own, even one that is declared primary
	case f.path == c.pack.Meta.PrimaryDocument:
		return 0
	}
	return 1
}

// linkedPages reads wiki/index.md before all other files, since the order of the
// pages depends on it, and returns the pages it links to.
func (c *compilation) linkedPages() ([]string, error) {
	f := c.byPath[wikiIndex]
	if !c.wiki || f == nil {
		return nil, nil
	}
	f.read = true
	err := c.analyse(f)
	return c.linked, err
}

// isPage reports whether a path is a wiki page that has a place in page order.
func (c *compilation) isPage(name string) bool {
	f := c.byPath[name]
	return f != nil && f.role != inputOnly && strings.HasPrefix(name, "wiki/")
}

// stage hands the splits of a file that have a path to the outputs. Those that are
// known to be there need no look at their text.
func (c *compilation) stage(f *file) error {
	var texts []byte
	at := 0
	byPath := make(map[string]*section, len(f.sections))
	for i := range slices.Backward(f.sections) { // of one path the first
		byPath[f.sections[i].split.Path] = &f.sections[i]
	}
	for _, size := range f.info.Sizes {
		from := at
		at += size.Size
		s := byPath[size.Path]
		if s == nil {
			continue // another file has taken the path
		}
		if c.isIntact(&s.split) {
			c.out.note(s.split.Path, publish.Unchanged)
			c.out.is(s.split.Path, store.ParseDigest(s.split.SHA256))
			continue
		}
		if texts == nil {
			var err error
			if texts, err = c.textsOf(f); err != nil {
				return err
			}
		}
		if at > len(texts) {
			return fmt.Errorf("the splits of %s do not fit their record", f.path)
		}
		if err := c.out.put(s.split.Path, texts[from:at]); err != nil {
			return err
		}
	}
	return nil
}

// isIntact reports whether nobody has touched a split since it was written.
func (c *compilation) isIntact(s *schema.Split) bool {
	if c.opt.OutDir != "" {
		return false
	}
	at, ok := c.pack.Stat(s.Path)
	return ok && c.memory.sameSum(at, store.ParseDigest(s.SHA256))
}

// textsOf returns the texts of the splits of a file, one after another.
func (c *compilation) textsOf(f *file) ([]byte, error) {
	if f.texts != nil || !f.info.Texts.Known() {
		return f.texts, nil
	}
	texts, ok := c.memory.store.Blob(f.info.Texts)
	if !ok {
		return nil, fmt.Errorf("the splits of %s are no longer in the store: run again", f.path)
	}
	return texts, nil
}

// settle decides in compile order which split has a path that several want, and
// stages the splits that waited.
func (c *compilation) settle() error {
	taken := paths{}
	for _, f := range c.files {
		if !f.hold {
			continue
		}
		for i := range f.sections {
			s := &f.sections[i]
			switch {
			case s.split.Path == "":
			case taken.before(s.split.Path, f.order):
				f.collide(s)
			default:
				taken.take(s.split.Path, f.order)
			}
		}
		if err := c.stage(f); err != nil {
			return err
		}
	}
	return nil
}

// join does what needs more than one file, in compile order, and writes.
func (c *compilation) join(ctx context.Context) (*Result, error) {
	if err := c.settle(); err != nil {
		return nil, err
	}
	c.findConflicts()
	r := &Result{
		Pack: c.pack, SourceMap: c.mapSources(), Views: map[string]string{}, Recorded: c.history.paths(),
		store: c.memory.store, recordSums: c.memory.sumsOf(c.pack.List(runsDir)),
	}
	for i := range c.opt.Contribute {
		r.contributors = append(r.contributors, c.opt.Contribute[i].Name)
	}
	views := []schema.View{}
	for _, v := range c.views() {
		text := v.text.String()
		r.Views[v.path] = text
		views = append(views, v.record())
		if err := c.out.put(v.path, []byte(text)); err != nil {
			return nil, err
		}
	}
	handMade, err := c.out.handMade()
	if err != nil {
		return nil, err
	}
	if err := c.findViewCopies(r.Views, handMade); err != nil {
		return nil, err
	}
	r.Index = c.index(append(views, handMade...))
	if err := c.out.retire(); err != nil {
		return nil, err
	}
	if err := c.out.putRecord(sourceMapPath, r.SourceMap); err != nil {
		return nil, err
	}
	if err := c.out.putRecord(indexPath, r.Index); err != nil {
		return nil, err
	}
	c.checkPersona()
	r.Counts = countsOf(r)
	r.Diagnostics = c.diagnostics()
	for _, f := range c.files {
		r.Units = append(r.Units, f.info)
	}
	return r, c.finish(ctx, r)
}

// diagnostics collects everything that was found, sorted.
func (c *compilation) diagnostics() []diag.Diagnostic {
	list := slices.Concat(c.opt.Opened, c.out.diags, c.history.diags, c.found)
	files := append(slices.Clip(c.files), c.guide)
	for _, f := range files {
		c.checkReferences(f)
	}
	reportLost(files)
	for _, f := range files {
		list = append(list, f.diags...)
		f.diags = nil
	}
	c.mask(list)
	for i := range list {
		list[i].Pack = c.pack.Meta.Name
	}
	diag.Sort(list)
	return slices.Compact(list)
}

// finish writes the run record, unless it would repeat the newest one, and makes
// all outputs visible.
func (c *compilation) finish(ctx context.Context, r *Result) error {
	outputs, changed := c.out.records()
	r.Run = c.run(r.Diagnostics, outputs)
	c.decide(r)
	r.Run.Inputs, r.Run.Documents, r.Run.Chapters = c.runInputs(), c.runDocuments(), c.chapters(&r.Index)
	r.Run.Claims, r.Run.RemovedClaims = c.ledger.Records()
	r.SuggestedStatus = suggestedStatus(c.pack.Meta.Status, r.Run.Status)
	if changed || c.opt.RecordUnchanged || !c.history.repeats(&r.Run) {
		r.RunPath = runsDir + "/" + r.Run.RunID + ".json"
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.RunPath != "" {
		if err := c.writeRun(r); err != nil {
			return err
		}
	}
	if err := c.forget(changed || r.RunPath != ""); err != nil {
		return err
	}
	if err := c.out.commit(); err != nil {
		return err
	}
	c.keep(r)
	return nil
}
