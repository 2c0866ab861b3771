package indexfile

import (
	"io/fs"
	"syscall"
	"time"
)

// lastChange is when a file was last changed, also by a program that sets back its
// time or puts another file in its place.
func lastChange(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		if changed := time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)); changed.After(info.ModTime()) {
			return changed
		}
	}
	return info.ModTime()
}
