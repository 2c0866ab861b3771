package compiler

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/baseline"
	"github.com/packgen/packgen/compiler/cache"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
)

// known fills in what the cache knows of an input that is no unit; false when the
// file must be read.
func (n *incremental) known(f pack.File, in *input) bool {
	sum := n.sum(f)
	if sum == (cache.Sum{}) {
		return false
	}
	e := n.files.Find(f.Path)
	in.sha256, in.lines, in.diags = sum.String(), e.Lines, e.Findings
	return true
}

// compareSources finds out what has changed under sources/. A page stays what it
// was unless a passage of it was copied, or is found in a source that is new.
func (c *compilation) compareSources() error {
	n := c.cache
	if n == nil || n.units == nil {
		return nil
	}
	known := 0
	for i := range n.files.Entries {
		if isSource(n.files.Entries[i].Path) {
			known++
		}
	}
	var fresh []string
	for _, f := range c.pack.List("sources") {
		e := n.files.Find(f.Path)
		if e != nil {
			known--
		}
		if in := c.inputs[f.Path]; in != nil && (e == nil || e.Sum != cache.ParseSum(in.sha256)) {
			fresh = append(fresh, f.Path)
		}
	}
	if len(fresh) == 0 && known == 0 {
		return nil
	}
	n.fresh = lint.NewCopyIndex()
	for _, name := range fresh {
		data, err := c.pack.ReadFile(name)
		if errors.Is(err, pack.ErrTooLarge) {
			continue // no passage of it is looked for
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if text, ok := frontmatter.Decode(data); ok && !n.fresh.Add(name, text) {
			n.stale = true
		}
	}
	return nil
}

// freshCopy reports whether sources have changed so that the passages copied from
// them must be looked for again in a file.
func (n *incremental) freshCopy(f *file) bool {
	if n.fresh == nil {
		return false
	}
	if f.copied() {
		return true
	}
	data, err := n.pack.ReadFile(f.path)
	if err != nil {
		return true
	}
	text, _ := frontmatter.Decode(data)
	return len(n.fresh.Find(text)) > 0
}

// restore takes the analysis of a file from the cache when neither the file nor
// the splits cut from it have changed; false when the file must be read.
func (c *compilation) restore(f *file) bool {
	n := c.cache
	if n == nil || n.stale || f.hold || f.read {
		return false
	}
	unit, ok := n.units.Get(f.path)
	if !ok || unit.Blob == "" {
		return false
	}
	at, ok := c.pack.Stat(f.path)
	if !ok {
		return false
	}
	if sum := n.sum(at); sum == (cache.Sum{}) || sum != unit.Sum {
		return false
	}
	g := *f
	if g.info.SHA256 = unit.Sum.String(); !g.unpackUnit(unit.Blob) || !c.standing(&g) || n.freshCopy(&g) {
		return false
	}
	*f = g
	f.blob = unit.Blob
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
		if !ok || c.cache.sum(at) != cache.ParseSum(s.SHA256) || c.taken.before(s.Path, f.order) {
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
		w := cache.NewWriter(1 << 10)
		f.packUnit(w)
		f.blob = w.Text()
	}
	f.written = nil
}

// readRecorded learns which outputs an earlier run generated, from the cache when
// the index that says so has not changed.
func (c *compilation) readRecorded() {
	n := c.cache
	if n == nil || n.files == nil || n.files.Edited {
		c.out.readIndex(c.pack)
		return
	}
	at, ok := c.pack.Stat(indexPath)
	if !ok || !n.same(at) {
		c.out.readIndex(c.pack)
		return
	}
	c.out.recorded = map[string]string{}
	for i := range n.files.Entries {
		// Paths of a cache are believed no more than those of an index.
		if e := &n.files.Entries[i]; e.Made && canGenerate(e.Path) && packpath.Check(e.Path) == nil {
			c.out.recorded[e.Path] = e.Sum.String()
		}
	}
}

// restoreHistory takes what the newest run record tells from the cache; false when it
// must be read. It need not be while the records are the same. Those that cannot be
// used are another matter: how many of them are met depends on how far they are read.
func (c *compilation) restoreHistory() bool {
	n := c.cache
	if n == nil || n.files == nil || len(n.files.Skipped) > 0 || !n.sameRuns() {
		return false
	}
	ledger := n.readLedger()
	if ledger == nil {
		return false
	}
	h := c.history
	h.inputs, h.newest, h.ledger = c.inputs, n.files.Newest, ledger
	return true
}

// readLedger reads the ledger of the newest run record; nil when the cache has lost it.
func (n *incremental) readLedger() *baseline.Ledger {
	list, ok := n.dir.ReadMarks(n.key, n.files.Marks)
	if !ok {
		return nil
	}
	var claims, removed []schema.RunClaim
	for i := range list {
		m := &list[i]
		claim := schema.RunClaim{Claim: m.Claim, Source: m.Source, Confirmed: m.Confirmed, Stale: m.Stale}
		if m.File {
			claim.File = m.Sum.String()
		} else {
			claim.Span = m.Sum.String()
		}
		if m.Removed {
			removed = append(removed, claim)
		} else {
			claims = append(claims, claim)
		}
	}
	return baseline.From(claims, removed)
}

// writeLedger keeps the ledger of the newest run record: that of this run, when it was
// recorded.
func (c *compilation) writeLedger(r *Result) (uint32, error) {
	ledger := c.ledger
	if r.RunPath == "" {
		ledger = c.history.ledger
	}
	claims, removed := ledger.Records()
	list := make([]cache.Mark, 0, len(claims)+len(removed))
	for i, claim := range slices.Concat(claims, removed) {
		list = append(list, cache.Mark{
			Claim: claim.Claim, Source: claim.Source, Sum: cache.ParseSum(cmp.Or(claim.Span, claim.File)), File: claim.Span == "",
			Confirmed: claim.Confirmed, Stale: claim.Stale, Removed: i >= len(claims),
		})
	}
	return c.cache.dir.WriteMarks(c.cache.key, list)
}

// samePaths reports whether the pack lists the paths of a kind that the cache
// knows, and no others.
func (n *incremental) samePaths(kind func(path string) bool) bool {
	i, entries := 0, n.files.Entries
	next := func() string {
		for ; i < len(entries); i++ {
			if kind(entries[i].Path) {
				return entries[i].Path
			}
		}
		return ""
	}
	for _, f := range n.pack.Files {
		if !kind(f.Path) {
			continue
		}
		if next() != f.Path {
			return false
		}
		i++
	}
	return next() == ""
}

// sameRuns reports whether the run records are those of the last compile.
func (n *incremental) sameRuns() bool {
	return n.samePaths(func(path string) bool { return strings.HasPrefix(path, runsDir+"/") }) &&
		!slices.ContainsFunc(n.pack.List(runsDir), func(f pack.File) bool { return !n.same(f) })
}

// save writes the cache after all outputs are in place. A pack with a secret has
// none, so that no trace of it stays there.
func (c *compilation) save(r *Result) {
	n := c.cache
	if n == nil || c.opt.DryRun || len(c.copies.late) > 0 || slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == gateSecretSuspect && d.Severity == diag.Error }) {
		return
	}
	units := make([]cache.Unit, 0, len(c.files))
	for _, f := range c.files {
		units = append(units, cache.Unit{Path: f.path, Sum: cache.ParseSum(f.info.SHA256), Blob: f.blob})
	}
	shards, err := n.dir.WriteUnits(n.unitKey, units, n.units, c.opt.Jobs)
	if err != nil {
		return
	}
	var joined uint32
	if j := c.joined(r); j != nil {
		if joined, err = n.dir.WriteJoined(n.key, j); err != nil {
			return
		}
	}
	marks, err := c.writeLedger(r)
	if err != nil {
		return
	}
	// A new run may keep the next compile from meeting an old one of no use.
	settled := !c.out.once && (len(c.history.diags) == 0 || r.RunPath == "")
	x := &cache.Files{
		Settled: settled, Context: contextOf(&c.opt), Newest: fingerprint(&r.Run), Skipped: c.history.diags,
		Status: r.Run.Status, Suggested: r.SuggestedStatus, Counts: r.Counts.array(), Findings: r.Diagnostics, Joined: joined, Marks: marks, Shards: shards,
	}
	if c.entries(x, r) {
		_ = n.dir.Write(n.key, x)
	}
}

