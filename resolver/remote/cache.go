package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/fetch"
)

// The parts of a cache.
const (
	treesDir     = "trees"     // <hex of the tree hash>/: the listing, and the files below tree/
	manifestsDir = "manifests" // <digest>.json: a pack.json
	recordsDir   = "refs"      // <key>.json: what a reference or an archive led to
	locksDir     = "locks"     // flock files, empty; they stay
	workDir      = "tmp"       // what is being unpacked
	listingName  = "files"     // in the directory of a tree
)

// maxListing is the largest listing that is read, in bytes.
const maxListing = 256 << 20

const (
	lockRetry = 10 * time.Millisecond
	// dropWait is how long a damaged tree waits for those who read it.
	dropWait = 5 * time.Second
)

// Cache keeps trees of packs by their tree hash, for all processes of a user. A
// tree appears in it when it is whole, and is never changed.
type Cache struct{ dir string }

// NewCache returns the cache in a directory. It is made when something is added.
func NewCache(dir string) *Cache { return &Cache{dir} }

// Dir is the directory of the cache.
func (c *Cache) Dir() string { return c.dir }

// Below is where the files of a tree are, from the root of the cache; the error wraps
// fs.ErrNotExist when they do not exist.
func (c *Cache) Below(tree string) (string, error) {
	name, err := treeHex(tree)
	if err != nil {
		return "", err
	}
	below := filepath.Join(treesDir, name, "tree")
	_, err = os.Stat(filepath.Join(c.dir, below))
	return below, err
}

// cached is a tree in use: it is not pruned before release.
type cached struct {
	*verifiedFS
	release func()
}

// find opens a tree; the error wraps fs.ErrNotExist when it does not exist, and is
// a *DamageError when it cannot be used.
func (c *Cache) find(tree string) (*cached, error) {
	name, err := treeHex(tree)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(c.dir, treesDir, name)
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	// A cache that cannot be written is not pruned either: it needs no lock.
	release := func() {}
	lock := regularfile.Lock(c.lockName(name))
	if err := lock.RLock(); err == nil {
		release = func() { _ = lock.Close() }
	}
	v, err := openTree(dir, tree)
	if err != nil {
		release()
		return nil, err
	}
	return &cached{v, release}, nil
}

func (c *Cache) lockName(name string) string { return filepath.Join(c.dir, locksDir, name) }

// openTree reads the listing of a tree and verifies it.
func openTree(dir, tree string) (*verifiedFS, error) {
	data, err := atomicfile.Read(filepath.Join(dir, listingName), maxListing)
	if errors.Is(err, fs.ErrNotExist) {
		if _, gone := os.Stat(dir); gone != nil {
			return nil, gone
		}
		return nil, &DamageError{Place: dir, Problem: "it has no listing"}
	}
	if err != nil {
		return nil, cacheFault("read the cache: %w", err)
	}
	files, err := parseListing(data, tree)
	if err != nil {
		return nil, &DamageError{Place: dir, Problem: err.Error()}
	}
	below := filepath.Join(dir, "tree")
	return &verifiedFS{place: dir, files: files, open: func(name string) (fs.File, error) {
		f, _, err := regularfile.Open(filepath.Join(below, filepath.FromSlash(name)))
		return f, err
	}}, nil
}

