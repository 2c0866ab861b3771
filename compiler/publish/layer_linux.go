package publish

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/packgen/packgen/compiler/regularfile"
)

// syncFileSystem flushes everything on the file system that holds dir.
func syncFileSystem(dir string) (bool, error) {
	f, err := regularfile.OpenDir(dir)
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

// writeFile makes a new file. It goes without [os.File], which tries whether the
// file can be polled: for a small file that is more work than the file itself.
func writeFile(path string, data []byte) error {
	fd, err := regularfile.Retry(func() (int, error) {
		return unix.Open(path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o666)
	})
	if err != nil {
		return &os.PathError{Op: "create", Path: path, Err: err}
	}
	for err == nil && len(data) > 0 {
		var n int
		if n, err = regularfile.Retry(func() (int, error) { return unix.Write(fd, data) }); n == 0 {
			err = io.ErrShortWrite
		}
		data = data[max(n, 0):]
	}
	if err := errors.Join(err, unix.Close(fd)); err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}
