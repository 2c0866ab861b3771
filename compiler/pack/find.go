package pack

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/secret"
)

// Limits of discovery (agent-knowledge section 12.1).
const (
	maxFindDepth = 6      // directories below the fixed part of a pattern
	maxFindDirs  = 10_000 // directories looked at in one call
)

// skipped are directories that hold dependencies, build output or generated
// files. Names that start with "." are skipped too. A pattern that names one of
// them gets in.
var skipped = [...]string{
	"__pycache__", "bin", "build", "dist", "indexes", "node_modules", "out", "public", "target", "vendor", "venv",
}

// Find lists the packs below root whose directory matches one of the patterns:
// doublestar globs relative to root, with slashes, such as "packs/*" or
// "teams/**". The result holds slash paths relative to root, in path order.
//
// It does not descend into a pack, follows no symbolic link to a directory, and
// stops at maxFindDepth and maxFindDirs. Of two packs of one name the path that
// sorts first is kept, and a diagnostic names both (section 12.2). A pattern
// without wildcards is taken at its word: its directory is returned, for Open to
// say what is wrong with it. The error is for a pattern that cannot be used and
// for a directory that cannot be read.
func Find(root string, patterns []string) ([]string, []diag.Diagnostic, error) {
	dir, err := regularfile.Root(root)
	if err != nil {
		return nil, nil, fmt.Errorf("find packs: %w", err)
	}
	defer dir.Close()
	f := &finder{fsys: regularfile.FS(dir), packs: map[string]bool{}}
	for _, pattern := range patterns {
		if err := f.pattern(pattern); err != nil {
			return nil, nil, fmt.Errorf("find packs: %w", err)
		}
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, nil, fmt.Errorf("find packs: %w", err)
	}
	dirs := f.unique(filepath.Base(abs))
	diag.Sort(f.found.list)
	return dirs, slices.Compact(f.found.list), nil
}

// finder collects the packs of one call.
type finder struct {
	fsys  fs.FS
	found findings
	packs map[string]bool // by path
	seen  int             // directories looked at
	cut   bool
}

// search is one pattern at work.
type search struct {
	*finder
	pattern string
	base    string // fixed part
	deep    bool   // holds "**"
}

func (f *finder) pattern(pattern string) error {
	clean := path.Clean(pattern)
	if !doublestar.ValidatePattern(clean) {
		return fmt.Errorf("pattern %q is not a valid glob", pattern)
	}
	if clean == ".." || strings.HasPrefix(clean, "../") || strings.HasPrefix(clean, "/") {
		return fmt.Errorf("pattern %q leads out of the repository", pattern)
	}
	base, rest := doublestar.SplitPattern(clean)
	s := &search{finder: f, pattern: clean, base: base, deep: strings.Contains(rest, "**")}
	if !strings.ContainsAny(rest, "*?[{\\") {
		return s.literal(clean)
	}
	real, info, err := resolve(f.fsys, base)
	switch {
	case err != nil || !info.IsDir():
		return nil // a pattern may match nothing
	case real != base:
		s.linked(base)
		return nil
	}
	return s.walk(base, 0)
}

// literal takes a pattern without wildcards.
func (s *search) literal(dir string) error {
	real, info, err := resolve(s.fsys, dir)
	switch {
	case err != nil:
		s.found.add("pack-missing", diag.Error, dir, "the directory does not exist", "make the directory, or remove it from packs: in packgen.yaml")
	case real != dir:
		s.linked(dir)
	case !info.IsDir():
		s.found.add("pack-missing", diag.Error, dir, "this is not a directory", "name a directory under packs: in packgen.yaml")
	default:
		s.packs[dir] = true
	}
	return nil
}

func (s *search) linked(dir string) {
	s.found.add("pack-linked", diag.Warning, dir, "a symbolic link to a directory is not followed when looking for packs", "put the pack itself there")
}

// entryHint says how a directory becomes a pack. A file whose name is almost that of its
// entry is most likely meant to be it.
func entryHint(entries []fs.DirEntry) string {
	for _, e := range entries {
		if name := e.Name(); !e.IsDir() && nearest.Within(strings.ToUpper(name), []string{strings.ToUpper(EntryName)}, 2) != "" {
			return fmt.Sprintf("%s%s to %s", RenameEntry, name, EntryName)
		}
	}
	return "add a " + EntryName + ", or move the directory out of the packs"
}

// RenameEntry begins the hint about a file that is most likely meant to be the entry of a pack.
const RenameEntry = "rename "

