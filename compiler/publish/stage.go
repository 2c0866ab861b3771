package publish

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
)

// A file is staged in one of two ways. One whose directory is in the target,
// and every file that takes its place after the others, is staged under a number and renamed by itself. All
// others are staged as the tree they will be: the whole tree is moved to its place
// in one rename.

// treesDir is the directory of the stage that holds trees.
const treesDir = "trees"

// stage writes one file into the stage.
func (s *state) stage(e *entry, at found, data []byte) error {
	name, err := s.reserve(e, at)
	if err != nil {
		return err
	}
	return s.layer.Write(name, data)
}

// stageFrom is stage for content that is written in pieces.
func (s *state) stageFrom(e *entry, at found, content Content) error {
	name, err := s.reserve(e, at)
	if err != nil {
		return err
	}
	f, err := s.layer.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(content(f), f.Close())
}

// reserve chooses the place of a file in the stage and returns its name on disk.
func (s *state) reserve(e *entry, at found) (string, error) {
	if err := s.openStage(); err != nil {
		return "", err
	}
	stage := s.stagePath(s.inTarget)
	if at.root == "" || e.last > 0 {
		e.staged = int32(s.next.Add(1))
		return staged(stage, int(e.staged)), nil
	}
	e.tree = at.root
	return stagedTree(stage, e.path), s.makeDir(stage, parent(e.path))
}

// makeDir makes a directory of the staged trees, once.
func (s *state) makeDir(stage, dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made[dir] {
		return nil
	}
	if err := s.layer.MkdirAll(stagedTree(stage, dir)); err != nil {
		return err
	}
	if s.made == nil {
		s.made = map[string]bool{}
	}
	s.made[dir] = true
	return nil
}

// eachStaged yields where new files are staged.
func (s *state) eachStaged(list files) iter.Seq[string] {
	stage := s.stagePath(s.inTarget)
	return func(yield func(string) bool) {
		for e := range list.all {
			name := ""
			switch {
			case e.tree != "":
				name = stagedTree(stage, e.path)
			case e.staged > 0:
				name = staged(stage, int(e.staged))
			}
			if name != "" && !yield(name) {
				return
			}
		}
	}
}

// staged is where the file of a number is staged.
func staged(stage string, n int) string {
	return filepath.Join(stage, strconv.Itoa(n))
}

// stagedTree is where a path of a tree is staged.
func stagedTree(stage, path string) string {
	return filepath.Join(stage, treesDir, filepath.FromSlash(path))
}

// moveTree puts a staged tree in its place: in one rename when its place is
// free, as it should be. Should a directory have been made there meanwhile, the
// tree is put into it piece by piece. A tree that is no longer staged has been
// moved before.
func (r run) moveTree(path string, made map[string]bool) error {
	from := stagedTree(r.stage, path)
	if state, err := lookAt(from); err != nil || state != isDir {
		return err
	}
	if err := r.makeParent(path, made); err != nil {
		return err
	}
	state, err := lookAt(r.target.abs(path))
	switch {
	case err != nil:
		return err
	case state == isOther:
		return fmt.Errorf("a file %w of the directory %s", ErrBlocked, path)
	case state == isGone:
		return r.layer.Rename(from, r.target.abs(path))
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		below := path + "/" + e.Name()
		if e.IsDir() {
			err = r.moveTree(below, made)
		} else {
			err = r.layer.Rename(stagedTree(r.stage, below), r.target.abs(below))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// makeParent makes the directory that holds a path of the target, once.
func (r run) makeParent(path string, made map[string]bool) error {
	dir := parent(path)
	if made[dir] {
		return nil
	}
	if _, err := newTarget(r.target.dir).directory(dir); err != nil {
		return err
	}
	if err := r.layer.MkdirAll(r.target.abs(dir)); err != nil {
		return err
	}
	made[dir] = true
	return nil
}
