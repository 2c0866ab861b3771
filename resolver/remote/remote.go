package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/fetch"
)

// openRemote opens a pack from the network, or what the cache holds of it.
func (o *Options) openRemote(ctx context.Context, ref Ref) (*Artifact, error) {
	if a, err := o.lockedInCache(ctx, ref); a != nil || err != nil {
		return a, err
	}
	key := o.refKey(ref)
	if o.Offline {
		return o.offline(ctx, ref, key)
	}
	done, err := o.Cache.alone(ctx, key)
	if err != nil {
		return nil, err
	}
	defer done()
	// Another process may have fetched it while this one waited.
	if a, err := o.lockedInCache(ctx, ref); a != nil || err != nil {
		return a, err
	}
	a, err := o.fetch(ctx, ref)
	if err != nil {
		return nil, err
	}
	a.checked = true
	if err := o.requireSignature(ctx, a); err != nil {
		a.Close()
		return nil, err
	}
	if err := o.Cache.remember(key, &a.Entry); err != nil {
		a.Close()
		return nil, cacheFault("keep %s in the cache: %w", ref, err)
	}
	return a, nil
}

// refKey is the record of what a reference led to last. Other API addresses make
// it another reference.
func (o *Options) refKey(ref Ref) string {
	getenv := o.Fetch.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	switch ref.Kind {
	case GitHub:
		return recordKey("ref", ref.Text, getenv("GITHUB_API_URL"))
	case GitLab:
		return recordKey("ref", ref.Text, getenv("CI_API_V4_URL"))
	}
	return recordKey("ref", ref.Text)
}

// lockedInCache opens what is locked, when it is cached.
func (o *Options) lockedInCache(ctx context.Context, ref Ref) (*Artifact, error) {
	if o.Locked == nil {
		return nil, nil
	}
	return o.fromCache(ctx, ref, o.Locked)
}

// offline opens what a reference led to last.
func (o *Options) offline(ctx context.Context, ref Ref, key string) (*Artifact, error) {
	if o.Locked != nil {
		return nil, &OfflineError{ref.Text, fmt.Sprintf("its tree %s is incomplete in the cache", o.Locked.Tree)}
	}
	have := o.Cache.record(key)
	if have == nil {
		return nil, &OfflineError{ref.Text, "it was never fetched here"}
	}
	a, err := o.fromCache(ctx, ref, have)
	if a == nil && err == nil {
		err = &OfflineError{ref.Text, fmt.Sprintf("its tree %s is incomplete in the cache", have.Tree)}
	}
	return a, err
}

// fetch asks what the reference means now, and brings it unless the cache has it.
func (o *Options) fetch(ctx context.Context, ref Ref) (*Artifact, error) {
	options := o.Fetch
	if o.Progress != nil {
		options.Progress = func(p fetch.Progress) { o.Progress(Progress{"fetch", p.Done, p.Total}) }
	}
	client := fetch.New(options)
	resolved, err := o.ask(ctx, client, ref)
	if err != nil {
		return nil, err
	}
	a, err := o.bring(ctx, client, resolved, ref)
	if err != nil {
		return nil, err
	}
	a.manifestOCI = resolved.OCI
	if a.bundles == nil {
		a.bundles = func(ctx context.Context) ([][]byte, error) { return client.Bundles(ctx, resolved) }
	}
	return a, nil
}

// bring opens what a reference means: from the cache, otherwise from its place.
func (o *Options) bring(ctx context.Context, client *fetch.Client, resolved fetch.Resolved, ref Ref) (*Artifact, error) {
	e := schema.LockedRef{Ref: ref.Text, Source: ref.source(), Digest: resolved.Digest, OCI: resolved.OCI, Run: runOf(resolved.Run)}
	if resolved.PackJSON != nil {
		if a, err := o.published(ctx, ref, resolved.PackJSON, &e); a != nil || err != nil {
			return a, err
		}
	} else if e.Digest != "" {
		if a, err := o.known(ctx, ref, e); a != nil || err != nil {
			return a, err
		}
	}
	w, err := o.Cache.workspace()
	if err != nil {
		return nil, err
	}
	a, err := o.download(ctx, client, w, resolved, ref, e)
	return a, closeAfter(w, a, err)
}

