package hook

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

// LockedIndex is the index of the packs that a repository has locked, below its
// root. Its paths start from the cache of packs.
const LockedIndex = ".packgen/locked/index.json"

// cacheVariable names another cache of packs than the usual one.
const cacheVariable = "PACKGEN_CACHE_DIR"

// The variables that stand for keys of packgen.yaml.
const matcherVariable, outVariable = "PACKGEN_MATCHER", "PACKGEN_OUT"

const (
	projectIndex = ".claude/loadout/index.json"
	rulesIndex   = ".claude/rules/index.json"
	configName   = "packgen.yaml"
	stateDir     = ".packgen"
	// maxConfig is the largest packgen.yaml that is looked at, in bytes.
	maxConfig = 64 << 10
	// binaryAge is how long the prebuilt form of a layer is kept that no prompt
	// needs.
	binaryAge = 90 * 24 * time.Hour
	// nowhere is the place of a prebuilt form that cannot exist: without a home none is
	// kept, and none of a repository is believed.
	nowhere = "\x00"
)

// layer is one index that answers prompts.
type layer struct {
	name string
	json string            // where the index may be
	ix   *indexfile.Reader // nil until it is opened
	// base is the directory that relative paths start from; "" leaves them as they
	// are. A confined layer comes with a repository, and its paths stay below base.
	base     string
	confined bool
	cwd      string // the directory that pointers are relative to; "" for none
	projects *projects
	locked   *lockedFiles // of the layer of packs from elsewhere; nil for any other
}

// open opens the layers for a prompt that was submitted in a directory, weakest
// first.
func (o *Options) open(cwd string) []layer {
	var list []layer
	of := newProjects(o.Home, o.getenv, cwd)
	for _, l := range o.places(cwd) {
		bin := ""
		switch {
		case o.Home == "":
			bin = nowhere
		case l.name != layers.Global:
			bin = indexfile.PrebuiltPath(o.Home, l.json)
		}
		var err error
		if l.ix, err = indexfile.OpenReader(l.json, bin); err != nil {
			if l.name == layers.Global || !os.IsNotExist(err) {
				debugf(o.Stderr, "%v", err)
			}
			if l.name == layers.Packs && !os.IsNotExist(err) && !errors.Is(err, regularfile.ErrOutside) {
				o.unbuilt = "[packgen] The index of this repository's packs cannot be read, so none of them is asked. Run packgen build."
			}
			continue
		}
		debugf(o.Stderr, "%s"+Opened+"%d, prebuilt: %t", l.json, l.ix.Size(), l.ix.Fast())
		l.cwd, l.projects = cwd, of
		list = append(list, l)
	}
	return list
}

// getenv returns a variable of the environment, "" for one that is not set.
func (o *Options) getenv(name string) string {
	value, _ := o.Lookup(name)
	return value
}

// places lists where the layers may be, weakest first.
func (o *Options) places(cwd string) []layer {
	var list []layer
	if o.Home != "" {
		list = append(list, layer{name: layers.Global, json: IndexPath(o.Home)})
	}
	named := func(name, variable string) {
		if file, _ := o.Lookup(variable); filepath.IsAbs(file) {
			list = append(list, layer{name: name, json: file})
		}
	}
	named(layers.Org, layers.OrgVariable)
	root, project := o.Project, o.Project
	if project == "" && cwd != "" {
		root, project = repositoryOf(cwd)
	}
	o.protect(cmp.Or(root, project), cwd)
	if root != "" {
		list = append(list, o.packPlaces(root)...)
	}
	if project != "" {
		for _, name := range []string{rulesIndex, projectIndex} {
			list = append(list, layer{name: layers.Project, json: filepath.Join(project, filepath.FromSlash(name)), base: project, confined: true})
		}
	}
	named(layers.Session, layers.SessionVariable)
	return list
}

