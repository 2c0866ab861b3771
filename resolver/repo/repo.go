package repo

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
)

// Network says how servers are asked. Zero fields are the defaults.
type Network struct {
	CA      string        // file of certificate authorities beside those of the system, in PEM
	Cert    string        // file of the certificate that servers are shown, in PEM
	Key     string        // file of its key
	Mirrors []string      // FROM=TO: places that begin with FROM are asked at TO
	Retries int           // tries after the first; none when negative
	Header  time.Duration // until an answer begins
	Idle    time.Duration // in which an answer brings nothing

	Sleep func(ctx context.Context, d time.Duration) error // waits between tries
}

// Repo is where a command works: a repository of packs, and how it was
// found. The zero value is the working directory without a repository.
type Repo struct {
	Paths      Paths    // of the repository
	bounds     string   // the directory that links of roles do not lead out of: dir, or the repository it is a part of
	ConfigPath string   // the configuration file, when one is named
	AllowRoots []string // directories outside of the repository that what it holds may lead into
	Config     Config   // once it was loaded

	Environment func(name string) string // nil is that of the process
	Network     Network                  // how servers are asked
	Timeout     time.Duration            // how long a request may make no progress; 0 is the default

	Report func([]diag.Diagnostic) // shows findings about the repository as a whole; nil drops them
	Note   func(text string)       // shows a remark in passing; nil drops it
	Stages func() *Stages          // follows what takes long; nil shows nothing

	Elsewhere func(*Repo) (Elsewhere, error) // opens packs from elsewhere
}

// At returns the same for a copy of the repository in another directory, whose configuration
// is not loaded yet.
func (w *Repo) At(dir string) *Repo {
	regularfile.Protect(dir)
	there := *w
	there.Paths, there.bounds, there.ConfigPath, there.Config = Paths{dir, dir}, dir, "", Config{}
	return &there
}

// Getenv returns a variable of the environment that the verb runs in.
func (w *Repo) Getenv(name string) string {
	if w.Environment != nil {
		return w.Environment(name)
	}
	return os.Getenv(name)
}

// Remark shows a remark in passing.
func (w *Repo) Remark(format string, args ...any) {
	if w.Note != nil {
		w.Note(fmt.Sprintf(format, args...))
	}
}

// Show shows findings about the repository as a whole.
func (w *Repo) Show(list []diag.Diagnostic) {
	if w.Report != nil {
		w.Report(list)
	}
}

// Follow returns the stages of something that takes long.
func (w *Repo) Follow() *Stages {
	if w.Stages == nil {
		return &Stages{}
	}
	return w.Stages()
}

// Find sets where the command works: the repository that a directory is in. From then on
// nothing is written through a link below it, and nothing is read through one that leads
// out of it.
func (w *Repo) Find(start string) {
	w.Paths.Start, w.bounds = repositoryOf(start)
	regularfile.Protect(w.bounds)
	w.Paths.Dir = packsRoot(w, w.Paths.Start, w.bounds)
	regularfile.Protect(w.Paths.Dir)
	w.Allow()
}

// Allow lets links of the repository lead into what the user allows. It is called again when
// the flags are known, whose faults are reported where the directories are used.
func (w *Repo) Allow() {
	if dirs, err := furtherOf(w); err == nil {
		regularfile.Allow(dirs...)
	}
}

// Paths computes the paths of a repository, and what they are called in messages and on the
// command line.
type Paths struct {
	Dir   string // the repository root, absolute
	Start string // where the command was started, absolute
}

// Abs makes a path absolute that is relative to the repository root, as those of
// the configuration and, once settled, of flags are.
func (p Paths) Abs(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(p.Dir, name)
}

// Rel shows a path as the user knows it: relative to the repository root when
// it lies below, otherwise as it is.
func (p Paths) Rel(name string) string {
	r, err := filepath.Rel(p.Dir, name)
	if err != nil || r == ".." || strings.HasPrefix(r, ".."+string(filepath.Separator)) {
		return name
	}
	return filepath.ToSlash(r)
}

// Given makes a path of the command line, which is relative to the directory that
// the command was started in, relative to the repository. What is not a path stays:
// "-", nothing, and the next flag, where a value was forgotten.
func (p Paths) Given(name string) string {
	if p.Start == p.Dir || name == "" || strings.HasPrefix(name, "-") || filepath.IsAbs(name) {
		return name
	}
	full := filepath.Join(p.Start, name)
	rel, err := filepath.Rel(p.Dir, full)
	if err != nil {
		return full
	}
	return filepath.ToSlash(rel)
}

// GivenPack is a pack as the command line names it: by a path from where the
// command was started, otherwise from the repository, as messages name packs.
func (p Paths) GivenPack(name string) string {
	if from := p.Given(name); Holds(p.Abs(from), pack.EntryName) {
		return from
	}
	return name
}

// FromStart shows a path below the repository as it is typed in the directory that
// the command was started in.
func (p Paths) FromStart(name string) string {
	if rel, err := filepath.Rel(p.Start, p.Abs(name)); err == nil {
		return filepath.ToSlash(rel)
	}
	return name
}

