package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/regularfile"
)

// deletions are the files that a commit removes.
type deletions struct {
	before []string // those that make room for new files
	after  []string
}

// mover carries out what a commit has decided. Nothing of it is ever done again: the run
// after one that was killed compares the target again.
type mover struct {
	state  *state
	target *diskTree // as it becomes
}

func (m mover) all(list files, d deletions) error {
	if err := m.deleteAll(d.before); err != nil {
		return err
	}
	m.target = newDiskTree(m.target.dir) // directories have gone
	if err := m.state.layer.MkdirAll(m.target.dir); err != nil {
		return err
	}
	moved := "" // a directory, with a slash, that has come with all its content
	for e := range list.all {
		switch {
		case e.change == Unchanged || e.last == 0 && moved != "" && strings.HasPrefix(e.path, moved):
			continue
		case e.last == 0:
			dir, err := m.moveDir(e.path)
			if err != nil {
				return err
			}
			if dir != "" {
				moved = dir + "/"
				continue
			}
		}
		if err := m.moveFile(e); err != nil {
			return err
		}
	}
	return m.deleteAll(d.after)
}

// moveDir moves the uppermost directory above a path that the target lacks and returns its
// path; "" when there is none.
func (m mover) moveDir(path string) (string, error) {
	dir := parent(path)
	state, err := m.target.directory(dir)
	if err != nil || state != isGone {
		return "", err
	}
	for above := parent(dir); dir != "."; above = parent(dir) {
		if state, err = m.target.directory(above); err != nil {
			return "", err
		}
		if state != isGone {
			break
		}
		dir = above
	}
	if dir == "." {
		return "", nil
	}
	from := filepath.Join(m.state.stagePath(m.state.inTarget), contentStage, filepath.FromSlash(dir))
	err = m.state.layer.Rename(from, m.target.abs(dir))
	if err == nil {
		m.target.note(dir, isDir)
		return dir, nil
	}
	if state, _ := lookAt(m.target.abs(dir)); state == isDir { // somebody has made it meanwhile
		m.target = newDiskTree(m.target.dir)
		return "", nil
	}
	return "", err
}

// moveFile moves one file.
func (m mover) moveFile(e *entry) error {
	dir := parent(e.path)
	state, err := m.target.directory(dir)
	if err == nil && state != isDir {
		err = m.state.layer.MkdirAll(m.target.abs(dir))
		for ; err == nil && dir != "."; dir = parent(dir) {
			m.target.note(dir, isDir)
		}
	}
	if err == nil && e.blocked {
		err = m.removeHollow(m.target.abs(e.path))
	}
	if err != nil {
		return err
	}
	return m.state.layer.Rename(m.state.staged(e), m.target.abs(e.path))
}

// removeHollow removes a directory that is where a file goes and has no file
// in it. One that has is left, and the rename says so.
func (m mover) removeHollow(dir string) error {
	if state, err := lookAt(dir); err != nil || state != isDir {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return nil
		}
		if err := m.removeHollow(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		return err
	}
	return m.state.layer.Remove(dir)
}

// deleteAll removes files and the directories they leave empty. What is gone or
// has become something else is skipped.
func (m mover) deleteAll(paths []string) error {
	var dirs []string
	for _, path := range paths {
		dirs = append(dirs, parent(path))
		state, err := m.target.directory(parent(path))
		if err != nil {
			return err
		}
		if state != isDir {
			continue
		}
		info, err := os.Lstat(m.target.abs(path))
		if err == nil && !info.IsDir() {
			err = m.state.layer.Remove(m.target.abs(path))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if err := m.prune(dir); err != nil {
			return err
		}
	}
	return nil
}

// prune removes a directory that is empty, and those above it that become so.
func (m mover) prune(dir string) error {
	for ; dir != "."; dir = parent(dir) {
		name := m.target.abs(dir)
		if state, err := lookAt(name); err != nil || state == isGone {
			continue // the one above may be empty too
		} else if state == isOther {
			return nil
		}
		entries, err := regularfile.OpenDir(name)
		if err != nil {
			return err
		}
		names, _ := entries.Readdirnames(1)
		entries.Close()
		if len(names) > 0 {
			return nil
		}
		if err := m.state.layer.Remove(name); err != nil {
			return err
		}
	}
	return nil
}
