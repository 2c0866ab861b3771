package compiler

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
)

// known fills in what the cache knows of an input that is no unit; false when the
// file must be read.
func (n *incremental) known(f pack.File, in *input) bool {
	sum := n.sum(f)
	if sum == "" {
		return false
	}
	e := n.stats.find(f.Path)
	in.sha256, in.lines, in.diags = sum, e.lines, e.diags
	return true
}

// compareSources drops the units when a source has changed: whether a split was
// copied from it must be found anew.
func (n *incremental) compareSources(inputs map[string]*input) {
	if n != nil && n.units != nil && n.units.sources != sourcesSum(inputs) {
		n.units.blobs = nil
	}
}

// sourcesSum is a hash over the paths and hashes of all sources.
func sourcesSum(inputs map[string]*input) string {
	sum := sha256.New()
	for _, name := range sortedKeys(inputs) {
		if isSource(name) {
			fmt.Fprintf(sum, "%q %s ", name, inputs[name].sha256)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// namesSum is a hash over the paths of all inputs.
func namesSum(inputs map[string]*input) string {
	sum := sha256.New()
	for _, name := range sortedKeys(inputs) {
		fmt.Fprintf(sum, "%q ", name)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// restore takes the analysis of a file from the cache when neither the file nor
// the splits cut from it have changed; false when the file must be read.
func (c *compilation) restore(f *file) bool {
	n := c.cache
	if n == nil || n.units == nil || f.hold || f.read {
		return false
	}
	unit, ok := n.units.blobs[f.path]
	if !ok {
		return false
	}
	at, ok := c.pack.Stat(f.path)
	if !ok {
		return false
	}
	g := *f
	if g.info.SHA256 = n.sum(at); g.info.SHA256 == "" || !g.unpackUnit(unit.blob) || !c.standing(&g) {
		return false
	}
	*f = g
	f.blob = unit.blob
	for i := range f.sections {
		if name := f.sections[i].split.Path; name != "" {
			c.out.note(name, publish.Unchanged)
		}
	}
	rest := slices.Clone(f.diags[f.before:])
	f.diags = f.diags[:f.before:f.before]
	f.refs = c.links.check(f)
	f.diags = append(f.diags, rest...)
	f.written = nil
	return true
}

// standing reports whether every split of a file from the cache may have its path
// and stands there with the bytes it would be written with.
func (c *compilation) standing(f *file) bool {
	for i := range f.sections {
		s := &f.sections[i].split
		if s.Path == "" {
			continue
		}
		at, ok := c.pack.Stat(s.Path)
		if !ok || c.cache.sum(at) != s.SHA256 || c.taken.before(s.Path, f.order) {
			return false
		}
	}
	return true
}

// remember keeps the analysis of a file for the cache. Files whose splits may meet
// those of others, and files with a secret, are always read.
func (c *compilation) remember(f *file) {
	if c.cache != nil && !c.opt.DryRun && !f.hold && !f.read && len(f.secrets) == 0 &&
		!slices.ContainsFunc(f.diags, func(d diag.Diagnostic) bool { return d.ID == gatePathCollision }) {
		p := &packer{}
		f.packUnit(p)
		f.blob = string(p.b)
	}
	f.written = nil
}

// readRecorded learns which outputs an earlier run generated, from the cache when
// the index that says so has not changed.
func (c *compilation) readRecorded() {
	if n := c.cache; n != nil && n.units != nil {
		if at, ok := c.pack.Stat(indexPath); ok && n.sum(at) != "" {
			c.out.recorded = map[string]string{}
			for i := 0; i+1 < len(n.units.recorded); i += 2 {
				c.out.recorded[n.units.recorded[i]] = n.units.recorded[i+1]
			}
			return
		}
	}
	c.out.readIndex()
}

// restoreHistory takes what the run records tell from the cache; false when they
// must be read. They need not be while they are the same, since the newest of them
// lists the inputs of the last compile: a document that has changed since then has
// no baseline, and one that has not keeps its own. Inputs that come or go are
// another matter: an older run may know them.
func (c *compilation) restoreHistory() bool {
	n := c.cache
	if n == nil || n.units == nil || n.units.names != namesSum(c.inputs) || !n.sameRuns() {
		return false
	}
	h := c.history
	h.inputs, h.newest, h.diags = c.inputs, n.units.fingerprint, n.units.skipped
	for _, f := range c.files {
		e := n.stats.find(f.path)
		if e == nil || e.sha256 != f.info.SHA256 {
			continue
		}
		base := n.units.base[f.path]
		for i := 0; i+1 < len(base); i += 2 {
			h.base[pair{f.path, base[i]}] = base[i+1]
		}
	}
	return true
}

// sameRuns reports whether the run records are those of the last compile.
func (n *incremental) sameRuns() bool {
	i := 0
	for _, f := range n.pack.List(runsDir) {
		for i < len(n.stats.entries) && n.stats.entries[i].path < f.Path {
			if strings.HasPrefix(n.stats.entries[i].path, runsDir+"/") {
				return false
			}
			i++
		}
		if i == len(n.stats.entries) || n.stats.entries[i].path != f.Path || n.sum(f) == "" {
			return false
		}
		i++
	}
	for ; i < len(n.stats.entries); i++ {
		if strings.HasPrefix(n.stats.entries[i].path, runsDir+"/") {
			return false
		}
	}
	return true
}

// save writes the cache after all outputs are in place. A pack with a secret has
// none, so that no trace of it stays there.
func (c *compilation) save(r *Result) {
	n := c.cache
	if n == nil || c.opt.DryRun || len(c.copies.late) > 0 || slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == gateSecretSuspect }) {
		return
	}
	entries, ok := c.entries(r)
	if !ok {
		return
	}
	x := &statIndex{listed: n.pack.Listed.UnixNano(), entries: entries, settled: !c.out.once}
	x.last = lastRun{status: r.Run.Status, suggested: r.SuggestedStatus, counts: r.Counts, diags: r.Diagnostics}
	for _, o := range r.Run.Outputs {
		if o.Operation != string(publish.Deleted) {
			x.last.outputs = append(x.last.outputs, o.Path)
		}
	}
	u := &unitCache{
		sources: sourcesSum(c.inputs), names: namesSum(c.inputs), fingerprint: fingerprint(&r.Run),
		skipped: c.history.diags, blobs: map[string]cachedUnit{}, recorded: recordedOf(r), base: map[string][]string{},
	}
	for _, f := range c.files {
		if f.blob != "" {
			u.blobs[f.path] = cachedUnit{f.blob}
		}
		if base := c.baseOf(f); base != nil {
			u.base[f.path] = base
		}
	}
	n.write(unitsName, u.encode(n.format))
	n.write(statIndexName, x.encode(n.format))
}

// baseOf lists the baselines of a file for the next compile, which will find a run
// with the inputs as they are now.
func (c *compilation) baseOf(f *file) []string {
	var list []string
	for _, name := range f.rests {
		in := c.inputs[name]
		sum, ok := c.history.base[pair{f.path, name}]
		if !ok {
			sum = in.sha256
		}
		list = append(list, name, sum)
	}
	return list
}

// recordedOf lists what the index of a result records as generated: path, hash,
// path, hash …
func recordedOf(r *Result) []string {
	var list []string
	for _, s := range r.Index.Splits {
		list = append(list, s.Path, s.SHA256)
	}
	for _, v := range r.Index.Views {
		if len(v.DerivedFrom) > 0 {
			list = append(list, v.Path, v.SHA256)
		}
	}
	return list
}

// entries describes every file of the pack as it is after a compile, in path
// order; false when one cannot be looked at.
func (c *compilation) entries(r *Result) ([]statEntry, bool) {
	fresh := map[string]statEntry{} // what this run wrote
	wanted := map[string]string{}
	for _, s := range r.Index.Splits {
		wanted[s.Path] = s.SHA256
	}
	for name, op := range c.out.ops {
		if op != publish.Deleted && op != publish.Unchanged && !c.look(fresh, name, wanted[name]) {
			return nil, false
		}
	}
	if r.RunPath != "" && !c.look(fresh, r.RunPath, "") {
		return nil, false
	}
	list := make([]statEntry, 0, len(c.pack.Files)+len(fresh))
	for _, f := range c.pack.Files {
		if _, again := fresh[f.Path]; again || c.out.ops[f.Path] == publish.Deleted {
			continue
		}
		e := statEntry{path: f.Path, size: f.Size, stamp: c.cache.stampOf(f)}
		switch in := cmp.Or(c.inputs[f.Path], c.beside[f.Path]); {
		case in != nil:
			e.sha256, e.lines, e.diags = in.sha256, in.lines, in.diags
		case isOutput(f.Path):
			e.sha256 = c.cache.sum(f)
		}
		list = append(list, e)
	}
	for _, e := range fresh {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b statEntry) int { return strings.Compare(a.path, b.path) })
	for i := range list {
		if e := &list[i]; e.sha256 == "" {
			var err error
			if e.sha256, err = c.pack.SHA256(e.path); err != nil {
				return nil, false
			}
		}
	}
	return list, true
}

// look enters an output as it stands now.
func (c *compilation) look(into map[string]statEntry, name, sum string) bool {
	f, err := c.pack.Look(name)
	if err != nil {
		return false
	}
	into[name] = statEntry{path: name, size: f.Size, stamp: f.Stamp(), sha256: sum}
	return true
}

func countsOf(r *Result) Counts {
	return Counts{
		Views: len(r.Index.Views), Splits: len(r.Index.Splits), Claims: len(r.SourceMap.Claims), Tokens: r.Index.TotalTokenEstimate,
	}
}