// ProjectDir is the directory whose layer is the project's: the nearest one that
// has a layer, up to the repository.
func (p Paths) ProjectDir() string {
	if dir := layerDir(p.Start, p.Dir); dir != "" {
		return dir
	}
	return p.Dir
}

// StorePath is where the store of the repository is.
func (p Paths) StorePath() string { return filepath.Join(p.Dir, StateName, storeName) }

// PackState is the directory for locks, what is pending and what is known of the pack of a name.
func (p Paths) PackState(name string) string {
	return filepath.Join(p.Dir, StateName, "packs", name)
}

// roleDir returns the directory of a role, and what the paths of its files start
// with so that they can be opened from where the command was started. With -C
// the role is looked up elsewhere, so its name is not what was typed.
func (p Paths) roleDir(given string) (dir, name string) {
	wd, err := os.Getwd()
	if filepath.IsAbs(given) || err == nil && wd == p.Start {
		return given, filepath.ToSlash(given)
	}
	dir = filepath.Join(p.Start, given)
	if rel, err := filepath.Rel(wd, dir); err == nil && filepath.IsLocal(rel) {
		return dir, filepath.ToSlash(rel)
	}
	return dir, filepath.ToSlash(dir)
}

// repositoryOf returns the nearest directory at or above start with a packgen.yaml
// or .git: the repository. Without one it is start itself. A start below a link is
// looked at as it is named, then where it lies; it is returned as it was found. A home
// directory that is a repository, of dotfiles, holds what was unpacked below it by chance:
// there the nearest directory with packs is the repository.
func repositoryOf(start string) (from, root string) {
	for _, from := range []string{start, regularfile.RealPath(start)} {
		for dir := from; ; dir = filepath.Dir(dir) {
			configured := Holds(dir, ConfigName)
			if configured || Holds(dir, ".git") {
				if !configured && dir != from && isHome(dir) {
					return from, nearestPacks(from, dir)
				}
				return from, dir
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return start, start
}

// isHome reports the home directory of the user.
func isHome(dir string) bool {
	name, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	home, err := os.Stat(name)
	if err != nil {
		return false
	}
	info, err := os.Stat(dir)
	return err == nil && os.SameFile(home, info)
}

// nearestPacks returns the nearest directory with packs, from one up to another that does
// not count; without one the first.
func nearestPacks(from, to string) string {
	for dir := from; dir != to; dir = filepath.Dir(dir) {
		if len(packsOf(dir)) > 0 {
			return dir
		}
	}
	return from
}

// packsRoot returns the directory whose configuration and packs are meant: the
// repository, or on the way up to it a directory with packs that the repository
// does not list, such as one of examples.
func packsRoot(w *Repo, start, repository string) string {
	for dir := start; dir != repository && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if packs := packsOf(dir); len(packs) > 0 && !listsPacks(w, repository, packs) {
			return dir
		}
	}
	return repository
}

// Holds reports whether a directory has something of a name.
func Holds(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// packsOf returns the packs that are where packs are without configuration.
func packsOf(dir string) []string {
	entries, err := fs.ReadDir(regularfile.Dir(dir), "packs")
	if err != nil {
		return nil // none, or none that could be read
	}
	var list []string
	for _, e := range entries {
		name := filepath.Join(dir, "packs", e.Name())
		if e.IsDir() && Holds(name, pack.EntryName) {
			list = append(list, name)
		}
	}
	return list
}

// listsPacks reports whether one of the packs is one of the repository. A configuration
// that cannot be read is reported when it is used.
func listsPacks(w *Repo, repository string, packs []string) bool {
	c := DefaultConfig()
	if data, err := atomicfile.Read(filepath.Join(repository, ConfigName), ConfigLimit); err == nil {
		_, _ = ReadConfig(nil, &c, ConfigName, data) // its faults are reported when it is used
	}
	if patterns := w.Getenv("PACKGEN_PACKS"); patterns != "" {
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

// layerDir returns the nearest directory with the layer of a project, from one up to
// another; "" when none has it.
func layerDir(from, to string) string {
	for dir := from; ; dir = filepath.Dir(dir) {
		switch {
		case Holds(dir, ".claude/loadout/index.json"):
			return dir
		case dir == to, dir == filepath.Dir(dir):
			return ""
		}
	}
}

// CacheVariable names the environment variable for the directory of the cache.
const CacheVariable = "PACKGEN_CACHE_DIR"

// CacheDir is where packs from elsewhere are kept: PACKGEN_CACHE_DIR, otherwise
// packgen/artifacts in the user's cache directory.
func CacheDir(getenv func(string) string) (string, error) {
	if dir := getenv(CacheVariable); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache: %w", err)
	}
	return filepath.Join(dir, "packgen", "artifacts"), nil
}

// StateName is the directory for locks, what is pending and staging at the repository
// root.
const StateName = ".packgen"
