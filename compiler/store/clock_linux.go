package store

import "syscall"

// FineTimes reports whether a directory lies on a local file system that takes the
// times of files from the clock of this machine, as exact as that one is.
func FineTimes(dir string) bool {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return false
	}
	const ext, xfs, btrfs, tmpfs, overlay, f2fs = 0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010
	switch uint32(st.Type) {
	case ext, xfs, btrfs, tmpfs, overlay, f2fs:
		return true
	}
	return false
}
