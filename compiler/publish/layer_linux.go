package publish

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncFileSystem flushes everything on the file system that holds dir.
func syncFileSystem(dir string) (bool, error) {
	f, err := os.Open(dir)
	if err != nil {
		return true, err
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return false, nil
	}
	return true, nil
}

// writable reports why files cannot be created in dir, or nil.
func writable(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &os.PathError{Op: "write into", Path: dir, Err: err}
	}
	return nil
}
