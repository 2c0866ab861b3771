package rules

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// SplitError says that a split could not be done. Nothing was changed.
type SplitError struct {
	Path string
	Err  error
}

func (e *SplitError) Error() string { return fmt.Sprintf("split %s: %v", e.Path, e.Err) }
func (e *SplitError) Unwrap() error { return e.Err }

// ErrChanged says that a file is not what it was when it was read.
var ErrChanged = errors.New("the file was changed meanwhile")

// Split writes an output below a repository root: all of it or nothing. Files are
// staged beside their places and reach the disk before the first of them takes
// its name; the instruction file is the last. It returns the path of the copy of
// the instruction file as it was, a name of its own that no earlier copy has. Any
// failure leaves every file as it was, and is a *SplitError.
func (r *Report) Split(root *os.Root, out *Output) (backup string, err error) {
	if info, err := root.Lstat(r.FilePath); err == nil && !info.Mode().IsRegular() {
		return "", &SplitError{r.FilePath, errors.New("it is a link or no regular file; name the file itself")}
	}
	s := &staging{root: root, original: []byte(r.text), main: r.FilePath}
	defer func() {
		if err != nil {
			err = &SplitError{r.FilePath, errors.Join(err, s.undo())}
		}
	}()
	if backup, err = freeBackup(root, r.FilePath); err != nil {
		return "", err
	}
	for _, f := range out.Rules {
		if err := s.add(f, false); err != nil {
			return "", err
		}
	}
	if err := s.add(File{backup, []byte(r.text)}, false); err != nil {
		return "", err
	}
	if err := s.add(out.Index, true); err != nil {
		return "", err
	}
	if err := s.add(out.Main, true); err != nil {
		return "", err
	}
	return backup, s.commit()
}

// freeBackup names the copy: name.bak, or name.bak-2 and so on.
func freeBackup(root *os.Root, name string) (string, error) {
	for n := 1; n < 10_000; n++ {
		candidate := name + ".bak"
		if n > 1 {
			candidate = fmt.Sprintf("%s.bak-%d", name, n)
		}
		if _, err := root.Lstat(candidate); errors.Is(err, fs.ErrNotExist) {
			return candidate, nil
		} else if err != nil {
			return "", err
		}
	}
	return "", errors.New("there are too many backups")
}

// staging is a set of files on their way.
type staging struct {
	root     *os.Root
	main     string
	original []byte
	files    []staged
	dirs     []string // made for this split, outermost first
}

type staged struct {
	name, temp string
	replaces   bool   // an earlier file may be there
	had        []byte // its bytes, nil without one
	placed     bool
}

// add writes a file beside its place.
func (s *staging) add(f File, replaces bool) error {
	st := staged{name: f.Path, replaces: replaces}
	mode := fs.FileMode(0o644)
	switch info, err := s.root.Lstat(f.Path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !replaces:
		return fmt.Errorf("%s: %w", f.Path, fs.ErrExist)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", f.Path)
	default:
		mode = info.Mode().Perm()
		if st.had, err = s.root.ReadFile(f.Path); err != nil {
			return err
		}
	}
	if err := s.makeDirs(path.Dir(f.Path)); err != nil {
		return err
	}
	st.temp = path.Join(path.Dir(f.Path), "."+path.Base(f.Path)+"."+rand.Text()[:8]+".packgen")
	s.files = append(s.files, st)
	return writeSynced(s.root, st.temp, f.Data, mode)
}

func writeSynced(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// makeDirs makes a directory and those above it, and notes the new ones.
func (s *staging) makeDirs(dir string) error {
	at := ""
	if dir == "." {
		return nil
	}
	for part := range strings.SplitSeq(dir, "/") {
		at = path.Join(at, part)
		switch err := s.root.Mkdir(at, 0o777); {
		case err == nil:
			s.dirs = append(s.dirs, at)
		case !errors.Is(err, fs.ErrExist):
			return err
		}
	}
	return nil
}

// commit gives the files their names, the instruction file last, if that is
// still what it was.
func (s *staging) commit() error {
	for i := range s.files {
		f := &s.files[i]
		if f.name == s.main {
			now, err := s.root.ReadFile(s.main)
			if err != nil {
				return err
			}
			if !bytes.Equal(now, s.original) {
				return ErrChanged
			}
		}
		if err := s.root.Rename(f.temp, f.name); err != nil {
			return err
		}
		f.placed = true
	}
	return nil
}

// undo takes back what was placed and what was staged. The instruction file is
// placed last, so it never has to be taken back.
func (s *staging) undo() error {
	var faults []error
	note := func(err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, err)
		}
	}
	for i := len(s.files) - 1; i >= 0; i-- {
		f := &s.files[i]
		switch {
		case !f.placed:
			note(s.root.Remove(f.temp))
		case f.had == nil:
			note(s.root.Remove(f.name))
		default:
			temp := f.temp + ".old"
			err := writeSynced(s.root, temp, f.had, 0o644)
			if err == nil {
				err = s.root.Rename(temp, f.name)
			}
			note(err)
		}
	}
	for i := len(s.dirs) - 1; i >= 0; i-- {
		note(s.root.Remove(s.dirs[i]))
	}
	return errors.Join(faults...)
}
