package lint

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/compiler/schema"
)

// The ids of the rules of agent-knowledge section 15 that are not scans.
const (
	idFrontMatter     = "frontmatter-required"
	idRefBroken       = "ref-broken"
	idPageOrphan      = "page-orphan"
	idEntityDuplicate = "entity-duplicate"
	idClaimStale      = "claim-stale"
	idClaimUnsourced  = "claim-unsourced"
	idViewContradicts = "view-contradicts"
	idConceptMissing  = "concept-missing"
	idCrossrefMissing = "crossref-missing"
	idDescriptionWeak = "description-weak"
	idPersonaLimits   = "persona-limits"
)

// Compiled is what a compile of the pack, dry or not, says about it. The zero
// value checks a pack that was not compiled: the records on disk are in.
type Compiled struct {
	Diagnostics []diag.Diagnostic // all that it found
	SourceMap   *schema.SourceMap
	Index       *schema.Index
	Run         *schema.Run
	Policy      policy.Local // changes the severity of all findings; those of the compile are as found
}

// Report is what a check of one pack found.
type Report struct {
	// Diagnostics are those of the compile and those of the rules, sorted as
	// section 6.11 says, without repeats and without what a file suppresses.
	Diagnostics []diag.Diagnostic
	Suppressed  []Suppressed    // in the same order
	Changed     []policy.Change // what the policy changed of Diagnostics
	Health      []Dimension     // in the order of section 16
	// SuggestedStatus is the pack status that the findings call for; the declared
	// one when there is nothing serious (section 16).
	SuggestedStatus schema.Status
}

// Checker gathers what the rules need to know of each file while its parsed form
// is in memory, so that a check parses no file that a compile has parsed. It is
// made for one pack. Add may be called from several goroutines.
type Checker struct {
	pack  *pack.Pack
	mu    sync.Mutex
	pages map[string]*page
}

// NewChecker returns a checker for a pack.
func NewChecker(p *pack.Pack) *Checker {
	return &Checker{pack: p, pages: map[string]*page{}}
}

// Add takes in one parsed file of documents/ or wiki/; it does not keep it. A
// visitor of a compile calls it with the document of each unit.
func (c *Checker) Add(doc *markdown.Document) {
	p := newPage(doc)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages[p.path] = p
}

// Report applies all rules. Files of documents/ and wiki/ that were not added are
// read and parsed here. The error is for a file that cannot be read, and for a
// context that ended.
func (c *Checker) Report(ctx context.Context, in Compiled) (*Report, error) {
	if err := c.addRest(ctx); err != nil {
		return nil, err
	}
	return c.run(in).report(ctx)
}

// addRest reads the files that no compile showed.
func (c *Checker) addRest(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range slices.Concat(c.pack.List("documents"), c.pack.List("wiki")) {
		c.mu.Lock()
		known := c.pages[f.Path] != nil
		c.mu.Unlock()
		if known || !strings.HasSuffix(f.Path, ".md") || f.Size > maxScanned {
			continue
		}
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			text, ok, err := readText(c.pack, f.Path)
			if err == nil && ok {
				c.Add(markdown.Parse(f.Path, text))
			}
			return err
		})
	}
	return g.Wait()
}

// readText reads one file as text; ok is false if it is not one.
func readText(p *pack.Pack, name string) (text []byte, ok bool, err error) {
	data, err := p.ReadFile(name)
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	text, ok = frontmatter.Decode(data)
	return text, ok, nil
}

// run is one application of the rules.
type run struct {
	pack      *pack.Pack
	in        Compiled
	pages     []*page // in path order
	byPath    map[string]*page
	guide     *page
	views     []*page // hand-kept Markdown files of compiled/
	claims    *claimTable
	names     map[string]*page       // wiki pages by the key of their title, aliases and file stem; nil where two share one
	generated map[string]bool        // files of compiled/ that follow the primary source
	recorded  map[string]schema.View // views that the last compile made, as compiled/index.json on disk says
	written   map[string]string      // hashes of the files that the last compile wrote, as that index says
	made      map[string]string      // the same of this compile
	list      []diag.Diagnostic
	by        map[string][]Suppression // of each file that has some

	hints               int // given for wrong paths so far
	scanned, suspicious int // files looked at by the scans, and those with a finding
}

