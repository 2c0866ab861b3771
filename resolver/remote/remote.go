package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/invisible"
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
