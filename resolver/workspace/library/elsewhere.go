package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/schema"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/workspace"
)

// elsewhere opens packs by reference, as the lock of the repository says.
type elsewhere struct {
	ws      *workspace.Workspace
	Lock    *schema.Lock
	Cache   *remote.Cache
	limits  workspace.PullConfig
	offline bool
	stages  *workspace.Stages

	mu   sync.Mutex
	open []*remote.Artifact
}

// NewElsewhere reads the configuration and the lock. It opens nothing yet.
func NewElsewhere(w *workspace.Workspace, offline bool) (*elsewhere, error) {
	cfg, err := w.LoadConfig()
	if err != nil {
		return nil, err
	}
	lock, _, err := remote.ReadLock(w.Dir)
	var fault *schema.DecodeError
	switch {
	case errors.As(err, &fault) && w.IsConflicted(schema.LockName):
		return nil, diag.WithHint(err, "It holds the marks of a merge. Keep the object of every reference that is meant, once; with git checkout --ours %s and packgen pull REF for those of the other side nothing is lost.", schema.LockName)
	case errors.As(err, &fault):
		return nil, diag.WithHint(err, "Mend the file, or take it from the history; packgen check --record %s shows what is wrong.", schema.LockName)
	}
	if err != nil {
		return nil, err
	}
	dir, err := remote.CacheDir(w.Getenv)
	if err != nil {
		return nil, diag.WithHint(err, "Set %s to a directory for packs from elsewhere.", remote.CacheVariable)
	}
	return &elsewhere{ws: w, Lock: lock, Cache: remote.NewCache(dir), limits: cfg.Pull, offline: offline, stages: w.Follow()}, nil
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
			return target{}, diag.WithHint(fmt.Errorf("%s names %d references of %s", text, len(refs), schema.LockName), "Write one of them: %s", strings.Join(refs, ", "))
		}
	}
	ref, err := remote.ParseRef(text)
	if err != nil {
		return target{}, explainElsewhere(err)
	}
	if ref.IsLocal() && remote.Locked(e.Lock, text) == nil {
		if ref, err = ref.At(e.ws.Given(ref.Path)); err != nil {
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
	o := remote.Options{Dir: e.ws.Dir, Cache: e.Cache, Locked: t.locked, Offline: e.offline, Limits: e.limits.Archive()}
	if e.stages.Live {
		o.Progress = func(p remote.Progress) {
			if p.Total > 0 {
				e.stages.Progress("%s %s of %s", p.Doing, amount.Size(p.Done), amount.Size(p.Total))
			} else {
				e.stages.Progress("%s %s", p.Doing, amount.Size(p.Done))
			}
		}
	}
	o.Fetch = e.ws.Fetching(e.limits)
	o.Fetch.Offline = e.offline
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
		list = append(list, resolver.Pack{
			FS: a.FS, Dir: a.Name, Activation: resolver.Explicit, Views: a.Views(),
			Unapproved: !a.Approved(), MaxTrust: remote.MaxTrust,
		})
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
		if a.Entry.Source == "dir" && a.Entry.Digest == "" {
			return false, diag.Refuse(diag.WithHint(damage, "The directory differs from its pack.json; unpack the archive again."))
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

// Remedy says how a refused pack comes to be used, each way on a line. Packs from
// elsewhere that nobody has locked are named.
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
		lines = append(lines, "name a pack with --pack; --allow, --confirm and --allow-untrusted lift a refusal")
	}
	return lines
}

// explainTarget adds what to do about a reference that could not be opened.
func (e *elsewhere) explainTarget(t target, err error) error {
	var mismatch *remote.MismatchError
	var offline *remote.OfflineError
	var gone *fetch.Error
	var cache *remote.CacheError
	word := diag.ShellWord(t.Ref.String())
	switch {
	case errors.As(err, &cache):
		return ExplainCache(err)
	case errors.As(err, &mismatch):
		return diag.WithClass(diag.Mismatch, diag.WithHint(err, "Nothing was overwritten. If the change is meant, packgen pull --update %s takes it for right.", word))
	case errors.As(err, &offline):
		return diag.WithHint(err, "Run packgen pull %s with a network first.", word)
	case errors.As(err, &gone) && t.locked != nil && (gone.Rule == fetch.RuleExpired || gone.Rule == fetch.RuleNotFound):
		return diag.WithHint(err, "What is locked is not there any more; packgen pull --update %s locks what is there now.", word)
	case t.Ref.Kind == remote.Directory && isRegular(e.ws.Path(t.Ref.Path)):
		return diag.WithHint(err, "On disk a pack is a directory, or an archive whose name ends in .tar.gz, .tgz, .tar or .zip.")
	case errors.Is(err, os.ErrNotExist) && t.Ref.IsLocal():
		if near := nearest.Name(t.Ref.Path, e.lockedPacks()); near != "" && t.locked == nil {
			return diag.WithHint(err, "Did you mean %s, which is locked?", near)
		}
		return diag.WithHint(err, "Paths are relative to %s.", e.ws.Start)
	}
	return explainElsewhere(err)
}

// ExplainCache says what to do about a cache that cannot be used.
func ExplainCache(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return diag.WithHint(err, "The disk is full. packgen prune cache removes what this repository does not lock; $%s names another place.", remote.CacheVariable)
	}
	return diag.WithHint(err, "Set %s to a directory that can be written.", remote.CacheVariable)
}

func isRegular(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func (e *elsewhere) lockedPacks() []string {
	names := make([]string, len(e.Lock.References))
	for i, r := range e.Lock.References {
		names[i] = r.Pack
	}
	return names
}

// explainElsewhere adds to an error what to do about it, and its exit code.
func explainElsewhere(err error) error {
	var ref *remote.RefError
	var refusal *archive.Refusal
	var mismatch *fetch.MismatchError
	var choose *remote.ChooseError
	var site *fetch.ChooseError
	var damage *remote.DamageError
	switch {
	case errors.As(err, &ref) && ref.Hint != "":
		return diag.WithHint(err, "%s", ref.Hint)
	case errors.As(err, &refusal) && refusal.Hint != "":
		return diag.Refuse(diag.WithHint(err, "%s", refusal.Hint))
	case errors.As(err, &refusal), errors.As(err, &damage):
		return diag.Refuse(err)
	case errors.As(err, &mismatch):
		err = fmt.Errorf("%s: the bytes are not the announced ones: want %s, got %s", mismatch.URL, mismatch.Want, mismatch.Got)
		return diag.WithClass(diag.Mismatch, diag.WithHint(err, "Nothing was kept. Try again; if it stays, ask who publishes it."))
	case errors.As(err, &choose) && len(choose.Names) == 0:
		return diag.WithHint(err, "A pack is a directory with a KNOWLEDGE.md in it; packs may lie below packs/.")
	case errors.As(err, &choose):
		return diag.WithHint(err, "Name one after #, such as %s.", diag.ShellWord(strings.TrimSuffix(choose.Ref, "#"+choose.Named)+"#"+choose.Names[0]))
	case errors.As(err, &site):
		return diag.WithHint(err, "Name one after #, such as #%s.", firstOr(site.Names, "NAME"))
	}
	return err
}

func firstOr(list []string, otherwise string) string {
	if len(list) == 0 {
		return otherwise
	}
	return list[0]
}
