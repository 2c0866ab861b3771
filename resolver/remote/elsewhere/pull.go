package elsewhere

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/registry"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/repo"
)

// pullAtOnce is how many references are opened at the same time.
const pullAtOnce = 4

// PullOptions say what is pulled, and what becomes of it.
type PullOptions struct {
	Update     bool   // ask again what the references mean
	Frozen     bool   // the lock must not change
	DryRun     bool   // write neither the lock nor out
	Out        string // the directory that packs are also written to; "" for none
	FailOn     string // the mildest severity of a finding that refuses a pack: error, warning or never
	FailAlways bool   // failOn was asked for: it holds for what is locked too
	Downgrade  bool   // packs may be older than those that are locked
}

// Pulled is what became of one reference.
type Pulled struct {
	target
	Artifact *remote.Artifact
	Err      error
	Found    []diag.Diagnostic // in its text
	State    string            // locked, added, updated
	Out      string            // where its files went
}

// PullAndLock brings references, or all of the lock without any, and writes the
// lock when none of them has an error of its own.
func (e *Places) PullAndLock(ctx context.Context, f PullOptions, args []string) (list []*Pulled, changed bool, err error) {
	e.downgrade = f.Downgrade
	if list, err = pullAll(ctx, e, f, args); err != nil || anyFailed(list) {
		return list, false, err
	}
	entries := entriesOf(list)
	changed = len(remote.Changes(e.Lock, entries)) > 0
	if f.Frozen && refuseFrozen(f, list) {
		return list, false, nil
	}
	if err := placesOut(e.ws.Paths, f, list); err != nil {
		return nil, false, err
	}
	if err := keepAll(ctx, f, list); err != nil {
		return nil, false, err
	}
	if !f.DryRun && !f.Frozen {
		if changed, err = e.Cache.WriteLock(ctx, e.ws.Paths.Dir, entries); err != nil {
			return nil, false, repo.ExplainWrite(err)
		}
	}
	// Last: a pull that is killed before can be run again, one that finds its packs cannot.
	if err := writeOut(ctx, e.ws.Paths, f, list); err != nil {
		return nil, false, err
	}
	if !f.DryRun {
		if err := indexLocked(ctx, e, changed); err != nil {
			e.ws.Remark("warning: the prompt hook does not see the locked packs: %s", err)
		}
	}
	return list, changed, nil
}

// pullTargets are the references given, or all of the lock.
func pullTargets(e *Places, args []string) ([]target, error) {
	if len(args) > 0 {
		return e.targets(args)
	}
	if len(e.Lock.References) == 0 {
		return nil, diag.WithHint(errors.New(schema.LockName+" holds no reference"), "try packgen pull https://example.org/packs/#handbook")
	}
	refs := make([]string, len(e.Lock.References))
	for i, r := range e.Lock.References {
		refs[i] = r.Ref
	}
	return e.targets(refs)
}

// refuseFrozen gives each reference that would change a frozen lock an error, and reports
// whether there is one.
func refuseFrozen(f PullOptions, list []*Pulled) bool {
	command := "pull without --frozen"
	if f.Update {
		command = "lock update"
	}
	for _, p := range list {
		if p.State != "" && p.State != "locked" {
			p.Err = diag.Refuse(diag.WithHint(fmt.Errorf("%s would change: %s would be %s, and it is frozen", schema.LockName, p.Ref, p.State),
				"run packgen %s, and commit %s", command, schema.LockName))
		}
	}
	return anyFailed(list)
}

