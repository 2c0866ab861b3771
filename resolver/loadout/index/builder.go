package index

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout"
)

// Builder collects what an index needs while packs are compiled. Make one with
// [NewBuilder]; its methods may be called from several goroutines.
type Builder struct {
	mu     sync.Mutex
	words  vocabulary
	splits map[splitKey]*note

	unicode bool // packs that need it are cut by the Unicode tokenizer
}

// splitKey names a split over all packs of a build.
type splitKey struct{ pack, id string }

// note is what is kept of one payload.
type note struct {
	profile  profile
	summary  string // first sentence; "" when there is none
	tokens   int    // estimate of the payload
	lines    int    // line feeds of the payload + 1
	declared *declaration
}

// NewBuilder returns a builder that has seen nothing.
func NewBuilder() *Builder {
	return &Builder{words: vocabulary{ids: map[string]uint32{}}, splits: map[splitKey]*note{}}
}

// Visit notes the splits of one unit. It is meant to be called from
// compiler.Options.Visit and keeps nothing of the unit.
func (b *Builder) Visit(u *compiler.Unit) error {
	if len(u.Splits) == 0 {
		return nil
	}
	tokenizer := b.tokenizer(u.Pack)
	declared := readPage(u, tokenizer)
	name := u.Pack.Meta.Name
	notes := make([]*note, len(u.Splits))
	texts := make([]text, len(u.Splits))
	for i, s := range u.Splits {
		texts[i] = textOf(u.Doc, s.Start, s.End, s.Title, tokenizer)
		notes[i] = &note{
			summary:  texts[i].summary,
			tokens:   token.Estimate(s.Text),
			lines:    lines(s.Text),
			declared: declared,
		}
		if len(u.Splits) > 1 && declared != nil {
			// One sentence cannot stand for each of several parts.
			part := *declared
			part.summary = ""
			notes[i].declared = &part
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, s := range u.Splits {
		notes[i].profile = b.words.profile(texts[i].words)
		b.splits[splitKey{name, s.ID}] = notes[i]
		texts[i].words.release()
	}
	return nil
}

// Options steer Finish.
type Options struct {
	// Generated is the time the index names; zero is the time in the newest
	// compile run id of the build.
	Generated time.Time
	// Path says where a file of a pack is found by readers of the index; nil is
	// the layout of a site: packs/<name>/<path>.
	Path func(p *pack.Pack, path string) string
}

// draft is an entry in the making.
type draft struct {
	pack     *pack.Pack
	splitID  string // "" for the entry of the pack itself
	path     string // in the pack
	source   string // pack path that findings about the entry name
	title    string
	note     *note
	declared *declaration // from KNOWLEDGE.md; nil when none
	standing string       // "stale" or "disputed" when it rests on such material or the pack is so
	id       string
}

// Finish builds the index from the results of the compile. It may be called
// again with other options. Findings are sorted.
func (b *Builder) Finish(results []*compiler.Result, o Options) (*loadout.Index, []diag.Diagnostic) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o.Path == nil {
		o.Path = sitePath
	}
	results = slices.Clone(results)
	slices.SortFunc(results, func(a, b *compiler.Result) int {
		return cmp.Compare(a.Pack.Meta.Name, b.Pack.Meta.Name)
	})

	var faults []diag.Diagnostic
	var drafts []*draft
	for _, r := range results {
		if r.Pack.Meta.Status == "archived" {
			continue
		}
		list, found := b.drafts(r)
		drafts = append(drafts, list...)
		faults = append(faults, found...)
	}
	nameEntries(drafts)
	shared := commonWords(drafts)
	entries := make([]loadout.Entry, 0, len(drafts))
	for _, d := range drafts {
		entry, found := b.entry(d, shared, o)
		entries = append(entries, entry)
		faults = append(faults, found...)
	}
	faults = append(faults, lint(drafts, entries)...)
	diag.Sort(faults)
	ix := assemble(entries, generated(results, o.Generated))
	for _, r := range results {
		if r.Pack.Meta.Status != "archived" && b.tokenizer(r.Pack) == loadout.Unicode {
			ix.SetTokenizer(loadout.Unicode)
			break
		}
	}
	return ix, faults
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
