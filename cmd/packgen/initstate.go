package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// initState is what init makes before the files themselves, to be taken away
// again.
type initState struct {
	state   string // where the files are staged
	own     bool   // state did not exist before
	parents []string
}

// prepare makes the place where the files are staged: inside a directory that
// exists, beside one that does not, so that this one appears in one step.
func (in *initRun) prepare() (*initState, error) {
	s := &initState{}
	if _, err := os.Stat(in.dir); err == nil {
		s.state = filepath.Join(in.dir, stateName)
		_, err := os.Lstat(s.state)
		s.own = errors.Is(err, fs.ErrNotExist)
		return s, nil
	}
	parent := filepath.Dir(in.dir)
	for at := parent; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		s.parents = append(s.parents, at)
	}
	err := os.MkdirAll(parent, 0o777)
	if err == nil {
		s.state, err = os.MkdirTemp(parent, ".packgen-init-*")
	}
	if err != nil {
		s.undo()
		return nil, fmt.Errorf("make %s: %w", in.shown, err)
	}
	s.own = true
	return s, nil
}

// dropState removes what the files were staged in, when it was made for that. A
// journal in it is work that the next run finishes.
func (s *initState) dropState() {
	if !s.own {
		return
	}
	if journals, err := filepath.Glob(filepath.Join(s.state, "*", "journal")); err == nil && len(journals) > 0 {
		return
	}
	os.RemoveAll(s.state)
}

// undo removes the directories above the new one, as far as they are empty.
func (s *initState) undo() {
	for _, dir := range s.parents {
		if os.Remove(dir) != nil {
			return
		}
	}
}
