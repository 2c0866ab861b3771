package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// Builder makes an index of compiled packs. What it needs of a unit is a part of
// the record of the unit, see [Builder.Contributor]; what it needs of a pack it
// keeps in a store. Make one with [NewBuilder]; its methods may be called from
// several goroutines.
type Builder struct {
	store   store.Store
	unicode bool // packs that need it are cut by the Unicode tokenizer
	held    int  // mostHeld, but for tests
}

// NewBuilder returns a builder that remembers in a store the results of packs;
// nil remembers nothing.
func NewBuilder(s store.Store) *Builder {
	if s == nil {
		s = &store.Memory{}
	}
	return &Builder{store: s, held: mostHeld}
}

// Options steer Finish and Each.
type Options struct {
	// Generated is the time the index names; zero is the time in the newest
	// compile run id of the build.
	Generated time.Time
	// Path says where a file of a pack is found by readers of the index; nil is
	// the layout of a site: packs/<name>/<path>.
	Path func(p *pack.Pack, path string) string
	// Kept are entries of an earlier index, of packs that are not among the results.
	// They come after all others; one whose id is taken is left out.
	Kept []loadout.Entry
	// Counted is called before the first entry with how many there are at least: all
	// but the kept ones. It may be nil.
	Counted func(entries int)
}

