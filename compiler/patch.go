package compiler

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/baseline"
	"github.com/packgen/packgen/compiler/cache"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
)

// patch is a compile after which only the parts of a few files differ (section
// 6.9): those are made again, and all other bytes of the records are copied from
// what stands there. It is tried first, and gives up whenever a change may reach
// further than the file it was made in; nothing has been staged then.
type patch struct {
	*compilation
	joined  *cache.Joined
	changed []*patched            // in compile order
	claims  map[cache.ClaimID]int // new counts
	made    map[string]bool       // paths of what is made of changed files, and their own
}

// patched is a file that was changed.
type patched struct {
	*file
	was   *file
	place int // among the parts
	entry int // among the files of the cache

	claims   []schema.Claim
	sections []schema.Section
	splits   []schema.Split
	chapters []schema.RunChapter
	facts    string // its part of the facts view
	item     string // its line of the briefing
	old      struct {
		claims []schema.Claim
		splits []schema.Split
	}
}

// maxPatched is how many files may have changed for a patch to be tried.
const maxPatched = 32

// patch replaces the parts of changed files; nil when that cannot be done.
func (c *compilation) patch(ctx context.Context) (*Result, error) {
	p := &patch{compilation: c, claims: map[cache.ClaimID]int{}, made: map[string]bool{}}
	if !p.applies() {
		return nil, nil
	}
	restore := c.begin(p)
	ok, err := p.analyse(ctx)
	var w *splice
	if ok && err == nil {
		if w, err = openSplice(p); err == nil {
			defer w.close()
			ok = w.read() && p.isolated() && p.join()
		}
	}
	if ok && err == nil {
		ok, err = w.prepare()
	}
	if !ok || err != nil {
		restore()
		return nil, err
	}
	return w.write(ctx)
}

// applies reports whether nothing but the text of a few units has changed, and
// the cache knows the parts of all.
func (p *patch) applies() bool {
	n := p.cache
	if n == nil || n.files == nil || p.opt.DryRun || p.opt.Force || p.opt.RecordUnchanged || p.opt.Changed != nil ||
		!n.files.Settled || n.files.Edited || n.files.Joined == 0 || len(n.files.Skipped) > 0 ||
		n.files.Context != contextOf(&p.opt) || len(n.files.Entries) != len(n.pack.Files) {
		return false
	}
	// What is said of two claims names the lines of both.
	if slices.ContainsFunc(n.files.Findings, func(d diag.Diagnostic) bool { return d.ID == gateClaimConflict }) {
		return false
	}
	var changed []int
	for i, f := range n.pack.Files {
		e := &n.files.Entries[i]
		switch {
		case e.Path != f.Path:
			return false
		case e.AtRest(f), e.Size == f.Size && n.same(f):
			continue
		case !isUnit(f.Path) || len(changed) == maxPatched:
			return false
		}
		changed = append(changed, i)
	}
	if p.joined = n.dir.ReadJoined(n.key, n.files.Joined); p.joined == nil {
		return false
	}
	return p.choose(changed)
}

// choose looks for the changed files among the parts.
func (p *patch) choose(changed []int) bool {
	at := make(map[string]int, len(changed))
	for _, i := range changed {
		at[p.pack.Files[i].Path] = i
	}
	for place := range p.joined.Parts {
		part := &p.joined.Parts[place]
		entry, ok := at[part.Path]
		if !ok {
			continue
		}
		unit, ok := p.cache.units.Get(part.Path)
		if !ok || unit.Blob == "" || part.Target {
			return false
		}
		f := &patched{
			file:  &file{path: part.Path, size: p.pack.Files[entry].Size, role: roleOf(part.Path, p.documents, p.wiki), order: place, wait: true},
			was:   &file{path: part.Path},
			place: place, entry: entry,
		}
		if f.role == contradiction || f.role == question || !f.was.unpackUnit(unit.Blob) {
			return false // the boundaries view tells of them
		}
		p.changed = append(p.changed, f)
	}
	return len(p.changed) == len(changed)
}

// begin makes the compilation one of the changed files alone; restore undoes it.
func (c *compilation) begin(p *patch) (restore func()) {
	c.readGuide()
	c.inputs, c.history = map[string]*input{}, nil
	c.visited = map[string]bool{}
	for _, f := range p.changed {
		c.files = append(c.files, f.file)
		c.byPath[f.path] = f.file
	}
	c.out.recorded = map[string]string{}
	return func() {
		for _, f := range p.changed {
			c.visited[f.path] = true
		}
		c.files, c.byPath, c.inputs, c.history, c.ledger = nil, map[string]*file{}, nil, nil, nil
		c.guide, c.limits, c.facts, c.ids, c.targets = nil, nil, nil, nil, nil
		c.out.recorded, c.copies = nil, copies{}
		c.coverage, c.dirs = nil, nil
	}
}

