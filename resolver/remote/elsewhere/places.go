package elsewhere

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/repo"
)

// Places opens packs by reference, as the lock of the repository says.
type Places struct {
	ws      *repo.Repo
	Lock    *schema.Lock
	Cache   *remote.Cache
	offline bool
	stages  *repo.Stages

	policy    *signature.Policy // what trust: in packgen.yaml asks
	asker     signature.Asker
	downgrade bool // packs may be older than those that are locked

	mu     sync.Mutex
	opened []*remote.Artifact
}

var _ repo.Elsewhere = (*Places)(nil)

// Opened is [New] for [repo.Repo.Elsewhere].
func Opened(w *repo.Repo) (repo.Elsewhere, error) {
	p, err := New(w, true)
	if err != nil {
		return nil, err // without a Places that is nil
	}
	return p, nil
}

// New reads the lock. It opens nothing yet; offline asks no server.
func New(w *repo.Repo, offline bool) (*Places, error) {
	lock, err := readLock(w.Paths)
	if err != nil {
		return nil, err
	}
	dir, err := repo.CacheDir(w.Getenv)
	if err != nil {
		return nil, diag.WithHint(err, "set %s to a directory for packs from elsewhere", repo.CacheVariable)
	}
	policy, err := policyOf(w)
	if err != nil {
		return nil, err
	}
	return &Places{
		ws: w, Lock: lock, Cache: remote.NewCache(dir), offline: offline, stages: w.Follow(),
		policy: policy, asker: signature.Program{Version: compiler.Version},
	}, nil
}

// readLock reads packgen.lock, and says what to do about one that cannot be used.
func readLock(paths repo.Paths) (*schema.Lock, error) {
	lock, _, err := remote.ReadLock(paths.Dir)
	var fault *schema.DecodeError
	switch {
	case !errors.As(err, &fault):
		return lock, err
	case isConflicted(paths.Abs(schema.LockName)):
		return nil, diag.WithHint(err, "resolve the merge conflict in it: keep one object per reference; or run git checkout --ours %s and packgen pull REF for those of the other side; nothing is lost", schema.LockName)
	case fault.Pointer == "/schema_version":
		return nil, diag.WithHint(err, "install the packgen that wrote it, or remove the lock and pull its references again")
	}
	return nil, diag.WithHint(err, "correct the file, or restore it from version control; packgen check --record %s shows what is wrong", schema.LockName)
}

// isConflicted reports whether a merge left its marks in a file.
func isConflicted(name string) bool {
	data, err := atomicfile.Read(name, schema.MaxLock)
	return err == nil && bytes.Contains(append([]byte("\n"), data...), []byte("\n<<<<<<< "))
}

// Close releases what was opened.
func (e *Places) Close() {
	for _, a := range e.opened {
		a.Close()
	}
	e.opened = nil
}

// target is a reference with what the lock holds of it.
type target struct {
	Ref    remote.Ref
	locked *schema.LockedRef // nil when the lock does not hold it
}

// target reads a reference: one of the lock, by itself or by the name of its
// pack, or another.
func (e *Places) target(text string) (target, error) {
	if remote.Locked(e.Lock, text) == nil {
		switch refs := remote.LockedNames(e.Lock, text); len(refs) {
		case 0:
		case 1:
			text = refs[0]
		default:
			return target{}, diag.WithHint(fmt.Errorf("%s names %d references of %s", text, len(refs), schema.LockName), "write one of them: %s", strings.Join(refs, ", "))
		}
	}
	ref, err := remote.ParseRef(text)
	if err != nil {
		return target{}, explainElsewhere(err)
	}
	if ref.IsLocal() && remote.Locked(e.Lock, text) == nil {
		if ref, err = ref.At(e.ws.Paths.Given(ref.Path)); err != nil {
			return target{}, explainElsewhere(err)
		}
		text = ref.String()
	}
	return target{ref, remote.Locked(e.Lock, text)}, nil
}

// targets reads references, each once.
func (e *Places) targets(texts []string) ([]target, error) {
	var list []target
	for _, text := range texts {
		t, err := e.target(text)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(have target) bool { return have.Ref == t.Ref }) {
			list = append(list, t)
		}
	}
	return list, nil
}

// options say how a target is opened.
func (e *Places) options(t target) remote.Options {
	o := remote.Options{Dir: e.ws.Paths.Dir, Cache: e.Cache, Locked: t.locked, Offline: e.offline, Limits: e.ws.Config.Pull.Archive()}
	if e.stages.Live {
		o.Progress = func(p remote.Progress) {
			if p.Total > 0 {
				e.stages.Progress("%s %s of %s", p.Doing, amount.Size(p.Done), amount.Size(p.Total))
			} else {
				e.stages.Progress("%s %s", p.Doing, amount.Size(p.Done))
			}
		}
	}
	o.Fetch = fetchOptions(e.ws)
	o.Fetch.Offline = e.offline
	o.Signatures = signaturesOf(e, t)
	o.Mappings = func(dir string) ([]pack.Mapping, error) { return mappingsAt(e.ws, dir) }
	return o
}