// generatedBy lists what the index of a result records as generated, with the
// hashes.
func generatedBy(r *Result) map[string]cache.Sum {
	list := make(map[string]cache.Sum, len(r.Index.Splits)+len(r.Index.Views))
	for _, s := range r.Index.Splits {
		list[s.Path] = cache.ParseSum(s.SHA256)
	}
	for _, v := range r.Index.Views {
		if len(v.DerivedFrom) > 0 {
			list[v.Path] = cache.ParseSum(v.SHA256)
		}
	}
	return list
}

// entries describes every file of the pack as it is after a compile, in path
// order; false when one cannot be looked at.
func (c *compilation) entries(x *cache.Files, r *Result) bool {
	n, made := c.cache, generatedBy(r)
	written := map[string]cache.Sum{} // by this run; the sum of a record is not known
	for name, op := range c.out.ops {
		if op != publish.Deleted && op != publish.Unchanged {
			written[name] = made[name]
		}
	}
	if r.RunPath != "" {
		written[r.RunPath] = cache.Sum{}
	}
	x.Entries = make([]cache.Entry, 0, len(c.pack.Files)+len(written))
	for _, f := range c.pack.Files {
		if _, again := written[f.Path]; again || c.out.ops[f.Path] == publish.Deleted {
			continue
		}
		stamp := n.stampOf(f)
		e := cache.Entry{Path: f.Path, Size: f.Size, Stamp: stamp, Quiet: n.quiet(stamp)}
		switch in := cmp.Or(c.inputs[f.Path], c.beside[f.Path]); {
		case in != nil:
			e.Sum, e.Lines, e.Findings = cache.ParseSum(in.sha256), in.lines, in.diags
		case isOutput(f.Path):
			e.Sum = n.sum(f)
		}
		x.Entries = append(x.Entries, e)
	}
	moment := c.lookAgain(written)
	for name, sum := range written {
		f, err := c.pack.Look(name)
		if err != nil {
			return false
		}
		x.Entries = append(x.Entries, cache.Entry{
			Path: name, Size: f.Size, Stamp: f.Stamp(), Quiet: cache.Quiet(f.Stamp(), moment, n.fine), Sum: sum,
		})
	}
	slices.SortFunc(x.Entries, func(a, b cache.Entry) int { return strings.Compare(a.Path, b.Path) })
	return c.completeEntries(x, made)
}

