package compiler

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/cache"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
)

// plan is what a splice will write: nothing of it has been staged.
type plan struct {
	views    []planned // generated ones that differ
	records  []planned // those that differ, in the order in which they are written
	chapters []stretch
	parts    []cache.Part // of the changed files
	tokens   int          // the total of the index
	claims   int
}

// planned is a file that will be written.
type planned struct {
	name   string
	pieces []stretch
	text   []byte // of a view
	sum    cache.Sum
}

// prepare makes the new texts; false when a part cannot be replaced by itself.
func (w *splice) prepare() (bool, error) {
	p := &w.plan
	p.tokens, p.claims = w.cache.files.Counts[3], w.cache.files.Counts[2]
	p.parts = make([]cache.Part, len(w.changed))
	for i, f := range w.changed {
		p.parts[i] = w.joined.Parts[f.place]
		p.parts[i].Status, p.parts[i].Walked = f.info.Status, f.walked
		p.claims += len(f.claims) - len(f.old.claims)
		for j := range f.splits {
			p.tokens += f.splits[j].TokenEstimate - f.old.splits[j].TokenEstimate
		}
	}
	for _, step := range []func() (bool, error){w.planViews, w.planSourceMap, w.planIndex, w.planChapters} {
		if ok, err := step(); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// fresh makes the texts of the changed files for one list, notes their lengths and
// puts them in place.
func (w *splice) fresh(l *list, field func(*cache.Part) *int, text func(f *patched) (string, error)) (pieces []stretch, differs, ok bool, err error) {
	if l.in == nil {
		return nil, false, true, nil
	}
	texts := make([]string, len(w.changed))
	for i, f := range w.changed {
		if texts[i], err = text(f); err != nil {
			return nil, false, false, err
		}
	}
	pieces, differs, ok = l.replace(w.joined, w.changed, texts)
	for i := range texts {
		*field(&w.plan.parts[i]) = len(texts[i])
	}
	return pieces, differs, ok, nil
}

// planViews makes the views that differ.
func (w *splice) planViews() (bool, error) {
	if ok, err := w.planView(&w.lists.facts, func(p *cache.Part) *int { return &p.Facts }, func(f *patched) (string, error) { return f.facts, nil }); !ok {
		return ok, err
	}
	return w.planView(&w.lists.items, func(p *cache.Part) *int { return &p.Item }, func(f *patched) (string, error) { return f.item, nil })
}

func (w *splice) planView(l *list, field func(*cache.Part) *int, text func(f *patched) (string, error)) (bool, error) {
	pieces, differs, ok, err := w.fresh(l, field, text)
	if !ok || err != nil || !differs {
		return ok, err
	}
	if w.joined.Copied {
		return false, nil // what is copied in this view would have to be looked for again
	}
	body, err := hold(append([]stretch{{in: l.in, to: l.start}}, pieces...))
	if err != nil {
		return false, err
	}
	w.plan.views = append(w.plan.views, planned{name: l.in.name, text: body, sum: sha256.Sum256(body)})
	return true, nil
}

func (w *splice) planSourceMap() (bool, error) {
	claims, one, ok, err := w.fresh(&w.lists.claims, func(p *cache.Part) *int { return &p.Claims }, func(f *patched) (string, error) {
		return texts(schema.SourceMap{Claims: f.claims}, "claims")
	})
	if !ok || err != nil || one && w.joined.Disputed { // all claims would have to be compared again
		return false, err
	}
	sections, two, ok, err := w.fresh(&w.lists.sections, func(p *cache.Part) *int { return &p.Sections }, func(f *patched) (string, error) {
		return texts(schema.SourceMap{DocumentSections: f.sections}, "document_sections")
	})
	if one || two {
		pieces := slices.Concat([]stretch{{text: mapHead}}, claims, []stretch{{text: mapMiddle}}, sections, []stretch{{text: recordTail}})
		w.plan.records = append(w.plan.records, planned{name: sourceMapPath, pieces: pieces})
	}
	return ok, err
}

func (w *splice) planIndex() (bool, error) {
	splits, differs, ok, err := w.fresh(&w.lists.splits, func(p *cache.Part) *int { return &p.Splits }, func(f *patched) (string, error) {
		return texts(schema.Index{Splits: f.splits}, "splits")
	})
	if !ok || err != nil || !differs && len(w.plan.views) == 0 {
		return ok, err
	}
	text, err := hold([]stretch{{in: w.lists.splits.in, to: w.lists.splits.start}})
	if err != nil {
		return false, err
	}
	head := string(text)
	for _, v := range w.plan.views {
		if head, ok = w.editView(head, v); !ok {
			return false, nil
		}
	}
	pieces := slices.Concat([]stretch{{text: head}}, splits, []stretch{{text: indexTail + strconv.Itoa(w.plan.tokens) + "\n}\n"}})
	w.plan.records = append(w.plan.records, planned{name: indexPath, pieces: pieces})
	return true, nil
}

// editView puts the new size and hash of a view into the head of the index.
func (w *splice) editView(head string, v planned) (string, bool) {
	const estimate, hash = "\"token_estimate\": ", ",\n      \"sha256\": \""
	e := w.cache.files.Find(v.name)
	if e == nil || !e.Made {
		return "", false
	}
	old := hash + e.Sum.String() + "\""
	at := strings.Index(head, old)
	if at < 0 || strings.Count(head, old) != 1 {
		return "", false
	}
	from := strings.LastIndex(head[:at], estimate) + len(estimate)
	was, err := strconv.Atoi(head[from:at])
	if err != nil {
		return "", false
	}
	now := token.Estimate(v.text)
	w.plan.tokens += now - was
	return head[:from] + strconv.Itoa(now) + hash + v.sum.String() + "\"" + head[at+len(old):], true
}

func (w *splice) planChapters() (ok bool, err error) {
	w.plan.chapters, _, ok, err = w.fresh(&w.lists.chapters, func(p *cache.Part) *int { return &p.Chapters }, func(f *patched) (string, error) {
		return texts(schema.Run{Chapters: f.chapters}, "chapters")
	})
	return ok, err
}

// write stages what was planned and makes it visible.
func (w *splice) write(ctx context.Context) (*Result, error) {
	r := &Result{Pack: w.pack, Patched: true, Views: map[string]string{}, Recorded: w.history.paths()}
	for _, f := range w.changed {
		if err := w.stage(f.file, f.held); err != nil {
			return nil, err
		}
	}
	for _, v := range w.plan.views {
		if err := w.out.write(v.name, v.text, publish.Updated); err != nil {
			return nil, err
		}
	}
	for _, record := range w.plan.records {
		w.out.note(record.name, publish.Updated)
	}
	counts := countsFrom(w.cache.files.Counts)
	counts.Claims, counts.Tokens = w.plan.claims, w.plan.tokens
	r.Counts = counts
	r.Diagnostics = w.findings()
	outputs, changed := w.outputs()
	r.Run = w.run(r.Diagnostics, outputs)
	r.Run.Inputs, r.Run.Documents = w.runInputs(), w.runDocuments()
	r.Run.Claims, r.Run.RemovedClaims = w.ledger.Records()
	r.SuggestedStatus = suggestedStatus(w.pack.Meta.Status, r.Run.Status)
	if changed || !w.history.repeats(&r.Run) {
		r.RunPath = runsDir + "/" + r.Run.RunID + ".json"
		if err := w.planRun(r); err != nil {
			return nil, err
		}
	}
	if err := w.stageRecords(); err != nil {
		return nil, err
	}
	return r, w.finish(ctx, r)
}

// planRun makes the run record, with the chapters of the earlier one.
func (w *splice) planRun(r *Result) error {
	run := r.Run
	run.Chapters = nil
	var text strings.Builder
	text.Grow(256 * (len(run.Inputs) + len(run.Outputs)))
	if err := schema.Write(&text, run); err != nil {
		return err
	}
	head, ok := strings.CutSuffix(text.String(), chaptersTail)
	if !ok {
		return fmt.Errorf("encode %s: chapters are not the last of it", r.RunPath)
	}
	pieces := slices.Concat([]stretch{{text: head + "["}}, w.plan.chapters, []stretch{{text: recordTail}})
	w.plan.records = append(w.plan.records, planned{name: r.RunPath, pieces: pieces})
	return nil
}

// stageRecords stages the records, which are large, at once.
func (w *splice) stageRecords() error {
	list := make([]publish.Replacement, len(w.plan.records))
	for i, record := range w.plan.records {
		list[i] = publish.Replacement{Path: record.name, Content: func(to io.Writer) error { return copyPieces(to, record.pieces) }}
	}
	return w.out.tx.ReplaceAllLast(list)
}

// finish makes the outputs visible, unless a file that was copied from has changed
// meanwhile, and writes the cache.
func (w *splice) finish(ctx context.Context, r *Result) error {
	for _, f := range w.files {
		if now, err := w.pack.Look(f.name); err != nil || now.Stamp() != f.at.Stamp() || now.Size != f.at.Size {
			return fmt.Errorf("%s was changed by another program while packgen read it", f.name)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := w.cache.forget(); err != nil {
		return fmt.Errorf("drop the compile cache: %w", err)
	}
	if err := w.out.commit(); err != nil {
		return err
	}
	w.save(r)
	return nil
}

// save writes what of the cache has changed.
func (w *splice) save(r *Result) {
	n := w.cache
	units := make([]cache.Unit, 0, len(w.changed))
	for i, f := range w.changed {
		units = append(units, cache.Unit{Path: f.path, Sum: cache.ParseSum(f.info.SHA256), Blob: f.blob})
		w.joined.Parts[f.place] = w.plan.parts[i]
	}
	for i := range w.joined.Parts {
		part := &w.joined.Parts[i]
		part.Target = part.Target || w.targets[part.Path]
	}
	if r.RunPath != "" {
		w.joined.Run = r.RunPath
	}
	w.joined.Claims = w.joined.Claims.With(w.claims)
	x := *n.files
	var err error
	if x.Shards, err = n.units.Replace(units); err != nil {
		return
	}
	if x.Joined, err = n.dir.WriteJoined(n.key, w.joined); err != nil {
		return
	}
	if x.Marks, err = w.writeLedger(r); err != nil {
		return
	}
	x.Newest, x.Counts, x.Findings = fingerprint(&r.Run), r.Counts.array(), r.Diagnostics
	x.Status, x.Suggested = r.Run.Status, r.SuggestedStatus
	if w.entries(&x, r) {
		_ = n.dir.Write(n.key, &x)
	}
}

// entries brings the files of the cache up to date.
func (w *splice) entries(x *cache.Files, r *Result) bool {
	n := w.cache
	for i, f := range w.pack.Files {
		if e := &x.Entries[i]; !e.AtRest(f) {
			e.Stamp, e.Quiet = f.Stamp(), n.quiet(f.Stamp())
		}
	}
	for _, f := range w.changed {
		e := &x.Entries[f.entry]
		e.Sum, e.Lines, e.Size = cache.ParseSum(f.info.SHA256), f.lines, w.pack.Files[f.entry].Size
	}
	written := map[string]cache.Sum{}
	for _, f := range w.changed {
		for i := range f.splits {
			written[f.splits[i].Path] = cache.ParseSum(f.splits[i].SHA256)
		}
	}
	for _, v := range w.plan.views {
		written[v.name] = v.sum
	}
	for _, record := range w.plan.records {
		written[record.name] = cache.Sum{} // its times will tell: it is too large to be read for that
	}
	moment := w.lookAgain(written)
	for name, sum := range written {
		f, err := w.pack.Look(name)
		if err != nil {
			return false
		}
		e := x.Find(name)
		if e == nil {
			e = x.Insert(name)
		}
		e.Size, e.Stamp, e.Sum, e.Quiet = f.Size, f.Stamp(), sum, cache.Quiet(f.Stamp(), moment, n.fine)
		if e.Sum == (cache.Sum{}) && !e.Quiet {
			digits, err := w.pack.SHA256(name)
			if err != nil {
				return false
			}
			e.Sum = cache.ParseSum(digits)
		}
	}
	return true
}
