package compiler

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lastrun"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/token"
)

// outputs decides which files under compiled/ are ours to write and stages them
// (agent-knowledge section 6.8). In a dry run it only decides. Its methods may
// be called from several goroutines.
type outputs struct {
	tx       *publish.Tx // nil in a dry run
	old      *lastrun.Outputs
	force    bool
	recorded ownHashes                      // by the earlier index
	below    ownHashes                      // by the pack's own index, when outputs go elsewhere
	left     map[string]publish.Interrupted // what interrupted runs have updated or were to delete

	mu    sync.Mutex
	ops   map[string]publish.Change // by path: every file that compile owns or keeps
	sums  map[string]store.Digest   // of those that are as this run wants them
	ends  map[string]bool           // those that are so except for their line ends
	diags []diag.Diagnostic
	once  bool // something was reported that the next run does not know any more
}

// openOutputs locks the target.
func openOutputs(ctx context.Context, p *pack.Pack, o Options) (*outputs, error) {
	w := &outputs{force: o.Force, left: map[string]publish.Interrupted{}, ops: map[string]publish.Change{}, sums: map[string]store.Digest{}, ends: map[string]bool{}}
	if !o.DryRun {
		tx, err := publish.Begin(ctx, publish.Options{Target: cmp.Or(o.OutDir, p.Dir), StateDir: o.StateDir, Wait: o.Wait})
		if err != nil {
			return nil, fmt.Errorf("compile pack %s: %w", p.Meta.Name, err)
		}
		w.tx = tx
	}
	old, err := lastrun.Open(p, o.OutDir)
	if err != nil {
		w.close()
		return nil, err
	}
	w.old = old
	if w.tx == nil {
		return w, nil
	}
	// Outputs count as they were before runs that were interrupted: this run then
	// records what it changes as if nobody had disturbed those.
	for _, f := range w.tx.Interrupted() {
		if f.Change == publish.Created {
			old.Hide(f.Path)
		} else {
			w.left[f.Path] = f
		}
	}
	return w, nil
}

// ownHashes are the hashes of generated files by path, as an index records them.
type ownHashes map[string]string

// readIndex notes what the earlier index records as generated. When outputs go to
// another directory, the pack's own index says what was generated in the pack.
func (w *outputs) readIndex(p *pack.Pack, n *cache) error {
	if !w.old.Layered {
		w.recorded = n.recallGenerated()
	}
	if w.recorded == nil {
		if err := w.decodeIndex(p); err != nil {
			return err
		}
	}
	for name, f := range w.left { // the index may have been written without them
		if f.Change == publish.Deleted && isSplitOrView(name) {
			w.recorded[name] = f.Sum.String()
		}
	}
	return nil
}

func (w *outputs) decodeIndex(p *pack.Pack) error {
	w.recorded = ownHashes{}
	data, err := w.old.Read(indexPath)
	if err == nil {
		w.recorded = generatedIn(data)
	}
	if w.old.Layered && !lastrun.Failed(err) {
		if data, err = p.ReadFile(indexPath); err == nil {
			w.below = generatedIn(data)
		}
	}
	if lastrun.Failed(err) {
		return fmt.Errorf("read %s: %w", indexPath, err)
	}
	return nil
}

func generatedIn(data []byte) ownHashes {
	index, err := schema.DecodeIndex(data)
	if err != nil {
		return ownHashes{}
	}
	return generatedOf(index)
}

// generatedOf returns the hashes of the files that an index records as generated.
// Paths in it are a user's file like any other: only those count that compile
// could have written.
func generatedOf(index *schema.Index) ownHashes {
	list := make(ownHashes, len(index.Splits)+len(index.Views))
	note := func(name, sum string, ours bool) {
		if ours && packpath.Check(name) == nil && isMarkdown(name) && sum != "" {
			list[name] = sum
		}
	}
	for i := range index.Splits {
		s := &index.Splits[i]
		note(s.Path, s.SHA256, strings.HasPrefix(s.Path, splitsDir))
	}
	for _, v := range index.Views {
		note(v.Path, v.SHA256, path.Dir(v.Path) == "compiled" && len(v.DerivedFrom) > 0)
	}
	return list
}

