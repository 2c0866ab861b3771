package hook

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// lockName is the lock of a repository: what it holds, and nothing else, is given out of
// the cache of packs.
const lockName = "packgen.lock"

const (
	maxLock    = 8 << 20  // bytes of a lock
	maxListing = 32 << 20 // bytes of the digests of a tree
	maxPointed = 4 << 20  // bytes of a file that is pointed to
)

// pullAgain is put into a context that lacks what a prompt needs, since the cache has
// other bytes than the lock holds.
const pullAgain = "[packgen] A pack from elsewhere is left out: its cached files, or their list, are not those that packgen pull wrote. Run packgen pull again."

var errNotLocked = errors.New("the file is not what packgen.lock holds")

// lockedFiles verifies files of the cache of packs. The directory of a tree is named
// after its hash, which a lock holds; the digests of its files, which lie beside it, have
// that hash.
type lockedFiles struct {
	cache   string
	list    string            // the index of the locked packs
	listed  *bool             // whether packgen wrote that index; nil until it is looked at
	trees   map[string][]byte // by the name of its directory, the digests of each tree of the lock; nil until they are read
	damaged bool              // some file, the index, or the digests, are gone or not what they should be
}

// ListMark is the file of a cache whose existence says that packgen wrote an index of
// locked packs with these bytes: an index in a checkout may come from anybody.
func ListMark(cache string, list []byte) string {
	sum := sha256.Sum256(list)
	return filepath.Join(cache, "lists", hex.EncodeToString(sum[:]))
}

// readLock reads which trees the lock of a repository holds; nil when it holds none, or
// cannot be read.
func readLock(root, cache string) *lockedFiles {
	data, err := atomicfile.Read(filepath.Join(root, lockName), maxLock)
	if err != nil {
		return nil
	}
	lock, err := indexjson.Parse(data)
	if err != nil {
		return nil
	}
	files := &lockedFiles{cache: cache, list: filepath.Join(root, filepath.FromSlash(LockedIndex)), trees: map[string][]byte{}}
	lock.Get("references").Items(func(ref loadout.Value) bool {
		tree, _ := ref.Get("tree").Str()
		digest, _ := strings.CutPrefix(tree, "h1:")
		if sum, err := base64.StdEncoding.DecodeString(digest); err == nil && len(sum) == sha256.Size {
			files.trees[hex.EncodeToString(sum)] = nil
		}
		return true
	})
	if len(files.trees) == 0 {
		return nil
	}
	return files
}

// split returns the tree of a path of the cache, and the path in it; ok is false when no
// tree of the lock has it.
func (l *lockedFiles) split(name string) (tree, file string, ok bool) {
	parts := strings.SplitN(path.Clean(filepath.ToSlash(name)), "/", 4)
	if len(parts) < 4 || parts[0] != "trees" || parts[2] != "tree" {
		return "", "", false
	}
	_, ok = l.trees[parts[1]]
	return parts[1], parts[3], ok
}

// holds reports a path of the cache that is in a tree of the lock.
func (l *lockedFiles) holds(name string) bool {
	_, _, ok := l.split(name)
	return ok
}

// miss notes that the cache lacks a file of the lock.
func (l *lockedFiles) miss() {
	if l != nil {
		l.damaged = true
	}
}

// isListed reports whether packgen wrote the index of the locked packs.
func (l *lockedFiles) isListed() bool {
	if l.listed == nil {
		data, err := atomicfile.Read(l.list, maxListing)
		if err == nil {
			_, err = os.Lstat(ListMark(l.cache, data))
		}
		l.listed = new(bool)
		*l.listed = err == nil
	}
	return *l.listed
}

// check reports whether a file of the cache has the bytes that the lock holds, and is
// listed by packgen.
func (l *lockedFiles) check(name string, data []byte) error {
	tree, file, ok := l.split(name)
	if !ok {
		return errNotLocked
	}
	if !l.isListed() {
		l.miss()
		return errNotLocked
	}
	if l.trees[tree] == nil {
		l.trees[tree] = l.digests(tree)
	}
	sum := sha256.Sum256(data)
	line := "\n" + hex.EncodeToString(sum[:]) + "  " + file + "\n"
	if !bytes.Contains(l.trees[tree], []byte(line)) {
		l.miss()
		return errNotLocked
	}
	return nil
}

// digests reads the digests of the files of a tree, each on a line with its path; empty
// when they are not those of the tree.
func (l *lockedFiles) digests(tree string) []byte {
	data, err := atomicfile.Read(filepath.Join(l.cache, "trees", tree, "files"), maxListing)
	if err != nil {
		return []byte{}
	}
	end := bytes.Index(data, []byte("\n\n")) + 1
	if sum := sha256.Sum256(data[:end]); hex.EncodeToString(sum[:]) != tree {
		return []byte{}
	}
	return append([]byte{'\n'}, data[:end]...)
}