// raise records a finding of a rule with its usual severity.
func (r *run) raise(id, path string, line, column int, message, hint string) {
	r.list = append(r.list, diag.Diagnostic{
		ID: id, Severity: rulebook.SeverityOf(id), Path: path, Line: line, Column: column, Message: message, Hint: hint,
	})
}

func (r *run) report(ctx context.Context) (*Report, error) {
	if err := r.readRecords(); err != nil {
		return nil, err
	}
	r.guide = newPage(markdown.Parse(pack.EntryName, r.pack.EntryText))
	r.take(r.guide)
	r.namePages()
	for _, step := range []func(context.Context) error{r.readViews, r.scanRest, r.findCopies, r.findMentions} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	r.checkFrontMatter()
	r.checkGuide()
	r.checkReferences()
	r.checkPages()
	r.checkClaims()
	return r.finish(), nil
}

// take collects what was found in a file while it was read.
func (r *run) take(p *page) {
	r.list = append(r.list, p.found...)
	p.found = nil
	if len(p.suppress) > 0 {
		r.by[p.path] = p.suppress
	}
	r.scanned++
	if p.suspect {
		r.suspicious++
	}
}

// finish joins the findings with those of the compile, applies suppressions and
// measures the health.
func (r *run) finish() *Report {
	r.list = append(r.list, r.in.Diagnostics...)
	for i := range r.list {
		if r.list[i].Pack == "" {
			r.list[i].Pack = r.pack.Meta.Name
		}
	}
	diag.Sort(r.list)
	r.list = slices.Compact(r.list)
	out := &Report{}
	byFile := map[string][]diag.Diagnostic{}
	for _, d := range r.list {
		if r.by[d.Path] == nil {
			out.Diagnostics = append(out.Diagnostics, d)
			continue
		}
		byFile[d.Path] = append(byFile[d.Path], d)
	}
	for path, by := range r.by {
		kept, dropped := suppress(path, byFile[path], by)
		out.Diagnostics = append(out.Diagnostics, kept...)
		out.Suppressed = append(out.Suppressed, dropped...)
	}
	for i := range out.Diagnostics {
		out.Diagnostics[i].Pack = r.pack.Meta.Name
	}
	out.Diagnostics, out.Changed = r.in.Policy.Apply(out.Diagnostics)
	diag.Sort(out.Diagnostics)
	sortSuppressed(out.Suppressed)
	out.Health = r.health(out.Diagnostics)
	out.SuggestedStatus = suggestStatus(r.pack.Meta.Status, out.Diagnostics)
	return out
}

// readRecords reads the records on disk where no compile gave them. A record that
// is absent or broken is not a fault of a check.
func (r *run) readRecords() error {
	read := func(name string, use func([]byte)) error {
		if !r.pack.Has(name) {
			return nil
		}
		data, err := r.pack.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		use(data)
		return nil
	}
	r.claims = newClaimTable()
	if err := read(pack.SourceMapPath, func(data []byte) {
		if m, err := schema.DecodeSourceMap(data); err == nil {
			r.claims.addPublished(m)
			if r.in.SourceMap == nil {
				r.in.SourceMap = m
			}
		}
	}); err != nil {
		return err
	}
	if r.in.SourceMap != nil {
		r.claims.addCurrent(r.in.SourceMap)
	}
	return read(pack.IndexPath, func(data []byte) {
		x, err := schema.DecodeIndex(data)
		if err != nil {
			return
		}
		if r.in.Index == nil {
			r.in.Index = x
		}
		r.recorded, r.written = map[string]schema.View{}, sumsOf(x)
		for _, v := range x.Views {
			if len(v.DerivedFrom) > 0 {
				r.recorded[v.Path] = v
			}
		}
	})
}
