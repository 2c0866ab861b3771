package compiler

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/store"
)

// publish writes the run record, unless it would repeat the newest one, makes all
// outputs visible, and remembers the result of the pack.
func (g *judged) publish(ctx context.Context) (_ *Result, err error) {
	r := g.result()
	if g.opt.Early != nil {
		if err := g.opt.Early(r); err != nil {
			return nil, err
		}
	}
	g.files, g.byPath = nil, nil // the result has what is asked of them from here on
	changed := slices.ContainsFunc(r.Run.Outputs, isChange)
	if changed || g.opt.RecordUnchanged || !g.history.repeats(&r.Run, g.pack) {
		r.RunPath = runsDir + "/" + r.Run.RunID + ".json"
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.RunPath != "" {
		if err := g.out.writeRun(r.RunPath, &r.Run); err != nil {
			return nil, err
		}
		if r.Recorded, err = g.dropRuns(r.Recorded); err != nil {
			return nil, err
		}
	}
	if err := g.forget(changed || r.RunPath != ""); err != nil {
		return nil, err
	}
	if err := g.out.commit(); err != nil {
		return nil, err
	}
	g.keep(r)
	return r, nil
}

// result is what the phases made, for the caller.
func (g *judged) result() *Result {
	r := &Result{
		Pack: g.pack, Index: g.index, SourceMap: g.sourceMap, Views: g.texts, Run: g.run, Diagnostics: g.found, Suppressed: g.suppressed, Comments: g.comments,
		Recorded: g.history.paths(), SuggestedStatus: suggestedStatus(g.pack.Meta.Status, g.run.Status),
		store: g.cache.store, recordSums: g.cache.sumsOf(g.pack.List(runsDir)),
	}
	r.Counts = countsOf(r)
	for i := range g.opt.Contribute {
		r.contributors = append(r.contributors, g.opt.Contribute[i].Name)
	}
	r.Counts.Comments = g.guide.info.Comments
	for _, f := range g.files {
		r.Counts.Comments += f.info.Comments
	}
	r.Units = make([]UnitInfo, len(g.files))
	for i, f := range g.files {
		r.Units[i] = f.info
	}
	return r.decide(g.opt.Policy)
}

// decide lets the policy of the repository change what a result reports. What was
// found is kept beside it: outputs follow from that.
func (r *Result) decide(p policy.Local) *Result {
	r.Found = r.Diagnostics
	if r.Diagnostics, r.Changed = p.Apply(r.Found); len(r.Changed) > 0 {
		diag.Sort(r.Diagnostics)
	}
	return r
}

// keep remembers the result of the pack once all outputs are in place: the
// digests of its files, and, when another compile would change nothing, the
// result under the key that they make.
func (g *judged) keep(r *Result) {
	n := g.cache
	if g.opt.OutDir != "" || n.name == "" {
		return
	}
	files, ok := g.filesAfter(r)
	if !ok {
		return
	}
	g.out.ops, g.out.sums = nil, nil // the files say it now
	if !g.opt.DryRun {
		_ = store.WriteTree(n.name, store.NewTree(files))
	}
	// With a new run the next compile may not read an obsolete one.
	settled := !g.out.once && (len(g.history.diags) == 0 || r.RunPath == "")
	if !settled || slices.ContainsFunc(r.Found, Withheld) {
		return
	}
	r.State = g.packKey(files)
	if g.opt.DryRun && r.changes() {
		r.State = r.State.With("not written")
		return
	}
	store.Keep(n.store, r.State, keptResult{
		suggested: r.SuggestedStatus, status: r.Run.Status, counts: r.Counts, found: r.Found, comments: r.Comments, runs: r.Runs(), outputs: packOutputs(r.kept()),
	})
	g.keepHistory(files, r)
	if i := slices.IndexFunc(files, func(f store.File) bool { return f.Path == indexPath }); i >= 0 {
		n.keepGenerated(files[i].Sum, &g.index)
	}
}

// forget drops what is known of the files of the pack before outputs change: another run may
// have listed the pack by now, and must not believe that list when this one is cut short.
func (g *judged) forget(changes bool) error {
	if !changes || g.opt.DryRun || g.cache.name == "" {
		return nil
	}
	if err := store.RemoveTree(g.cache.name); err != nil {
		return fmt.Errorf("drop what is known of the pack: %w", err)
	}
	return nil
}

// filesAfter describes every file of the pack as it is after a compile, in path
// order; false when one cannot be looked at.
func (g *judged) filesAfter(r *Result) ([]store.File, bool) {
	n := g.cache
	written := map[string]bool{}
	if !g.opt.DryRun {
		for name, op := range g.out.ops {
			if op == publish.Created || op == publish.Updated {
				written[name] = true
			}
		}
		if r.RunPath != "" {
			written[r.RunPath], written[schema.RunLedgerPath(r.RunPath)] = true, true
		}
	}
	files := make([]store.File, 0, len(g.pack.Files)+len(written))
	for _, f := range g.pack.Files {
		if written[f.Path] || g.out.ops[f.Path] == publish.Deleted && !g.opt.DryRun {
			continue
		}
		files = append(files, store.File{Path: f.Path, Stat: f.Stat, Sum: g.sumOf(f), Quiet: n.quiet(f)})
	}
	moment := n.lookAgain(written)
	for name := range written {
		f, err := g.pack.Look(name)
		if err != nil {
			return nil, false
		}
		sum := g.out.sums[name]
		if !sum.Known() {
			digits, err := g.pack.Digest(name)
			if err != nil {
				return nil, false
			}
			sum = store.ParseDigest(digits)
		}
		files = append(files, store.File{Path: name, Stat: f.Stat, Sum: sum, Quiet: store.Quiet(f.Stat, moment, n.fine)})
	}
	slices.SortFunc(files, func(a, b store.File) int { return strings.Compare(a.Path, b.Path) })
	return files, !slices.ContainsFunc(files, func(f store.File) bool { return !f.Sum.Known() })
}

// sumOf returns the digest of a file that the compile has not written.
func (g *judged) sumOf(f pack.File) store.Digest {
	if in := g.inputs[f.Path]; in != nil {
		return store.ParseDigest(in.sha256)
	}
	if sum := g.out.sums[f.Path]; sum.Known() && !g.out.ends[f.Path] {
		return sum // it was compared with what it should be
	}
	return g.cache.sum(f)
}

// keepHistory remembers for the next compile what the newest run record says of
// claims: that of this run, when it was recorded.
func (g *judged) keepHistory(files []store.File, r *Result) {
	if len(g.history.diags) > 0 || len(g.history.base) > 0 && r.RunPath == "" {
		return // what is met depends on how far the records are read
	}
	claims, removed := r.Run.Claims, r.Run.RemovedClaims
	if r.RunPath == "" { // then its records are as the newest run left them, too
		claims, removed = g.history.ledger.Records()
	}
	store.Keep(g.cache.store, historyKey(files), keptHistory{
		fingerprint(&r.Run), r.Run.IndexSHA256, r.Run.SourceMapSHA256, keptClaims(claims), keptClaims(removed),
	})
}

func keptClaims(list []schema.RunClaim) []keptClaim {
	kept := make([]keptClaim, len(list))
	for i, c := range list {
		kept[i] = keptClaim{c.Claim, c.Words, c.Source, store.ParseDigest(c.Span), store.ParseDigest(c.File), c.Confirmed, c.Stale}
	}
	return kept
}

// run builds the run record (section 9) from what was found. What calls for a review is the worst finding, not the first of
// the record: those are in the order of severity and path, in which a claim that
// needs a source can be before a dispute.
func (j *joined) run(found []diag.Diagnostic) schema.Run {
	meta := &j.pack.Meta
	found = j.forRecord(found)
	status, worst := worstOf(j.gated(found))
	r := schema.Run{
		HasLedger: true,
		RunID:     j.history.freeID(j.opt.Now), Trigger: j.opt.Trigger, Status: status,
		Compiler: schema.RunCompiler{Tool: toolName, Version: Version},
		Outputs:  j.out.records(), Diagnostics: recordDiagnostics(found),
		Profile: j.profile, RuntimeMode: j.mode, PrimaryDocument: secret.RedactPath(meta.PrimaryDocument),
	}
	if meta.Status == schema.Disputed { // section 14.1: a disputed pack compiles, and never passes
		r.Status = schema.Worse(r.Status, schema.Disputed)
	}
	r.Inputs, r.Documents, r.Chapters = j.runInputs(), j.runDocuments(), j.chapters()
	r.Claims, r.RemovedClaims = j.ledger.Records()
	r.IndexSHA256, r.SourceMapSHA256 = j.out.sums[indexPath].String(), j.out.sums[sourceMapPath].String()
	r.Review.Required = r.Status != schema.Passed
	if worst != nil {
		r.Review.Reason = secret.Redact(worst.Record())
	}
	if by := meta.ProducedBy; by != nil && by.Name != "" && (by.Kind == "agent-skill" || by.Kind == "skill") {
		r.BuilderSkill = &schema.RunBuilder{Name: secret.RedactKnown(by.Name), Version: secret.RedactKnown(by.Version), Digest: secret.RedactKnown(by.Digest)}
	}
	return r
}

// writeRun writes the record of a run and its ledger.
func (w *outputs) writeRun(path string, run *schema.Run) error {
	if w.tx == nil {
		return nil
	}
	ledger, err := run.Ledger()
	if err != nil {
		return err
	}
	// A ledger without a record says nothing, a record without its ledger is damaged.
	if _, err := w.tx.PutFrom(publish.File{
		Path: schema.RunLedgerPath(path), Content: func(to io.Writer) error { return schema.Write(to, ledger) }, Last: true, Differs: true,
	}); err != nil {
		return err
	}
	_, err = w.tx.PutFrom(publish.File{Path: path, Content: func(to io.Writer) error { return schema.Write(to, run) }, Last: true, Differs: true})
	return err
}

// dropRuns removes the oldest of the earlier runs, newest first, where more are kept than
// the options say, and returns those that stay. Runs without a ledger are another tool's.
func (g *judged) dropRuns(recorded []string) (stay []string, err error) {
	if g.opt.KeepRuns == 0 {
		return recorded, nil
	}
	own := 1 // the run that is written now
	for _, record := range recorded {
		ledger := schema.RunLedgerPath(record)
		if !g.out.old.Holds(record) || !g.out.old.Holds(ledger) {
			stay = append(stay, record)
			continue
		}
		if own++; own <= g.opt.KeepRuns {
			stay = append(stay, record)
			continue
		}
		for _, name := range []string{record, ledger} {
			g.out.ops[name] = publish.Deleted
			if g.out.tx == nil {
				continue
			}
			if err := g.out.tx.Delete(name); err != nil {
				return nil, err
			}
		}
	}
	return stay, nil
}

// runInputs lists every input with its hash, in path order.
func (j *joined) runInputs() []schema.RunInput {
	list := make([]schema.RunInput, 0, len(j.inputs))
	for _, name := range sortedKeys(j.inputs) {
		list = append(list, schema.RunInput{Path: name, SHA256: j.inputs[name].sha256})
	}
	return list
}

// runDocuments lists the Markdown files under documents/, the primary one first.
func (j *joined) runDocuments() []schema.RunDocument {
	list := []schema.RunDocument{}
	for _, f := range j.files {
		if !strings.HasPrefix(f.path, "documents/") {
			continue
		}
		role := "supporting"
		if f.path == j.pack.Meta.PrimaryDocument {
			role = "primary"
		}
		list = append(list, schema.RunDocument{Path: f.path, Role: role, Status: f.info.Status, SHA256: f.info.SHA256})
	}
	slices.SortFunc(list, func(a, b schema.RunDocument) int {
		return cmp.Or(strings.Compare(a.Role, b.Role), strings.Compare(a.Path, b.Path)) // "primary" sorts before "supporting"
	})
	return list
}

// chapters lists the splits with how well sources cover them and what leads to them.
func (j *joined) chapters() []schema.RunChapter {
	list, routing := make([]schema.RunChapter, len(j.index.Splits)), j.routings()
	for i, s := range j.index.Splits {
		list[i] = schema.RunChapter{
			ID: s.ID, Title: s.Title, Document: s.Document, Path: s.Path,
			Coverage: j.coverage[i], Tokens: s.TokenEstimate, SourceAnchors: s.SourceAnchors,
			Routing: routing(s.ID, s.Document),
		}
	}
	return list
}
