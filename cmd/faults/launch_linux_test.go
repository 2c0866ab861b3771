package faults_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// variable makes a process of the test program start another one below the filter.
const variable = "PACKGEN_TEST_DISK"

// withReads is its value where reads are handed over too, which slows a program down.
const withReads = "reads"

// mainBelowDisk is called first in TestMain. In the process that starts a program it does not
// return.
func mainBelowDisk() {
	if os.Getenv(variable) == "" {
		return
	}
	fmt.Fprintln(os.Stderr, "start below the filter:", launch())
	os.Exit(125)
}

// launch installs the filter, hands its listener to the parent and becomes the program.
func launch() error {
	runtime.LockOSThread() // a filter belongs to a thread
	listener, err := install(os.Getenv(variable) == withReads)
	if err != nil {
		return err
	}
	if err := unix.Sendmsg(3, []byte{0}, unix.UnixRights(listener), nil, 0); err != nil {
		return fmt.Errorf("hand the listener over: %w", err)
	}
	_ = unix.Close(3) // the parent waits for the listener alone
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, variable+"=") })
	return syscall.Exec(os.Args[1], os.Args[1:], env)
}

// install makes the filter of this thread: changes of files, and reads of them if wanted,
// are handed to a listener.
func install(reads bool) (listener int, err error) {
	arch := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if arch == 0 {
		return -1, errors.ErrUnsupported
	}
	const number, architecture, flags = 0, 4, 16 + 2*8 // offsets in struct seccomp_data
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	give := func(answer uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: answer}
	}
	jump := func(how uint16, value uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | how, K: value, Jt: yes, Jf: no}
	}
	filter := []unix.SockFilter{
		load(architecture), jump(unix.BPF_JEQ, arch, 1, 0), give(unix.SECCOMP_RET_ALLOW),
		load(number), jump(unix.BPF_JEQ, unix.SYS_OPENAT, 0, 4),
		load(flags), jump(unix.BPF_JSET, unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC, 0, 1),
		give(unix.SECCOMP_RET_USER_NOTIF), give(unix.SECCOMP_RET_ALLOW),
	}
	numbers := watched()
	if reads {
		filter = filter[:4]
		numbers = append(numbers, unix.SYS_OPENAT, unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_GETDENTS64)
	}
	for i, n := range numbers {
		filter = append(filter, jump(unix.BPF_JEQ, n, uint8(len(numbers)-i), 0))
	}
	filter = append(filter, give(unix.SECCOMP_RET_ALLOW), give(unix.SECCOMP_RET_USER_NOTIF))
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("set no new privileges: %w", err)
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return -1, fmt.Errorf("install the filter: %w", errno)
	}
	return int(fd), nil
}

// Supported returns nil when programs can be started on such a disk here.
func Supported() error { return supported() }

var supported = sync.OnceValue(func() error {
	d := &Disk{}
	_, err := d.Run(exec.Command("/bin/true"))
	return err
})

// Run runs a program, which must not read the file descriptor 3. An error says that it
// could not be run or did not end well; with a fault that may be as it should.
func (d *Disk) Run(cmd *exec.Cmd) (*Report, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(pair[0])
	theirs := os.NewFile(uintptr(pair[1]), "listener")
	cmd.ExtraFiles = []*os.File{theirs}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	mode := "1"
	if d.Fault.affects(Read) {
		mode = withReads
	}
	cmd.Env = append(cmd.Env, variable+"="+mode)
	cmd.Args = append([]string{self, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = self
	if err := errors.Join(cmd.Start(), theirs.Close()); err != nil {
		return nil, err
	}
	listener, err := receive(pair[0])
	if err != nil {
		return nil, errors.Join(err, cmd.Wait())
	}
	l := &layer{disk: d, listener: listener, report: &Report{}}
	served := make(chan error, 1)
	go func() { served <- l.serve() }()
	failed := cmd.Wait()
	return l.report, errors.Join(<-served, failed)
}

// receive takes a file descriptor from a socket.
func receive(socket int) (int, error) {
	space := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, make([]byte, 1), space, 0)
	if err != nil {
		return -1, err
	}
	messages, err := unix.ParseSocketControlMessage(space[:n])
	if err != nil || len(messages) == 0 {
		return -1, errors.Join(err, errors.New("the filter cannot be installed here"))
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return -1, err
	}
	return fds[0], nil
}
