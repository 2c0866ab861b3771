package remote

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
)

// PruneOptions steer Prune.
type PruneOptions struct {
	Keep   []schema.LockedRef // what stays
	DryRun bool               // remove nothing
}

// Pruned is what became of a cache.
type Pruned struct {
	Removed []PrunedTree // in the order of their names on disk
	Kept    int          // trees that a lock holds
	InUse   int          // trees that another process reads
	Bytes   int64        // of the removed files
}

// PrunedTree is a removed tree.
type PrunedTree struct {
	Pack  string `json:"pack"` // "" when nothing says what it was
	Name  string `json:"name"` // the tree hash in hex, as the cache names it
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
}

// Prune removes every tree but those to keep and those that a process reads now,
// with the records of what led to them, their signatures, the indexes of sites, which no
// lock holds, downloads that were broken off, and what killed processes left. It waits
// for processes that fetch something.
func (c *Cache) Prune(ctx context.Context, o PruneOptions) (*Pruned, error) {
	result := &Pruned{}
	if _, err := os.Stat(c.dir); errors.Is(err, fs.ErrNotExist) {
		return result, nil
	}
	if err := regularfile.MkdirAll(filepath.Join(c.dir, locksDir), 0o777); err != nil {
		return nil, cacheFault("lock the cache: %w", err)
	}
	gate := regularfile.Lock(c.lockName(pruneLock))
	if _, err := gate.TryLockContext(ctx, lockRetry); err != nil {
		return nil, cacheFault("lock the cache: %w", err)
	}
	defer gate.Close()
	keep, manifests := map[string]bool{}, map[string]bool{}
	for _, r := range o.Keep {
		if name, err := treeHex(r.Tree); err == nil {
			keep[name] = true
		}
		manifests[r.Manifest] = true
	}
	names := c.packNames()
	inUse, err := c.pruneTrees(ctx, o, keep, names, result)
	if err != nil || o.DryRun {
		return result, err
	}
	for name := range inUse {
		keep[name] = true
	}
	if err := c.pruneRecords(keep, manifests); err != nil {
		return result, err
	}
	if err := regularfile.RemoveAll(filepath.Join(c.dir, indexesDir)); err != nil {
		return result, cacheFault("remove indexes of the cache: %w", err)
	}
	if err := regularfile.RemoveAll(filepath.Join(c.dir, partialDir)); err != nil {
		return result, cacheFault("remove downloads of the cache: %w", err)
	}
	c.sweep(filepath.Join(c.dir, workDir))
	c.sweepHalves()
	return result, nil
}

// halfAge is how old a half-written record, or a tree being deleted, is before it
// counts as abandoned: writing one takes far less.
const halfAge = time.Minute

// sweepHalves removes what processes left that were killed while they removed a
// tree or wrote a record.
func (c *Cache) sweepHalves() {
	for part, prefix := range map[string]string{workDir: gonePrefix, recordsDir: ".", manifestsDir: "."} {
		entries, err := os.ReadDir(filepath.Join(c.dir, part))
		if err != nil {
			continue // there is none
		}
		for _, e := range entries {
			info, err := e.Info()
			if err == nil && strings.HasPrefix(e.Name(), prefix) && time.Since(info.ModTime()) > halfAge {
				_ = regularfile.RemoveAll(filepath.Join(c.dir, part, e.Name())) // what cannot be removed now is left to the next one
			}
		}
	}
}

// pruneLock is held by processes that add to the cache, together, and by the one
// that prunes it, alone.
const pruneLock = "prune"

// pruneTrees removes trees; it returns those that are in use.
func (c *Cache) pruneTrees(ctx context.Context, o PruneOptions, keep map[string]bool, packs map[string]string, result *Pruned) (map[string]bool, error) {
	inUse := map[string]bool{}
	entries, err := os.ReadDir(filepath.Join(c.dir, treesDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cacheFault("list the cache: %w", err)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if keep[e.Name()] {
			result.Kept++
			continue
		}
		lock := regularfile.Lock(c.lockName(e.Name()))
		if free, err := lock.TryLock(); err != nil || !free {
			inUse[e.Name()] = true
			result.InUse++
			continue
		}
		dir := filepath.Join(c.dir, treesDir, e.Name())
		p := PrunedTree{Pack: packs[e.Name()], Name: e.Name()}
		p.Files, p.Bytes = weigh(dir)
		if !o.DryRun {
			err = c.remove(dir)
		}
		lock.Close() // nothing was written to it
		if err != nil {
			return nil, cacheFault("remove a tree of the cache: %w", err)
		}
		result.Removed = append(result.Removed, p)
		result.Bytes += p.Bytes
	}
	return inUse, nil
}

// weigh counts the files of a tree and their bytes.
func weigh(dir string) (files int, bytes int64) {
	_ = filepath.WalkDir(filepath.Join(dir, "tree"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				files++
				bytes += info.Size()
			}
		}
		return nil // what cannot be read weighs nothing
	})
	return files, bytes
}

// Size returns the bytes of the files of a tree, when the cache has it.
func (c *Cache) Size(tree string) (bytes int64, ok bool) {
	name, err := treeHex(tree)
	if err != nil {
		return 0, false
	}
	files, bytes := weigh(filepath.Join(c.dir, treesDir, name))
	return bytes, files > 0
}

// packNames says which pack each tree is, as far as the records know.
func (c *Cache) packNames() map[string]string {
	names := map[string]string{}
	for key := range c.records() {
		if r := c.record(key); r != nil {
			if name, err := treeHex(r.Tree); err == nil {
				names[name] = r.Pack
			}
		}
	}
	return names
}

// records lists the keys of what is remembered.
func (c *Cache) records() map[string]bool {
	keys := map[string]bool{}
	entries, err := os.ReadDir(filepath.Join(c.dir, recordsDir))
	if err != nil {
		return keys
	}
	for _, e := range entries {
		if key, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			keys[key] = true
		}
	}
	return keys
}

// pruneRecords removes the records that lead to no tree, and each pack.json that
// neither a record nor a lock names.
func (c *Cache) pruneRecords(keep, manifests map[string]bool) error {
	var failed error
	for key := range c.records() {
		r := c.record(key)
		if r != nil {
			if name, err := treeHex(r.Tree); err == nil && keep[name] {
				manifests[r.Manifest] = true
				continue
			}
		}
		failed = errors.Join(failed, regularfile.Remove(filepath.Join(c.dir, recordsDir, key+".json")))
	}
	for _, part := range []string{manifestsDir, signaturesDir} {
		entries, err := os.ReadDir(filepath.Join(c.dir, part))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(failed, err)
		}
		for _, e := range entries {
			if digest, _ := strings.CutSuffix(e.Name(), ".json"); !manifests[digest] {
				failed = errors.Join(failed, regularfile.Remove(filepath.Join(c.dir, part, e.Name())))
			}
		}
	}
	if failed != nil {
		return cacheFault("remove records of the cache: %w", failed)
	}
	return nil
}
