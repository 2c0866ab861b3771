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
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
)

// CacheVariable names the environment variable for the directory of the cache.
const CacheVariable = "PACKGEN_CACHE_DIR"

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

// CacheDir is where the cache is kept: PACKGEN_CACHE_DIR, otherwise
// packgen/artifacts in the user's cache directory.
func CacheDir(getenv func(string) string) (string, error) {
	if dir := getenv(CacheVariable); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache: %w", err)
	}
	return filepath.Join(dir, "packgen", "artifacts"), nil
}

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