// walk looks at a directory and those below it.
func (s *search) walk(dir string, depth int) error {
	if s.seen++; s.seen > maxFindDirs {
		if !s.cut {
			s.found.add("discovery-limit", diag.Warning, dir, fmt.Sprintf("looking for packs stopped after %d directories", maxFindDirs), "use narrower patterns")
		}
		s.cut = true
		return nil
	}
	hit := doublestar.MatchUnvalidated(s.pattern, dir)
	entries, err := fs.ReadDir(s.fsys, dir)
	if err != nil {
		return s.unreadable(dir, hit, err)
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == EntryName && !e.IsDir() }) {
		if hit {
			s.packs[dir] = true
			return nil
		}
		if dir != "." {
			s.found.add("pack-missing", diag.Warning, path.Join(dir, EntryName), "the file makes no pack: no pattern under packs: matches its directory", "move it into the directory of a pack, or remove it")
		}
	}
	if hit && !s.deep {
		s.found.add("pack-missing", diag.Warning, dir, fmt.Sprintf("the directory matches %q but has no %s", s.pattern, EntryName), entryHint(entries))
	}
	if depth == maxFindDepth || !s.deep && depth >= strings.Count(s.pattern, "/")+1 {
		return nil
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case s.skip(e.Name()):
		case e.IsDir():
			if err := s.walk(name, depth+1); err != nil {
				return err
			}
		case e.Type()&fs.ModeSymlink != 0 && doublestar.MatchUnvalidated(s.pattern, name) && s.leadsToDir(name):
			s.linked(name)
		}
	}
	return nil
}

// unreadable reports a directory that cannot be listed, which costs the packs in it alone.
// An error of the machine is returned.
func (s *search) unreadable(dir string, hit bool, err error) error {
	severity := diag.Warning
	if hit {
		severity = diag.Error
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // gone since the directory above was read
	case errors.Is(err, fs.ErrPermission):
		s.found.add("pack-missing", severity, dir, "the directory cannot be read", "give the user who builds the right to read it, or move it out of the packs")
	case errors.Is(err, fs.ErrInvalid):
		shown := strings.ToValidUTF8(dir, "\uFFFD")
		s.found.add("pack-missing", severity, shown, "the name of the directory is not UTF-8", "rename the directory, or move it out of the packs")
	case errors.Is(err, syscall.ENAMETOOLONG):
		s.found.add("pack-missing", severity, dir, "the path of the directory is too long", "move the directory up, or out of the packs")
	default:
		return err
	}
	return nil
}

// leadsToDir reports whether a link leads to a directory, or out of the
// repository, where we do not look.
func (s *search) leadsToDir(name string) bool {
	_, info, err := resolve(s.fsys, name)
	return err != nil || info.IsDir()
}

// skip reports whether a directory of that name is left out.
func (s *search) skip(name string) bool {
	if !strings.HasPrefix(name, ".") && !slices.Contains(skipped[:], name) {
		return false
	}
	return !slices.Contains(strings.Split(s.pattern, "/"), name)
}

// unique drops packs whose name another has that sorts first, and those whose path
// would give a secret away wherever it is shown.
func (f *finder) unique(rootName string) []string {
	var dirs []string
	owner := map[string]string{}
	for _, dir := range slices.Sorted(maps.Keys(f.packs)) {
		if shown := secret.RedactPath(dir); shown != dir {
			f.found.add("secret-suspect", diag.Error, shown, "the name of this directory holds a likely secret; the pack is left out", "revoke the secret, then rename it here and in its history")
			continue
		}
		name := f.nameOf(dir, rootName)
		if first, taken := owner[name]; taken {
			f.found.list = append(f.found.list, diag.Diagnostic{
				ID: "pack-duplicate", Severity: diag.Error, Path: path.Join(dir, EntryName),
				Message: fmt.Sprintf("pack name %q is taken by %s; the pack in %s is left out", name, first, dir),
				Hint:    "give one of the two another name",
			})
			continue
		}
		owner[name] = dir
		dirs = append(dirs, dir)
	}
	return dirs
}

// nameOf reads the name of a pack; one that cannot be read goes by its
// directory's name.
func (f *finder) nameOf(dir, rootName string) string {
	base := path.Base(dir)
	if dir == "." {
		base = rootName
	}
	sub, err := fs.Sub(f.fsys, dir)
	if err != nil {
		return base
	}
	p := &Pack{fsys: sub}
	if ok, err := p.readEntry(base, &findings{}); err != nil || !ok || p.Meta.Name == "" {
		return base // Open will say what is wrong
	}
	return p.Meta.Name
}

// idAlike is the rule about names that are one on some system.
const idAlike = "published-path"

// maxAlike is how many pairs of such names are reported one by one.
const maxAlike = 20

// alike lists files and folders under names of their own whose names are one where letter
// case or Unicode form does not count. The first in path order keeps its name.
type alike struct {
	taken   map[string]string // what is listed, by its folded path: the path as it is
	folders map[string]string // listed folders, by their paths as they are
	renamed map[string]string // listed files, by their paths as they are
	files   map[string]string // files as they are, by their folded paths
	first   map[string]string // of what is listed under another name: what has taken its own
	found   []diag.Diagnostic
	more    int
}

