package pack

import (
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
)

// unchangedIn looks at files of one directory by its descriptor, so that no path is
// walked again for each.
func unchangedIn(fsys fs.FS, dir string, files []File) bool {
	opened, err := fsys.Open(dir)
	if err != nil {
		return false
	}
	defer opened.Close()
	f, ok := opened.(*os.File)
	var st unix.Stat_t
	for _, want := range files {
		if !ok {
			if !sameFile(fsys, want) {
				return false
			}
			continue
		}
		_, err := regularfile.Retry(func() (int, error) {
			return 0, unix.Fstatat(int(f.Fd()), path.Base(want.Path), &st, unix.AT_SYMLINK_NOFOLLOW)
		})
		now := store.Stat{Size: st.Size, ModTime: st.Mtim.Nano(), ChangeTime: st.Ctim.Nano(), Inode: st.Ino}
		if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || now != want.Stat {
			return false
		}
	}
	return true
}
