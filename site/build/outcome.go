package build

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/resolver/agent/usage"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site"
	"github.com/packgen/packgen/site/page"
)

// outcome is which packs the site shows. One bad pack does not freeze the others: its
// pages stay as they were published last, or it has none.
type outcome struct {
	shown    []*repo.Member  // as they were compiled, in path order
	kept     []site.Kept     // as the previous site has them
	keptDirs []string        // directories of those, from the repository root
	leftDirs []string        // those of packs that the site has nothing of
	refused  map[string]bool // names of packs that the index or the pages found not fit to be shown

	blaming sync.Mutex
	blamed  []string // names of packs whose files could not be made
}

// sort decides what becomes of each pack.
func (b *Run) sort(tx publish.Target) {
	o := &b.out
	o.shown, o.kept, o.keptDirs, o.leftDirs = nil, nil, nil, nil
	taken := map[string]bool{}
	for _, m := range b.Repository.Members {
		if !o.refused[m.Name()] && !m.Unsound() {
			o.shown = append(o.shown, m)
			taken[m.Name()] = true
		}
	}
	before := 0
	for _, m := range b.Repository.Members {
		if before < len(o.shown) && o.shown[before] == m {
			before++
			continue
		}
		b.keepOrLeave(tx, taken, m.Dir, before, m.Findings())
	}
	for _, dir := range b.Repository.Lost() {
		b.keepOrLeave(tx, taken, dir, before, []diag.Diagnostic{{ID: "pack-missing", Severity: diag.Error}})
	}
}

// keepOrLeave keeps the pages that the previous site has of a pack, if it has any. A pack
// that cannot be read may not say its name: it is that of the directory.
func (b *Run) keepOrLeave(tx publish.Target, taken map[string]bool, dir string, before int, found []diag.Diagnostic) {
	name := path.Base(dir)
	if dir == "." {
		name = filepath.Base(b.ws.Paths.Dir)
	}
	if !taken[name] && site.HasLast(tx, name) && !(slices.ContainsFunc(found, compiler.Withheld) && site.LastSecret(tx, name)) {
		taken[name] = true
		b.out.kept = append(b.out.kept, site.Kept{Name: name, Before: before, Errors: diag.Count(found, diag.Error)})
		b.out.keptDirs = append(b.out.keptDirs, dir)
		return
	}
	b.out.leftDirs = append(b.out.leftDirs, dir)
}

// changed reports that the index or the pages found a pack not fit to be shown, and
// notes it.
func (o *outcome) changed(b *Run) bool {
	found := false
	for _, m := range o.shown {
		if m.Unsound() {
			o.refuse(m.Name())
			found = true
		}
	}
	return found
}

// makePack makes what index and site have of a pack as soon as it is compiled. Its
// result, which grows with its text, is not held longer than that.
func (b *Run) makePack(ctx context.Context, t *tools, tx publish.Target, m *repo.Member) error {
	in, err := b.siteInput(ctx, m)
	if err != nil {
		return err
	}
	made, err := t.pages.Pack(ctx, m.Result, in, tx, func() {
		if b.serve.screen != nil {
			b.serve.screen.Show()
		}
		if b.paged != nil {
			b.paged()
		}
	})
	if b.blame(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("generate the site: %w", err)
	}
	if j := b.remote.job(m); j != nil {
		j.made = true
		b.remote.count(func(r *RemoteReport) { r.Made++ })
	}
	if !made {
		return nil
	}
	if err := t.builder.Add(m.Result); err != nil {
		return fmt.Errorf("build the loadout index: %w", err)
	}
	m.Result = m.Result.Trim()
	return nil
}

// blame reports an error about the files of one pack, and refuses the pack with a finding:
// the others are published.
func (b *Run) blame(err error) bool {
	name := packOf(err)
	m := b.Repository.Find(name, "")
	if m == nil || b.out.refused[name] {
		return false
	}
	d := m.Fault(err, "")
	if d == nil {
		return false
	}
	d.Pack = name
	b.out.blaming.Lock()
	defer b.out.blaming.Unlock()
	b.Repository.Add([]diag.Diagnostic{*d})
	b.out.blamed = append(b.out.blamed, name)
	return true
}

// packOf is the name of the pack that an error is about: whose files could not be made, or
// something is in the way of. "" means the site, or the machine.
func packOf(err error) string {
	var of *site.PackError
	if errors.As(err, &of) {
		return of.Name
	}
	var blocked *publish.BlockedError
	if errors.As(err, &blocked) {
		if below, ok := strings.CutPrefix(blocked.Path, "packs/"); ok {
			name, _, _ := strings.Cut(below, "/")
			return name
		}
	}
	return ""
}

// refuseBlamed refuses the packs whose files could not be made, and reports whether there
// are any: what was made of them is on the site that is being written.
func (o *outcome) refuseBlamed() bool {
	found := len(o.blamed) > 0
	for _, name := range o.blamed {
		o.refuse(name)
	}
	o.blamed = nil
	return found
}

// refuse notes a pack that is not fit to be shown.
func (o *outcome) refuse(name string) {
	if o.refused == nil {
		o.refused = map[string]bool{}
	}
	o.refused[name] = true
}

// forget drops what the index and the pages found in packs that are made again, and about
// the repository; faults is how many of those there were before.
func (b *Run) forget(faults int) {
	b.raised, b.Index = nil, nil
	b.Repository.Faults = b.Repository.Faults[:faults]
	for _, m := range b.Repository.Members {
		if !b.out.refused[m.Name()] {
			m.Later = nil
		}
	}
}

// results are those of the packs that are shown.
func (b *Run) results() []*compiler.Result {
	list := make([]*compiler.Result, len(b.out.shown))
	for i, m := range b.out.shown {
		list[i] = m.Result
	}
	return list
}