// setApart gives files that are alike distinct paths. It returns the new ones by their paths
// as they are; links are changed as the files are.
func setApart(files []File, links map[string]string, found *findings) (renamed map[string]string) {
	a := alike{taken: make(map[string]string, len(files)), folders: map[string]string{}, renamed: map[string]string{}, files: map[string]string{}, first: map[string]string{}}
	for i := range files {
		name := files[i].Path
		if !isShown(name) || packpath.CheckPublished(name) != nil {
			continue
		}
		listed := a.list(name, false)
		twin := a.files[foldName(name)]
		a.files[foldName(name)] = cmp.Or(twin, name)
		if listed == name {
			continue
		}
		a.report(twin, name, listed)
		real := name
		if to, linked := links[name]; linked {
			real = to
			delete(links, name)
		}
		files[i].Path, links[listed], a.renamed[name] = listed, real, listed
	}
	if len(a.renamed) == 0 {
		return nil
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if a.more > 0 {
		a.found[len(a.found)-1].Message += fmt.Sprintf("; so are %d more pairs", a.more)
	}
	found.list = append(found.list, a.found...)
	return a.renamed
}

// isShown reports a file of the folders whose names readers see.
func isShown(name string) bool {
	top, _, below := strings.Cut(name, "/")
	return below && (top == "documents" || top == "wiki" || top == "assets")
}

// list returns the path under which a file or folder is listed.
func (a *alike) list(name string, folder bool) string {
	if folder {
		if listed, known := a.folders[name]; known {
			return listed
		}
	}
	dir, base := path.Split(name)
	if dir = strings.TrimSuffix(dir, "/"); dir != "" {
		dir = a.list(dir, true) + "/"
	}
	listed := dir + base
	for n := 2; a.taken[foldName(listed)] != ""; n++ {
		ending := path.Ext(base)
		if folder {
			ending = ""
		} else if strings.HasSuffix(base, mdxEnding+".md") {
			ending = mdxEnding + ".md"
		}
		listed = dir + strings.TrimSuffix(base, ending) + "-" + strconv.Itoa(n) + ending
	}
	if listed != dir+base {
		a.first[name] = a.taken[foldName(dir+base)]
	}
	a.taken[foldName(listed)] = name
	if folder {
		a.folders[name] = listed
	}
	return listed
}

// report names two files that are alike, or, of a file without a twin, the folders that are:
// once for a folder.
func (a *alike) report(first, second, listed string) {
	for ; first == ""; second, listed = path.Dir(second), path.Dir(listed) {
		if second == "." {
			return
		}
		if other, known := a.first[second]; known {
			delete(a.first, second)
			first = other
			break
		}
	}
	if len(a.found) >= maxAlike {
		a.more++
		return
	}
	a.found = append(a.found, diag.Diagnostic{
		ID: idAlike, Severity: diag.Warning, Path: second,
		Message: fmt.Sprintf("%s and %s are one name where letter case or Unicode form does not count; the second is published as %q", apart(first, second), apart(second, first), listed),
		Hint:    "rename one of them",
	})
}

// apart quotes a name beside one that may look like it: then with its Unicode form.
func apart(name, other string) string {
	switch {
	case norm.NFC.String(name) != norm.NFC.String(other):
		return fmt.Sprintf("%q", name)
	case norm.NFC.IsNormalString(name):
		return fmt.Sprintf("%q (NFC, composed)", name)
	case norm.NFD.IsNormalString(name):
		return fmt.Sprintf("%q (NFD, decomposed)", name)
	}
	return fmt.Sprintf("%q (partly decomposed)", name)
}

// foldName is the form in which names are compared where letter case, Unicode form and
// invisible characters do not count.
func foldName(name string) string {
	for i := range len(name) {
		if name[i] >= 0x80 {
			return norm.NFC.String(cases.Fold().String(norm.NFD.String(packpath.Visible(name))))
		}
	}
	return strings.ToLower(name)
}

// ListedAs returns the path under which a file is listed whose own path is another one, because
// a file before it has the same name where letter case or Unicode form does not count; ""
// for any other.
func (p *Pack) ListedAs(name string) string { return p.renamed[name] }

// AsListed returns paths that a file writes, each with "#" and a place or without, as the pack
// lists their files.
func (p *Pack) AsListed(written []string) []string {
	list := slices.Clone(written)
	for i, w := range list {
		name, _, _ := strings.Cut(w, "#")
		if listed := p.renamed[name]; listed != "" {
			list[i] = listed + w[len(name):]
		}
	}
	return list
}
