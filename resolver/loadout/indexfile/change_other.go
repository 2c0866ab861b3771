//go:build !linux

package indexfile

import (
	"io/fs"
	"time"
)

// lastChange is when a file was last changed.
func lastChange(info fs.FileInfo) time.Time { return info.ModTime() }
