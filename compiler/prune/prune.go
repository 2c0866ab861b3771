package prune

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lastrun"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
)

// Options steer Runs. The zero value prunes the runs in the pack.
type Options struct {
	DryRun   bool          // report, and remove nothing
	OutDir   string        // where runs/ is; "" is the pack itself
	StateDir string        // locks and journals; "" is .packgen below the target
	Wait     time.Duration // how long to wait for another process that writes there; 0 fails at once
}

// Result says which compile runs were kept and removed, by pack-relative path,
// newest first; after the removed ones come their ledgers, and the lists that only they
// referred to.
type Result struct {
	Kept    []Kept
	Removed []string
	Bytes   int64 // of the removed ones
}

// Kept is a run that later compiles need.
type Kept struct {
	Path string
	Why  string // "newest", "baseline", "between baselines", "unreadable"
	For  string // a document whose baseline it is; "" for others and where it is that of all
}

// Runs removes compile runs that no later compile needs: all but the newest one,
// which holds the baseline of every claim (agent-knowledge section 6.9 rule 4).
// Runs of version 1 hold none: where the newest is one, those stay that are some
// document's baseline, and few that keep two baselines of one text apart.
// Afterwards every claim has the status it had. Records that cannot be read, and
// other tools' records, stay.
//
// With runs of version 1, documents that were edited or removed since the newest run
// count with the text that run saw too, and so do sources that are gone: either may
// come back.
func Runs(ctx context.Context, p *pack.Pack, o Options) (*Result, error) {
	w, err := newWatch(ctx, p)
	if err != nil {
		return nil, err
	}
	old, err := lastrun.Open(p, o.OutDir)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	target := o.OutDir
	if target == "" {
		target = p.Dir
	}
	if target == "" {
		return nil, fmt.Errorf("prune runs of %q: it is not a directory", p.Meta.Name)
	}
	tx, err := begin(ctx, target, o)
	if err != nil {
		return nil, fmt.Errorf("prune runs of %s: %w", p.Meta.Name, err)
	}
	defer func() { _ = tx.Abort() }()
	if err := w.read(ctx, old); err != nil {
		return nil, err
	}
	lists, err := old.Lists()
	if err != nil {
		return nil, err
	}
	ledgers, err := old.Ledgers()
	if err != nil {
		return nil, err
	}
	result, err := w.prune(target, tx, append(ledgers, lists...))
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := tx.Commit(); err != nil {
		return nil, fmt.Errorf("prune runs of %s: %w", p.Meta.Name, err)
	}
	return result, nil
}

// stateName is the directory for locks and journals when the caller names none.
const stateName = ".packgen"

func begin(ctx context.Context, target string, o Options) (*publish.Tx, error) {
	state := o.StateDir
	if state == "" {
		state = filepath.Join(target, stateName)
	}
	return publish.Begin(ctx, publish.Options{Target: target, StateDir: state, DryRun: o.DryRun, Wait: o.Wait})
}

// watch knows the texts whose baselines must survive, and what each run says
// about them.
type watch struct {
	now   map[string]string   // hashes of the inputs by path
	cited map[string][]string // what each document cites, whether it exists or not
	texts []*text
	runs  []watchedRun
	whole int // place of the newest run that holds all baselines; -1 when none does
}

// text is one text of a document.
type text struct {
	document, sum string
	sources       []string // cited files; nil stands for every input, where nobody knows
	in            []uint64 // a bit for each run that lists the document with this hash
	alive         bool     // every run so far does
	last          int      // of the unbroken row of them, from 0; -1 when there is none
	base          map[string]int
}

func (t *text) matches(run int) bool {
	return run/64 < len(t.in) && t.in[run/64]>>(run%64)&1 == 1
}

// watchedRun is a compile run, newest first.
type watchedRun struct {
	path     string
	readable bool
	place    int    // among the readable ones
	list     string // SHA-256 of the list that it refers to; "" when it holds everything
	why, doc string
}

