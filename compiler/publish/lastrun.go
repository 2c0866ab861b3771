package publish

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/store"
)

// Kept is a file of a target with its digest.
type Kept struct {
	Path string
	Sum  [sha256.Size]byte
}

// Last implements [Target]; the tree of a target without a manifest is not known.
func (t *Tx) Last(dir string) []string {
	var list []string
	for f := range t.last.files.From(dir) {
		if !strings.HasPrefix(f.Path, dir) {
			break
		}
		list = append(list, f.Path)
	}
	return list
}

// ReadLast implements [Target].
func (t *Tx) ReadLast(path string) ([]byte, error) {
	last := t.last.file(path)
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
	last, _ := t.last.untouched(path)
	if last == nil {
		return Kept{}, false
	}
	return Kept{path, last.Sum}, true
}

// Keep implements [Target].
func (t *Tx) Keep(files ...Kept) bool {
	found := make([]struct {
		*store.File
		at store.Stat
	}, len(files))
	for i := range files {
		f, at := t.last.untouched(files[i].Path)
		if f == nil || f.Sum != files[i].Sum {
			return false
		}
		found[i].File, found[i].at = f, at.stat
	}
	for i := range found {
		// The path that is known is held anyway; the other one is a part of a list.
		if !t.keep(found[i].File, &found[i].at) {
			break // Commit says why
		}
	}
	return true
}

// keep adds a file to the new tree as it is.
func (t *Tx) keep(f *store.File, at *store.Stat) bool {
	e, err := t.reserve(f.Path, false)
	if err != nil {
		_ = t.fail(fmt.Errorf("publish %s: %w", f.Path, err))
		return false
	}
	e.change, e.stat, e.size, e.sum = Unchanged, at, at.Size, f.Sum
	t.next.enter(e)
	return true
}

// Sum implements [Target].
func (t *Tx) Sum(path string) (Kept, bool) {
	t.next.mu.Lock()
	defer t.next.mu.Unlock()
	at := t.next.entries.find(fold(path))
	if at < 0 || t.next.entries.path(at) != path {
		return Kept{}, false
	}
	e := t.next.entries.get(at)
	return Kept{path, e.sum}, !e.refused
}

// PackKept writes a list of files.
func PackKept(w *store.Writer, files []Kept) {
	w.Uint(len(files))
	for i := range files {
		w.Str(files[i].Path)
		w.Digest(files[i].Sum)
	}
}

// UnpackKept reads what PackKept wrote.
func UnpackKept(r *store.Reader) []Kept {
	files := make([]Kept, r.CountOf(1+sha256.Size))
	for i := range files {
		files[i] = Kept{r.Str(), r.Digest()}
	}
	return files
}
