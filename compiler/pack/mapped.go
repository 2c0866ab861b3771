package pack

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

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regularfile"
)

// Mapping puts a folder that lies elsewhere into a pack, below documents/. The folder
// is read where it is, by the rules of the pack itself: no link in it leads out of it,
// and nothing is ever written there.
type Mapping struct {
	Dir     string   // the folder
	Below   string   // clean path below documents/ that it gets; "" is documents/ itself
	Include []string // doublestar patterns of its files; none: all
	Exclude []string // doublestar patterns of files and folders that are left out
	MDX     bool     // files .mdx are read as Markdown
	Drafts  bool     // pages that say they are drafts are taken too
	FS      fs.FS    // the folder, opened already, which Close leaves open; nil opens Dir
	Pack    string   // the pack's directory on disk, where that is not the one it is opened with; "" otherwise
}

// mapped is a mapping while it is added to a pack.
type mapped struct {
	Mapping
	at   string // pack path of the folder
	own  string // where the pack lies in the folder; "" when it does not
	pack *Pack  // the folder, opened as a pack is
	seen []File // its files, drafts too, by their paths in the pack

	drafts     []string        // pack paths of the pages that are held back, sorted
	draftNames map[string]bool // their names in lower case, without endings
}

// idMapped is the rule about mapped folders.
const idMapped = "mapping-invalid"

// Locate returns the directory on disk that a file of the pack is below, and its path
// there: the pack's own directory, or a mapped folder.
func (p *Pack) Locate(name string) (dir, below string) {
	if m := p.mapping(name); m != nil {
		return m.Dir, m.pack.links[name]
	}
	for real, listed := range p.renamed {
		if listed == name {
			return p.Dir, real
		}
	}
	return p.Dir, name
}

// mapping returns the folder that a listed file comes from; nil for a file of the pack
// itself.
func (p *Pack) mapping(name string) *mapped {
	for _, m := range p.mapped {
		if strings.HasPrefix(name, m.at+"/") && m.pack.Has(name) && !p.own[name] {
			return m
		}
	}
	return nil
}

// mdxEnding is the ending of Markdown with components; its files are listed with ".md"
// appended.
const mdxEnding = ".mdx"

// openMapped opens the mapped folders and joins their files to those of the pack.
func (p *Pack) openMapped(mappings []Mapping, found *findings) {
	for _, m := range mappings {
		at := path.Join("documents", m.Below)
		refuse := func(severity diag.Severity, message, hint string) {
			found.add(idMapped, severity, at, message, hint)
		}
		own := cmp.Or(m.Pack, p.Dir)
		if why := unfit(m.Dir, own); why != "" {
			refuse(diag.Error, fmt.Sprintf("the mapped folder %s %s", m.Dir, why), "name a folder of documents that no pack lies in, and that lies in no pack")
			continue
		}
		folder, err := m.open(p.lenient)
		if err != nil {
			message := "cannot be read"
			if errors.Is(err, fs.ErrNotExist) {
				message = "does not exist"
			}
			refuse(diag.Error, fmt.Sprintf("the mapped folder %s %s", m.Dir, message), "correct its path in the configuration, relative to the repository root")
			continue
		}
		one := &mapped{own: inside(m.Dir, own), Mapping: m, at: at, pack: folder}
		if err := one.list(found); err != nil {
			folder.Close()
			refuse(diag.Error, fmt.Sprintf("the mapped folder %s cannot be listed: %v", m.Dir, err), "give the user who builds the right to read it")
			continue
		}
		p.mapped = append(p.mapped, one)
		p.join(one, found)
	}
}

// open opens the folder as a pack is opened.
func (m *Mapping) open(lenient bool) (*Pack, error) {
	p := &Pack{Dir: m.Dir, fsys: m.FS, lenient: lenient}
	if m.FS != nil {
		return p, nil
	}
	root, err := regularfile.Root(m.Dir)
	if err != nil {
		return nil, err
	}
	p.root, p.fsys = root, regularfile.FS(root)
	return p, nil
}

