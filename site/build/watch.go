package build

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/repo"
	live "github.com/packgen/packgen/site/server"
)

// Watched says what a build reads: the places of packs and roles, the
// configuration, the site's own styles and scripts. What a build writes is left
// out.
func Watched(w *repo.Repo, poll bool) live.WatchOptions {
	config, _ := w.ConfigFile()
	again := *w // a build may use the workspace meanwhile
	o := live.WatchOptions{Poll: poll, Files: []string{w.Paths.Abs(config)}, Again: func() (live.WatchOptions, bool) {
		err := again.Load()
		return Watched(&again, poll), err == nil
	}}
	for _, pattern := range append(append([]string{}, w.Config.Packs...), w.Config.Roles...) {
		base, _ := doublestar.SplitPattern(filepath.ToSlash(pattern))
		if !strings.ContainsAny(pattern, "*?[{") {
			base = pattern
		}
		o.Dirs = addDir(o.Dirs, w.Paths.Abs(base))
	}
	for _, d := range w.Config.Documents {
		o.Dirs = addDir(o.Dirs, w.Paths.Abs(d.From))
	}
	for _, name := range []string{w.Config.Site.CSS, w.Config.Site.TS} {
		if name == "" {
			continue
		}
		// What it imports is beside it. The root itself is not watched as a whole:
		// it holds more than a build reads.
		o.Files = append(o.Files, w.Paths.Abs(name))
		if dir := filepath.Dir(w.Paths.Abs(name)); dir != w.Paths.Dir {
			o.Dirs = addDir(o.Dirs, dir)
		}
	}
	out := w.Paths.Abs(w.Config.Out)
	o.Ignore = func(path string) bool {
		return path == out || strings.HasPrefix(path, out+string(filepath.Separator)) || isPackOutput(path)
	}
	return o
}

// addDir adds a directory that no other one of the list holds.
func addDir(dirs []string, dir string) []string {
	for _, d := range dirs {
		if dir == d || strings.HasPrefix(dir, d+string(filepath.Separator)) {
			return dirs
		}
	}
	return append(dirs, dir)
}

// isPackOutput reports whether a path is in a directory that compile writes.
func isPackOutput(path string) bool {
	for dir := path; ; {
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		if pack.Layer(filepath.Base(dir)).IsOutput() {
			if _, err := os.Lstat(filepath.Join(parent, pack.EntryName)); err == nil {
				return true
			}
		}
		dir = parent
	}
}
