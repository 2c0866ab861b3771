//go:build !linux

package pack

import (
	"io/fs"
	"slices"
)

// unchangedIn looks at files of one directory.
func unchangedIn(fsys fs.FS, _ string, files []File) bool {
	return !slices.ContainsFunc(files, func(f File) bool { return !sameFile(fsys, f) })
}