// ask resolves a reference. One that is locked is asked for the run it is locked
// to.
func (o *Options) ask(ctx context.Context, client *fetch.Client, ref Ref) (fetch.Resolved, error) {
	var run schema.LockedRun
	if o.Locked != nil && o.Locked.Run != nil {
		run = *o.Locked.Run
	}
	switch ref.Kind {
	case GitHub:
		g := ref.GitHub
		g.Run = cmp.Or(run.ID, g.Run)
		return client.GitHub(ctx, g)
	case GitLab:
		g := ref.GitLab
		g.JobID = run.Job
		return client.GitLab(ctx, g)
	case OCI:
		r := ref.Registry
		if o.Locked != nil {
			r.Digest = cmp.Or(o.Locked.OCI, r.Digest)
		}
		return client.Registry(ctx, r, cmp.Or(ref.Pack, lockedPack(o.Locked)))
	case Site:
		return client.Site(ctx, ref.URL, ref.Pack)
	}
	return client.URL(ctx, ref.URL)
}

// lockedPack is the pack that is locked, "" for none.
func lockedPack(locked *schema.LockedRef) string {
	if locked == nil || locked.OCI == "" {
		return ""
	}
	return locked.Pack
}

func runOf(r *fetch.Run) *schema.LockedRun {
	if r == nil || r.ID <= 0 {
		return nil
	}
	return &schema.LockedRun{ID: r.ID, Job: max(r.Job, 0), Branch: invisible.Line(r.Branch), Workflow: invisible.Line(r.Workflow), Commit: invisible.Line(r.Commit)}
}

// published looks at the pack.json of a site: when it is not what is locked
// nothing need be downloaded, nor when the cache has its tree. The entry takes
// over what it says.
func (o *Options) published(ctx context.Context, ref Ref, data []byte, e *schema.LockedRef) (*Artifact, error) {
	m, err := archive.ReadManifest(data)
	if err != nil {
		return nil, ofReference(ref, err)
	}
	e.Pack, e.Version, e.Tree, e.Manifest, e.Format = m.Name, invisible.Line(m.Version), m.Tree, archive.SHA256(data), "tar.gz"
	if err := o.check(e); err != nil {
		return nil, err
	}
	switch tree, err := o.Cache.find(e.Tree); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil // nothing is kept before all of it has arrived
	case err == nil:
		defer tree.release()
	}
	if err := o.Cache.addManifest(data); err != nil {
		return nil, cacheFault("keep %s in the cache: %w", ref, err)
	}
	a, err := o.fromCache(ctx, ref, e)
	if a == nil || err != nil {
		return nil, err
	}
	return o.settle(a)
}

// download brings the archive and unpacks it.
func (o *Options) download(ctx context.Context, client *fetch.Client, w *workspace, from fetch.Resolved, ref Ref, e schema.LockedRef) (a *Artifact, err error) {
	name := filepath.Join(w.dir, "archive")
	if e.Digest, err = o.Cache.bring(ctx, client, from, name); err != nil {
		return nil, err
	}
	announced := e
	a, err = o.unpack(ctx, w, name, ref, e)
	if err != nil || from.PackJSON == nil {
		return a, err
	}
	if a.Entry.Tree != announced.Tree || a.Entry.Manifest != announced.Manifest {
		a.Close()
		return nil, &archive.Refusal{
			Rule: archive.RuleManifest, Archive: ref.Text, Path: schema.PackManifestName,
			Message: "the archive does not hold the pack that the pack.json beside it describes",
			Hint:    "try again: the publisher may be in the middle of an update",
		}
	}
	return a, nil
}

// MismatchError says that a reference leads to something else than what the lock
// file holds. Nothing was overwritten. Commands exit 3 on it.
type MismatchError struct {
	Ref       string // as written
	What      string // "tree", "pack.json" or "pack"
	Want, Got string // of the lock, and what came: hashes, or names for "pack"
}

func (e *MismatchError) Error() string {
	what := map[string]string{
		"tree":      "the files are not those that packgen.lock holds",
		"pack.json": "pack.json is not the one that packgen.lock holds",
		"pack":      "the pack is not the one that packgen.lock holds",
	}[e.What]
	return fmt.Sprintf("%s: %s: want %s, got %s", e.Ref, what, e.Want, e.Got)
}

// chooseError says that a reference leads to several packs and names none.
type chooseError struct {
	Ref   string   // as written
	Named string   // the pack it names, when no pack has that name
	Names []string // of the packs, sorted
}

// maxChoices is how many names of packs a message lists.
const maxChoices = 20

func (e *chooseError) Error() string {
	names := strings.Join(e.Names[:min(len(e.Names), maxChoices)], ", ")
	if len(e.Names) > maxChoices {
		names += fmt.Sprintf(" and %d more", len(e.Names)-maxChoices)
	}
	switch {
	case len(e.Names) == 0:
		return fmt.Sprintf("%s: it holds no pack", e.Ref)
	case e.Named != "":
		return fmt.Sprintf("%s: it holds no pack %q but %s", e.Ref, e.Named, names)
	}
	return fmt.Sprintf("%s: it holds %d packs: %s", e.Ref, len(e.Names), names)
}

