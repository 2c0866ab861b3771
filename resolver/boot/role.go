package boot

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/token"
)

// Kind is the type of an item.
type Kind uint8

// The types.
const (
	brief Kind = iota
	skill
)

// String returns the word used in tags and JSON.
func (k Kind) String() string {
	if k == skill {
		return "skill"
	}
	return "brief"
}

// kindOf is the type of item that a key stands for.
func kindOf(key string) Kind {
	if key == "skills" {
		return skill
	}
	return brief
}

// OpenOptions say where a role's files may lie and how they are named. The zero
// value reads a role whose links all stay inside it.
type OpenOptions struct {
	Name       string   // prefix of printed paths; "": the directory as given to Open, nothing for OpenFS
	Root       string   // repository root: links may lead anywhere below it; "": the role directory
	AllowRoots []string // further directories that links may lead into
	Layout     Layout
	// Render makes the text of a file, named by its real path, fit for an agent; nil
	// leaves texts as they are. It may be called from several goroutines.
	Render func(file string, text []byte) []byte

	limits limits // none: the usual ones
}

// Role is a role directory as found: its boot.yml and the files that take part
// (boot.yml section 9). It does not change after Open and may be booted from
// several goroutines.
type Role struct {
	tree     tree
	name     string // prefix of printed paths, with its slash
	layout   Layout
	limits   limits
	render   func(file string, text []byte) []byte // nil: texts stay as they are
	hasYML   bool
	yml      []byte
	items    [2][]*file        // by Kind, in path order
	ymlDiags []diag.Diagnostic // about reading boot.yml
	diags    []diag.Diagnostic // about the files
}

// file is one item of a role.
type file struct {
	kind  Kind
	path  string // slash path below the role directory
	below string // the same below the base of the type's globs
	shown string // as printed, escaped
	src   place  // where the content is: for a minified brief, its twin
	twin  bool   // content comes from x.md.min
}

// Open reads the role directory dir. Faults in the role (links that lead out,
// orphan twins, limits) are kept and reported by Boot; the error is for a
// directory that cannot be read.
//
// A directory named by a path below Root must also really lie inside Root or
// AllowRoots. One that lies elsewhere was named by the user and is a root itself.
func Open(dir string, opts OpenOptions) (*Role, error) {
	r := &Role{name: printedPrefix(opts.Name, dir), layout: opts.Layout, limits: cmp.Or(opts.limits, defaultLimits()), render: opts.Render}
	if err := r.openDisk(dir, opts); err != nil {
		return nil, errors.Join(fmt.Errorf("open role %s: %w", dir, err), r.Close())
	}
	if diag.Count(r.diags, diag.Error) > 0 {
		return r, nil
	}
	if err := r.scan(); err != nil {
		return nil, errors.Join(fmt.Errorf("read role %s: %w", dir, err), r.Close())
	}
	return r, nil
}

// OpenFS reads a role from the top of a file system, which follows links by its
// own rules (the one of an os.Root refuses those that leave it).
func OpenFS(fsys fs.FS, opts OpenOptions) (*Role, error) {
	r := &Role{layout: opts.Layout, limits: cmp.Or(opts.limits, defaultLimits())}
	if opts.Name != "" {
		r.name = printedPrefix(opts.Name, "")
	}
	r.tree.roots = []*root{{fsys: fsys}}
	if err := r.scan(); err != nil {
		return nil, fmt.Errorf("read role: %w", err)
	}
	return r, nil
}

// With is the role with another text of its boot.yml, as an editor has it.
func (r *Role) With(text []byte) *Role {
	edited := *r
	edited.hasYML, edited.yml, edited.ymlDiags = true, text, nil
	return &edited
}

// Close releases the role's directories. Results stay valid.
func (r *Role) Close() error { return r.tree.Close() }

// printedPrefix returns what printed paths start with. The directory stays as
// it was given: cleaning a path that goes through a link can change its meaning.
func printedPrefix(name, dir string) string {
	if name == "" {
		name = filepath.ToSlash(dir)
	}
	name = strings.TrimPrefix(name, "./")
	if name == "." || name == "" {
		return ""
	}
	return strings.TrimRight(name, "/") + "/"
}