// Finish builds the index from the results of compiles that had the contributor of
// this builder. It may be called again with other options. Findings are sorted. The
// error is for a part that is no longer in the store, and for a context that ended.
func (b *Builder) Finish(ctx context.Context, results []*compiler.Result, o Options) (*loadout.Index, []diag.Diagnostic, error) {
	var entries []loadout.Entry
	ix, faults, err := b.Each(ctx, results, o, func(e *loadout.Entry) error {
		entries = append(entries, *e)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	ix.Entries = entries
	return ix, faults, nil
}

// Each is Finish for an index that is not held: it hands on the entries one after
// another, each valid until the next, and returns the index without them. Packs are read
// from the store twice, one at a time, where they have very many entries: the ids and
// keywords of one depend on those of all.
func (b *Builder) Each(ctx context.Context, results []*compiler.Result, o Options, visit func(e *loadout.Entry) error) (*loadout.Index, []diag.Diagnostic, error) {
	if o.Path == nil {
		o.Path = sitePath
	}
	results = slices.SortedFunc(slices.Values(results), func(a, b *compiler.Result) int {
		return cmp.Compare(a.Pack.Meta.Name, b.Pack.Meta.Name)
	})
	ix := &loadout.Index{Version: loadout.Version, Generated: generated(results, o.Generated)}
	results = slices.DeleteFunc(results, func(r *compiler.Result) bool { return r.Pack.Meta.Status == schema.Archived })
	all, err := b.survey(ctx, results)
	if err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(results, func(r *compiler.Result) bool { return b.tokenizer(r.Pack) == loadout.Unicode }) {
		ix.Tokenizer = loadout.Unicode
	}
	if o.Counted != nil {
		o.Counted(all.entries)
	}
	h := emitter{visit: visit, ix: ix, kept: o.Kept, lint: newLinter()}
	faults := all.faults
	for i, r := range results {
		p, err := all.part(b, i, r)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, nil, err
		}
		derived, err := b.keywords(p, all.shared)
		if err != nil {
			return nil, nil, err
		}
		led := map[string]bool{} // documents that some word leads to
		first, place := len(faults), 0
		err = p.each(b.store, func(d *draft) error {
			d.pack, d.id = r.Pack, all.names.id(i, place, r.Pack.Meta.Name, d.splitID)
			place++
			entry, found := d.entry(derived.next(), o)
			faults = append(faults, found...)
			leads, known := led[d.source]
			if !known {
				d.source = strings.Clone(d.source) // it is a part of a piece
			}
			led[d.source] = leads || !slices.ContainsFunc(found, unroutable)
			return h.add(d, entry)
		})
		if err != nil {
			return nil, nil, err
		}
		for j := first; j < len(faults); j++ {
			if unroutable(faults[j]) && led[faults[j].Path] {
				faults[j].Severity = diag.Info // another section of the document is found, and names it
			}
		}
		faults = append(faults[:first], foldMapped(faults[first:], r.Pack, len(led))...)
	}
	if err := h.end(); err != nil {
		return nil, nil, err
	}
	faults = append(faults, h.lint.end()...)
	diag.Sort(faults)
	ix.Budget = h.budget.Budget()
	return ix, faults, nil
}

func unroutable(d diag.Diagnostic) bool { return d.ID == idUnroutable }

// fewMapped is the part of the pages, as 1 in fewMapped, up to which it is no more than a
// remark that no word leads to them: pages of one line, and pages to come.
const fewMapped = 10

// foldMapped leaves one finding of those about pages of mapped folders that no word leads
// to. Nobody writes keywords into such pages; many of them show that the language of the
// folder is not read.
func foldMapped(found []diag.Diagnostic, p *pack.Pack, documents int) []diag.Diagnostic {
	at, all, whole := -1, 0, 0
	kept := found[:0]
	for _, d := range found {
		if dir, _ := p.Locate(d.Path); !unroutable(d) || dir == p.Dir {
			kept = append(kept, d)
			continue
		}
		all++
		if d.Severity == diag.Warning {
			whole++
		}
		if at < 0 {
			at = len(kept)
			kept = append(kept, d)
		}
	}
	if at < 0 {
		return kept
	}
	d := &kept[at]
	d.Severity = diag.Info
	if whole*fewMapped > documents && whole > 1 {
		d.Severity = diag.Warning
	}
	if all > 1 {
		verb := "do "
		if all == 2 {
			verb = "does "
		}
		d.Message += "; so " + verb + amount.Counted(all-1, "more entry") + " of mapped folders"
	}
	return kept
}

// survey is what the entries of a pack depend on besides the pack.
type survey struct {
	names   *names         // of the entries
	shared  map[string]int // how many entries hold a word
	faults  []diag.Diagnostic
	entries int
	made    map[int]*part // of packs that the store does not keep, and of the first ones
}

// mostHeld is how many drafts a survey holds for the second time that they are needed.
// Those of packs beyond it are read from the store again.
const mostHeld = 1 << 16

// survey looks at the parts of all packs.
func (b *Builder) survey(ctx context.Context, results []*compiler.Result) (*survey, error) {
	s := &survey{shared: map[string]int{}, made: map[int]*part{}}
	s.names = newNames(len(results))
	for i, r := range results {
		p, err := b.part(r)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if s.entries += p.count; s.entries <= b.held || !r.State.Known() {
			s.made[i] = p
		}
		if s.entries <= b.held {
			p.hold()
		}
		err = p.each(b.store, func(d *draft) error {
			s.names.see(r.Pack.Meta.Name, d.splitID)
			return nil
		})
		if err != nil {
			return nil, err
		}
		p.share(s.shared)
		s.faults = append(s.faults, p.faults...)
	}
	if s.names.compare(); s.names.meet {
		for i, r := range results {
			p, err := s.part(b, i, r)
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return nil, err
			}
			err = p.each(b.store, func(d *draft) error {
				s.names.again(i, r.Pack.Meta.Name, d.splitID)
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		s.names.settle()
	}
	return s, nil
}

// part returns the part of a pack by its place.
func (s *survey) part(b *Builder, i int, r *compiler.Result) (*part, error) {
	if p := s.made[i]; p != nil {
		return p, nil
	}
	return b.part(r)
}

// emitter hands on entries.
type emitter struct {
	visit  func(e *loadout.Entry) error
	ix     *loadout.Index
	kept   []loadout.Entry
	taken  map[string]bool // ids, where entries are kept
	lint   *linter
	budget loadout.BudgetSum
}

// add hands on the entry of a draft.
func (h *emitter) add(d *draft, e loadout.Entry) error {
	h.lint.add(d, &e)
	if len(h.kept) > 0 {
		if h.taken == nil {
			h.taken = map[string]bool{}
		}
		h.taken[e.ID] = true
	}
	return h.hand(e)
}

// hand hands on an entry.
func (h *emitter) hand(e loadout.Entry) error {
	h.budget.Add(&e)
	one := loadout.Index{Entries: []loadout.Entry{e}}
	one.SetTokenizer(h.ix.Tokenizer)
	return h.visit(&one.Entries[0])
}

// end hands on the kept entries.
func (h *emitter) end() error {
	for i := range h.kept {
		if !h.taken[h.kept[i].ID] {
			if err := h.hand(h.kept[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Add takes what the index needs of a pack, so that the result need not be held.
func (b *Builder) Add(r *compiler.Result) error {
	_, err := b.part(r)
	return err
}

// part returns what the index needs of a pack: from the store when it knows the
// state of the pack, otherwise from the result.
func (b *Builder) part(r *compiler.Result) (*part, error) {
	key := b.Key(r.Pack, r.State)
	if r.State.Known() {
		if p := b.load(key); p != nil {
			return p, nil
		}
	}
	if r.Reused {
		return nil, fmt.Errorf("what the index needs of pack %s is no longer in the store: build again", r.Pack.Meta.Name)
	}
	p, err := b.collect(r)
	if err != nil {
		return nil, err
	}
	p.making = nil
	if r.State.Known() {
		b.store.SetAction(key, slices.Concat(store.Result{b.store.SetBlob(store.Encode(p))}, p.drafts, p.profiles))
	}
	return p, nil
}

// load returns a part that is in the store; nil when there is none.
func (b *Builder) load(key store.Digest) *part {
	found, ok := b.store.Action(key)
	if !ok || len(found)%2 != 1 {
		return nil
	}
	data, ok := b.store.Blob(found[0])
	if !ok {
		return nil
	}
	p := &part{}
	if !store.Decode(data, p) || len(p.holders) != len(p.words) {
		return nil
	}
	pieces := len(found) / 2
	p.drafts, p.profiles = found[1:1+pieces], found[1+pieces:]
	return p
}

// Knows reports whether the builder needs no more of a pack in that state than its
// state; it is meant for compiler.Options.Enough.
func (b *Builder) Knows(p *pack.Pack, state store.Digest) bool {
	found, ok := b.store.Action(b.Key(p, state))
	return ok && len(found)%2 == 1 && !slices.ContainsFunc(found, func(sum store.Digest) bool { return !b.store.Has(sum) })
}

// Key is the key of what the index needs of a pack in that state.
func (b *Builder) Key(p *pack.Pack, state store.Digest) store.Digest {
	return state.With("index", contributorVersion, string(b.tokenizer(p)))
}

// sitePath is where a site holds a file of a pack.
func sitePath(p *pack.Pack, path string) string {
	return "packs/" + p.Meta.Name + "/" + path
}

// isoMilliseconds is the time format of an index (loadout section 2.3).
const isoMilliseconds = "2006-01-02T15:04:05.000Z"

// generated is the time an index names (rule 7); that of 1970 when no run id can be read.
func generated(results []*compiler.Result, given time.Time) string {
	newest := given
	for _, r := range results {
		if given.IsZero() {
			if at := newestRun(r); at.After(newest) {
				newest = at
			}
		}
	}
	if newest.IsZero() {
		newest = time.Unix(0, 0)
	}
	return newest.UTC().Format(isoMilliseconds)
}

// lines is the line count of the format: line feeds + 1 (loadout section 29).
func lines[T string | []byte](text T) int {
	n := 1
	for i := range len(text) {
		if text[i] == '\n' {
			n++
		}
	}
	return n
}

// idOversize is the rule about an index near or beyond what is read of one.
const idOversize = "index-oversize"

// nearly is the part of a limit, in percent, from which a build warns.
const nearly = 80

// Sizes are those of a published index.
type Sizes struct {
	Entries int
	Text    int64 // of index.json, in bytes
	LeftOut bool  // it was not published, since it would not be read
}

// Oversize reports an index that is too large to be read again, and so is left out of the
// site, or will soon be: programs refuse what is larger, so a build reports it first. Other
// repositories read less than a program reads of its own disk.
func Oversize(s Sizes) []diag.Diagnostic {
	const hint = "split the repository, cut documents into fewer sections, or archive packs that no task needs"
	var list []diag.Diagnostic
	add := func(format string, args ...any) {
		list = append(list, diag.Diagnostic{ID: idOversize, Severity: diag.Warning, Path: "index.json", Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	entries, text := int64(s.Entries), bytesize.Text
	if s.LeftOut {
		add("the site has no index.json: the index has %d entries; at most %d, in %s, are read", entries, indexjson.MaxEntries, text(indexjson.MaxIndex))
		list[0].Hint = "split the repository, or ask packs by name: packgen match --from DIR, packgen resolve --pack NAME"
		return list
	}
	if isNear(entries, indexjson.MaxEntries) {
		add("the index has %d entries; at most %d will be read", entries, indexjson.MaxEntries)
	}
	switch {
	case isNear(s.Text, indexjson.MaxIndex):
		add("the index is %s; at most %s will be read", text(s.Text), text(indexjson.MaxIndex))
	case s.Text > indexjson.MaxFetched:
		add("the index is %s; other repositories fetch at most %s from a site", text(s.Text), text(indexjson.MaxFetched))
	case isNear(s.Text, indexjson.MaxFetched):
		add("the index is %s; other repositories will fetch at most %s from a site", text(s.Text), text(indexjson.MaxFetched))
	}
	return list
}

func isNear(n, limit int64) bool { return n*100 >= limit*nearly }