// pullAll opens and verifies references, or all of the lock without any. Its own error is that
// of the command, or of an ended context.
func pullAll(ctx context.Context, e *Places, f PullOptions, args []string) ([]*Pulled, error) {
	targets, err := pullTargets(e, args)
	if err != nil {
		return nil, err
	}
	list := make([]*Pulled, len(targets))
	for i, t := range targets {
		list[i] = &Pulled{target: t}
		if f.Frozen && !f.Update && t.locked == nil {
			list[i].State = "added"
		}
	}
	refuseFrozen(f, list)
	e.stages.Begin("pull")
	defer e.stages.End()
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(pullAtOnce)
	for _, p := range list {
		if p.Err != nil {
			continue
		}
		group.Go(func() error {
			want := p.target
			if f.Update {
				want.locked = nil
			}
			p.Artifact, p.Err = pullOne(running, e, want)
			if p.Err == nil {
				p.State = stateOf(e.Lock, &p.Artifact.Entry)
				p.Err = p.inspect(running, f)
			}
			return running.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return list, err
	}
	return list, ctx.Err()
}

// inspect looks through the text of a pack. The error is that of a pack that is
// refused for what was found.
func (p *Pulled) inspect(ctx context.Context, f PullOptions) error {
	a := p.Artifact
	var err error
	if p.Found, err = check.Pulled(ctx, a.Name, a.FS, a.Files()); err != nil {
		return err
	}
	a.Entry.Inspection = check.Inspection(p.Found)
	if f.FailOn == "never" || p.State == "locked" && !f.FailAlways {
		return nil
	}
	refusing := diag.Count(p.Found, diag.Error)
	if f.FailOn == diag.Warning.String() {
		refusing += diag.Count(p.Found, diag.Warning)
	}
	if refusing == 0 {
		return nil
	}
	return diag.Refuse(diag.WithHint(fmt.Errorf("%s: %s in its text", p.Ref, amount.Counted(refusing, "finding")),
		"read what is named above; packgen pull --fail-on never %s takes the pack as it is, and writes what was found into %s", diag.ShellWord(p.Ref.String()), schema.LockName))
}

// stateOf compares an entry with the lock.
func stateOf(lock *schema.Lock, entry *schema.LockedRef) string {
	switch {
	case remote.Locked(lock, entry.Ref) == nil:
		return "added"
	case len(remote.Changes(lock, []schema.LockedRef{*entry})) > 0:
		return "updated"
	}
	return "locked"
}

// pullOne opens one reference and reads all of it. A damaged tree of the cache is
// fetched again, once.
func pullOne(ctx context.Context, e *Places, t target) (*remote.Artifact, error) {
	for again := false; ; again = true {
		a, err := e.get(ctx, t, true)
		if err != nil {
			return nil, err
		}
		err = a.Verify(ctx)
		if err == nil {
			return a, nil
		}
		if again || a.Damage() == nil || t.Ref.Kind == remote.Directory {
			return nil, explainElsewhere(err)
		}
		if err := a.Drop(ctx); err != nil {
			return nil, err
		}
	}
}

// keepAll puts what was pulled from directories into the cache, where what is locked is
// read from.
func keepAll(ctx context.Context, f PullOptions, list []*Pulled) error {
	if f.DryRun {
		return nil
	}
	for _, p := range list {
		if err := p.Artifact.Keep(ctx); err != nil {
			return explainElsewhere(err)
		}
	}
	return nil
}

func anyFailed(list []*Pulled) bool {
	return slices.ContainsFunc(list, func(p *Pulled) bool { return p.Err != nil })
}

func entriesOf(list []*Pulled) []schema.LockedRef {
	entries := make([]schema.LockedRef, len(list))
	for i, p := range list {
		entries[i] = p.Artifact.Entry
	}
	return entries
}

// Remove takes references out of the lock, each as written or by the name of its pack,
// and returns them as written. With dryRun nothing is written.
func (e *Places) Remove(ctx context.Context, texts []string, dryRun bool) ([]string, error) {
	if len(texts) == 0 {
		return nil, diag.WithHint(errors.New("remove needs the references or packs"), "try packgen lock remove handbook")
	}
	var refs []string
	for _, text := range texts {
		found := remote.LockedNames(e.Lock, text)
		if remote.Locked(e.Lock, text) != nil {
			found = []string{text}
		}
		switch len(found) {
		case 0:
			return nil, diag.WithHint(fmt.Errorf("%s: %s does not hold it", diag.Printable(text), schema.LockName), "run packgen lock list, and name a reference or a pack")
		case 1:
			refs = append(refs, found[0])
		default:
			return nil, diag.WithHint(fmt.Errorf("%s names %d references of %s", text, len(found), schema.LockName), "write one of them: %s", strings.Join(found, ", "))
		}
	}
	if dryRun {
		return refs, nil
	}
	changed, err := e.Cache.Unlock(ctx, e.ws.Paths.Dir, refs)
	if err != nil {
		return nil, repo.ExplainWrite(err)
	}
	if err := indexLocked(ctx, e, changed); err != nil {
		e.ws.Remark("warning: the prompt hook still sees what was removed: %s", err)
	}
	return refs, nil
}

// Summary is what an update of the lock changes, as Markdown for a pull request.
func Summary(e *Places, list []*Pulled) string {
	var b strings.Builder
	rows := 0
	for _, p := range list {
		if p.Err != nil || p.Artifact == nil || p.State == "locked" {
			continue
		}
		if rows++; rows == 1 {
			b.WriteString("| Pack | Version | Signer | Size | Findings | Tree | Reference |\n| --- | --- | --- | --- | --- | --- | --- |\n")
		}
		now, before := &p.Artifact.Entry, remote.Locked(e.Lock, p.Artifact.Entry.Ref)
		cells := []string{
			now.Pack, change(versionOf(before), versionOf(now)), change(signerOf(before), signerOf(now)), change(sizeBefore(e.Cache, before), sizeOf(p.Artifact.Files())),
			change(findingsOf(before), findingsOf(now)), change(treeOf(before), treeOf(now)), now.Ref,
		}
		for _, c := range cells {
			b.WriteString("| " + cell(c) + " ")
		}
		b.WriteString("|\n")
	}
	if rows == 0 {
		return fmt.Sprintf("%s holds what its references mean now.\n", schema.LockName)
	}
	return b.String()
}

// cell is a text of a pack that a table shows as it is.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "`", "\\`", "<", "&lt;", "[", "\\[", "@", "@\u200b").Replace(diag.Printable(text))
}

func change(before, now string) string {
	if before == now || before == "" {
		return now
	}
	return before + " → " + now
}

func versionOf(r *schema.LockedRef) string {
	switch {
	case r == nil:
		return ""
	case r.Version == "":
		return "none"
	}
	return r.Version
}

// signerOf names who signed, where a signature was asked for.
func signerOf(r *schema.LockedRef) string {
	switch {
	case r == nil:
		return ""
	case r.Signature == nil:
		return "none"
	}
	return signature.Of(r.Signature).String()
}

func findingsOf(r *schema.LockedRef) string {
	if r == nil || r.Inspection == nil {
		return ""
	}
	total := 0
	for _, f := range r.Inspection.Findings {
		total += f.Count
	}
	return amount.Grouped(total)
}

// treeOf is the beginning of a tree hash, which is enough for people.
func treeOf(r *schema.LockedRef) string {
	const enough = 15
	if r == nil {
		return ""
	}
	return r.Tree[:min(len(r.Tree), enough)]
}

func sizeOf(files []archive.File) string {
	var total int64
	for _, f := range files {
		total += f.Size
	}
	return amount.Size(total)
}

// sizeBefore is the size of what is locked, "" when the cache does not have it.
func sizeBefore(c *remote.Cache, before *schema.LockedRef) string {
	if before == nil {
		return ""
	}
	total, ok := c.Size(before.Tree)
	if !ok {
		return ""
	}
	return amount.Size(total)
}

// placesOut says where below the directory of --out the packs go, where nothing may be yet.
func placesOut(paths repo.Paths, f PullOptions, list []*Pulled) error {
	if f.Out == "" {
		return nil
	}
	out := paths.Abs(f.Out)
	for _, p := range list {
		to := filepath.Join(out, p.Artifact.Name)
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			return diag.Refuse(diag.WithHint(fmt.Errorf("--out: %s exists already", paths.Rel(to)), "remove it, or name another directory; nothing was written"))
		}
		for _, other := range list {
			if other != p && other.Artifact.Name == p.Artifact.Name {
				return diag.Refuse(diag.WithHint(fmt.Errorf("--out: two references lead to packs named %s", p.Artifact.Name), "pull them one after another into different directories"))
			}
		}
		p.Out = paths.Rel(to)
	}
	return nil
}

