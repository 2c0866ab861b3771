package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/regular"
	"github.com/packgen/packgen/resolver/remote/fetch"
)

// workspace is where a command works: a repository of packs, and how it was come
// by. The zero value is the working directory without a repository.
type workspace struct {
	dir        string         // the repository root, absolute
	start      string         // where the command was started, absolute
	bounds     string         // the directory that links of roles do not lead out of: dir, or the repository it is a part of
	configPath string         // the configuration file, when one is named
	policy     *policy.Policy // what the configuration makes of findings; known when it was read

	environment func(name string) string // nil is that of the process
	network     fetch.Options            // how long to wait for servers
	timeout     time.Duration            // how long a request may make no progress; 0 is the default

	report func([]diag.Diagnostic) // shows findings about the repository as a whole; nil drops them
	note   func(text string)       // shows a remark in passing; nil drops it
	stages func() *stages          // follows what takes long; nil shows nothing
}

// getenv returns a variable of the environment that the verb runs in.
func (w *workspace) getenv(name string) string {
	if w.environment != nil {
		return w.environment(name)
	}
	return os.Getenv(name)
}

// remark shows a remark in passing.
func (w *workspace) remark(format string, args ...any) {
	if w.note != nil {
		w.note(fmt.Sprintf(format, args...))
	}
}

// show shows findings about the repository as a whole.
func (w *workspace) show(list []diag.Diagnostic) {
	if w.report != nil {
		w.report(list)
	}
}

// follow returns the stages of something that takes long.
func (w *workspace) follow() *stages {
	if w.stages == nil {
		return &stages{}
	}
	return w.stages()
}

// find sets where the command works: the repository that a directory is in.
func (w *workspace) find(start string) {
	w.start, w.bounds = repositoryOf(start)
	w.dir = w.packsRoot(w.start, w.bounds)
}

// path makes a path absolute that is relative to the repository root, as those of
// the configuration and, once settled, of flags are.
func (w *workspace) path(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(w.dir, p)
}

// rel shows a path as the user knows it: relative to the repository root when
// it lies below, else as it is.
func (w *workspace) rel(p string) string {
	r, err := filepath.Rel(w.dir, p)
	if err != nil || r == ".." || strings.HasPrefix(r, ".."+string(filepath.Separator)) {
		return p
	}
	return filepath.ToSlash(r)
}

// repositoryOf returns the nearest directory at or above start with a packgen.yaml
// or .git: the repository. Without one it is start itself. A start below a link is
// looked at as it is named, then where it lies; it is returned as it was found.
func repositoryOf(start string) (from, root string) {
	for _, from := range []string{start, realPath(start)} {
		for dir := from; ; dir = filepath.Dir(dir) {
			if holds(dir, configName) || holds(dir, ".git") {
				return from, dir
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return start, start
}

// packsRoot returns the directory whose configuration and packs are meant: the
// repository, or on the way up to it a directory with packs that the repository
// does not list, such as one of examples.
func (w *workspace) packsRoot(start, repository string) string {
	for dir := start; dir != repository && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if packs := packsOf(dir); len(packs) > 0 && !w.lists(repository, packs) {
			return dir
		}
	}
	return repository
}

func holds(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// packsOf returns the packs that are where packs are without configuration.
func packsOf(dir string) []string {
	entries, err := fs.ReadDir(regular.Dir(dir), "packs")
	if err != nil {
		return nil // none, or none that could be read
	}
	var list []string
	for _, e := range entries {
		name := filepath.Join(dir, "packs", e.Name())
		if e.IsDir() && holds(name, pack.EntryName) {
			list = append(list, name)
		}
	}
	return list
}

// lists reports whether one of the packs is one of the repository. A configuration
// that cannot be read is reported when it is used.
func (w *workspace) lists(repository string, packs []string) bool {
	c := defaultConfig()
	if data, err := readLimited(filepath.Join(repository, configName), configLimit); err == nil {
		readConfig(&c, configName, data)
	}
	if patterns := w.getenv("PACKGEN_PACKS"); patterns != "" {
		c.Packs = strings.Fields(patterns)
	}
	return slices.ContainsFunc(packs, func(dir string) bool {
		rel, err := filepath.Rel(repository, dir)
		return err == nil && slices.ContainsFunc(c.Packs, func(pattern string) bool {
			match, err := doublestar.Match(pattern, filepath.ToSlash(rel))
			return match && err == nil
		})
	})
}

// given makes a path of the command line, which is relative to the directory that
// the command was started in, relative to the repository. What is no path stays:
// "-", nothing, and the next flag, where a value was forgotten.
func (w *workspace) given(name string) string {
	if w.start == w.dir || name == "" || strings.HasPrefix(name, "-") || filepath.IsAbs(name) {
		return name
	}
	full := filepath.Join(w.start, name)
	rel, err := filepath.Rel(w.dir, full)
	if err != nil {
		return full
	}
	return filepath.ToSlash(rel)
}

// givenPack is a pack as the command line names it: by a path from where the
// command was started, or else from the repository, as messages name packs.
func (w *workspace) givenPack(name string) string {
	if from := w.given(name); holds(w.path(from), pack.EntryName) {
		return from
	}
	return name
}

// fromStart shows a path below the repository as it is typed in the directory that
// the command was started in.
func (w *workspace) fromStart(name string) string {
	if rel, err := filepath.Rel(w.start, w.path(name)); err == nil {
		return filepath.ToSlash(rel)
	}
	return name
}

// projectDir is the directory whose layer is the project's: the nearest one that
// has a layer, up to the repository.
func (w *workspace) projectDir() string {
	if dir := layerDir(w.start, w.dir); dir != "" {
		return dir
	}
	return w.dir
}

// layerDir returns the nearest directory with the layer of a project, from one up to
// another; "" when none has it.
func layerDir(from, to string) string {
	for dir := from; ; dir = filepath.Dir(dir) {
		switch {
		case holds(dir, ".claude/loadout/index.json"):
			return dir
		case dir == to, dir == filepath.Dir(dir):
			return ""
		}
	}
}

// projectOf is the project that a directory is in: the nearest one that has a layer,
// up to the repository, or the directory itself.
func projectOf(dir string) string {
	from, root := repositoryOf(dir)
	if project := layerDir(from, root); project != "" {
		return project
	}
	return dir
}
