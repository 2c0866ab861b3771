package check

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/packgen/packgen/compiler/regularfile"
)

// WriteBelow writes one file below a directory, so that readers see the old file
// or the new one and never a part. A link above the file, or in its place, is refused.
func WriteBelow(dir, name string, data []byte) error {
	root, err := regularfile.Root(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := regularfile.CheckWriteIn(root, name); err != nil {
		return err
	}
	switch info, err := root.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
		if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
			return err
		}
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", name)
	}
	return replace(root, name, data)
}