// earlier is what the index has of kept packs: in a serve, whose site may have no index,
// their last good results, and otherwise the entries of the previous site.
func (b *Run) earlier(builder *index.Builder, tx publish.Target) (results []*compiler.Result, entries []loadout.Entry) {
	for _, k := range b.out.kept {
		if r := b.serve.good[k.Name]; r != nil && builder.Knows(r.Pack, r.State) {
			results = append(results, r)
		}
	}
	if len(results) < len(b.out.kept) {
		entries = b.keptEntries(tx)
	}
	return results, entries
}

// aboutShown leaves out what is about kept packs: their last good builds said it.
func (b *Run) aboutShown(found []diag.Diagnostic) []diag.Diagnostic {
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool {
		return slices.ContainsFunc(b.out.kept, func(k site.Kept) bool { return k.Name == d.Pack })
	})
}

// keptEntries are the entries that the index of the previous site has of kept packs.
func (b *Run) keptEntries(tx publish.Target) []loadout.Entry {
	text, err := tx.ReadLast("index.json")
	if err != nil {
		return nil
	}
	ix, err := indexjson.ReadWith(text, func(p *indexjson.Part) ([]byte, error) { return tx.ReadLast(p.Path) })
	if err != nil {
		return nil
	}
	var list []loadout.Entry
	for i := range ix.Entries {
		for _, k := range b.out.kept {
			if strings.HasPrefix(ix.Entries[i].Path, "packs/"+k.Name+"/") {
				list = append(list, ix.Entries[i])
			}
		}
	}
	return list
}

// Blocked reports that nothing may be published: an error about the repository as a
// whole, any error where Strict says so, or no pack that has pages.
func (b *Run) Blocked() bool {
	return b.Repository.Blocked() || b.Flags.Strict && b.Failed() ||
		len(b.out.shown)+len(b.out.kept) == 0 && len(b.Repository.Members)+len(b.out.leftDirs) > 0 ||
		b.into != nil && (len(b.out.refused) > 0 || b.out.changed(b)) // a server has shown the pages: it keeps the previous site
}

// Kept are the directories of the packs whose pages are those of an earlier build.
func (b *Run) Kept() []string {
	if !b.Written {
		return nil
	}
	return b.out.keptDirs
}

// LeftOut are the directories of the packs that have errors, and no page on the site.
func (b *Run) LeftOut() []string {
	if !b.Written {
		return nil
	}
	return b.out.leftDirs
}

// Why returns the error that keeps a pack from being shown, by its directory; the first
// of those about the pack as a whole.
func (b *Run) Why(dir string) (why diag.Diagnostic, ok bool) {
	found := b.Repository.Faults
	if m := b.Repository.Find("", dir); m != nil {
		found = m.Findings()
	}
	for _, d := range found {
		if d.Severity != diag.Error || d.Pack == "" && d.Path != dir {
			continue
		}
		if !ok || compiler.CostsFile(why) && !compiler.CostsFile(d) {
			why, ok = d, true
		}
	}
	return why, ok
}

// Withheld are the files that the site does not show, each with the error that says why.
// Their paths are from the repository root.
func (b *Run) Withheld() []diag.Diagnostic {
	var list []diag.Diagnostic
	if !b.Written {
		return nil
	}
	for _, m := range b.out.shown {
		for _, d := range m.LeftOut() {
			d.Path = path.Join(m.Dir, d.Path)
			list = append(list, d)
		}
	}
	return list
}

// IndexReport is what the envelope says about the loadout index.
type IndexReport struct {
	Entries      int     `json:"entries"`
	AlwaysLoaded float64 `json:"always_loaded_est"`
	OnDemand     float64 `json:"on_demand_total_est"`
}

// ReportPage is what a page shows of a report.
func ReportPage(r *usage.Report) *site.Report {
	p := &site.Report{
		Events: r.Events, Skipped: r.Skipped, Entries: r.Entries, Estimated: r.Estimated, Observed: r.Breadth.ObservedAvg,
		Loads: r.Usage, Dead: r.Dead, Overlaps: r.Overlaps, Misses: r.Misses,
	}
	for i, n := range r.Scores {
		if n > 0 {
			p.Scores = append(p.Scores, site.ReportScore{Label: usage.ScoreLabel(i), Count: n})
		}
	}
	for _, w := range r.Words {
		p.Words = append(p.Words, site.ReportWord{Word: w.Word, Prompts: w.Prompts, Entry: w.Near})
	}
	return p
}

// rolesOf are the roles as the site takes them.
func rolesOf(list []repo.Role) []site.Role {
	out := make([]site.Role, len(list))
	for i, r := range list {
		out[i] = site.Role(r)
	}
	return out
}

// retrieval measures how well the context queries of a pack find it, for its page; ok is
// false for a pack without queries, or with faults in them: check and eval report those. A
// dry run measures the pack as it was compiled last.
func (b *Run) retrieval(ctx context.Context, m *repo.Member) (r page.Retrieval, ok bool, err error) {
	if m.Result == nil || m.Result.Reused || m.Unusable() {
		return r, false, nil
	}
	suite, _, err := eval.ContextSuiteOf(m)
	if err != nil || suite == nil {
		return r, false, err
	}
	w := *b.ws
	w.Config.Overlay = b.overlay
	l := repo.NewLibrary(&w)
	defer l.Close()
	report, err := eval.MeasureQueries(ctx, l.Open, m, suite)
	if err != nil {
		return r, false, err
	}
	r.Queries = len(suite.Cases)
	for _, at := range report.Curve {
		r.Curve = append(r.Curve, page.RecallAt{Budget: at.Budget, Recall: at.Recall, Precision: at.Precision})
	}
	return r, true, nil
}
