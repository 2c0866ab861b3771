package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// writeBelow writes one file below a directory, so that readers see the old file
// or the new one and never a part. Links below the directory are not followed out
// of it, and a link in the place of the file itself is refused.
func writeBelow(dir, name string, data []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	mode := fs.FileMode(0o666)
	switch info, err := root.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
		if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
			return err
		}
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", name)
	default:
		mode = info.Mode().Perm()
	}
	staged := path.Join(path.Dir(name), "."+path.Base(name)+".packgen")
	if err := root.Remove(staged); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := stageFile(root, staged, mode, data); err != nil {
		return errors.Join(err, dropStaged(root, staged))
	}
	if err := root.Rename(staged, name); err != nil {
		return errors.Join(err, dropStaged(root, staged))
	}
	return nil
}

// stageFile writes and syncs a new file.
func stageFile(root *os.Root, name string, mode fs.FileMode, data []byte) error {
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

// dropStaged removes what could not be moved into place.
func dropStaged(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
