package disktest

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Trace is what a program did to a directory, from which every state can be made that a
// power cut leaves.
//
// A cut at a moment keeps of each file what was written before its last sync, and of the
// writes after it none, some or all, the last perhaps in part. Names are kept in the order
// in which they were made, as file systems with a journal do: all up to the last sync of
// anything, and some of those after it.
type Trace struct {
	dir     string
	before  map[string]*file
	changes []Change
}

// file is a file, a directory or a link, whatever its names are.
type file struct {
	dir     bool
	to      string // of a symbolic link
	synced  []byte
	pending []Change // writes since the last sync
}

// Record runs a program and records what it does to a directory.
func Record(cmd *exec.Cmd, dir string) (*Trace, error) {
	t := &Trace{dir: dir}
	before, err := load(dir)
	if err != nil {
		return nil, err
	}
	t.before = before
	d := &Disk{Dirs: []string{dir}, Record: true}
	report, err := d.Run(cmd)
	if report != nil {
		t.changes = report.Changes
	}
	return t, err
}

// load reads a directory as a disk has it on which everything is synced.
func load(dir string) (map[string]*file, error) {
	files := map[string]*file{}
	return files, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		f := &file{dir: d.IsDir()}
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			f.to, err = os.Readlink(path)
		case !f.dir:
			f.synced, err = os.ReadFile(path)
		}
		files[path] = f
		return err
	})
}

// Changes is the number of changes.
func (t *Trace) Changes() int { return len(t.changes) }

// Whole writes the state in which all changes are on the disk.
func (t *Trace) Whole(dir string) error { return t.write(dir, len(t.changes), len(t.changes), nil) }

// Cut writes the state that a power cut leaves, at a moment and with losses by chance.
// Dir must not exist.
func (t *Trace) Cut(chance *rand.Rand, dir string) error {
	at := chance.IntN(len(t.changes) + 1)
	kept := at // names up to here are on the disk
	for kept > 0 && t.changes[kept-1].Kind != Sync {
		kept--
	}
	return t.write(dir, at, kept+chance.IntN(at-kept+1), chance)
}

// write writes the state after some changes, of which names are kept only up to a moment.
// Without chance every write is kept.
func (t *Trace) write(dir string, changes, names int, chance *rand.Rand) error {
	now, kept := maps.Clone(t.before), map[string]*file(nil)
	for path, f := range now { // each run of the model has files of its own
		again := *f
		now[path] = &again
	}
	for i, c := range t.changes[:changes] {
		if i == names {
			kept = maps.Clone(now)
		}
		apply(now, c)
	}
	if kept == nil {
		kept = now
	}
	var failed error
	for _, path := range slices.Sorted(maps.Keys(kept)) {
		f, to := kept[path], dir+strings.TrimPrefix(path, t.dir)
		switch {
		case !strings.HasPrefix(path+"/", t.dir+"/"):
		case f.dir:
			failed = errors.Join(failed, os.MkdirAll(to, 0o777))
		case f.to != "":
			failed = errors.Join(failed, os.Symlink(f.to, to))
		default:
			failed = errors.Join(failed, os.WriteFile(to, f.content(chance), 0o666))
		}
	}
	return failed
}

// apply carries a change out in the model. One that the real disk refused does nothing.
func apply(now map[string]*file, c Change) {
	f := now[c.Path]
	switch c.Kind {
	case Create:
		switch {
		case f == nil:
			now[c.Path] = &file{}
		case c.emptied && !c.must && !f.dir:
			f.pending = append(f.pending, Change{Kind: truncate})
		}
	case Mkdir:
		if f == nil {
			now[c.Path] = &file{dir: true}
		}
	case symlink:
		if f == nil {
			now[c.Path] = &file{to: c.To}
		}
	case link:
		if f != nil && now[c.To] == nil {
			now[c.To] = f
		}
	case Write, truncate:
		if f != nil {
			f.pending = append(f.pending, c)
		}
	case Sync:
		for _, g := range now {
			if g == f || c.All {
				g.sync()
			}
		}
	case Rename:
		if f != nil && !(now[c.To] != nil && now[c.To].dir && hasContent(now, c.To)) {
			move(now, c.Path, c.To)
		}
	case Remove:
		if f != nil && f.dir == c.withDirs && !(f.dir && hasContent(now, c.Path)) {
			delete(now, c.Path)
		}
	}
}

func hasContent(now map[string]*file, dir string) bool {
	for path := range now {
		if strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}

// move renames a file, or a directory with all that is in it.
func move(now map[string]*file, from, to string) {
	for _, path := range slices.Collect(maps.Keys(now)) {
		if rest, ok := strings.CutPrefix(path, from); ok && (rest == "" || rest[0] == '/') {
			f := now[path]
			delete(now, path)
			now[to+rest] = f
		}
	}
}

// sync brings all writes to the disk.
func (f *file) sync() {
	f.synced, f.pending = f.content(nil), nil
}

// content is what a file holds after a cut. Without chance every write is kept.
func (f *file) content(chance *rand.Rand) []byte {
	kept, part := len(f.pending), false
	if chance != nil {
		kept = chance.IntN(kept + 1)
		part = kept > 0 && chance.IntN(2) == 0
	}
	data := bytes.Clone(f.synced)
	for i, c := range f.pending[:kept] {
		if c.Kind == truncate {
			data = resize(data, int(c.offset))
			continue
		}
		written := c.data
		if part && i == kept-1 {
			written = written[:chance.IntN(len(written)+1)]
		}
		end := int(c.offset) + len(written)
		if end > len(data) {
			data = resize(data, end)
		}
		copy(data[c.offset:], written)
	}
	return data
}

func resize(data []byte, size int) []byte {
	if size <= len(data) {
		return data[:size]
	}
	return append(data, make([]byte, size-len(data))...)
}