// openDisk opens the roots: the role directory first, which keeps the names
// inside it short, then the repository root and what else is allowed.
func (r *Role) openDisk(dir string, opts OpenOptions) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	role, err := realPath(dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(role); err != nil {
		return err
	} else if !info.IsDir() {
		return errors.New("not a directory")
	}
	allowed := []string{}
	named := false // dir lies below the repository root by its name
	for i, given := range append([]string{opts.Root}, opts.AllowRoots...) {
		if given == "" {
			continue
		}
		lexical, err := filepath.Abs(given)
		if err != nil {
			return err
		}
		real, err := filepath.EvalSymlinks(lexical)
		if err != nil {
			return fmt.Errorf("allowed root: %w", err)
		}
		allowed = append(allowed, real)
		if _, inside := within(lexical, abs); inside && i == 0 {
			named = true
		}
	}
	if git := named && isGit(allowed[0], role); git || named && !insideAny(allowed, role) {
		r.refuseLink(strings.TrimSuffix(r.name, "/"), &outsideError{role, git})
		return nil
	}
	for _, dir := range append([]string{role}, allowed...) {
		if err := r.tree.allow(dir); err != nil {
			return err
		}
	}
	return nil
}

// realPath returns an absolute path without links. It does not clean the path
// first: link/../role is beside what the link leads to, and the paths that
// are printed must lead to the files that were read.
func realPath(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		wd, err := os.Getwd()
		if err != nil {
			return "", err
		}
		dir = wd + string(filepath.Separator) + dir
	}
	return filepath.EvalSymlinks(dir)
}

// isGit reports a directory in the .git of a repository.
func isGit(root, dir string) bool {
	rel, inside := within(root, dir)
	return inside && regularfile.IsGit(rel)
}

func insideAny(dirs []string, target string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { _, inside := within(dir, target); return inside })
}

// fault is a diagnostic about a file of the role.
func (r *Role) fault(id string, severity diag.Severity, path, message, hint string) diag.Diagnostic {
	return diag.Diagnostic{ID: id, Severity: severity, Path: r.name + path, Message: message, Hint: hint}
}

// refuseLink records a link that leads out.
func (r *Role) refuseLink(name string, err *outsideError) {
	hint := "allow its target with --allow-root, or replace the link by the file"
	if err.git {
		hint = "replace the link by a file"
	}
	message := "link " + quote(name) + " is not followed: " + show(err.Error())
	r.diags = append(r.diags, diag.Diagnostic{ID: idLinkOutside, Severity: diag.Error, Path: name, Message: message, Hint: hint})
}

// scan reads boot.yml and lists the items.
func (r *Role) scan() error {
	if err := r.readConfig(); err != nil {
		return err
	}
	w := walker{role: r}
	top := place{r.tree.roots[0], "."}
	for _, k := range []Kind{brief, skill} {
		for _, folder := range r.layout.folders(k) {
			if err := w.folder(k, top, path.Clean(folder)); err != nil {
				return err
			}
		}
	}
	w.finish()
	return nil
}

func regularAt(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// readConfig reads boot.yml, which may be a link like any file of a role. One
// that dangles is a fault: reading it as absent would say everything.
func (r *Role) readConfig() error {
	p := place{r.tree.roots[0], configName}
	fault := func(id, text, hint string) {
		r.ymlDiags = append(r.ymlDiags, r.fault(id, diag.Error, configName, configName+" "+text, hint))
	}
	if p.root.dir != "" {
		if _, err := os.Lstat(p.real()); errors.Is(err, fs.ErrNotExist) {
			if other := (place{p.root, "boot.yaml"}); regularAt(other.real()) {
				fault(idKeyUnread, "is missing, and "+other.name+" is not read", "rename "+other.name+" to "+configName)
			}
			return nil
		}
	}
	r.hasYML = true
	p, err := r.tree.resolve(p)
	var outside *outsideError
	switch {
	case errors.As(err, &outside):
		fault(idLinkOutside, "is a link that is not followed: "+show(outside.Error()), "allow its target with --allow-root, or replace the link by the file")
		return nil
	case errors.Is(err, fs.ErrNotExist):
		fault(idYAML, "is a link to nothing", "correct the link, or remove it to say everything")
		return nil
	case err != nil:
		return err
	}
	info, err := p.stat()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.hasYML = false
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		fault(idYAML, "is not a file", "write a file in its place, or remove it")
		return nil
	}
	r.yml, err = p.read(maxConfigBytes)
	if isTooLarge(err) {
		fault(idLimit, fmt.Sprintf("is larger than %s", bytesize.Text(maxConfigBytes)), "use fewer and wider globs")
		return nil
	}
	return err
}