// isSplitOrView reports the path of a text that compile could have written.
func isSplitOrView(name string) bool {
	return isMarkdown(name) && (strings.HasPrefix(name, splitsDir) || path.Dir(name) == "compiled")
}

// put writes a split or a generated view unless the file that exists is
// the owner's.
func (w *outputs) put(name string, data []byte) error {
	state, err := w.old.Compare(name, data, cmp.Or(w.recorded[name], w.below[name]))
	if err != nil {
		return err
	}
	if f, ok := w.left[name]; ok && (f.There || state == lastrun.Absent) {
		return w.write(name, data, publish.Updated)
	}
	switch {
	case state == lastrun.Same:
		return w.write(name, data, publish.Unchanged)
	case state == lastrun.SameText:
		w.hasOtherEnds(name)
		return w.write(name, data, publish.Unchanged)
	case state == lastrun.Absent:
		return w.write(name, data, publish.Created)
	case state == lastrun.Ours || w.force && !w.old.Linked(name):
		return w.write(name, data, publish.Updated)
	}
	w.keep(handEdited(name))
	return w.scanKept(name)
}

// handEdited is the finding about a file that stays as somebody edited it.
func handEdited(name string) diag.Diagnostic {
	d := finding(gateViewHandEdited, name, "Edited by hand; kept.")
	d.Say("the file was edited by hand since compile wrote it, and is kept as it is")
	return d
}

// scanKept looks through a file that stays as somebody edited it.
func (w *outputs) scanKept(name string) error {
	data, err := w.old.Read(name)
	switch {
	case err == nil:
		w.raise(scanText(name, data).Diagnostics)
	case lastrun.Failed(err):
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// raise adds findings about files below compiled/.
func (w *outputs) raise(found []diag.Diagnostic) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.diags = append(w.diags, found...)
}

// write stages a file. An unchanged one is staged too when it is in the pack
// and another directory is written to.
func (w *outputs) write(name string, data []byte, op publish.Change) error {
	w.note(name, op)
	w.is(name, store.Sum(data))
	if w.tx == nil || op == publish.Unchanged && !w.old.Layered {
		return nil
	}
	_, err := w.tx.Put(name, data)
	return err
}

// is notes the digest that a file has after the run.
func (w *outputs) is(name string, sum store.Digest) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sums[name] = sum
}

// hasOtherEnds notes a file that is as this run wants it except for its line ends. It stays as
// it is: git has given it those.
func (w *outputs) hasOtherEnds(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ends[name] = true
}

// putRecord writes a record that is always ours, after all splits and views. Its
// text is never held as a whole.
func (w *outputs) putRecord(name string, record any) error {
	content := func(to io.Writer) error {
		sum := sha256.New()
		if err := schema.Write(io.MultiWriter(to, sum), record); err != nil {
			return err
		}
		w.is(name, store.Digest(sum.Sum(nil)))
		return nil
	}
	op, exact, err := w.old.Change(name, content)
	if err != nil {
		return err
	}
	if !exact {
		w.hasOtherEnds(name)
	}
	if _, ok := w.left[name]; ok {
		op = publish.Updated
	}
	w.note(name, op)
	if w.tx == nil || op == publish.Unchanged && !w.old.Layered {
		if !w.sums[name].Known() { // nothing had to be compared
			return content(io.Discard)
		}
		return nil
	}
	_, err = w.tx.PutFrom(publish.File{Path: name, Content: content, Last: true, Differs: true})
	return err
}

