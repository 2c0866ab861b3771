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
	"slices"
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

// notPulled is put into a context where a lock holds packs and nothing says which entries
// they have, as in a new work tree.
const notPulled = "[packgen] packgen.lock holds packs that are not pulled here, so none of them is asked. Run packgen pull."

// pullAgain is put into a context that lacks what a prompt needs, since the cache has
// other bytes than the lock holds.
const pullAgain = "[packgen] A pack from elsewhere is left out: its cached files, or their list, are not those that packgen pull wrote. Run packgen pull again."

var errNotLocked = errors.New("the file is not what packgen.lock holds")

// lockedFiles verifies files of the cache of packs. The directory of a tree is named
// after its hash, which a lock holds; the digests of its files, which lie beside it, have
// that hash.
type lockedFiles struct {
	cache   string
	lock    []byte            // packgen.lock as it is
	list    string            // the index of the locked packs
	listed  *bool             // whether packgen wrote that index; nil until it is looked at
	trees   map[string][]byte // by the name of its directory, the digests of each tree of the lock; nil until they are read
	packs   map[string]string // by the same, the names of packs
	damaged bool              // some file, the index, or the digests, are gone or not what they should be

	unlisted bool // there is no index of the locked packs
}

// ListMark is the file of a cache whose existence says that packgen wrote an index of
// locked packs with these bytes for a lock with these: an index in a checkout may come from
// anybody, and a lock that changed holds other packs.
func ListMark(cache string, list, lock []byte) string {
	of, with := sha256.Sum256(lock), sha256.Sum256(list)
	sum := sha256.Sum256(append(of[:], with[:]...))
	return filepath.Join(cache, "lists", hex.EncodeToString(sum[:]))
}

// LockedLink is where the files of a locked pack are linked to, below the root of a
// repository: a short path that an agent may open without leaving its project.
func LockedLink(pack string) string { return path.Join(path.Dir(LockedIndex), pack) }

// readLock reads which trees the lock of a repository holds; nil when it holds none, or
// cannot be read. Of several packs of one name the first counts, and one's own before all.
func readLock(root, cache string) *lockedFiles {
	data, err := atomicfile.Read(filepath.Join(root, lockName), maxLock)
	if err != nil {
		return nil
	}
	lock, err := indexjson.Parse(data)
	if err != nil {
		return nil
	}
	seen := map[string]bool{}
	files := &lockedFiles{cache: cache, lock: data, list: filepath.Join(root, filepath.FromSlash(LockedIndex)), trees: map[string][]byte{}, packs: map[string]string{}}
	lock.Get("references").Items(func(ref loadout.Value) bool {
		tree, _ := ref.Get("tree").Str()
		digest, _ := strings.CutPrefix(tree, "h1:")
		pack, _ := ref.Get("pack").Str()
		if sum, err := base64.StdEncoding.DecodeString(digest); err == nil && len(sum) == sha256.Size && !seen[pack] && !isOwn(root, pack) {
			name := hex.EncodeToString(sum)
			files.trees[name], files.packs[name] = nil, pack
		}
		seen[pack] = true
		return true
	})
	if len(files.trees) == 0 {
		return nil
	}
	return files
}

// isOwn reports a pack that a repository has itself, where its packs lie in one folder.
func isOwn(root, pack string) bool {
	places := configured(root, "packs")
	if len(places) == 0 {
		places = []string{packPlace}
	}
	return filepath.IsLocal(pack) && filepath.Base(pack) == pack && slices.ContainsFunc(places, func(place string) bool {
		dir, ok := strings.CutSuffix(strings.Trim(place, `[]"' `), "/*")
		return ok && holds(root, path.Join(dir, pack, guideFile))
	})
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
			_, err = os.Lstat(ListMark(l.cache, data, l.lock))
		}
		l.listed = new(bool)
		*l.listed = err == nil
	}
	return *l.listed
}

// maxEager is the largest index of locked packs, in bytes, that is hashed whether a prompt
// needs it or not.
const maxEager = 4 << 20

// lookAtList notes what is wrong with the index of the locked packs before it is asked: it
// may not exist, and it may be of another lock.
func (l *lockedFiles) lookAtList() {
	info, err := os.Lstat(l.list)
	l.unlisted = err != nil
	l.damaged = err == nil && info.Size() <= maxEager && !l.isListed()
	for tree := range l.trees {
		if _, err := os.Lstat(filepath.Join(l.cache, "trees", tree)); err != nil {
			l.damaged = true
		}
	}
}

// short is the path of a file by the link to its pack, when packgen pull made one and it
// leads into the tree of the lock.
func (l *lockedFiles) short(name string) (string, bool) {
	tree, file, ok := l.split(name)
	pack := l.packs[tree]
	if !ok || pack == "" || filepath.Base(pack) != pack || !filepath.IsLocal(pack) {
		return "", false
	}
	link := filepath.Join(filepath.Dir(l.list), pack)
	target, err := os.Readlink(link)
	return filepath.Join(link, filepath.FromSlash(file)), err == nil && target == filepath.Join(l.cache, "trees", tree, "tree")
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
