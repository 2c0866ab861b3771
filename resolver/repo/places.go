package repo

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/strictyaml"
)

// outsideError says that what a checkout names lies outside of the repository.
type outsideError struct {
	name string // as the checkout names it
	to   string // where its links lead; "" when the name itself leads out
}

func (e *outsideError) Error() string {
	if e.to == "" {
		return fmt.Sprintf("%q is outside the repository", e.name)
	}
	return fmt.Sprintf("%q leads by a link to %s, outside the repository", e.name, e.to)
}

// gitError says that what a checkout names belongs to git, which starts programs from there
// and keeps passwords there.
type gitError struct{ name string }

func (e *gitError) Error() string { return fmt.Sprintf("%q is in a directory .git", e.name) }

// Advice says what to name instead.
func (e *gitError) Advice() string { return "name a place outside of .git, which is for git alone" }

// Advice says who may name places elsewhere.
func (e *outsideError) Advice() string {
	return "name a place in the repository, or allow the directory with --allow-root DIR or " + regularfile.AllowVariable
}

// allowedBy are the directories that the user lets a checkout lead into, absolute.
func allowedBy(w *Repo) (dirs []string, err error) {
	for _, name := range w.AllowRoots {
		if dirs, err = appendDir(w.Paths, dirs, "--allow-root", name); err != nil {
			return nil, err
		}
	}
	for _, name := range filepath.SplitList(w.Getenv(regularfile.AllowVariable)) {
		if name == "" {
			continue
		}
		if dirs, err = appendDir(w.Paths, dirs, regularfile.AllowVariable, w.Paths.Given(name)); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}

// appendDir adds the absolute path of a directory that may be led into. From is the flag, the
// variable or the key that names it.
func appendDir(paths Paths, dirs []string, from, name string) ([]string, error) {
	if info, err := os.Stat(paths.Abs(name)); err != nil || !info.IsDir() {
		return nil, diag.Absent("directory", name, "correct %s, which names directories that links of the repository may lead into", from)
	}
	return append(dirs, paths.Abs(name)), nil
}

// checkout is the files of a checkout. Links may lead to what is in the repository and to what
// the user allows, and a name may be an absolute path of such a file.
type checkout struct {
	paths Paths
	dirs  []string // that links may lead into, real paths
}

// furtherOf are the directories outside of the repository that a checkout may lead into: what
// the user allows, and all if the configuration is a file that the user keeps elsewhere.
func furtherOf(w *Repo) ([]string, error) {
	dirs, err := allowedBy(w)
	if name, _ := w.ConfigFile(); err == nil && !isOwn(w, name) {
		dirs = append(dirs, filepath.VolumeName(w.Paths.Dir)+string(filepath.Separator))
	}
	return dirs, err
}

// checkoutOf returns the files of the checkout.
func checkoutOf(w *Repo) (checkout, error) {
	c := checkout{paths: w.Paths}
	dirs, err := furtherOf(w)
	if err != nil {
		return c, err
	}
	for _, dir := range append([]string{cmp.Or(w.bounds, w.Paths.Dir), w.Paths.Dir}, dirs...) {
		if real := regularfile.RealPath(dir); !slices.Contains(c.dirs, real) {
			c.dirs = append(c.dirs, real)
		}
	}
	return c, nil
}

// holds returns the directory that a real path is in or below, and the path from there.
func (c checkout) holds(real string) (dir, rel string, ok bool) {
	for _, dir := range c.dirs {
		if rel, err := filepath.Rel(dir, real); err == nil && filepath.IsLocal(rel) {
			return dir, rel, true
		}
	}
	return "", "", false
}

// check returns an [outsideError] if the place that a checkout names, or what is there by
// a link, is elsewhere, and a [gitError] if it is git's. What does not exist is where its
// name says.
func (c checkout) check(name string) error {
	full := c.paths.Abs(name)
	real := regularfile.RealPath(full)
	if _, rel, ok := c.holds(real); ok {
		if name, err := filepath.Rel(c.paths.Dir, full); regularfile.IsGit(rel) || err == nil && regularfile.IsGit(name) {
			return &gitError{name}
		}
		return nil
	}
	if rel, err := filepath.Rel(c.paths.Dir, full); err != nil || !filepath.IsLocal(rel) {
		return &outsideError{name: name}
	}
	return &outsideError{name, real}
}

// Open opens a regular file or a directory, by one of the directories that it may be in.
func (c checkout) Open(name string) (fs.File, error) {
	real, err := filepath.EvalSymlinks(c.paths.Abs(filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	dir, rel, ok := c.holds(real)
	if !ok {
		return nil, &outsideError{name, real}
	}
	if regularfile.IsGit(rel) {
		return nil, &gitError{name}
	}
	root, err := regularfile.Root(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return regularfile.FS(root).Open(filepath.ToSlash(rel))
}

// pathTypes are the types of keys, as the configuration's tags have them, whose values are
// places.
var pathTypes = []string{"path", "list of directories"}

// placeFaults reports the keys of a configuration file whose values lead out of the
// repository. The tags of the configuration say which keys name places.
func placeFaults(w *Repo, r *strictyaml.Reader, doc *yaml.Node) error {
	c, err := checkoutOf(w)
	if err != nil {
		return err
	}
	eachPlace(reflect.TypeFor[Config](), doc.Content[0], "", func(key string, n *yaml.Node) {
		if err := c.check(n.Value); n.Value != "" && err != nil {
			r.Fault(n, diag.HintOf(err), "%s: %v", key, err)
		}
	})
	return nil
}

// eachPlace calls a function for each value of a mapping that is a place, by the tags of the
// type that the mapping is read into.
func eachPlace(t reflect.Type, n *yaml.Node, prefix string, do func(key string, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		for f := range t.Fields() {
			if f.Tag.Get("key") != n.Content[i].Value {
				continue
			}
			key, values := prefix+n.Content[i].Value, []*yaml.Node{n.Content[i+1]}
			of := f.Type
			if n.Content[i+1].Kind == yaml.SequenceNode {
				values = n.Content[i+1].Content
			}
			if of.Kind() == reflect.Slice {
				of = of.Elem()
			}
			for _, value := range values {
				switch {
				case of.Kind() == reflect.Struct:
					eachPlace(of, value, key+".", do)
				case value.Kind == yaml.ScalarNode && slices.Contains(pathTypes, f.Tag.Get("is")):
					do(key, value)
				}
			}
		}
	}
}

// isOwn reports whether a configuration file is a part of the checkout: what the user keeps
// elsewhere is as good as a flag.
func isOwn(w *Repo, name string) bool {
	for _, root := range []string{cmp.Or(w.bounds, w.Paths.Dir), w.Paths.Dir} {
		for _, dir := range []string{root, regularfile.RealPath(root)} {
			if rest, ok := strings.CutPrefix(w.Paths.Abs(name), dir); ok && (rest == "" || rest[0] == filepath.Separator) {
				return true
			}
		}
	}
	return false
}
