package main

import (
	"path/filepath"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout/index"
)

// storeName is the directory of the store, below the state directory.
const storeName = "store"

// openStore opens what earlier runs have left of the work on this repository. With
// --no-cache everything is done afresh and nothing is remembered. A dry run leaves
// nothing behind. The caller closes it after the last use of any result.
func (w *workspace) openStore(o storeOptions) *store.Disk {
	dir := filepath.Join(w.dir, stateName, storeName)
	switch {
	case o.elsewhere, o.afresh:
		return store.ReadOnly("")
	case o.dryRun:
		return store.ReadOnly(dir)
	}
	return store.Open(dir)
}

type storeOptions struct {
	dryRun    bool
	afresh    bool // nothing of earlier runs is used
	elsewhere bool // the repository is not to be written
}

// indexGroup and siteGroup are the parts of the store that hold what the index and
// the site need of packs, codeGroup holds highlighted code. A pack has a part of its
// own, by its name.
const (
	packGroup  = "pack "
	indexGroup = "index"
	siteGroup  = "site"
	codeGroup  = "code"
)

// indexAlone is the contribution of a command that makes an index and no site.
func indexAlone(b *index.Builder) func(p *pack.Pack) []compiler.Contributor {
	return func(p *pack.Pack) []compiler.Contributor { return []compiler.Contributor{b.Contributor(p)} }
}

// never asks for the whole result of a compile.
func never(*pack.Pack, store.Digest) bool { return false }
