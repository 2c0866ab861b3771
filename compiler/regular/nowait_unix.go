//go:build unix

package regular

import "syscall"

// noWait makes opening a pipe return at once. For a regular file it means nothing.
const noWait = syscall.O_NONBLOCK
