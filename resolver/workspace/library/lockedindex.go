package library

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/workspace"
)

// sitePacks begins the paths of an index as a site has them.
const sitePacks = "packs/"

// maxList is the largest index of locked packs that is looked at, in bytes.
const maxList = 32 << 20

// indexLocked writes the index of all locked packs when the lock has changed, or packgen
// did not write that of the checkout.
func (e *elsewhere) indexLocked(ctx context.Context, changed bool) error {
	list, err := atomicfile.Read(filepath.Join(e.ws.Dir, filepath.FromSlash(hook.LockedIndex)), maxList)
	if err == nil && !changed {
		if _, err := os.Lstat(hook.ListMark(e.Cache.Dir(), list)); err == nil {
			return nil
		}
	}
	return e.writeLockedIndex(ctx)
}

// writeLockedIndex writes the index of all locked packs, for the prompt hook: it
// opens no archive and compiles nothing. A pack that is not in the cache, or cannot
// be indexed, is left out.
func (e *elsewhere) writeLockedIndex(ctx context.Context) error {
	cfg, err := e.ws.LoadConfig()
	if err != nil {
		return err
	}
	lock, _, err := remote.ReadLock(e.ws.Dir)
	if err != nil {
		return err
	}
	local := &elsewhere{ws: e.ws, Lock: lock, Cache: e.Cache, limits: e.limits, offline: true, stages: e.stages, policy: e.policy, asker: e.asker}
	defer local.Close()
	var list []loadout.Layer
	for i := range lock.References {
		ref := &lock.References[i]
		below, err := e.Cache.Below(ref.Tree)
		if err != nil {
			continue
		}
		ix, err := local.keptIndex(ctx, ref, &cfg.Loadout)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue
		}
		list = append(list, loadout.Layer{Name: ref.Pack, Index: inCache(ix, filepath.Join(e.Cache.Dir(), below), below)})
	}
	merged, err := loadout.Merge(list, loadout.MergeOptions{Generated: "1970-01-01T00:00:00.000Z"})
	if err != nil {
		return fmt.Errorf("merge the indexes of locked packs: %w", err)
	}
	for _, l := range list {
		if l.Index.Tokenizer == loadout.Unicode {
			merged.SetTokenizer(loadout.Unicode)
		}
	}
	text := indexjson.Write(&merged.Index)
	for name, data := range map[string][]byte{hook.ListMark(e.Cache.Dir(), text): nil, filepath.Join(e.ws.Dir, filepath.FromSlash(hook.LockedIndex)): text} {
		if err := atomicfile.Write(name, data); err != nil {
			return workspace.ExplainWrite(err)
		}
	}
	return nil
}

// inCache returns the entries of an index whose files are in a tree of the cache,
// with paths from the root of the cache.
func inCache(ix *loadout.Index, tree, below string) *loadout.Index {
	out := *ix
	out.Head, out.Entries = "", nil
	for _, e := range ix.Entries {
		_, name, ok := strings.Cut(strings.TrimPrefix(e.Path, sitePacks), "/")
		if !ok {
			continue
		}
		if info, err := os.Lstat(filepath.Join(tree, filepath.FromSlash(name))); err != nil || !info.Mode().IsRegular() {
			continue
		}
		e.Path, e.Raw = path.Join(filepath.ToSlash(below), name), ""
		out.Entries = append(out.Entries, e)
	}
	return &out
}
