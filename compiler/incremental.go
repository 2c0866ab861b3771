package compiler

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
)

// The cache of a pack below its state directory (agent-knowledge section 6.9): the
// stat index, and what analysis made of each unit. Both depend on everything that
// their first string names; any doubt means a full compile.
const (
	statIndexName = "files.cache"
	unitsName     = "units.cache"
	cacheFormat   = "packgen compile cache 1 "
)

// incremental is the cache of a compile. A nil one knows nothing, which is a full
// compile.
type incremental struct {
	dir    string
	format string
	pack   *pack.Pack
	trust  func(path string) bool // --changed: paths whose state need not be looked at
	stats  *statIndex
	units  *unitCache

	mu   sync.Mutex
	sums map[string]string // hashes that were computed because times could not be trusted; "" where they differ
}

// unitCache is the second file: the units, and what the run records say of them.
type unitCache struct {
	sources     string // hash over all sources: what raw-copy compares with
	names       string // hash over the paths of all inputs
	fingerprint string // of the newest run
	skipped     []diag.Diagnostic
	recorded    []string            // what the last index records as generated: path, hash, path, hash …
	base        map[string][]string // by unit, baselines of what it cites: path, hash, path, hash …
	blobs       map[string]cachedUnit
}

// cachedUnit is what packUnit wrote.
type cachedUnit struct{ blob string }

// openIncremental reads the cache. It is used where outputs go into the pack
// itself, since only there the listing of the pack has seen them.
func openIncremental(c *compilation) *incremental {
	if !c.opt.Incremental || c.opt.OutDir != "" || c.pack.Dir == "" || c.pack.Listed.IsZero() {
		return nil
	}
	n := &incremental{dir: c.opt.StateDir, pack: c.pack, format: cacheKey(c), sums: map[string]string{}}
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
	data, err := os.ReadFile(filepath.Join(n.dir, statIndexName))
	if err != nil {
		return n
	}
	if n.stats, err = decodeStatIndex(data, n.format); err != nil {
		n.stats = nil
	}
	return n
}

// cacheKey names everything outside of the files that a compile depends on: the
// version of the format and of the program, the entry of the pack, and options.
func cacheKey(c *compilation) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s %q %t %q ", Version, program(), c.pack.Entry, c.opt.Force, c.pack.Dir)
	p := &packer{}
	packFindings(p, c.opt.Opened)
	sum.Write(p.b)
	return cacheFormat + hex.EncodeToString(sum.Sum(nil))
}

// program tells one build of this program from another.
var program = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(name)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
})

// unchanged returns the result of the last compile when nothing has changed since:
// every file of the pack, inputs and outputs, is the one that it saw or wrote.
func (n *incremental) unchanged(c *compilation) *Result {
	if n == nil || n.stats == nil || !n.stats.settled || c.opt.RecordUnchanged || len(n.stats.entries) != len(n.pack.Files) {
		return nil
	}
	for i, f := range n.pack.Files {
		if e := &n.stats.entries[i]; e.path != f.Path || e.size != f.Size {
			return nil
		}
	}
	young := false
	for i, f := range n.pack.Files {
		if e := &n.stats.entries[i]; e.stamp != f.Stamp() || !e.quiet(n.stats.listed) {
			if e.sha256 == "" || n.sum(f) != e.sha256 {
				return nil
			}
			e.stamp, young = f.Stamp(), true
		}
	}
	if young && !c.opt.DryRun && n.trust == nil {
		n.stats.listed = n.pack.Listed.UnixNano()
		n.write(statIndexName, n.stats.encode(n.format))
	}
	last := &n.stats.last
	r := &Result{
		Pack: n.pack, Reused: true, SuggestedStatus: last.suggested, Counts: last.counts, Diagnostics: last.diags,
		Views: map[string]string{}, Run: schema.Run{Status: last.status, Trigger: c.opt.Trigger},
	}
	for _, name := range last.outputs {
		r.Run.Outputs = append(r.Run.Outputs, schema.RunOutput{Path: name, Operation: string(publish.Unchanged)})
	}
	return r
}