// Advice says how one of the packs is named.
func (e *chooseError) Advice() string {
	if len(e.Names) == 0 {
		return "name a directory with a KNOWLEDGE.md, or one with packs in packs/"
	}
	return "name one after #, such as " + diag.ShellWord(strings.TrimSuffix(e.Ref, "#"+e.Named)+"#"+e.Names[0])
}

// OfflineError says that a reference needs the network, which the caller forbids.
type OfflineError struct {
	Ref string // as written
	Why string // what is missing
}

func (e *OfflineError) Error() string {
	return fmt.Sprintf("%s: %s, and nothing is fetched offline", e.Ref, e.Why)
}

// CacheError says that the cache cannot be read or written.
type CacheError struct{ Err error }

func (e *CacheError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *CacheError) Unwrap() error { return e.Err }

// cacheFault is a CacheError, except for an ended context.
func cacheFault(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &CacheError{err}
}

// DamageError says that files are not what their listing says. A damaged tree of
// the cache is dropped and fetched again.
type DamageError struct {
	Place   string // the directory
	Path    string // the file in it; "" for the whole
	Problem string
}

func (e *DamageError) Error() string {
	place := e.Place
	if e.Path != "" {
		place += ": " + e.Path
	}
	return place + ": " + e.Problem
}

// workspace is a directory in the cache where a tree is made. It belongs to a
// process as long as that holds the flock beside it; what a killed process leaves
// is removed by the next one.
type workspace struct {
	dir    string
	lock   *regularfile.FileLock
	adding *regularfile.FileLock // nothing is pruned meanwhile
}

const workLock = ".lock" // after the name of a workspace

// workspace makes an empty directory of its own.
func (c *Cache) workspace() (*workspace, error) {
	above := filepath.Join(c.dir, workDir)
	if err := errors.Join(regularfile.MkdirAll(above, 0o777), regularfile.MkdirAll(filepath.Join(c.dir, locksDir), 0o777)); err != nil {
		return nil, cacheFault("make the cache: %w", err)
	}
	adding := regularfile.Lock(c.lockName(pruneLock))
	if err := adding.RLock(); err != nil {
		return nil, cacheFault("lock the cache: %w", err)
	}
	w, err := c.newWorkspace(above)
	if err != nil {
		return nil, errors.Join(err, adding.Close())
	}
	w.adding = adding
	return w, nil
}

func (c *Cache) newWorkspace(above string) (*workspace, error) {
	// Making a workspace and removing abandoned ones exclude each other.
	gate := regularfile.Lock(c.lockName(workDir))
	if err := gate.Lock(); err != nil {
		return nil, cacheFault("lock the cache: %w", err)
	}
	defer gate.Close()
	c.sweep(above)
	dir, err := regularfile.MkdirTemp(above, "pull-")
	if err != nil {
		return nil, cacheFault("make a directory in the cache: %w", err)
	}
	w := &workspace{dir: dir, lock: regularfile.Lock(dir + workLock)}
	if err := w.lock.Lock(); err != nil {
		return nil, errors.Join(cacheFault("lock %s: %w", dir, err), regularfile.Remove(dir))
	}
	return w, nil
}

// close removes the workspace with all in it.
func (w *workspace) close() error {
	return errors.Join(regularfile.RemoveAll(w.dir), regularfile.Remove(w.dir+workLock), w.lock.Close(), w.adding.Close())
}

// sweep removes the workspaces of processes that are gone. What cannot be
// removed now is left to the next one.
func (c *Cache) sweep(above string) {
	entries, err := os.ReadDir(above)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := filepath.Join(above, strings.TrimSuffix(e.Name(), workLock))
		if !strings.HasPrefix(e.Name(), "pull-") {
			continue
		}
		lock := regularfile.Lock(name + workLock)
		if ok, err := lock.TryLock(); err != nil || !ok {
			continue
		}
		_ = regularfile.RemoveAll(name)
		_ = regularfile.Remove(name + workLock)
		_ = lock.Close()
	}
}

// alone waits until no other process works on the same thing.
func (c *Cache) alone(ctx context.Context, key string) (done func(), err error) {
	if err := regularfile.MkdirAll(filepath.Join(c.dir, locksDir), 0o777); err != nil {
		return nil, cacheFault("make the cache: %w", err)
	}
	lock := regularfile.Lock(c.lockName(key))
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("wait for another process that works on the same: %w", err)
	}
	return func() { _ = lock.Close() }, nil
}