// analyse reads the changed files. False when one has not the shape it had.
func (p *patch) analyse(ctx context.Context) (bool, error) {
	err := p.parallel(ctx, len(p.changed), func(i int) error { return p.compilation.analyse(p.changed[i].file) })
	if err != nil || len(p.copies.late) > 0 {
		return false, err
	}
	for _, f := range p.changed {
		if f.blob == "" || f.copied() || f.was.copied() || f.walked != f.was.walked || f.limits != f.was.limits || !slices.Equal(splitPaths(f.file), splitPaths(f.was)) {
			return false, nil
		}
		p.made[f.path] = true
		for _, name := range splitPaths(f.file) {
			p.made[name] = true
			at, ok := p.pack.Stat(name)
			if !ok {
				return false, nil
			}
			p.out.recorded[name] = p.cache.sum(at).String()
		}
	}
	if slices.ContainsFunc(p.opt.Opened, func(d diag.Diagnostic) bool { return p.made[d.Path] }) {
		return false, nil
	}
	return true, p.readCited(ctx)
}

// splitPaths lists the splits of a file, "" for a section without one.
func splitPaths(f *file) []string {
	list := make([]string, len(f.sections))
	for i := range f.sections {
		list[i] = f.sections[i].split.Path
	}
	return list
}

// readCited learns what anchors of the changed files need to know of other files.
func (p *patch) readCited(ctx context.Context) error {
	for _, f := range p.changed {
		for _, a := range slices.Concat(f.citations, f.was.citations) {
			at, ok := p.pack.Stat(a.path)
			if !ok || !isInput(a.path) {
				continue
			}
			if e := p.cache.files.Find(at.Path); e != nil {
				p.inputs[a.path] = &input{sha256: e.Sum.String(), lines: e.Lines, diags: e.Findings}
			}
		}
	}
	p.readInputs()
	var err error
	if p.history, err = openHistory(p.out.old); err != nil {
		return err
	}
	if !p.restoreHistory() {
		return nil // isolated gives up
	}
	return p.readSpans(ctx, func(yield func(string) bool) {
		for _, f := range p.changed {
			for k := range claimKeys([]*file{f.was}) {
				if !yield(k.Source) {
					return
				}
			}
		}
	})
}

// assess works out the claims of the changed files; false when a claim that has come,
// gone or been confirmed may stand in another file too.
func (p *patch) assess() bool {
	if p.history.ledger == nil {
		return false
	}
	var was []*file
	given := map[string]int{} // by the changed files, before
	for _, f := range p.changed {
		was = append(was, f.was)
		for _, claim := range f.old.claims {
			id, _ := cutNumber(claim.ClaimID)
			given[id]++
		}
	}
	before, now := claimKeys(was), claimKeys(p.files)
	var went []baseline.Key
	for k := range before {
		if _, there := now[k]; !there {
			went = append(went, k)
		}
	}
	for k, confirmed := range now {
		if old, there := before[k]; there && old == confirmed {
			delete(now, k)
		}
	}
	for _, keys := range [2]iter.Seq[baseline.Key]{slices.Values(went), maps.Keys(now)} {
		for k := range keys {
			if p.joined.Claims.Count(claimID(k.Claim)) != given[k.Claim] {
				return false
			}
		}
	}
	p.ledger = p.history.ledger.With(now, went, p.citedNow)
	return true
}

// isolated gives the claims of the changed files their ids, and reports whether
// those of all others stay what they are: an id that several files share is
// numbered through all of them.
func (p *patch) isolated() bool {
	if !p.assess() {
		return false
	}
	p.facts = &view{path: factsPath, kind: "facts"}
	p.facts.text.WriteString(factsHead)
	for _, f := range p.changed {
		before, first := claimIDs{}, claimIDs{}
		for _, claim := range f.old.claims {
			id, n := cutNumber(claim.ClaimID)
			if before[id]++; before[id] == 1 {
				first[id] = n - 1
			}
		}
		p.ids = maps.Clone(first)
		p.mapPatched(f)
		for id, last := range p.ids {
			n, key := last-first[id], claimID(id)
			total, known := p.claims[key]
			if !known {
				total = p.joined.Claims.Count(key)
			}
			if n != before[id] && total != before[id] {
				return false
			}
			p.claims[key] = total - before[id] + n
		}
	}
	return true
}

// cutNumber takes a claim id apart: the id without its number, and the number, 1
// when it has none.
func cutNumber(claimID string) (id string, n int) {
	hash, number, ok := strings.Cut(strings.TrimPrefix(claimID, "clm-"), "-")
	if n = 1; ok {
		n, _ = strconv.Atoi(number)
	}
	return "clm-" + hash, n
}

