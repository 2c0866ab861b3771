package repo

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/scratch"
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

// CheckTarget refuses an output directory that cannot be meant: a file, a place
// inside a pack, or one that holds a pack.
func CheckTarget(paths Paths, out string, r *Packs) error {
	shown := paths.Rel(out)
	if err := checkWritten(paths, "output directory", out); err != nil {
		return err
	}
	switch info, err := os.Stat(out); {
	case err == nil && !info.IsDir():
		return diag.WithHint(fmt.Errorf("output directory %s is a file", shown), "name a directory with --out DIR or out: in %s", ConfigName)
	case errors.Is(err, syscall.ENOTDIR):
		return diag.WithHint(fmt.Errorf("output directory %s lies below a file", shown), "name a directory with --out DIR or out: in %s", ConfigName)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("output directory %s: %w", shown, err)
	}
	target := regularfile.RealPath(out)
	if target == regularfile.RealPath(paths.Dir) {
		return diag.WithHint(fmt.Errorf("output directory %s is the repository itself", shown), "name a directory of its own, such as public")
	}
	for _, m := range r.Members {
		dir := regularfile.RealPath(paths.Abs(m.Dir))
		switch {
		case below(target, dir):
			return diag.WithHint(fmt.Errorf("output directory %s lies inside the pack %s", shown, m.Dir), "name a directory outside the pack, such as public")
		case below(dir, target):
			return diag.WithHint(fmt.Errorf("output directory %s holds the pack %s", shown, m.Dir), "name a directory of its own, such as public: it is replaced as a whole")
		}
	}
	return nil
}

// checkWritten refuses a link on the way to a place that a build writes to, and on the way to
// the state directory: before anything is written.
func checkWritten(paths Paths, what, name string) error {
	if err := errors.Join(regularfile.CheckWrite(name), regularfile.CheckWrite(paths.StorePath())); err != nil {
		return fmt.Errorf("%s %s: %w", what, paths.Rel(name), err)
	}
	return nil
}

// CheckOverlay refuses an overlay inside a pack: what compile writes there would be
// read as a part of the pack by the next one.
func CheckOverlay(paths Paths, overlay string, r *Packs) error {
	if overlay == "" {
		return nil
	}
	if err := checkWritten(paths, "overlay", overlay); err != nil {
		return err
	}
	target := regularfile.RealPath(overlay)
	for _, m := range r.Members {
		if below(target, regularfile.RealPath(paths.Abs(m.Dir))) {
			return diag.WithHint(fmt.Errorf("overlay %s lies inside the pack %s", paths.Rel(overlay), m.Dir), "name a directory outside the pack with --overlay DIR")
		}
	}
	return nil
}

// CheckProject refuses a place for the second index that cannot be meant.
func CheckProject(paths Paths, name, out string, r *Packs) error {
	if name == "" {
		return nil
	}
	const hint = "name a file below the repository root, such as .claude/loadout/index.json"
	if err := checkWritten(paths, "loadout.project", paths.Abs(name)); err != nil {
		return err
	}
	target := regularfile.RealPath(paths.Abs(name))
	if filepath.IsAbs(name) || !below(target, regularfile.RealPath(paths.Dir)) {
		return diag.WithHint(fmt.Errorf("loadout.project %s is not below the repository root", name), hint)
	}
	if below(target, regularfile.RealPath(out)) {
		return diag.WithHint(fmt.Errorf("loadout.project %s lies in the output directory", name), hint)
	}
	for _, m := range r.Members {
		if below(target, regularfile.RealPath(paths.Abs(m.Dir))) {
			return diag.WithHint(fmt.Errorf("loadout.project %s lies inside the pack %s", name, m.Dir), hint)
		}
	}
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return diag.WithHint(fmt.Errorf("loadout.project %s is a directory", name), hint)
	}
	return nil
}

// Inside reports whether a path is a directory or lies below it, links followed.
func Inside(name, dir string) bool {
	return below(regularfile.RealPath(name), regularfile.RealPath(dir))
}

