//go:build !linux

package publish

import (
	"errors"

	"github.com/packgen/packgen/compiler/regularfile"
)

// syncFileSystem is not known here; files are synced one by one.
func syncFileSystem(string) (bool, error) { return false, nil }

// writable leaves the question to the write itself.
func writable(string) error { return nil }

// writeFile makes a new file.
func writeFile(path string, data []byte) error {
	f, err := regularfile.Create(path, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
