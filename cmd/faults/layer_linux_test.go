package faults_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// watched are the calls of Go programs that change files, apart from openat, which does
// so by its flags.
func watched() []uint32 {
	return []uint32{
		unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_SYNCFS, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2,
		unix.SYS_UNLINKAT, unix.SYS_MKDIRAT, unix.SYS_FTRUNCATE, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_UTIMENSAT,
		unix.SYS_COPY_FILE_RANGE, unix.SYS_SENDFILE,
	}
}

// notice is struct seccomp_notif.
type notice struct {
	id           uint64
	pid, flags   uint32
	number       int32
	architecture uint32
	pointer      uint64
	args         [6]uint64
}

// answer is struct seccomp_notif_resp.
type answer struct {
	id    uint64
	value int64
	err   int32
	flags uint32
}

// layer answers the calls of one run.
type layer struct {
	disk     *Disk
	listener int
	report   *Report
}

// serve answers until the program and all it started have ended.
func (l *layer) serve() error {
	defer unix.Close(l.listener)
	for {
		polled := []unix.PollFd{{Fd: int32(l.listener), Events: unix.POLLIN}}
		_, err := unix.Poll(polled, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("wait for a call: %w", err)
		}
		if polled[0].Revents&unix.POLLIN == 0 {
			return nil
		}
		var n notice
		if err := control(l.listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); err != nil {
			continue // the thread that called is gone
		}
		a := answer{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if c, ok := read(&n, l.disk.Record); ok && (l.disk.below(c.Path) || l.disk.below(c.To)) {
			a = l.answer(&n, c)
		}
		_ = control(l.listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a)) // it may have been killed meanwhile
	}
}

func control(fd int, request uint, at unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), uintptr(at))
		if errno == 0 {
			return nil
		}
		if errno != unix.EINTR {
			return errno
		}
	}
}