// writeOut writes the packs below the directory of --out. Each appears there when
// it is whole.
func writeOut(ctx context.Context, paths repo.Paths, f PullOptions, list []*Pulled) error {
	if f.Out == "" || f.DryRun {
		return nil
	}
	for _, p := range list {
		if err := writePack(ctx, p, paths.Abs(f.Out)); err != nil {
			return repo.ExplainWrite(fmt.Errorf("--out: %w", err))
		}
	}
	return nil
}

const stagePrefix = ".packgen-" // of a directory beside the place of a pack

// writePack writes the files of a pack and its pack.json beside the place, then
// renames.
func writePack(ctx context.Context, p *Pulled, out string) error {
	if err := regularfile.MkdirAll(out, 0o777); err != nil {
		return err
	}
	publish.SweepStages(out, stagePrefix)
	temp, err := regularfile.MkdirTemp(out, stagePrefix)
	if err != nil {
		return err
	}
	defer regularfile.RemoveAll(temp)
	staged := filepath.Join(temp, "pack")
	files := p.Artifact.Files()
	for i := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := copyOut(p, files[i], staged); err != nil {
			return err
		}
	}
	if p.Artifact.Manifest != nil {
		if err := regularfile.WriteFile(filepath.Join(staged, schema.PackManifestName), p.Artifact.Manifest, 0o666); err != nil {
			return err
		}
	}
	if err := CheckObeyed(staged, p.Artifact.Name); err != nil {
		return err
	}
	if err := publish.SyncTree(staged); err != nil {
		return err
	}
	return regularfile.Rename(staged, filepath.Join(out, p.Artifact.Name))
}