// packPlaces lists where the indexes of packs may be of a repository, and notes what has to
// be run where there are packs and no index.
func (o *Options) packPlaces(root string) (list []layer) {
	if cache := o.cacheDir(); cache != "" {
		if locked := readLock(root, cache); locked != nil {
			locked.lookAtList()
			o.locked = locked
			list = append(list, layer{name: layers.Locked, json: locked.list, base: cache, confined: true, locked: locked})
		}
	}
	if o.Matcher = cmp.Or(o.Matcher, o.getenv(matcherVariable)); o.Matcher == "" {
		o.Matcher = strings.Join(configured(root, "matcher"), " ")
	}
	out := outOf(root)
	if name := o.getenv(outVariable); name != "" {
		out = inRoot(root, name)
	}
	if err := regularfile.CheckInside(root, out); err != nil {
		debugf(o.Stderr, "skipped out of %s: %v", configName, err)
		return list
	}
	index := filepath.Join(out, "index.json")
	if _, err := os.Lstat(index); err != nil && hasPacks(root) {
		rel, err := filepath.Rel(root, index)
		if err != nil {
			rel = index
		}
		o.unbuilt = fmt.Sprintf("[packgen] The packs of this repository have no index at %s, so none of them is asked. Run packgen build.", filepath.ToSlash(rel))
	}
	return append(list, layer{name: layers.Packs, json: index, base: out, confined: true})
}

// packPlace is where packs are without configuration.
const packPlace = "packs/*"

// maxLooked is how many directories below packs/ are looked at for a pack.
const maxLooked = 100

// hasPacks reports whether a repository has packs of its own: where packs are without
// configuration, or where its configuration names some.
func hasPacks(root string) bool {
	named := func(place string) bool {
		place = strings.Trim(place, `[]"' `)
		return place != "" && place != packPlace
	}
	if slices.ContainsFunc(configured(root, "packs"), named) || slices.ContainsFunc(configured(root, "documents"), named) {
		return true
	}
	dir, err := regularfile.OpenDir(filepath.Join(root, "packs"))
	if err != nil {
		return false
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(maxLooked)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return holds(root, "packs/"+e.Name()+"/"+guideFile) })
}

// protect keeps the hook in the repository, or in the directories that the user allows.
func (o *Options) protect(root, cwd string) {
	if root == "" {
		return
	}
	regularfile.Protect(root)
	allowed, _ := o.Lookup(regularfile.AllowVariable)
	for _, dir := range filepath.SplitList(allowed) {
		if dir != "" && !filepath.IsAbs(dir) {
			dir = filepath.Join(cwd, dir)
		}
		if filepath.IsAbs(dir) {
			regularfile.Allow(dir)
		}
	}
}

// repositoryOf returns the repository that a directory is in, "" when it is in none,
// and the project: the nearest directory with an index of its own, up to the
// repository. A directory below a link is looked at as it is named, then where it
// lies.
func repositoryOf(dir string) (root, project string) {
	dir = filepath.Clean(dir)
	real, _ := filepath.EvalSymlinks(dir)
	for _, from := range []string{dir, real} {
		project = ""
		for at := from; at != ""; at = filepath.Dir(at) {
			if project == "" && isProject(at) {
				project = at
			}
			if holds(at, configName) || holds(at, ".git") {
				return at, project
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	root, project = "", ""
	// A directory that packgen was used in is a repository too, without saying so.
	if holds(dir, stateDir) {
		root = dir
	}
	if isProject(dir) {
		project = dir
	}
	return root, project
}

// isProject reports a directory with an index of its own.
func isProject(dir string) bool { return holds(dir, projectIndex) || holds(dir, rulesIndex) }

func holds(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil
}

func (o *Options) cacheDir() string {
	if dir := o.getenv(cacheVariable); dir != "" {
		return dir
	}
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "packgen", "artifacts")
	}
	return ""
}

// outOf is the directory that a repository is built into.
func outOf(root string) string {
	return inRoot(root, append(configured(root, "out"), "public")[0])
}

func inRoot(root, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(root, filepath.FromSlash(name))
}

// configured is what packgen.yaml says of a key of the top level: the value on its line, or
// the items below it, as they are written; nil for nothing. Only that is understood, which
// is how the file is written: a reader of YAML would take longer than the rest of the hook.
func configured(root, key string) (values []string) {
	text, err := atomicfile.Read(filepath.Join(root, configName), maxConfig)
	if err != nil {
		return nil
	}
	open := false // the items of the key follow
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		rest, ok := cutKey(line, key)
		switch {
		case ok:
			open, values = true, nil
		case !open || line[0] != ' ' && line[0] != '-':
			open = open && len(bytes.TrimSpace(line)) == 0
			continue
		default:
			rest = bytes.TrimLeft(line, " -")
		}
		value, _, _ := strings.Cut(string(rest), " #")
		if value = strings.Trim(strings.TrimSpace(value), `"'`); value != "" {
			values = append(values, value)
		}
	}
	return values
}

