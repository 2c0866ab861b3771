package library

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"

	"github.com/packgen/packgen/compiler/regularfile"
)

// createBelow writes a new file, whole or not at all; no link can lead it out of the
// directory. The error wraps fs.ErrExist when there is one of that name.
func createBelow(dir, name string, data []byte) error {
	if err := regularfile.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := regularfile.Root(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := regularfile.CheckWriteIn(root, name); err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	if _, err := root.Lstat(name); err == nil {
		return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	staged := path.Join(path.Dir(name), "."+path.Base(name)+"."+rand.Text()+".packgen")
	f, err := root.OpenFile(staged, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		// A link, unlike a rename, takes no name that another process took meanwhile.
		if err = root.Link(staged, name); err != nil && !errors.Is(err, fs.ErrExist) {
			if root.Rename(staged, name) == nil {
				return nil // the file system has no links
			}
		}
	}
	return errors.Join(err, root.Remove(staged))
}