// add moves the files of a tree, which lie in a directory that goes with the
// workspace, into the cache. When another process was faster, its tree stays, unless it
// is damaged: nothing is synced here, so a power cut leaves a tree of files cut short.
func (c *Cache) add(ctx context.Context, w *workspace, files []archive.File, from, tree string) error {
	name, err := treeHex(tree)
	if err != nil {
		return err
	}
	staged := filepath.Join(w.dir, "tree-"+name)
	if err := regularfile.Mkdir(staged, 0o777); err != nil {
		return err
	}
	if err := regularfile.WriteFile(filepath.Join(staged, listingName), appendListing(nil, files), 0o666); err != nil {
		return err
	}
	if err := regularfile.Rename(from, filepath.Join(staged, "tree")); err != nil {
		return err
	}
	trees := filepath.Join(c.dir, treesDir)
	if err := regularfile.MkdirAll(trees, 0o777); err != nil {
		return err
	}
	err = regularfile.Rename(staged, filepath.Join(trees, name))
	if errors.Is(err, fs.ErrExist) {
		if err := c.drop(ctx, tree); err != nil {
			return err
		}
		err = regularfile.Rename(staged, filepath.Join(trees, name))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// drop removes a tree that was found damaged, unless it is whole by now: another
// process may have fetched it again.
func (c *Cache) drop(ctx context.Context, tree string) error {
	name, err := treeHex(tree)
	if err != nil {
		return err
	}
	dir := filepath.Join(c.dir, treesDir, name)
	whole := func() bool {
		v, err := openTree(dir, tree)
		return err == nil && v.whole(ctx) == nil
	}
	if whole() { // nobody is waited for
		return nil
	}
	lock := regularfile.Lock(c.lockName(name))
	wait, cancel := context.WithTimeout(ctx, dropWait)
	defer cancel()
	if ok, _ := lock.TryLockContext(wait, lockRetry); ok {
		defer lock.Close()
	}
	if whole() {
		return nil
	}
	if err := ctx.Err(); err != nil { // then nothing is known of the tree
		return err
	}
	return c.remove(dir)
}

const gonePrefix = "gone-" // of what is out of sight, in workDir

// remove takes a directory out of sight, then removes it.
func (c *Cache) remove(dir string) error {
	above := filepath.Join(c.dir, workDir)
	if err := regularfile.MkdirAll(above, 0o777); err != nil {
		return err
	}
	away, err := regularfile.MkdirTemp(above, gonePrefix)
	if err != nil {
		return err
	}
	if err := regularfile.Rename(dir, filepath.Join(away, "tree")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, regularfile.Remove(away))
	}
	return regularfile.RemoveAll(away)
}

// wholeAtOnce is how many files of a tree are read at the same time.
const wholeAtOnce = 8

// whole reads every file of a tree.
func (v *verifiedFS) whole(ctx context.Context) error {
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(wholeAtOnce)
	for _, f := range v.files {
		group.Go(func() error {
			if err := running.Err(); err != nil {
				return err
			}
			_, err := v.read(f)
			return err
		})
	}
	return group.Wait()
}

// manifest returns the bytes of a pack.json by their digest. The error wraps
// fs.ErrNotExist when it does not exist, or is not what it should be.
func (c *Cache) manifest(digest string) ([]byte, error) {
	data, err := atomicfile.Read(c.manifestName(digest), schema.MaxPackManifest)
	if err == nil && archive.SHA256(data) != digest {
		return nil, fmt.Errorf("the pack.json of the cache is damaged: %w", fs.ErrNotExist)
	}
	return data, err
}

func (c *Cache) addManifest(data []byte) error {
	digest := archive.SHA256(data)
	if _, err := c.manifest(digest); err == nil {
		return nil
	}
	return atomicfile.Write(c.manifestName(digest), data)
}

func (c *Cache) manifestName(digest string) string {
	return filepath.Join(c.dir, manifestsDir, digest+".json")
}

// recordKey is the name of what is remembered of something.
func recordKey(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d %s\n", len(p), p) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

// record returns what is remembered under a key, nil when nothing usable is.
func (c *Cache) record(key string) *schema.LockedRef {
	data, err := atomicfile.Read(filepath.Join(c.dir, recordsDir, key+".json"), schema.MaxLock)
	if err != nil {
		return nil
	}
	list, err := schema.DecodeLock(data)
	if err != nil || len(list.References) != 1 {
		return nil
	}
	return &list.References[0]
}

// remember keeps what something led to.
func (c *Cache) remember(key string, r *schema.LockedRef) error {
	if have := c.record(key); have != nil && sameEntry(have, r) {
		return nil
	}
	entry := *r
	entry.Inspection = nil // what was found in the files is for a lock to say
	data, err := schema.Encode(&schema.Lock{SchemaVersion: schema.LockVersion, References: []schema.LockedRef{entry}})
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(c.dir, recordsDir, key+".json"), data)
}

// partialDir holds, in a cache, what came of archives whose download was broken off:
// <key>, and beside it <key>.version with what the server said of its version.
const partialDir = "partial"

// uploadsName is the file, beside the downloads, that remembers uploads.
const uploadsName = "uploads.json"

// Uploads is what the cache remembers of uploads.
func (c *Cache) Uploads() fetch.Uploads {
	return fetch.Uploads{Name: filepath.Join(c.dir, partialDir, uploadsName)}
}

// maxValidator is the longest version that is kept, in bytes.
const maxValidator = 1 << 10

// bring downloads an archive to a file. What came before a process ended is continued by
// the next one.
func (c *Cache) bring(ctx context.Context, client *fetch.Client, from fetch.Resolved, to string) (digest string, err error) {
	key := recordKey("partial", from.URL, from.Digest)
	done, err := c.alone(ctx, key)
	if err != nil {
		return "", err
	}
	defer done()
	name := filepath.Join(c.dir, partialDir, key)
	version := name + ".version"
	if err := regularfile.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return "", cacheFault("make the cache: %w", err)
	}
	file, _, err := regularfile.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return "", cacheFault("make a file in the cache: %w", err)
	}
	part := fetch.Part{Note: func(validator string) {
		if validator == "" {
			_ = regularfile.Remove(version) // without it the download begins again
			return
		}
		_ = atomicfile.Write(version, []byte(validator)) // see above
	}}
	if data, err := atomicfile.Read(version, maxValidator); err == nil {
		part.Validator = string(data)
	}
	digest, _, err = client.Continue(ctx, from, file, part)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_, known := os.Stat(version)
		if mismatch := (*fetch.MismatchError)(nil); errors.As(err, &mismatch) || known != nil && from.Source != fetch.SourceOCI {
			_ = errors.Join(removed(name), removed(version)) // it cannot be continued
		}
		return "", err
	}
	if err := errors.Join(regularfile.Rename(name, to), removed(version)); err != nil {
		return "", cacheFault("keep a download in the cache: %w", err)
	}
	return digest, nil
}

// removed removes a file that may not exist.
func removed(name string) error {
	if err := regularfile.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

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
