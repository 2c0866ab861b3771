//go:build !unix

package regularfile

// noWait is 0 where no file of a directory is a pipe.
const noWait = 0
