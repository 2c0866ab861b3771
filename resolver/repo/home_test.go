package repo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/regularfile"
)

// A repository of dotfiles does not bound what is unpacked below it.
func TestAHomeDirectoryIsNoBound(t *testing.T) {
	home := regularfile.RealPath(t.TempDir())
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, dir := range []string{".git", "got/packs/p", "got/sub", "plain/sub", "work/.git", "work/sub"} {
		oktest.Check(t, os.MkdirAll(filepath.Join(home, filepath.FromSlash(dir)), 0o777))
	}
	oktest.Check(t, os.WriteFile(filepath.Join(home, "got/packs/p/KNOWLEDGE.md"), nil, 0o666))
	for start, want := range map[string]string{"got": "got", "got/sub": "got", "plain/sub": "plain/sub", "work/sub": "work", "": ""} {
		var w Repo
		w.Find(filepath.Join(home, filepath.FromSlash(start)))
		if want := filepath.Join(home, filepath.FromSlash(want)); w.bounds != want || w.Paths.Dir != want {
			t.Errorf("%q has the bounds %s and the root %s, want %s", start, w.bounds, w.Paths.Dir, want)
		}
	}
}

func TestTheCacheIsWhereTheEnvironmentSays(t *testing.T) {
	dir := t.TempDir()
	got, err := CacheDir(func(string) string { return dir })
	if err != nil || got != dir {
		t.Errorf("%s, %v", got, err)
	}
	t.Setenv("XDG_CACHE_HOME", dir)
	if got, err := CacheDir(func(string) string { return "" }); err != nil || !strings.HasSuffix(filepath.ToSlash(got), "packgen/artifacts") {
		t.Errorf("%s, %v", got, err)
	}
}