// cutKey returns what follows a key of the top level on its line, without quotes around the key
// and blanks after it.
func cutKey(line []byte, key string) (rest []byte, ok bool) {
	name, rest, ok := bytes.Cut(line, []byte(":"))
	if !ok || line[0] == ' ' {
		return nil, false
	}
	return rest, strings.Trim(strings.TrimRight(string(name), " \t"), `"'`) == key
}

// below is the path of an entry from the base of its layer, slashes and all; ok is
// false when it leads elsewhere.
func (l *layer) below(path string) (name string, ok bool) {
	name = filepath.FromSlash(path)
	if l.confined && filepath.IsAbs(name) && l.base != "" {
		rel, err := filepath.Rel(l.base, name)
		if err != nil {
			return "", false
		}
		name = rel
	}
	return name, filepath.IsLocal(name) && !strings.ContainsRune(name, 0)
}

// pathOf is the path of an entry as the agent can open it: from the directory it
// works in when it holds the file, otherwise in full. ok is false for a path that
// leads out of the repository that names it, and for a memory of another project.
func (l *layer) pathOf(e *loadout.Entry) (string, bool) {
	if !l.confined {
		return e.Path, !l.projects.isOther(e.Path)
	}
	name, ok := l.below(e.Path)
	if !ok || l.locked != nil && !l.locked.holds(name) {
		return "", false
	}
	if l.cwd == "" {
		return e.Path, true
	}
	full := filepath.Join(l.base, name)
	if l.locked != nil {
		if short, ok := l.locked.short(name); ok {
			full = short
		}
	}
	if rel, err := filepath.Rel(l.cwd, full); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel), true
	}
	return full, true
}

// read reads the text of an entry, up to a number of bytes. That of a locked pack has the
// digest that the lock holds.
func (l *layer) read(e *loadout.Entry, limit int64) ([]byte, error) {
	if !l.confined {
		if !filepath.IsAbs(e.Path) {
			return nil, fs.ErrNotExist
		}
		return atomicfile.Read(e.Path, limit)
	}
	name, ok := l.below(e.Path)
	if !ok {
		return nil, fs.ErrNotExist
	}
	root, err := regularfile.Root(l.base)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, _, err := regularfile.OpenIn(root, name)
	if err != nil {
		l.locked.miss()
		return nil, err
	}
	defer f.Close()
	data, err := atomicfile.ReadOpen(f, name, limit)
	if err == nil && l.locked != nil {
		err = l.locked.check(name, data)
	}
	return data, err
}

// isServed reports whether an agent may be pointed to an entry: to that of a locked pack
// only while its file is the one that the lock holds.
func (l *layer) isServed(e *loadout.Entry) bool {
	if !l.isPulled() {
		return true
	}
	_, err := l.read(e, maxPointed)
	return err == nil
}

// isPulled reports the layer of packs from elsewhere, whose every word is somebody else's.
func (l *layer) isPulled() bool { return l != nil && l.locked != nil }

// toRun says, in the words of packgen, what has to be run since something is not given: its
// bytes are not those of the lock, or nobody made its index here; "" when nothing is missing.
func (o *Options) toRun() string {
	var notes []string
	switch {
	case o.locked == nil:
	case o.locked.unlisted:
		notes = append(notes, notPulled)
	case o.locked.damaged:
		notes = append(notes, pullAgain)
	}
	if o.unbuilt != "" {
		notes = append(notes, o.unbuilt)
	}
	return strings.Join(notes, "\n")
}
