package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regular"
)

// prepare finds the repository that the command was started in, and makes the
// paths of its flags relative to that.
func (a *app) prepare(cmd *cobra.Command) error {
	a.verb = strings.TrimPrefix(cmd.CommandPath(), "packgen ")
	if err := a.checkTimeout(); err != nil {
		return err
	}
	start, err := filepath.Abs(a.dir)
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	info, err := os.Stat(start)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return diag.WithHint(fmt.Errorf("-C %s: no such directory", a.dir), "Name the directory that holds the packs.")
	case err != nil:
		return fmt.Errorf("-C %s: %w", a.dir, err)
	case !info.IsDir():
		return diag.WithHint(fmt.Errorf("-C %s: not a directory", a.dir), "Name the directory that holds the packs.")
	}
	a.start, a.bounds = repositoryOf(start)
	a.dir = a.packsRoot(a.start, a.bounds)
	return a.settlePaths(cmd)
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
func (a *app) packsRoot(start, repository string) string {
	for dir := start; dir != repository && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if packs := packsOf(dir); len(packs) > 0 && !a.lists(repository, packs) {
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
func (a *app) lists(repository string, packs []string) bool {
	c := defaultConfig()
	if data, err := readLimited(filepath.Join(repository, configName), configLimit); err == nil {
		readConfig(&c, configName, data)
	}
	if patterns := a.getenv("PACKGEN_PACKS"); patterns != "" {
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

// notOfStart is the annotation of a flag whose value is relative to something else
// than the directory that the command was started in.
const notOfStart = "packgen_not_of_start"

// keepPath leaves the values of a flag as they are typed.
func keepPath(flags *pflag.FlagSet, name string) {
	if err := flags.SetAnnotation(name, notOfStart, nil); err != nil {
		panic(err) // a flag that is not defined: a fault of the verb
	}
}

// settlePaths makes the values of flags that take a path relative to the
// repository, as all paths are within the program. Their usage says FILE, DIR or
// PATH.
func (a *app) settlePaths(cmd *cobra.Command) error {
	var faults []error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, kept := f.Annotations[notOfStart]; kept || f.Name == "directory" {
			return
		}
		switch what, _ := pflag.UnquoteUsage(f); what {
		case "FILE", "DIR", "PATH":
		default:
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values := list.GetSlice()
			for i, value := range values {
				values[i] = a.given(value)
			}
			faults = append(faults, list.Replace(values))
			return
		}
		faults = append(faults, f.Value.Set(a.given(f.Value.String())))
	})
	return errors.Join(faults...)
}

// given makes a path of the command line, which is relative to the directory that
// the command was started in, relative to the repository. What is no path stays:
// "-", nothing, and the next flag, where a value was forgotten.
func (a *app) given(name string) string {
	if a.start == a.dir || name == "" || strings.HasPrefix(name, "-") || filepath.IsAbs(name) {
		return name
	}
	full := filepath.Join(a.start, name)
	rel, err := filepath.Rel(a.dir, full)
	if err != nil {
		return full
	}
	return filepath.ToSlash(rel)
}

// givenPack is a pack as the command line names it: by a path from where the
// command was started, or else from the repository, as messages name packs.
func (a *app) givenPack(name string) string {
	if from := a.given(name); holds(a.path(from), pack.EntryName) {
		return from
	}
	return name
}

// fromStart shows a path below the repository as it is typed in the directory that
// the command was started in.
func (a *app) fromStart(name string) string {
	if rel, err := filepath.Rel(a.start, a.path(name)); err == nil {
		return filepath.ToSlash(rel)
	}
	return name
}

// projectDir is the directory whose layer is the project's: the nearest one that
// has a layer, up to the repository.
func (a *app) projectDir() string {
	if dir := layerDir(a.start, a.dir); dir != "" {
		return dir
	}
	return a.dir
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
