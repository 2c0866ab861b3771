package publish

import (
	"errors"
	"iter"
	"path/filepath"
)

// The stage holds new files by their paths: content and what refers to it apart, because
// all content takes its place first. A directory that the target lacks comes with all its
// content in one rename.
const (
	contentStage = "content"
	lastStage    = "last"
)

// stage writes one file into the stage.
func (s *state) stage(e *entry, data []byte) error {
	name, err := s.makeRoom(e)
	if err != nil {
		return err
	}
	return s.layer.Write(name, data)
}

// stageFrom is stage for content that is written in pieces.
func (s *state) stageFrom(e *entry, content Content) error {
	name, err := s.makeRoom(e)
	if err != nil {
		return err
	}
	f, err := s.layer.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(content(f), f.Close())
}

// makeRoom makes the directory that a file is staged in, once, and returns the name of the
// file on disk.
func (s *state) makeRoom(e *entry) (string, error) {
	if err := s.openStage(); err != nil {
		return "", err
	}
	name := s.staged(e)
	dir := filepath.Dir(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made[dir] {
		return name, nil
	}
	if err := s.layer.MkdirAll(dir); err != nil {
		return "", err
	}
	if s.made == nil {
		s.made = map[string]bool{}
	}
	s.made[dir] = true
	return name, nil
}

// staged is where a file is staged.
func (s *state) staged(e *entry) string {
	part := contentStage
	if e.last > 0 {
		part = lastStage
	}
	return filepath.Join(s.stagePath(s.inTarget), part, filepath.FromSlash(e.path))
}

// eachStaged yields where new files are staged.
func (s *state) eachStaged(list files) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := range list.all {
			if e.change != Unchanged && !yield(s.staged(e)) {
				return
			}
		}
	}
}
