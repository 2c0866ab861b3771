package oktest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Check ends the test when there is an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Value passes on what a function returns, unless there is an error, which ends the test:
//
//	text := oktest.Value(json.Marshal(record))(t)
func Value[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Check(t, err)
		return value
	}
}

// Write puts files below a directory; a text "-> x" makes a link to x.
func Write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		Check(t, os.MkdirAll(filepath.Dir(name), 0o777))
		if to, link := strings.CutPrefix(text, "-> "); link {
			Check(t, os.Symlink(to, name))
			continue
		}
		Check(t, os.WriteFile(name, []byte(text), 0o666))
	}
}

// Read returns the files below a directory, without those of directories with some names.
func Read(t testing.TB, dir string, without ...string) map[string]string {
	t.Helper()
	files := map[string]string{}
	Check(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(without, d.Name()):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(data)
		return err
	}))
	return files
}
