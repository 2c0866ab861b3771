package archivetest

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
)

// List hashes every file of a tree and returns them in path order. Links and
// special files fail the test; empty folders are left out.
func List(tb testing.TB, fsys fs.FS) []archive.File {
	tb.Helper()
	var files []archive.File
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case !d.Type().IsRegular():
			tb.Fatalf("%s is a %s", name, d.Type())
		}
		data, err := fs.ReadFile(fsys, name)
		files = append(files, archive.File{Path: name, Size: int64(len(data)), SHA256: archive.SHA256(data)})
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	slices.SortFunc(files, func(a, b archive.File) int { return strings.Compare(a.Path, b.Path) })
	return files
}
