package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/hook"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/remote"
)

// locked opens the packs of packgen.lock whose names are wanted, from the cache alone:
// nothing is fetched, and the place that a pack came from is not looked at. A pack that
// cannot be opened is left out with a remark; so is all of a lock that cannot be read. Of
// several references to one name the first counts.
func (l *Library) locked(ctx context.Context, wanted func(name string) bool) []resolver.Pack {
	if l.From == nil {
		e, err := NewElsewhere(l.ws, l.cfg, true)
		if err != nil {
			l.leaveOut(schema.LockName, err)
			return nil
		}
		l.From = e
	}
	var list []resolver.Pack
	for _, ref := range firstOfEach(l.From.Lock) {
		if !wanted(ref.Pack) {
			continue
		}
		a, err := l.From.kept(ctx, ref)
		if err != nil {
			l.leaveOut(ref.Pack, err)
			continue
		}
		l.From.open = append(l.From.open, a)
		l.names[a.Name] = a.Name
		list = append(list, asPack(a))
	}
	return list
}

// asPack is a pack from elsewhere for the resolver.
func asPack(a *remote.Artifact) resolver.Pack {
	return resolver.Pack{FS: a.FS, Dir: a.Name, Views: a.Views(), Unapproved: !a.Approved(), MaxTrust: remote.MaxTrust}
}

// leaveOut notes that something of the lock is not served, and why.
func (l *Library) leaveOut(name string, err error) {
	why := diag.Printable(name) + ": " + err.Error()
	hint := diag.HintOf(err)
	if errors.Is(err, fs.ErrNotExist) {
		why, hint = fmt.Sprintf("%s is in %s and was not pulled here", diag.Printable(name), schema.LockName), "run packgen pull"
	}
	if hint != "" {
		why += ": " + hint
	}
	if slices.Contains(l.Unpulled, why) {
		return
	}
	l.Unpulled = append(l.Unpulled, why)
	l.ws.Remark("warning: %s", why)
}

// Origin says where a pack that answered is from.
type Origin struct {
	Pack    string `json:"pack"`
	Version string `json:"version,omitempty"`
	From    string `json:"from"`           // a directory of the repository, or the reference
	Tree    string `json:"tree,omitempty"` // of what a reference leads to
	Locked  bool   `json:"locked"`         // packgen.lock holds it
}

// String is the origin as people read it.
func (o Origin) String() string {
	name := o.Pack
	if o.Version != "" {
		name += " " + o.Version
	}
	if !o.Locked {
		return name + ", from " + o.From
	}
	return name + ", locked from " + o.From
}

// Origins says where the packs of a resolution are from, in their order; nothing while all
// packs are the repository's own.
func (l *Library) Origins(r *resolver.Resolution) []Origin {
	var list []Origin
	for i := range r.Activated {
		used := &r.Activated[i]
		if from, ok := l.OriginOf(used.Dir); ok && !used.Blocked {
			list = append(list, from)
		}
	}
	return list
}

// OriginOf is where the pack of a directory is from, as messages name it; ok is false while
// all packs are the repository's own.
func (l *Library) OriginOf(dir string) (from Origin, ok bool) {
	if l.From == nil || len(l.From.open) == 0 {
		return from, false
	}
	if i := slices.IndexFunc(l.From.open, func(a *remote.Artifact) bool { return a.Name == dir }); i >= 0 {
		a := l.From.open[i]
		return Origin{a.Name, a.Entry.Version, a.Ref.String(), a.Entry.Tree, a.Locked}, true
	}
	return Origin{Pack: l.NameOf(dir), From: dir}, true
}

// TreeOf is the directory of the cache that holds the files of a pack from elsewhere; "" for
// one that the cache does not hold.
func (l *Library) TreeOf(dir string) string {
	for _, a := range l.From.open {
		if a.Name == dir && a.Cached {
			if below, err := l.From.Cache.Below(a.Entry.Tree); err == nil {
				return filepath.Join(l.From.Cache.Dir(), below)
			}
		}
	}
	return ""
}

// Catalog lists the packs that are served, without those that are archived; nothing where
// there are none, or none that can be read: packs may come later.
func Catalog(ctx context.Context, l *Library) []schema.CatalogEntry {
	packs, err := l.Packs(ctx, nil)
	if err != nil {
		return nil
	}
	entries, err := resolver.Catalog(ctx, packs)
	if err != nil {
		return nil
	}
	return entries
}

// LockedLink is where a locked pack is linked to, below the root of a repository.
func LockedLink(pack string) string { return hook.LockedLink(pack) }