// sum returns the hash of a file as it is now, "" when it is not known without
// reading more than its bytes and is not that of the cache. A hash is believed
// where the times of the file say that nobody touched it, or where the caller says
// so and the size agrees.
func (n *incremental) sum(f pack.File) string {
	if n == nil || n.stats == nil {
		return ""
	}
	e := n.stats.find(f.Path)
	switch {
	case e == nil || e.size != f.Size:
		return ""
	case n.trust != nil && n.trust(f.Path), n.atRest(e, f):
		return e.sha256
	}
	n.mu.Lock()
	sum, known := n.sums[f.Path]
	n.mu.Unlock()
	if known {
		return sum
	}
	sum, err := n.pack.SHA256(f.Path)
	if err != nil || sum != e.sha256 {
		sum = ""
	}
	n.mu.Lock()
	n.sums[f.Path] = sum
	n.mu.Unlock()
	return sum
}

// atRest reports whether the times of a file say that nobody touched it.
func (n *incremental) atRest(e *statEntry, f pack.File) bool {
	return e.stamp == f.Stamp() && e.quiet(n.stats.listed)
}

// stampOf returns the stamp to keep of a file. One that was taken for unchanged on
// the caller's word alone gets none, so that the next compile looks at it.
func (n *incremental) stampOf(f pack.File) pack.Stamp {
	if n.trust != nil && n.stats != nil && n.trust(f.Path) {
		if e := n.stats.find(f.Path); e != nil && e.size == f.Size && !n.atRest(e, f) {
			return pack.Stamp{}
		}
	}
	return f.Stamp()
}

// readUnits reads the second file, which a compile that finds nothing changed does
// not need.
func (n *incremental) readUnits() {
	if n == nil || n.stats == nil {
		return
	}
	data, err := os.ReadFile(filepath.Join(n.dir, unitsName))
	if err == nil {
		n.units, err = decodeUnitCache(data, n.format)
	}
	if err != nil {
		n.units, n.stats = nil, nil
	}
}

// forget removes the cache before outputs change, so that a run that is cut short
// leaves none that could be believed.
func (n *incremental) forget() error {
	if n == nil {
		return nil
	}
	err := os.Remove(filepath.Join(n.dir, statIndexName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// write puts a cache file in place. That it may fail is no fault of a compile.
func (n *incremental) write(name string, data []byte) {
	if os.MkdirAll(n.dir, 0o777) != nil {
		return
	}
	f, err := os.CreateTemp(n.dir, name+".*")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(n.dir, name))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}

func (u *unitCache) encode(format string) []byte {
	size := 0
	for _, unit := range u.blobs {
		size += len(unit.blob) + 256
	}
	p := &packer{b: make([]byte, 0, size+4096)}
	p.str(format)
	p.strs([]string{u.sources, u.names, u.fingerprint})
	packFindings(p, u.skipped)
	p.uint(len(u.blobs))
	for _, name := range sortedKeys(u.blobs) {
		p.str(name)
		p.str(u.blobs[name].blob)
	}
	p.strs(u.recorded)
	p.uint(len(u.base))
	for _, name := range sortedKeys(u.base) {
		p.str(name)
		p.strs(u.base[name])
	}
	return p.seal()
}

func decodeUnitCache(data []byte, format string) (*unitCache, error) {
	u, err := unseal(data, format)
	if err != nil {
		return nil, err
	}
	c := &unitCache{}
	if head := u.strs(); len(head) == 3 {
		c.sources, c.names, c.fingerprint = head[0], head[1], head[2]
	}
	c.skipped = unpackFindings(u)
	n := u.count()
	c.blobs = make(map[string]cachedUnit, n)
	for range n {
		name := u.str()
		c.blobs[name] = cachedUnit{u.str()}
	}
	c.recorded = u.strs()
	n = u.count()
	c.base = make(map[string][]string, n)
	for range n {
		name := u.str()
		c.base[name] = u.strs()
	}
	if u.bad || u.s != "" {
		return nil, errCache
	}
	return c, nil
}