// maxNearestWork bounds, in cells of the distance table, what all hints of one
// boot may cost. Later hints are left out, not the findings.
const maxNearestWork = 8 << 20

// nearestWord returns the known word that a misspelled one was most likely
// meant to be, or "".
func nearestWord(word string, known []string) string {
	work := nearest.Budget(maxNearestWork)
	return nearestFold(word, known, max(2, min(len(word)/3, 8)), &work)
}

// nearestFold returns the candidate nearest to a text, ignoring case, within a limit
// of edits; "" when none is.
func nearestFold(text string, candidates []string, limit int, work *nearest.Budget) string {
	folded := make([]string, len(candidates))
	for i, c := range candidates {
		folded[i] = strings.ToLower(c)
	}
	near := work.Within(strings.ToLower(text), folded, limit)
	if i := slices.Index(folded, near); near != "" && i >= 0 {
		return candidates[i]
	}
	return ""
}

// neighbours are the paths of one type of item, for hints about globs that match
// none of them.
type neighbours struct {
	prefix string          // see glob.NewMatcher
	paths  []string        // below the base, sorted by bytes
	dirs   map[string]bool // folders above the paths, made for the first hint
}

// hint says why a glob may match nothing: the nearest path for a name, the
// deepest folder that exists for a pattern.
func (n *neighbours) hint(text string, work *nearest.Budget) (near, hint string) {
	if len(n.paths) == 0 {
		return "", "this role has no files of that type"
	}
	glob := strings.TrimPrefix(text, "./")
	if n.prefix != "" {
		glob = strings.TrimPrefix(glob, n.prefix)
	}
	if folder := strings.TrimRight(glob, "/"); n.isFolder(folder) {
		return folder, "it names a folder; write " + show(folder) + "/** for the files below it"
	}
	if !strings.ContainsAny(glob, "*?{") {
		if near = n.sameName(path.Base(glob)); near == "" {
			near = nearestFold(glob, n.paths, max(2, min(len(glob)/6, 16)), work)
		}
		if near != "" {
			return near, "did you mean " + show(near) + "?"
		}
	}
	if near = n.nearFolder(glob, work); near != "" {
		return near, "did you mean the folder " + show(near) + "?"
	}
	dir := glob
	for dir != "." && dir != "/" && dir != "" {
		if dir = path.Dir(dir); n.isFolder(dir) {
			return dir, "look in " + show(dir) + ", the nearest folder"
		}
	}
	return "", ""
}

// nearFolder returns the folder most like the one that a glob names before its first
// wildcard; "" when that exists, or none is like it.
func (n *neighbours) nearFolder(glob string, work *nearest.Budget) string {
	if i := strings.IndexAny(glob, "*?{"); i >= 0 {
		glob = glob[:i]
	}
	folder := path.Dir(glob + "x")
	if folder == "." || n.isFolder(folder) {
		return ""
	}
	dirs := slices.Sorted(maps.Keys(n.dirs))
	return nearestFold(folder, dirs, max(2, min(len(folder)/6, 16)), work)
}

// isFolder reports whether a path names a folder above some iten.
func (n *neighbours) isFolder(name string) bool {
	if n.dirs == nil {
		n.dirs = map[string]bool{}
		for _, p := range n.paths {
			for dir := path.Dir(p); dir != "." && !n.dirs[dir]; dir = path.Dir(dir) {
				n.dirs[dir] = true
			}
		}
	}
	return n.dirs[name]
}

// sameName returns the path with that file name, if there is just one.
func (n *neighbours) sameName(name string) string {
	found := ""
	for _, p := range n.paths {
		if p[strings.LastIndexByte(p, '/')+1:] == name {
			if found != "" {
				return ""
			}
			found = p
		}
	}
	return found
}

// minCatalog is the number of path-only lines below one folder from which a
// catalog brief in their place is worth naming.
const minCatalog = 5

// remedies lists what would bring a boot under its budget, cheapest for the
// reader of the boot first: what loses nothing is before what loses content.
func (s *session) remedies(res *Result, over int) []Remedy {
	var out []Remedy
	for _, r := range []*Remedy{
		s.fewerSubjects(res), catalogRemedy(res.Sections), minifyRemedy(res.Sections),
		toRefRemedy(res.Sections, over), hideRemedy(res.Sections),
	} {
		if r != nil {
			out = append(out, *r)
		}
	}
	return out
}