// below reports whether a path is a directory or lies below it.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// ExplainWrite adds what to do to an error of a place that cannot be written.
func ExplainWrite(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return diag.Refuse(diag.WithHint(err, "make it writable, or name a place that is: --overlay DIR for pack outputs, --out DIR for the site"))
	case errors.Is(err, publish.ErrNoLocks):
		return diag.Refuse(diag.WithHint(err, "name places on another file system: --overlay DIR for pack outputs, --out DIR for the site"))
	case errors.Is(err, syscall.ENOTDIR):
		return diag.WithHint(err, "move the file away that has the name of a directory")
	case diag.DiskFull(err):
		return diag.WithHint(err, "free some space and run again: the disk is full; every file is complete, either old or new")
	}
	return err
}

// ChooseOverlay returns the directory for pack outputs: the one that is named,
// none when the checkout can be written, otherwise one in the user's cache.
func ChooseOverlay(w *Repo, named string) (string, error) {
	if named != "" {
		return w.Paths.Abs(named), nil
	}
	if !ReadOnly(w.Paths.Dir) {
		return "", nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", diag.WithHint(fmt.Errorf("%s is read-only and there is no cache directory: %w", w.Paths.Dir, err), "name a place for pack outputs with --overlay DIR")
	}
	sum := sha256.Sum256([]byte(w.Paths.Dir))
	overlay := filepath.Join(cache, "packgen", "overlay", hex.EncodeToString(sum[:8]))
	w.Remark("note: %s is read-only; pack outputs go to %s", w.Paths.Dir, overlay)
	return overlay, nil
}

// ReadOnly reports whether a repository root refuses files, in our state directory and
// beside it. One that refuses them in the state directory alone is not a read-only
// checkout, and a run reports what it cannot write.
func ReadOnly(root string) bool {
	return refusesFiles(filepath.Join(root, StateName)) && refusesFiles(root)
}

// refusesFiles reports whether no file can be made in a directory, for want of permission.
func refusesFiles(dir string) bool {
	err := regularfile.MkdirAll(dir, 0o777)
	if err == nil {
		var f scratch.File
		if f, err = scratch.NewFile(dir, "probe"); err == nil {
			err = f.Close()
		}
	}
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// customFiles shows the stylesheet and the script that a configuration names
// under the names the bundler looks for. What they import is found beside them.
type customFiles struct {
	root    fs.FS
	entries map[string]string // site.css and site.ts: where they are below root
}

// CustomFiles returns the site's own files; nil when it has none.
func CustomFiles(w *Repo) (fs.FS, error) {
	below, err := checkoutOf(w)
	if err != nil {
		return nil, err
	}
	files := customFiles{root: below, entries: map[string]string{}}
	for name, given := range map[string]string{"site.css": w.Config.Site.CSS, "site.ts": w.Config.Site.TS} {
		if given == "" {
			continue
		}
		given = path.Clean(filepath.ToSlash(given))
		if _, err := fs.Stat(files.root, given); diag.HintOf(err) != "" {
			return nil, fmt.Errorf("%s: %w", name, err)
		} else if err != nil {
			return nil, diag.WithHint(err, "correct site.css and site.ts in %s, which name files in the repository", ConfigName)
		}
		files.entries[name] = given
	}
	if len(files.entries) == 0 {
		return nil, nil
	}
	return files, nil
}

// Open implements fs.FS.
func (f customFiles) Open(name string) (fs.File, error) {
	if given, ok := f.entries[name]; ok {
		return f.root.Open(given)
	}
	if name == "site.css" || name == "site.ts" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	err := error(&fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist})
	for _, entry := range []string{"site.css", "site.ts"} {
		if given, ok := f.entries[entry]; ok {
			file, other := f.root.Open(path.Join(path.Dir(given), name))
			if other == nil {
				return file, nil
			}
			if errors.Is(err, fs.ErrNotExist) {
				err = other
			}
		}
	}
	return nil, err
}
