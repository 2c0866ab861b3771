package publish

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/store"
)

// Last implements [Target]; the tree of a target without a manifest is not known.
func (t *Tx) Last(dir string) []string {
	var list []string
	for f := range t.old.From(dir) {
		if !strings.HasPrefix(f.Path, dir) {
			break
		}
		list = append(list, f.Path)
	}
	return list
}

// ReadLast implements [Target].
func (t *Tx) ReadLast(path string) ([]byte, error) {
	last := t.lastFile(path)
	if last == nil {
		return nil, fmt.Errorf("read %s of the last run: it wrote no such file", path)
	}
	at, err := t.target.look(path)
	if err != nil {
		return nil, fmt.Errorf("read %s of the last run: %w", path, err)
	}
	if at.exists && at.stat.Size == last.Stat.Size {
		data, err := readLimited(t.target.abs(path), last.Stat.Size)
		if err != nil {
			return nil, fmt.Errorf("read %s of the last run: %w", path, err)
		}
		if store.Digest(sha256.Sum256(data)) == last.Sum {
			return data, nil
		}
	}
	return nil, fmt.Errorf("read %s of the last run: it has been changed since", path)
}

// LastSum implements [Target].
func (t *Tx) LastSum(path string) (Kept, bool) {
	last, _ := t.untouched(path)
	if last == nil {
		return Kept{}, false
	}
	return Kept{path, last.Sum}, true
}

// untouched returns a file that the last run wrote, and what is there; nil when somebody
// has changed or removed it since.
func (t *Tx) untouched(path string) (*store.File, found) {
	last := t.lastFile(path)
	if last == nil {
		return nil, found{}
	}
	at, err := t.target.look(path)
	if err != nil || !at.exists || at.stat.Size != last.Stat.Size {
		return nil, at
	}
	if f := t.known.Find(path); (f == nil || f.Sum != last.Sum || !f.AtRest(at.stat)) && !t.holds(last, at) {
		return nil, at
	}
	return last, at
}

// lastFile returns a file that the last run wrote; nil when it wrote no such file.
func (t *Tx) lastFile(path string) *store.File {
	if path == t.o.Manifest {
		return nil
	}
	return t.old.Find(path)
}