// completeEntries adds what is not yet known: sums of files that nobody read, and
// what compile has to do with a file.
func (c *compilation) completeEntries(x *cache.Files, made map[string]cache.Sum) bool {
	found := 0
	for i := range x.Entries {
		e := &x.Entries[i]
		_, generated := made[e.Path]
		if e.Sum == (cache.Sum{}) && (generated || !e.Quiet) {
			digits, err := c.pack.SHA256(e.Path)
			if err != nil {
				return false
			}
			e.Sum = cache.ParseSum(digits)
		}
		op, ours := c.out.ops[e.Path]
		e.Output = ours && op != publish.Deleted
		if sum, ok := made[e.Path]; ok && sum == e.Sum {
			e.Made = true
			found++
		}
	}
	x.Edited = found < len(made)
	return true
}

// lookAgain returns the moment from which outputs are looked at once more. Large
// ones are given the few milliseconds after which their times can be believed:
// the next compile would take longer to hash them.
func (c *compilation) lookAgain(written map[string]cache.Sum) int64 {
	const large = 4 << 20 // bytes
	if c.cache.fine {
		youngest := int64(0)
		for name := range written {
			if !strings.HasSuffix(name, ".json") {
				continue
			}
			if f, err := c.pack.Look(name); err == nil && f.Size > large {
				youngest = max(youngest, f.Stamp().ChangeTime)
			}
		}
		wait := time.Until(time.Unix(0, youngest+int64(cache.FineWindow)+1))
		time.Sleep(min(wait, cache.FineWindow+time.Millisecond))
	}
	return time.Now().UnixNano()
}

func countsOf(r *Result) Counts {
	return Counts{
		Views: len(r.Index.Views), Splits: len(r.Index.Splits), Claims: len(r.SourceMap.Claims), Tokens: r.Index.TotalTokenEstimate,
	}
}
