//go:build !unix

package main

import "io/fs"

// inode is 0 where a file system has no such number.
func inode(fs.FileInfo) uint64 { return 0 }