// answer decides about one change.
func (l *layer) answer(n *notice, c Change) answer {
	happens := answer{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if c.Kind == copied {
		return answer{id: n.id, err: -int32(unix.ENOSYS)}
	}
	if c.Kind != open && c.Kind != Read {
		l.report.Changes = append(l.report.Changes, c)
	}
	d := l.disk
	if !d.Fault.affects(c.Kind) {
		return happens
	}
	l.report.Count++
	if d.At == 0 || l.report.Count < d.At || l.report.Count > d.At && !d.Fault.lasting() {
		return happens
	}
	first := l.report.Failed == nil
	l.report.Failed = append(l.report.Failed, c)
	if c.Kind == Write && (d.Fault == Short || d.Fault == Full && first) {
		if took := half(n); took > 0 {
			return answer{id: n.id, value: took}
		}
		if d.Fault == Short {
			return happens // a write of one byte has no half
		}
	}
	failure := map[Fault]unix.Errno{Full: unix.ENOSPC, ReadOnly: unix.EROFS, Broken: unix.EIO, Unsynced: unix.EIO, Unreadable: unix.EIO, Missing: unix.ENOENT}[d.Fault]
	return answer{id: n.id, err: -int32(failure)}
}

// half writes the first half of what the program wants to write.
func half(n *notice) int64 {
	data := memory(n.pid, n.args[1], int(n.args[2])/2)
	process, err := unix.PidfdOpen(group(n.pid), 0)
	if err != nil || len(data) == 0 {
		return 0
	}
	defer unix.Close(process)
	fd, err := unix.PidfdGetfd(process, int(n.args[0]), 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	var took int
	if n.number == unix.SYS_PWRITE64 {
		took, _ = unix.Pwrite(fd, data, int64(n.args[3]))
	} else {
		took, _ = unix.Write(fd, data)
	}
	return int64(took)
}

// group is the process of a thread.
func group(thread uint32) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", thread))
	_, rest, _ := strings.Cut(string(status), "\nTgid:")
	line, _, _ := strings.Cut(rest, "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return pid
}

// read says which change of a file a call asks for; false when it asks for nothing of the sort.
func read(n *notice, record bool) (Change, bool) {
	a := n.args
	c := Change{}
	switch n.number {
	case unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_GETDENTS64:
		c = Change{Kind: Read, Path: opened(n.pid, a[0])}
	case unix.SYS_OPENAT:
		c = Change{Kind: open, Path: name(n.pid, a[0], a[1]), emptied: a[2]&unix.O_TRUNC != 0, must: a[2]&unix.O_EXCL != 0}
		switch {
		case a[2]&(unix.O_CREAT|unix.O_TRUNC) != 0:
			c.Kind = Create
		case a[2]&(unix.O_WRONLY|unix.O_RDWR) == 0:
			if _, err := os.Lstat(c.Path); err != nil {
				return c, false // it does not exist
			}
			c.Kind = Read
		}
		if c.Kind == Create && a[2]&unix.O_CREAT == 0 || c.Kind == Create && !c.must && !c.emptied {
			if _, err := os.Lstat(c.Path); (err != nil) == (a[2]&unix.O_CREAT == 0) || err == nil && !c.emptied {
				c.Kind = open // it changes nothing
			}
		}
	case unix.SYS_WRITE, unix.SYS_PWRITE64:
		c = Change{Kind: Write, Path: opened(n.pid, a[0])}
		if record && filepath.IsAbs(c.Path) {
			c.data, c.offset = memory(n.pid, a[1], int(a[2])), int64(a[3])
			if n.number == unix.SYS_WRITE {
				c.offset = position(n.pid, a[0], c.Path)
			}
		}
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_SYNCFS:
		c = Change{Kind: Sync, Path: opened(n.pid, a[0]), All: n.number == unix.SYS_SYNCFS}
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		c = Change{Kind: Rename, Path: name(n.pid, a[0], a[1]), To: name(n.pid, a[2], a[3])}
	case unix.SYS_UNLINKAT:
		c = Change{Kind: Remove, Path: name(n.pid, a[0], a[1]), withDirs: a[2]&unix.AT_REMOVEDIR != 0}
	case unix.SYS_MKDIRAT:
		c = Change{Kind: Mkdir, Path: name(n.pid, a[0], a[1])}
	case unix.SYS_FTRUNCATE:
		c = Change{Kind: truncate, Path: opened(n.pid, a[0]), offset: int64(a[1])}
	case unix.SYS_LINKAT:
		c = Change{Kind: link, Path: name(n.pid, a[0], a[1]), To: name(n.pid, a[2], a[3])}
	case unix.SYS_SYMLINKAT:
		c = Change{Kind: symlink, Path: name(n.pid, a[1], a[2]), To: text(n.pid, a[0])}
	case unix.SYS_FCHMOD:
		c = Change{Kind: mode, Path: opened(n.pid, a[0])}
	case unix.SYS_FCHMODAT, unix.SYS_UTIMENSAT:
		c = Change{Kind: mode, Path: name(n.pid, a[0], a[1])}
	case unix.SYS_COPY_FILE_RANGE:
		c = Change{Kind: copied, Path: opened(n.pid, a[2])}
	case unix.SYS_SENDFILE:
		c = Change{Kind: copied, Path: opened(n.pid, a[0])}
	}
	return c, filepath.IsAbs(c.Path)
}

// name is the path that a call names, below an open directory or the working directory.
func name(pid uint32, dir, at uint64) string {
	path := text(pid, at)
	switch {
	case filepath.IsAbs(path):
	case int32(dir) == unix.AT_FDCWD:
		cwd, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		path = cwd + "/" + path
	default:
		path = opened(pid, dir) + "/" + path
	}
	return filepath.Clean(path)
}

// opened is the path of an open file; pipes and sockets have none that is absolute.
func opened(pid uint32, fd uint64) string {
	path, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, int32(fd)))
	return path
}

// position is where the next write of an open file goes.
func position(pid uint32, fd uint64, path string) int64 {
	info, _ := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", pid, int32(fd)))
	var at, flags int64
	_, _ = fmt.Sscanf(string(info), "pos:\t%d\nflags:\t%o", &at, &flags)
	if flags&unix.O_APPEND != 0 {
		if file, err := os.Stat(path); err == nil {
			return file.Size()
		}
	}
	return at
}

// memory reads what a process has in memory.
func memory(pid uint32, at uint64, n int) []byte {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return nil
	}
	defer f.Close()
	data := make([]byte, n)
	took, _ := f.ReadAt(data, int64(at))
	return data[:took]
}

// text reads a string that ends in NUL.
func text(pid uint32, at uint64) string {
	const page, most = 256, 4096
	var all []byte
	for len(all) < most {
		part := memory(pid, at+uint64(len(all)), page)
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(all, part[:end]...))
		}
		if len(part) == 0 {
			return string(all)
		}
		all = append(all, part...)
	}
	return string(all)
}
