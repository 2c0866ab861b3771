//go:build unix

package main

import (
	"io/fs"
	"syscall"
)

// inode is the number by which the file system knows a file.
func inode(info fs.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }
