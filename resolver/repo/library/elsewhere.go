package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/repo"
)

// elsewhere opens packs by reference, as the lock of the repository says.
type elsewhere struct {
	ws      *repo.Repo
	Lock    *schema.Lock
	Cache   *remote.Cache
	cfg     repo.Config
	offline bool
	stages  *repo.Stages

	policy    *signature.Policy // what trust: in packgen.yaml asks
	asker     signature.Asker
	downgrade bool // packs may be older than those that are locked

	mu   sync.Mutex
	open []*remote.Artifact
}

// NewElsewhere reads the lock. It opens nothing yet.
func NewElsewhere(w *repo.Repo, cfg repo.Config, offline bool) (*elsewhere, error) {
	lock, _, err := remote.ReadLock(w.Paths.Dir)
	var fault *schema.DecodeError
	switch {
	case errors.As(err, &fault) && w.IsConflicted(schema.LockName):
		return nil, diag.WithHint(err, "resolve the merge conflict in it: keep one object per reference; or run git checkout --ours %s and packgen pull REF for those of the other side; nothing is lost", schema.LockName)
	case errors.As(err, &fault) && fault.Pointer == "/schema_version":
		return nil, diag.WithHint(err, "install the packgen that wrote it, or remove the lock and pull its references again")
	case errors.As(err, &fault):
		return nil, diag.WithHint(err, "correct the file, or restore it from version control; packgen check --record %s shows what is wrong", schema.LockName)
	}
	if err != nil {
		return nil, err
	}
	dir, err := remote.CacheDir(w.Getenv)
	if err != nil {
		return nil, diag.WithHint(err, "set %s to a directory for packs from elsewhere", remote.CacheVariable)
	}
	policy, err := policyOf(w, cfg.Trust)
	if err != nil {
		return nil, err
	}
	return &elsewhere{
		ws: w, Lock: lock, Cache: remote.NewCache(dir), cfg: cfg, offline: offline, stages: w.Follow(),
		policy: policy, asker: signature.Program{Version: compiler.Version},
	}, nil
}

// Close releases what was opened.
func (e *elsewhere) Close() {
	for _, a := range e.open {
		a.Close()
	}
	e.open = nil
}

// target is a reference with what the lock holds of it.
type target struct {
	Ref    remote.Ref
	locked *schema.LockedRef // nil when the lock does not hold it
}

// target reads a reference: one of the lock, by itself or by the name of its
// pack, or another.
func (e *elsewhere) target(text string) (target, error) {
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
func (e *elsewhere) targets(texts []string) ([]target, error) {
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
func (e *elsewhere) options(t target) remote.Options {
	o := remote.Options{Dir: e.ws.Paths.Dir, Cache: e.Cache, Locked: t.locked, Offline: e.offline, Limits: e.cfg.Pull.Archive()}
	if e.stages.Live {
		o.Progress = func(p remote.Progress) {
			if p.Total > 0 {
				e.stages.Progress("%s %s of %s", p.Doing, amount.Size(p.Done), amount.Size(p.Total))
			} else {
				e.stages.Progress("%s %s", p.Doing, amount.Size(p.Done))
			}
		}
	}
	o.Fetch = Fetching(e.ws, e.cfg.Pull)
	o.Fetch.Offline = e.offline
	o.Signatures = e.signatures(t)
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
		if _, err := there.LoadConfig(); err != nil {
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

// Fetching says how things are fetched for a repository.
func Fetching(w *repo.Repo, limits repo.PullConfig) fetch.Options {
	n := w.Network
	o := fetch.Options{
		UserAgent: "packgen", Getenv: w.Getenv, Retries: n.Retries, Mirrors: n.Mirrors, Sleep: n.Sleep,
		Trust:    fetch.Trust{CA: n.CA, Cert: n.Cert, Key: n.Key},
		Timeouts: fetch.Timeouts{Header: n.Header, Idle: n.Idle},
		Limits:   fetch.Limits{ArchiveBytes: limits.ArchiveBytes},
	}
	if t := w.Timeout; t > 0 {
		wait := &o.Timeouts
		wait.Connect, wait.TLS = min(t, fetch.DefaultConnect), min(t, fetch.DefaultTLS)
		wait.Header, wait.Idle = cmp.Or(wait.Header, t), cmp.Or(wait.Idle, t)
	}
	return o
}

// get opens a target until close.
func (e *elsewhere) get(ctx context.Context, t target, identify bool) (*remote.Artifact, error) {
	o := e.options(t)
	o.Identify = identify
	a, err := remote.Open(ctx, t.Ref, o)
	if err != nil {
		return nil, e.explainTarget(t, err)
	}
	e.mu.Lock()
	e.open = append(e.open, a)
	e.mu.Unlock()
	return a, nil
}

// packs opens references for the resolver.
func (e *elsewhere) packs(ctx context.Context, texts []string) ([]resolver.Pack, error) {
	targets, err := e.targets(texts)
	if err != nil {
		return nil, err
	}
	e.stages.Begin("open")
	defer e.stages.End()
	var list []resolver.Pack
	for _, t := range targets {
		a, err := e.get(ctx, t, false)
		if err != nil {
			return nil, err
		}
		p := asPack(a)
		p.Activation = resolver.Explicit
		list = append(list, p)
	}
	return list, nil
}

// damaged drops the trees of the cache that turned out to be damaged while they
// were read. When there were any, what was made of them is to be made again.
func (e *elsewhere) damaged(ctx context.Context) (bool, error) {
	again := false
	for _, a := range e.open {
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

// Remedy lists the ways to use a refused pack, one per line. Packs from
// elsewhere that are not locked are named.
func (l *Library) Remedy(allowed bool) []string {
	var lines []string
	if l.From != nil && !allowed {
		for _, a := range l.From.open {
			if !a.Approved() {
				lines = append(lines, fmt.Sprintf("%s comes from elsewhere: packgen pull %s locks it, --allow-untrusted uses it this once",
					diag.Printable(a.Name), diag.ShellWord(a.Ref.String())))
			}
		}
	}
	if lines == nil {
		lines = append(lines, "try other words with --also, or name a pack with --pack; --allow, --confirm and --allow-untrusted lift a refusal")
	}
	return lines
}