// mapPatched makes the part of a file in the source map and the facts view.
func (p *patch) mapPatched(f *patched) {
	at := p.facts.text.Len()
	if f.walked {
		m := schema.SourceMap{}
		p.mapFile(&m, f.file)
		f.claims, f.sections = m.Claims, m.DocumentSections
	}
	f.facts = p.facts.text.String()[at:]
	if f.role == page && f.walked {
		f.item = listItem(briefingItem(f.file))
	}
}

// join completes the parts, and reports whether no other part is touched.
func (p *patch) join() bool {
	for _, f := range p.changed {
		part := &p.joined.Parts[f.place]
		disputes := slices.ContainsFunc(f.claims, func(claim schema.Claim) bool { return claim.Status == disputed })
		if disputes && !p.joined.Disputed || (f.facts == "") != (part.Facts == 0) || (f.item == "") != (part.Item == 0) {
			return false
		}
		p.coverage = nil
		one := schema.Index{Splits: p.splitsOf(f.file, 0)}
		f.splits = one.Splits
		if len(f.splits) != len(f.old.splits) {
			return false
		}
		for i := range f.splits {
			f.splits[i].Order = f.old.splits[i].Order
			if f.splits[i].Path != f.old.splits[i].Path {
				return false
			}
		}
		f.chapters = p.chapters(&one)
	}
	return p.refer()
}

// refer judges the links of the changed files that lead to headings of others.
func (p *patch) refer() bool {
	for _, f := range p.changed {
		for _, r := range f.refs {
			if r.fragment == "" || !isUnit(r.target) || p.byPath[r.target] != nil {
				continue
			}
			unit, ok := p.cache.units.Get(r.target)
			if !ok || unit.Blob == "" {
				return false
			}
			other := &file{path: r.target, role: roleOf(r.target, p.documents, p.wiki)}
			if !other.unpackUnit(unit.Blob) {
				return false
			}
			p.byPath[r.target] = other
		}
		p.checkReferences(f.file)
	}
	return true
}

// findings are those of the last compile, but for what was said of the changed
// files.
func (p *patch) findings() []diag.Diagnostic {
	var list []diag.Diagnostic
	for _, d := range p.cache.files.Findings {
		if !p.made[d.Path] {
			list = append(list, d)
		}
	}
	for _, f := range p.changed {
		list = append(list, f.diags...)
	}
	for i := range list {
		list[i].Pack = p.pack.Meta.Name
		if d := &list[i]; d.ID == gateInjectionSuspect && isUnit(d.Path) && p.byPath[d.Path] == nil {
			p.know(d.Path)
		}
	}
	diag.Sort(list)
	return slices.Compact(list)
}

// know makes what a part tells of a file known, for the question whether its text
// reaches a view.
func (p *patch) know(path string) {
	i := slices.IndexFunc(p.joined.Parts, func(part cache.Part) bool { return part.Path == path })
	if i >= 0 {
		p.byPath[path] = &file{path: path, role: roleOf(path, p.documents, p.wiki), walked: p.joined.Parts[i].Walked}
	}
}

// runInputs and runDocuments tell of all files of the pack.
func (p *patch) runInputs() []schema.RunInput {
	list := make([]schema.RunInput, 0, len(p.joined.Parts)+16)
	for i := range p.cache.files.Entries {
		e := &p.cache.files.Entries[i]
		if !isInput(e.Path) {
			continue
		}
		in := schema.RunInput{Path: e.Path}
		if f := p.byPath[e.Path]; f != nil && f.wait {
			in.SHA256 = f.info.SHA256
		} else {
			in.SHA256 = e.Sum.String()
		}
		list = append(list, in)
	}
	return list
}

func (p *patch) runDocuments() []schema.RunDocument {
	list := []schema.RunDocument{}
	for i := range p.joined.Parts {
		part := &p.joined.Parts[i]
		if !strings.HasPrefix(part.Path, "documents/") {
			continue
		}
		d := schema.RunDocument{Path: part.Path, Status: part.Status}
		if f := p.byPath[part.Path]; f != nil && f.wait {
			d.Status, d.SHA256 = f.info.Status, f.info.SHA256
		} else if e := p.cache.files.Find(part.Path); e != nil {
			d.SHA256 = e.Sum.String()
		}
		list = append(list, d)
	}
	return p.rankDocuments(list)
}

// outputs lists what the pack holds, with what this run does to it.
func (p *patch) outputs() (list []schema.RunOutput, changed bool) {
	list = make([]schema.RunOutput, 0, len(p.cache.files.Entries)-len(p.joined.Parts))
	for i := range p.cache.files.Entries {
		e := &p.cache.files.Entries[i]
		if !e.Output {
			continue
		}
		op, ok := p.out.ops[e.Path]
		if !ok {
			op = publish.Unchanged
		}
		changed = changed || op != publish.Unchanged
		list = append(list, schema.RunOutput{Path: e.Path, Operation: string(op)})
	}
	return list, changed
}
