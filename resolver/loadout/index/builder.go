package index

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout"
)

// Builder makes an index of compiled packs. What it needs of a unit is a part of
// the record of the unit, see [Builder.Contributor]; what it needs of a pack it
// keeps in a store. Make one with [NewBuilder]; its methods may be called from
// several goroutines.
type Builder struct {
	store store.Store

	mu    sync.Mutex
	parts map[store.Digest]*part // by the state of a pack

	unicode bool // packs that need it are cut by the Unicode tokenizer
}

// NewBuilder returns a builder that remembers in a store what packs came out as;
// nil remembers nothing.
func NewBuilder(s store.Store) *Builder {
	if s == nil {
		s = &store.Memory{}
	}
	return &Builder{store: s, parts: map[store.Digest]*part{}}
}

// Options steer Finish.
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
}

// Finish builds the index from the results of compiles that had the contributor of
// this builder. It may be called again with other options. Findings are sorted. The
// error is for a part that is no longer in the store, and for a context that ended.
func (b *Builder) Finish(ctx context.Context, results []*compiler.Result, o Options) (*loadout.Index, []diag.Diagnostic, error) {
	if o.Path == nil {
		o.Path = sitePath
	}
	results = slices.Clone(results)
	slices.SortFunc(results, func(a, b *compiler.Result) int {
		return cmp.Compare(a.Pack.Meta.Name, b.Pack.Meta.Name)
	})

	var faults []diag.Diagnostic
	var drafts []*draft
	var parts []*part
	for _, r := range results {
		if r.Pack.Meta.Status == "archived" {
			continue
		}
		p, err := b.part(r)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, nil, err
		}
		for i := range p.drafts {
			p.drafts[i].pack = r.Pack
			drafts = append(drafts, &p.drafts[i])
		}
		parts = append(parts, p)
		faults = append(faults, p.faults...)
	}
	nameEntries(drafts)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	shared := share(parts)
	entries := make([]loadout.Entry, 0, len(drafts))
	for _, p := range parts {
		derived, err := b.keywords(p, shared)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, nil, err
		}
		for i := range p.drafts {
			entry, found := p.drafts[i].entry(derived[i], o)
			entries = append(entries, entry)
			faults = append(faults, found...)
		}
	}
	b.keepOnly(parts)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	faults = append(faults, lint(drafts, entries)...)
	diag.Sort(faults)
	ix := assemble(withKept(entries, o.Kept), generated(results, o.Generated))
	for _, r := range results {
		if r.Pack.Meta.Status != "archived" && b.tokenizer(r.Pack) == loadout.Unicode {
			ix.SetTokenizer(loadout.Unicode)
			break
		}
	}
	return ix, faults, nil
}

// withKept appends the kept entries to the others.
func withKept(entries, kept []loadout.Entry) []loadout.Entry {
	if len(kept) == 0 {
		return entries
	}
	taken := make(map[string]bool, len(entries))
	for i := range entries {
		taken[entries[i].ID] = true
	}
	for i := range kept {
		if !taken[kept[i].ID] {
			entries = append(entries, kept[i])
		}
	}
	return entries
}

// keepOnly releases parts that no pack has any more.
func (b *Builder) keepOnly(parts []*part) {
	b.mu.Lock()
	defer b.mu.Unlock()
	used := make(map[*part]bool, len(parts))
	for _, p := range parts {
		used[p] = true
	}
	maps.DeleteFunc(b.parts, func(_ store.Digest, p *part) bool { return !used[p] })
}

// Add takes what the index needs of a pack, so that the result need not be held.
func (b *Builder) Add(r *compiler.Result) error {
	_, err := b.part(r)
	return err
}

// part returns what the index needs of a pack: from the store when it knows the
// state of the pack, otherwise from the result.
func (b *Builder) part(r *compiler.Result) (*part, error) {
	if r.State.Known() && b.Knows(r.Pack, r.State) {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.parts[b.partKey(r.Pack, r.State)], nil
	}
	if r.Reused {
		return nil, fmt.Errorf("what the index needs of pack %s is no longer in the store: build again", r.Pack.Meta.Name)
	}
	p, err := b.collect(r)
	if err != nil {
		return nil, err
	}
	p.profiles = b.store.SetBlob(p.terms.Bytes())
	p.terms, p.ids = nil, nil
	if r.State.Known() {
		key := b.partKey(r.Pack, r.State)
		b.store.SetAction(key, store.Result{b.store.SetBlob(p.pack()), p.profiles})
		b.mu.Lock()
		defer b.mu.Unlock()
		b.parts[key] = p
	}
	return p, nil
}

// Knows reports whether the builder needs no more of a pack in that state than its
// state; it is meant for compiler.Options.Enough.
func (b *Builder) Knows(p *pack.Pack, state store.Digest) bool {
	key := b.partKey(p, state)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.parts[key] != nil {
		return true
	}
	found, ok := b.store.Action(key)
	if !ok || len(found) != 2 || !b.store.Has(found[1]) {
		return false
	}
	data, ok := b.store.Blob(found[0])
	if !ok {
		return false
	}
	known := unpackPart(string(data))
	if known == nil {
		return false
	}
	known.profiles = found[1]
	b.parts[key] = known
	return true
}

// partKey is the key of what the index needs of a pack in that state.
func (b *Builder) partKey(p *pack.Pack, state store.Digest) store.Digest {
	return state.With("index", string(b.tokenizer(p)))
}

// sitePath is where a site holds a file of a pack.
func sitePath(p *pack.Pack, path string) string {
	return "packs/" + p.Meta.Name + "/" + path
}

// generated is the time an index names (rule 7); the zero time when no run id
// can be read.
func generated(results []*compiler.Result, given time.Time) time.Time {
	if !given.IsZero() {
		return given
	}
	newest := time.Time{}
	for _, r := range results {
		if at := newestRun(r); at.After(newest) {
			newest = at
		}
	}
	return newest
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