// mappingsAt returns the folders that the configuration of another repository maps into the
// pack in a directory of it.
func mappingsAt(w *repo.Repo, dir string) ([]pack.Mapping, error) {
	for root := dir; root != filepath.Dir(root); root = filepath.Dir(root) {
		if !repo.Holds(root, repo.ConfigName) {
			continue
		}
		there := w.At(root)
		there.Environment = func(string) string { return "" }
		if err := there.Load(); err != nil {
			return nil, err
		}
		list := there.Mappings(there.Paths.Rel(dir))
		for i := range list {
			list[i].Pack = dir
		}
		return list, nil
	}
	return nil, nil
}

// fetchOptions says how things are fetched for a repository.
func fetchOptions(w *repo.Repo) fetch.Options {
	n := w.Network
	o := fetch.Options{
		UserAgent: "packgen", Getenv: w.Getenv, Retries: n.Retries, Mirrors: n.Mirrors, Sleep: n.Sleep,
		Trust:    fetch.Trust{CA: n.CA, Cert: n.Cert, Key: n.Key},
		Timeouts: fetch.Timeouts{Header: n.Header, Idle: n.Idle},
		Limits:   fetch.Limits{ArchiveBytes: w.Config.Pull.ArchiveBytes},
	}
	if t := w.Timeout; t > 0 {
		wait := &o.Timeouts
		wait.Connect, wait.TLS = min(t, fetch.DefaultConnect), min(t, fetch.DefaultTLS)
		wait.Header, wait.Idle = cmp.Or(wait.Header, t), cmp.Or(wait.Idle, t)
	}
	return o
}

// get opens a target until close.
func (e *Places) get(ctx context.Context, t target, identify bool) (*remote.Artifact, error) {
	o := e.options(t)
	o.Identify = identify
	a, err := remote.Open(ctx, t.Ref, o)
	if err != nil {
		return nil, explainTarget(e, t, err)
	}
	e.mu.Lock()
	e.opened = append(e.opened, a)
	e.mu.Unlock()
	return a, nil
}

// Open implements [repo.Elsewhere].
func (e *Places) Open(ctx context.Context, texts []string, offline bool) ([]repo.Foreign, error) {
	targets, err := e.targets(texts)
	if err != nil {
		return nil, err
	}
	e.offline = offline
	e.stages.Begin("open")
	defer e.stages.End()
	var list []repo.Foreign
	for _, t := range targets {
		a, err := e.get(ctx, t, false)
		if err != nil {
			return nil, err
		}
		list = append(list, e.foreign(a))
	}
	return list, nil
}

// Kept implements [repo.Elsewhere]. Of several references to one name the first counts.
func (e *Places) Kept(ctx context.Context, wanted func(name string) bool) (list []repo.Foreign, missing []string) {
	for _, ref := range firstOfEach(e.Lock) {
		if !wanted(ref.Pack) {
			continue
		}
		a, err := e.kept(ctx, ref)
		if err == nil {
			e.opened = append(e.opened, a)
			list = append(list, e.foreign(a))
			continue
		}
		why := fmt.Sprintf("%s: %v", diag.Printable(ref.Pack), err)
		if errors.Is(err, fs.ErrNotExist) {
			why = unpulled(ref)
		} else if hint := diag.HintOf(err); hint != "" {
			why += ": " + hint
		}
		missing = append(missing, why)
	}
	return list, missing
}

// unpulled says that the cache lacks what is locked.
func unpulled(ref *schema.LockedRef) string {
	return fmt.Sprintf("%s is in %s and was not pulled here: run packgen pull", diag.Printable(ref.Pack), schema.LockName)
}

// foreign is a pack from elsewhere for the resolver.
func (e *Places) foreign(a *remote.Artifact) repo.Foreign {
	f := repo.Foreign{
		Pack:   resolver.Pack{FS: a.FS, Dir: a.Name, Views: a.Views(), Unapproved: !a.Approved(), MaxTrust: remote.MaxTrust},
		Origin: repo.Origin{Pack: a.Name, Version: a.Entry.Version, From: a.Ref.String(), Tree: a.Entry.Tree, Locked: a.Locked},
	}
	if below, err := e.Cache.Below(a.Entry.Tree); err == nil && a.Cached {
		f.Tree = filepath.Join(e.Cache.Dir(), below)
	}
	return f
}

// Locked implements [repo.Elsewhere].
func (e *Places) Locked() []string {
	names := make([]string, len(e.Lock.References))
	for i, r := range e.Lock.References {
		names[i] = r.Pack
	}
	return names
}

// DropDamaged implements [repo.Elsewhere].
func (e *Places) DropDamaged(ctx context.Context) (bool, error) {
	again := false
	for _, a := range e.opened {
		damage := a.Damage()
		if damage == nil {
			continue
		}
		if !a.Cached {
			return false, diag.Refuse(diag.WithHint(damage, "unpack the archive again: the directory differs from its pack.json"))
		}
		e.ws.Remark("warning: %s: the cached tree is damaged and is dropped", diag.Printable(a.Ref.String()))
		if err := a.Drop(ctx); err != nil {
			return false, err
		}
		again = true
	}
	if again {
		e.Close()
	}
	return again, nil
}
