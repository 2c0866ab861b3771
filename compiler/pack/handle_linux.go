package pack

import (
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
)

// openHandle opens a directory of a pack, by its path without links.
func (p *Pack) openHandle(dir string) (handle, error) {
	if p.root == nil {
		return fsHandle{p.fsys, dir}, nil
	}
	f, err := p.root.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fd, err := regularfile.Retry(func() (int, error) {
		return unix.Openat(int(f.Fd()), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return fdHandle(fd), nil
}

// fdHandle is a directory by its file descriptor. Names are looked up in the
// directory itself: no path is walked again for each file, and no link is
// followed on the way down.
type fdHandle int

var _ handle = fdHandle(0)

// direntBuffer is how many bytes of a directory are read at once.
const direntBuffer = 16 << 10

func (h fdHandle) read() ([]seen, error) {
	var buf [direntBuffer]byte
	var names []string
	for {
		n, err := regularfile.Retry(func() (int, error) { return unix.Getdents(int(h), buf[:]) })
		if err != nil {
			return nil, os.NewSyscallError("getdents", err)
		}
		if n <= 0 {
			break
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
	list := make([]seen, 0, len(names))
	var st unix.Stat_t
	for _, name := range names {
		if strings.HasPrefix(name, ".") && name != gitBookOwn {
			continue // never listed
		}
		_, err := regularfile.Retry(func() (int, error) { return 0, unix.Fstatat(int(h), name, &st, unix.AT_SYMLINK_NOFOLLOW) })
		if err == unix.ENOENT {
			continue // gone since the directory was read
		}
		if err != nil {
			return nil, &os.PathError{Op: "stat", Path: name, Err: err}
		}
		list = append(list, seen{name, kindOf(st.Mode), store.Stat{Size: st.Size, ModTime: st.Mtim.Nano(), ChangeTime: st.Ctim.Nano(), Inode: st.Ino}})
	}
	return list, nil
}

// kindOf returns the type bits of a mode as the system has it.
func kindOf(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}

func (h fdHandle) enter(name string) (handle, error) {
	fd, err := regularfile.Retry(func() (int, error) {
		return unix.Openat(int(h), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return fdHandle(fd), nil
}

func (h fdHandle) close() { _ = unix.Close(int(h)) }