// fewerSubjects names the single subjects that fit, or the cheapest when none
// does. Naming the only subject is a choice too: it drops also. What a single
// subject says is part of what has been read already.
func (s *session) fewerSubjects(res *Result) *Remedy {
	slugs := res.Usecases
	if slugs == nil {
		slugs = s.planner.cfg.Subjects()
	}
	if len(slugs) == 0 {
		return nil
	}
	type choice struct {
		slug string
		cost int
	}
	var choices []choice
	for _, slug := range slugs {
		choices = append(choices, choice{slug, s.price(s.planner.plan([]string{slug})).Rendered})
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(a.cost, b.cost) })
	if choices[0].cost >= res.Cost.Rendered {
		return nil // it is what was booted
	}
	fit := slices.DeleteFunc(slices.Clone(choices), func(c choice) bool { return c.cost > res.Budget.Cap })
	text, best := "boot fewer subjects: ", choices[0]
	if len(slugs) == 1 {
		text = "name the only subject, which leaves also out: "
	}
	if len(fit) > 0 {
		best = fit[len(fit)-1]
		slices.Reverse(fit)
		choices = fit
	} else {
		text = strings.TrimSuffix(text, ": ") + " (none fits alone): "
		choices = choices[:1]
	}
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = fmt.Sprintf("%s costs %d", show(c.slug), c.cost)
	}
	return &Remedy{Kind: "usecase", Text: text + listed(names, func(s string) string { return s }), Saves: res.Cost.Rendered - best.cost}
}

// catalogRemedy proposes one brief in place of the folder with the most
// path-only lines.
func catalogRemedy(sections []Section) *Remedy {
	type group struct{ lines, tokens int }
	groups := map[string]*group{}
	best := ""
	for _, item := range items(sections) {
		if item.said() {
			continue
		}
		dir := path.Dir(item.Path)
		g := groups[dir]
		if g == nil {
			g = &group{}
			groups[dir] = g
		}
		g.lines++
		g.tokens += item.Tokens
	}
	for dir, g := range groups {
		b := groups[best]
		if g.lines >= minCatalog && (b == nil || g.tokens > b.tokens || g.tokens == b.tokens && dir < best) {
			best = dir
		}
	}
	g := groups[best]
	if g == nil {
		return nil
	}
	saves := g.tokens - g.tokens/g.lines
	return &Remedy{Kind: "catalog", Saves: saves, Paths: []string{best},
		Text: fmt.Sprintf("replace the %d references to %s/ by one catalog brief (saves about %d)", g.lines, show(best), saves)}
}

// largest returns the said items, most tokens first.
func largest(sections []Section) []*Item {
	var said []*Item
	for _, item := range items(sections) {
		if item.said() {
			said = append(said, item)
		}
	}
	slices.SortStableFunc(said, func(a, b *Item) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return said
}

// minifyRemedy names the largest said briefs without a minified twin.
func minifyRemedy(sections []Section) *Remedy {
	var paths []string
	for _, item := range largest(sections) {
		if item.Type == TypeBrief && !item.file.twin && len(paths) < 3 {
			paths = append(paths, item.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return &Remedy{Kind: "minify", Paths: paths, Text: "add a shorter .md.min beside " + listed(paths, show)}
}

// toRefRemedy names the fewest said items that bring the boot under its budget
// when they become refs.
func toRefRemedy(sections []Section, over int) *Remedy {
	var paths []string
	saves := 0
	for _, item := range largest(sections) {
		line := token.Of(lineUnits(&Item{Type: typeRef, file: item.file}))
		if saves >= over || item.Tokens <= line {
			break
		}
		saves += item.Tokens - line
		paths = append(paths, item.Path)
	}
	if len(paths) == 0 {
		return nil
	}
	return &Remedy{Kind: "ref", Saves: saves, Paths: paths,
		Text: fmt.Sprintf("move from say to ref: %s (saves about %d)", listed(paths, show), saves)}
}

// hideRemedy counts what hiding every path-only line would save.
func hideRemedy(sections []Section) *Remedy {
	lines, saves := 0, 0
	for _, item := range items(sections) {
		if !item.said() {
			lines++
			saves += item.Tokens
		}
	}
	if lines == 0 {
		return nil
	}
	return &Remedy{Kind: "hide", Saves: saves,
		Text: fmt.Sprintf("hide what this role never needs: its %d references cost %d", lines, saves)}
}
