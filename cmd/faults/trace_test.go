package faults_test

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
// writes after it none, some or all, the last perhaps in part. Names are kept in one of two
// ways. A file system with a journal keeps them in the order in which they were made: all up
// to the last sync of anything, and some of those after it. Another keeps those of what was
// synced, a file or the directory that they are in, and of the others any, in no order: a
// rename is there, one before it is not.
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
func (t *Trace) Whole(dir string) error {
	return t.write(dir, len(t.changes), func([]naming) func(int) bool { return func(int) bool { return true } }, false, nil)
}

// Cut writes the state that a power cut leaves, at a moment and with losses by chance, on
// a file system with a journal or another. Dir must not exist.
func (t *Trace) Cut(chance *rand.Rand, dir string, journal bool) error {
	return t.write(dir, chance.IntN(len(t.changes)+1), func(loose []naming) func(int) bool {
		if journal {
			kept := chance.IntN(len(loose) + 1)
			return func(i int) bool { return i < kept }
		}
		part := []float64{.1, .5, .9}[chance.IntN(3)]
		return func(int) bool { return chance.Float64() < part }
	}, journal, chance)
}

// naming is a change of names, and the file that it names.
type naming struct {
	Change
	file   *file
	synced bool
}

// write writes the state after some changes. Of the changes of names that no sync has
// brought to the disk, keep chooses. Without chance every write is kept.
func (t *Trace) write(dir string, changes int, keep func(loose []naming) func(int) bool, journal bool, chance *rand.Rand) error {
	now := maps.Clone(t.before)
	for path, f := range now { // each run of the model has files of its own
		again := *f
		now[path] = &again
	}
	disk := maps.Clone(now)
	var names []naming
	for _, c := range t.changes[:changes] {
		if c.Kind == Sync {
			settle(names, now, c, journal)
		}
		if f := apply(now, c); f != nil {
			names = append(names, naming{Change: c, file: f})
		}
	}
	loose := slices.DeleteFunc(slices.Clone(names), func(n naming) bool { return n.synced })
	chosen, at := keep(loose), 0
	for _, n := range names {
		kept := n.synced
		if !kept {
			kept = chosen(at)
			at++
		}
		if kept {
			n.apply(disk)
		}
	}
	return t.save(dir, disk, chance)
}

// settle notes which changes of names a sync brings to the disk.
func settle(names []naming, now map[string]*file, c Change, journal bool) {
	f := now[c.Path]
	for i := range names {
		n := &names[i]
		switch {
		case c.All || journal || n.file == f:
		case f != nil && f.dir && (filepath.Dir(n.Path) == c.Path || filepath.Dir(n.To) == c.Path):
		case n.file.dir && strings.HasPrefix(c.Path, n.Path+"/"): // a file is synced with the directories above it
		default:
			continue
		}
		n.synced = true
	}
}

// apply carries a change of names out where others before it may be lost.
func (n naming) apply(disk map[string]*file) {
	switch n.Kind {
	case Create, Mkdir, symlink:
		disk[n.Path] = n.file
	case link:
		disk[n.To] = n.file
	case Rename:
		if disk[n.Path] == n.file {
			move(disk, n.Path, n.To)
		}
		disk[n.To] = n.file
	case Remove:
		if disk[n.Path] == n.file && !hasContent(disk, n.Path) {
			delete(disk, n.Path)
		}
	}
}

// save writes the files of a state, but those whose directory is lost.
func (t *Trace) save(dir string, disk map[string]*file, chance *rand.Rand) error {
	var failed error
	lost := ""
	for _, path := range slices.Sorted(maps.Keys(disk)) {
		f, to := disk[path], dir+strings.TrimPrefix(path, t.dir)
		switch above := disk[filepath.Dir(path)]; {
		case !strings.HasPrefix(path+"/", t.dir+"/") || lost != "" && strings.HasPrefix(path, lost):
		case path != t.dir && (above == nil || !above.dir):
			lost = filepath.Dir(path) + "/"
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

// apply carries a change out in the model, and returns the file whose names it changes, nil
// for none. A change that the real disk refused does nothing.
func apply(now map[string]*file, c Change) *file {
	f := now[c.Path]
	switch c.Kind {
	case Create:
		switch {
		case f == nil:
			now[c.Path] = &file{}
			return now[c.Path]
		case c.emptied && !c.must && !f.dir:
			f.pending = append(f.pending, Change{Kind: truncate})
		}
	case Mkdir:
		if f == nil {
			now[c.Path] = &file{dir: true}
			return now[c.Path]
		}
	case symlink:
		if f == nil {
			now[c.Path] = &file{to: c.To}
			return now[c.Path]
		}
	case link:
		if f != nil && now[c.To] == nil {
			now[c.To] = f
			return f
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
			return f
		}
	case Remove:
		if f != nil && f.dir == c.withDirs && !(f.dir && hasContent(now, c.Path)) {
			delete(now, c.Path)
			return f
		}
	}
	return nil
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