// CheckObeyed refuses a written pack in which the file system, which may not distinguish
// letter case, finds a file that agents treat as instructions.
func CheckObeyed(dir, name string) error {
	return filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		for _, obeyed := range packpath.Obeyed() {
			if _, err := os.Lstat(filepath.Join(at, obeyed)); err == nil {
				rel, _ := filepath.Rel(dir, filepath.Join(at, obeyed)) // at is below dir
				return diag.WithHint(fmt.Errorf("%s: this file system finds %s in the pack, which agents treat as instructions", diag.Printable(name), diag.Printable(filepath.ToSlash(rel))),
					"pull it without --out: it is used from the cache as before")
			}
		}
		return nil
	})
}

func copyOut(p *Pulled, f archive.File, dir string) error {
	if err := packpath.CheckPublished(f.Path); err != nil {
		return fmt.Errorf("%s: %w", diag.Printable(f.Path), err)
	}
	data, err := fs.ReadFile(p.Artifact.FS, f.Path)
	if err != nil {
		return err
	}
	to := filepath.Join(dir, filepath.FromSlash(f.Path))
	if err := regularfile.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return regularfile.WriteFile(to, data, 0o666)
}

// Target is the place in a registry that packs are pushed to.
type Target struct {
	w    *repo.Repo
	ref  remote.Ref
	tags []string
}

// TargetOf reads the reference that is written to, oci://HOST/NAME[:TAG], and more tags.
func TargetOf(w *repo.Repo, text string, tags []string) (*Target, error) {
	const form = "write oci://HOST/NAME:TAG"
	ref, err := remote.ParseRef(text)
	switch {
	case err != nil:
		return nil, explainElsewhere(err)
	case ref.Kind != remote.OCI:
		return nil, diag.WithHint(fmt.Errorf("%s is not a registry", diag.Printable(text)), "%s; a site is published by packgen build", form)
	case ref.Registry.Digest != "":
		return nil, diag.WithHint(errors.New("a digest cannot be chosen: it follows from the pack"), form)
	case ref.Pack != "":
		return nil, diag.WithHint(errors.New("the pack is named after the reference, not with #"), "%s and the name of the pack after it", form)
	}
	for _, tag := range tags {
		again, err := remote.ParseRef("oci://" + ref.Registry.Host + "/" + ref.Registry.Name + ":" + tag)
		if err != nil || again.Registry.Tag != tag || again.Pack != "" || again.Registry.Digest != "" {
			return nil, diag.WithHint(fmt.Errorf("--tag: %q is not a tag", diag.Printable(tag)), "write at most 128 letters, digits, dots, hyphens and underscores")
		}
	}
	return &Target{w, ref, append([]string{ref.Registry.Tag}, tags...)}, nil
}

// Push writes packs, and a catalog of them where it is asked for.
func (t *Target) Push(ctx context.Context, packs []registry.Pack, catalog, dryRun bool) ([]registry.Pushed, error) {
	fetching := fetchOptions(t.w)
	if dir, err := repo.CacheDir(t.w.Getenv); err == nil { // without it, everything is sent
		fetching.Uploads = remote.NewCache(dir).Uploads()
	}
	return registry.Push(ctx, fetch.New(fetching), t.ref.Registry, packs, registry.Options{Tags: t.tags, Catalog: catalog, DryRun: dryRun})
}
