//go:build unix

package regularfile

import "syscall"

// noWait makes opening a pipe return at once. For a regular file it means nothing.
const noWait = syscall.O_NONBLOCK

// Retry repeats a system call that a signal has interrupted.
func Retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR {
			return n, err
		}
	}
}