// unfit says why a folder cannot be mapped: it would hold the pack with its outputs, or
// is part of a pack.
func unfit(dir, packDir string) string {
	full, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	own, err := filepath.EvalSymlinks(packDir)
	if err != nil {
		return ""
	}
	full, own = absolute(full), absolute(own)
	if full == filepath.Dir(full) {
		return "is the root of the file system"
	}
	if full == own || strings.HasPrefix(full, own+string(filepath.Separator)) {
		return "lies in the pack itself"
	}
	for at := full; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, EntryName)); err == nil {
			return "lies in another pack"
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// inside returns where the pack lies in a folder that is mapped into it, as a slash
// path; "" when it does not.
func inside(dir, packDir string) string {
	full, err := filepath.EvalSymlinks(dir)
	own, err2 := filepath.EvalSymlinks(packDir)
	if err != nil || err2 != nil {
		return ""
	}
	rel, err := filepath.Rel(absolute(full), absolute(own))
	if err != nil || strings.HasPrefix(rel, "..") {
		return ""
	}
	return filepath.ToSlash(rel)
}

func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// list lists the files of the folder under the paths that they have in the pack.
func (m *mapped) list(found *findings) error {
	w := newWalker(m.pack)
	w.keep = m.keep
	if err := w.tree(m.at, "."); err != nil {
		return err
	}
	slices.SortFunc(w.later, func(a, b link) int { return strings.Compare(a.path, b.path) })
	for len(w.later) > 0 {
		next := w.later[0]
		w.later = w.later[1:]
		if err := w.enter(next); err != nil {
			return err
		}
	}
	for i := range w.files {
		if m.MDX && strings.HasSuffix(w.files[i].Path, mdxEnding) {
			listed := w.files[i].Path
			w.files[i].Path += ".md"
			if real, ok := w.links[listed]; ok {
				w.links[w.files[i].Path] = real
				delete(w.links, listed)
			}
		}
	}
	slices.SortFunc(w.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	m.pack.renamed = setApart(w.files, w.links, w.found)
	m.seen = slices.Clone(w.files)
	m.pack.Files, m.pack.links = w.files, w.links
	m.pack.Files = m.holdBack(w.files)
	m.reportDrafts(found)
	found.list = append(found.list, w.found.list...)
	return nil
}

// keep reports whether a file or folder of the mapped folder is taken, by its path in
// the pack.
func (m *mapped) keep(listed string, isDir bool) bool {
	rest := strings.TrimPrefix(listed, m.at+"/")
	match := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			ok, err := doublestar.Match(p, rest)
			return ok && err == nil
		})
	}
	switch {
	case match(m.Exclude), isDir && rest == m.own, path.Base(rest) == "node_modules" && isDir:
		return false
	case isDir || len(m.Include) == 0:
		return true
	}
	return match(m.Include)
}

// join adds the files of a folder to the pack. Where the pack, or a folder before it,
// has a file of that name, that one stays.
func (p *Pack) join(m *mapped, found *findings) {
	if p.own == nil {
		p.own = map[string]bool{}
		for _, f := range p.List("documents") {
			p.own[f.Path] = true
		}
	}
	if p.renamed == nil {
		p.renamed = map[string]string{}
	}
	maps.Copy(p.renamed, m.pack.renamed)
	files := slices.Clone(p.Files)
	var doubled []string
	for _, f := range m.pack.Files {
		if p.Has(f.Path) {
			doubled = append(doubled, f.Path)
			continue
		}
		files = append(files, f)
	}
	if len(doubled) > 0 {
		message := "two files want this path; the one of the pack, or of the folder mapped first, is used"
		if len(doubled) > 1 {
			message += fmt.Sprintf("; it is one of %d such paths", len(doubled))
		}
		found.add(idMapped, diag.Warning, doubled[0], message, "name a path below documents/ for one of the folders")
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if len(files) > maxFiles {
		found.add("pack-oversize", diag.Error, EntryName, fmt.Sprintf("the pack holds more than %d files; the rest is not listed", maxFiles), "split the pack")
		files = files[:maxFiles]
	}
	p.Files = files
}
