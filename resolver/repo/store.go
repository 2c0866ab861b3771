package repo

import (
	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout/index"
)

// storeName is the directory of the store, below the state directory.
const storeName = "store"

// OpenStore opens what earlier runs have left of the work on this repository. With
// --no-cache everything is done again and nothing is remembered. A dry run leaves
// nothing on disk. The caller closes it after the last use of any result.
func (w *Repo) OpenStore(o StoreOptions) *store.Disk {
	dir := w.Paths.StorePath()
	switch {
	case o.Elsewhere, o.NoCache:
		return store.ReadOnly("")
	case o.DryRun:
		return store.ReadOnly(dir)
	}
	_ = w.MakeState() // where nothing can be written, nothing is kept
	return store.Open(dir)
}

// StoreOptions say how the store of earlier results is opened.
type StoreOptions struct {
	DryRun    bool
	NoCache   bool // nothing of earlier runs is used
	Elsewhere bool // the repository is not to be written
}

// IndexGroup and SiteGroup are the parts of the store that hold what the index and
// the site need of packs, CodeGroup holds highlighted code, CheckGroup what checks of packs
// found. A pack has a part of its own, by its name.
const (
	PackGroup = "pack "

	inspectedGroup = "inspected " // of a pack that cannot be built, by its directory
	IndexGroup     = "index"
	SiteGroup      = "site"
	CodeGroup      = "code"
	CheckGroup     = "check"
)

// IndexAlone is the contribution of a command that makes an index and no site.
func IndexAlone(b *index.Builder) func(p *pack.Pack) []compiler.Contributor {
	return func(p *pack.Pack) []compiler.Contributor { return []compiler.Contributor{b.Contributor(p)} }
}

// WithoutResult asks for the whole result of a compile.
func WithoutResult(*pack.Pack, store.Digest) bool { return false }