// newWatch reads what the documents are and cite now.
func newWatch(ctx context.Context, p *pack.Pack) (*watch, error) {
	w := &watch{now: map[string]string{}, cited: map[string][]string{}, whole: -1}
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range p.Files {
		if !isUnit(f.Path) || f.Size > pack.MaxFileSize {
			continue
		}
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			data, err := p.ReadFile(f.Path)
			if err != nil {
				return fmt.Errorf("read %s: %w", f.Path, err)
			}
			cited := citedBy(f.Path, data)
			mu.Lock()
			defer mu.Unlock()
			w.now[f.Path], w.cited[f.Path] = sumOf(data), cited
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, document := range slices.Sorted(maps.Keys(w.cited)) {
		if list := w.cited[document]; len(list) > 0 {
			w.add(document, w.now[document], list)
		}
	}
	return w, nil
}

// isUnit reports whether a file is one that states claims.
func isUnit(name string) bool {
	return path.Ext(name) == ".md" && (strings.HasPrefix(name, "documents/") || strings.HasPrefix(name, "wiki/"))
}

// sumOf returns the SHA-256 of a file as run records have it.
func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// citedBy returns the paths of the usable anchors of a file, each once.
func citedBy(name string, data []byte) []string {
	text, ok := frontmatter.Decode(data)
	if !ok {
		return nil
	}
	var list []string
	seen := map[string]bool{}
	for _, a := range markdown.Parse(name, text).Anchors {
		if a.Usable && !seen[a.Path] {
			seen[a.Path] = true
			list = append(list, a.Path)
		}
	}
	return list
}

func (w *watch) add(document, sum string, sources []string) {
	w.texts = append(w.texts, &text{document: document, sum: sum, sources: sources, alive: true, last: -1, base: map[string]int{}})
}

// read walks all runs from the newest back, one in memory at a time.
func (w *watch) read(ctx context.Context, old *lastrun.Outputs) error {
	names, _, err := old.Runs()
	if err != nil {
		return err
	}
	place := 0
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		read := old.Run
		if w.whole >= 0 {
			read = old.RunAlone // no compile looks at its list
		}
		run, err := read(name.Path)
		w.runs = append(w.runs, watchedRun{path: name.Path, readable: err == nil, place: place})
		if err != nil {
			if alone, err := old.RunAlone(name.Path); err == nil && alone.Base != nil {
				w.runs[len(w.runs)-1].list = alone.Base.List
			}
			continue
		}
		if w.runs[len(w.runs)-1].list = run.List; run.Base != nil {
			w.runs[len(w.runs)-1].list = run.Base.List
		}
		if w.whole < 0 && run.SchemaVersion >= 2 {
			w.whole = place
		}
		if w.whole >= 0 {
			place++
			continue // no compile looks further back
		}
		listed := make(map[string]string, len(run.Inputs))
		for _, in := range run.Inputs {
			listed[in.Path] = in.SHA256
		}
		if place == 0 {
			w.addUncompiled(run.Inputs)
		}
		for _, t := range w.texts {
			t.note(place, listed)
		}
		place++
	}
	return nil
}

// addUncompiled adds the texts of documents as the newest run saw them where they
// have changed since.
func (w *watch) addUncompiled(inputs []schema.RunInput) {
	for _, in := range inputs {
		if isUnit(in.Path) && in.SHA256 != "" && w.now[in.Path] != in.SHA256 {
			w.add(in.Path, in.SHA256, nil)
		}
	}
}

// note takes in one run.
func (t *text) note(run int, listed map[string]string) {
	if listed[t.document] != t.sum {
		t.alive = false
		return
	}
	for len(t.in) <= run/64 {
		t.in = append(t.in, 0)
	}
	t.in[run/64] |= 1 << (run % 64)
	if !t.alive {
		return
	}
	t.last = run
	if t.sources == nil {
		for name, sum := range listed {
			if sum != "" && name != t.document {
				t.base[name] = run
			}
		}
		return
	}
	for _, name := range t.sources {
		if listed[name] != "" {
			t.base[name] = run
		}
	}
}

// prune decides about every run, and the ledgers and lists beside them, and hands the
// removals to the transaction.
func (w *watch) prune(target string, tx *publish.Tx, beside []string) (*Result, error) {
	w.keep()
	result := &Result{}
	needed := map[string]bool{}
	for _, r := range w.runs {
		info, err := os.Lstat(filepath.Join(target, filepath.FromSlash(r.path)))
		here := err == nil && info.Mode().IsRegular() // else it lies in the pack below an overlay, or is a link
		if r.why != "" || !here {
			needed[schema.RunListPath(r.list)], needed[schema.RunLedgerPath(r.path)] = true, true
		}
		switch {
		case r.why != "":
			result.Kept = append(result.Kept, Kept{Path: r.path, Why: r.why, For: r.doc})
		case here:
			if err := result.remove(tx, r.path, info.Size()); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range beside {
		info, err := os.Lstat(filepath.Join(target, filepath.FromSlash(name)))
		if needed[name] || err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := result.remove(tx, name, info.Size()); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// remove takes one file away.
func (r *Result) remove(tx *publish.Tx, name string, size int64) error {
	if err := tx.Delete(name); err != nil {
		return fmt.Errorf("remove %s: %w", path.Base(name), err)
	}
	r.Removed = append(r.Removed, name)
	r.Bytes += size
	return nil
}

// keep marks the runs that stay.
func (w *watch) keep() {
	var byPlace []*watchedRun
	for i := range w.runs {
		r := &w.runs[i]
		if r.readable {
			byPlace = append(byPlace, r)
		} else {
			r.why = "unreadable"
		}
	}
	if len(byPlace) == 0 {
		return
	}
	for _, t := range w.texts {
		for _, run := range t.base {
			if r := byPlace[run]; r.why == "" {
				r.why, r.doc = "baseline", t.document
			}
		}
	}
	if w.whole >= 0 {
		byPlace[w.whole].why, byPlace[w.whole].doc = "baseline", ""
	}
	byPlace[0].why, byPlace[0].doc = "newest", ""
	for w.separate(byPlace) {
	}
}

// separate keeps the run that ends the row of a text where otherwise an older run
// that stays would continue it: a text that was changed and changed back. True
// when it kept another run, which may continue the row of another text.
func (w *watch) separate(runs []*watchedRun) bool {
	more := false
	next := make([]int, len(runs)+1) // the first run that stays, from each place on
	next[len(runs)] = len(runs)
	for i := len(runs) - 1; i >= 0; i-- {
		if next[i] = next[i+1]; runs[i].why != "" {
			next[i] = i
		}
	}
	for _, t := range w.texts {
		if t.last < 0 || t.last+1 >= len(runs) {
			continue
		}
		if after := next[t.last+1]; after < len(runs) && t.matches(after) && runs[t.last+1].why == "" {
			runs[t.last+1].why, runs[t.last+1].doc = "between baselines", t.document
			more = true
		}
	}
	return more
}
