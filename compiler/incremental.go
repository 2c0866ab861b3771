package compiler

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/cache"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
)

// incremental is the cache of a compile (agent-knowledge section 6.9). A nil one
// knows nothing, which is a full compile; so is one without files, for any doubt
// means that.
type incremental struct {
	dir     cache.Dir
	key     string // what the listing of files depends on
	unitKey string // what the analysis of a unit depends on besides its text
	pack    *pack.Pack
	fine    bool                   // times of files tell changes of the same second
	trust   func(path string) bool // --changed: paths whose state need not be looked at
	files   *cache.Files
	units   *cache.Units
	stale   bool            // what the cache knows of units is of no use
	fresh   *lint.CopyIndex // sources that are not as they were; nil when all are

	mu   sync.Mutex
	sums map[string]cache.Sum // hashes that were computed because times could not be trusted; unknown where they differ
}

// openIncremental reads the cache. It is used where outputs go into the pack
// itself, since only there the listing of the pack has seen them.
func openIncremental(c *compilation) *incremental {
	if !c.opt.Incremental || c.opt.OutDir != "" || c.pack.Dir == "" || c.pack.Listed.IsZero() {
		return nil
	}
	n := &incremental{
		dir: cache.Dir(c.opt.StateDir), pack: c.pack, fine: cache.FineTimes(c.pack.Dir), sums: map[string]cache.Sum{},
		key:     keyOf(Version, cache.Program()),
		unitKey: keyOf(Version, cache.Program(), c.grounding, fmt.Sprint(c.documents, c.wiki)),
	}
	if c.opt.Changed != nil {
		n.trust = func(path string) bool {
			return !slices.ContainsFunc(c.opt.Changed, func(name string) bool {
				return path == name || strings.HasPrefix(path, name+"/") || isOutput(path)
			})
		}
		if len(c.opt.Changed) == 0 {
			n.trust = func(path string) bool { return !isOutput(path) }
		}
	}
	n.files = n.dir.ReadFiles(n.key)
	return n
}

// keyOf names what a part of the cache depends on.
func keyOf(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%q ", part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// contextOf names what findings depend on besides files and program.
func contextOf(o *Options) string {
	w := cache.NewWriter(64)
	w.Bool(o.Force)
	w.Findings(o.Opened)
	return keyOf(w.Text())
}

// unchanged returns the result of the last compile when nothing has changed since:
// every file of the pack, inputs and outputs, is the one that it saw or wrote.
func (n *incremental) unchanged(c *compilation) *Result {
	if n == nil || n.files == nil || !n.files.Settled || c.opt.RecordUnchanged ||
		n.files.Context != contextOf(&c.opt) || len(n.files.Entries) != len(n.pack.Files) {
		return nil
	}
	for i, f := range n.pack.Files {
		if e := &n.files.Entries[i]; e.Path != f.Path || e.Size != f.Size {
			return nil
		}
	}
	young := false
	for i, f := range n.pack.Files {
		e := &n.files.Entries[i]
		if e.AtRest(f) {
			continue
		}
		if e.Sum == (cache.Sum{}) || n.sum(f) != e.Sum {
			return nil
		}
		e.Stamp, e.Quiet, young = f.Stamp(), n.quiet(f.Stamp()), true
	}
	if young && !c.opt.DryRun && n.trust == nil {
		_ = n.dir.Write(n.key, n.files)
	}
	return n.last(c)
}

// last is the result of the last compile.
func (n *incremental) last(c *compilation) *Result {
	x := n.files
	r := &Result{
		Pack: n.pack, Reused: true, SuggestedStatus: x.Suggested, Counts: countsFrom(x.Counts), Diagnostics: x.Findings,
		Views: map[string]string{}, Run: schema.Run{Status: x.Status, Trigger: c.opt.Trigger},
	}
	for i := range x.Entries {
		if e := &x.Entries[i]; e.Output {
			r.Run.Outputs = append(r.Run.Outputs, schema.RunOutput{Path: e.Path, Operation: string(publish.Unchanged)})
		}
	}
	return r
}

// quiet reports whether a file was at rest when the pack was listed.
func (n *incremental) quiet(s pack.Stamp) bool {
	return cache.Quiet(s, n.pack.Listed.UnixNano(), n.fine)
}

// sum returns the hash of a file as it is now; the unknown one when it is not
// known without reading more than its bytes and is not that of the cache. A hash
// is believed where the times of the file say that nobody touched it, or where the
// caller says so and the size agrees.
func (n *incremental) sum(f pack.File) cache.Sum {
	if n == nil || n.files == nil {
		return cache.Sum{}
	}
	e := n.files.Find(f.Path)
	switch {
	case e == nil || e.Size != f.Size:
		return cache.Sum{}
	case n.trust != nil && n.trust(f.Path), e.AtRest(f):
		return e.Sum
	}
	n.mu.Lock()
	sum, known := n.sums[f.Path]
	n.mu.Unlock()
	if known {
		return sum
	}
	if digits, err := n.pack.SHA256(f.Path); err == nil {
		if sum = cache.ParseSum(digits); sum != e.Sum {
			sum = cache.Sum{}
		}
	}
	n.mu.Lock()
	n.sums[f.Path] = sum
	n.mu.Unlock()
	return sum
}

// same reports whether a file is the one that the cache knows. Of a large record it
// may know the times alone.
func (n *incremental) same(f pack.File) bool {
	if n == nil || n.files == nil {
		return false
	}
	if e := n.files.Find(f.Path); e != nil && e.AtRest(f) {
		return true
	}
	return n.sum(f) != cache.Sum{}
}

// stampOf returns the stamp to keep of a file. One that was taken for unchanged on
// the caller's word alone gets none, so that the next compile looks at it.
func (n *incremental) stampOf(f pack.File) pack.Stamp {
	if n.trust != nil && n.files != nil && n.trust(f.Path) {
		if e := n.files.Find(f.Path); e != nil && e.Size == f.Size && !e.AtRest(f) {
			return pack.Stamp{}
		}
	}
	return f.Stamp()
}

// openUnits opens what a compile that finds nothing changed does not need.
func (n *incremental) openUnits() {
	if n != nil && n.files != nil {
		n.units = n.dir.OpenUnits(n.unitKey, n.files.Shards)
	}
}

// forget removes the cache before outputs change, so that a run that is cut short
// leaves none that could be believed.
func (n *incremental) forget() error {
	if n == nil {
		return nil
	}
	return n.dir.Forget()
}
