package indexfile

import (
	"io/fs"
	"syscall"
)

// changed returns when a file was last changed, contents or attributes, in
// nanoseconds, and its number. No program sets that time. ok is false where the
// system does not tell.
func changed(info fs.FileInfo) (at int64, inode uint64, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return st.Ctim.Nano(), st.Ino, true
}