// retire deletes recorded files that are no longer produced, unless they were
// edited (rule 5).
func (w *outputs) retire() error {
	for _, name := range sortedKeys(w.recorded) {
		if w.owns(name) {
			continue
		}
		if f, ok := w.left[name]; ok && !f.There {
			w.note(name, publish.Deleted)
			continue
		}
		state, err := w.old.Compare(name, nil, w.recorded[name])
		switch {
		case err != nil:
			return err
		case state == lastrun.Absent:
			continue
		case state == lastrun.Ours || w.left[name].There:
			w.note(name, publish.Deleted)
			if w.tx != nil {
				if err := w.tx.Delete(name); err != nil {
					return err
				}
			}
		default:
			d := handEdited(name)
			d.Hint = "delete it, or keep it as a view of your own; it is no longer generated"
			w.once = true
			w.keep(d)
		}
	}
	return nil
}

// handMade returns the views that people made: top-level Markdown files that are
// neither generated now nor recorded as generated (rule 4).
func (w *outputs) handMade() ([]schema.View, error) {
	names, err := w.old.Names("compiled")
	if err != nil {
		return nil, err
	}
	var list []schema.View
	for _, base := range names {
		name := "compiled/" + base
		if _, generated := w.recorded[name]; !isMarkdown(name) || generated || w.owns(name) {
			continue
		}
		data, err := w.old.Read(name)
		if err != nil {
			continue // a link out of the pack or a directory: opening the pack reports those
		}
		scanned := scanText(name, data)
		w.raise(scanned.Diagnostics)
		if len(scanned.Secrets) > 0 {
			w.note(name, publish.Unchanged)
			continue
		}
		sum := schema.SHA256(data)
		if schema.HasSum(data, w.below[name]) {
			continue // generated in the pack once, and no longer here
		}
		list = append(list, schema.View{
			Path: name, Kind: stemOf(name), TokenEstimate: token.Estimate(data),
			SHA256: sum, DerivedFrom: []string{},
		})
		d := finding(gateViewHandMade, name, "Made by hand; indexed as a view.")
		d.Say("the file was made by hand, and is indexed as a view")
		w.keep(d)
		if base == "brief.md" {
			w.keep(finding(gateLegacyView, name, "this view is from an older layout; today it is called briefing.md"))
		}
	}
	return list, nil
}

// keep lists a file that stays as it is, and says why.
func (w *outputs) keep(why diag.Diagnostic) {
	w.note(why.Path, publish.Unchanged)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.diags = append(w.diags, why)
}

func (w *outputs) note(name string, op publish.Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ops[name] = op
}

// owns reports whether this run has dealt with a file.
func (w *outputs) owns(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.ops[name]
	return ok
}

// exists reports whether a file below an output directory exists after the run,
// given whether it did before.
func (w *outputs) exists(name string, before bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if op, ok := w.ops[name]; ok {
		return op != publish.Deleted
	}
	return before
}

// dirs lists the directories of outputs that hold a file after the run, given the
// files of the pack before it.
func (w *outputs) dirs(files []pack.File) map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	dirs := map[string]bool{}
	add := func(name string) {
		for dir := path.Dir(name); dir != "." && !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	for _, f := range files {
		if pack.LayerOf(f.Path).IsOutput() && w.ops[f.Path] != publish.Deleted {
			add(f.Path)
		}
	}
	for name, op := range w.ops {
		if op != publish.Deleted {
			add(name)
		}
	}
	return dirs
}

// records lists the outputs in path order.
func (w *outputs) records() []schema.RunOutput {
	list := []schema.RunOutput{}
	for _, name := range sortedKeys(w.ops) {
		list = append(list, schema.RunOutput{Path: secret.RedactPath(name), Operation: string(w.ops[name])})
	}
	return list
}

// isChange reports an output that a run changes.
func isChange(o schema.RunOutput) bool { return o.Operation != string(publish.Unchanged) }

// close drops what was staged and not committed.
func (w *outputs) close() {
	if w.tx != nil {
		_ = w.tx.Abort()
	}
	if w.old != nil {
		w.old.Close()
	}
}

// commit makes the outputs visible, all or none.
func (w *outputs) commit() error {
	if w.tx == nil {
		return nil
	}
	_, err := w.tx.Commit()
	return err
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
