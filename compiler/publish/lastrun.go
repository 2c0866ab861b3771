package publish

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/store"
)

// lastFile is a file that the last run wrote.
type lastFile struct {
	size int64 // bytes
	sum  store.Digest
}

// LastFiles returns the files below a directory, such as "packs/handbook/", that the
// last run wrote, in path order. It is for targets with a manifest.
func (t *Tx) LastFiles(dir string) []string {
	var list []string
	for path := range t.old {
		if strings.HasPrefix(path, dir) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// ReadLast returns the bytes of a file that the last run wrote. One that somebody
// has changed or removed since is an error.
func (t *Tx) ReadLast(path string) ([]byte, error) {
	last, ok := t.old[path]
	if !ok {
		return nil, fmt.Errorf("read %s of the last run: it wrote no such file", path)
	}
	at, err := t.target.look(path)
	if err != nil {
		return nil, fmt.Errorf("read %s of the last run: %w", path, err)
	}
	if at.exists && at.stat.Size == last.size {
		data, err := readLimited(t.target.abs(path), last.size)
		if err != nil {
			return nil, fmt.Errorf("read %s of the last run: %w", path, err)
		}
		if store.Digest(sha256.Sum256(data)) == last.sum {
			return data, nil
		}
	}
	return nil, fmt.Errorf("read %s of the last run: it has been changed since", path)
}

// KeepLast adds a file that the last run wrote to the new tree as it is. It returns
// false, and adds nothing, when somebody has changed or removed it since.
func (t *Tx) KeepLast(path string) bool {
	last, ok := t.old[path]
	if !ok {
		return false
	}
	at, err := t.target.look(path)
	if err != nil || !at.exists || at.stat.Size != last.size {
		return false
	}
	was := store.File{Path: path, Stat: store.Stat{Size: last.size}, Sum: last.sum}
	if f := t.known.Find(path); (f == nil || f.Sum != last.sum || !f.AtRest(at.stat)) && !t.holds(&was, at) {
		return false
	}
	e, err := t.reserve(path, false)
	if err != nil {
		_ = t.fail(fmt.Errorf("publish %s: %w", path, err))
		return true // Commit says why
	}
	e.change, e.stat, e.size, e.sum = Unchanged, at.stat, last.size, last.sum
	return true
}
