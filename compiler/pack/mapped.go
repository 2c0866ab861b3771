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
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
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

// Watched shows whether a mapped folder is as it was, and with it what the pack lists of
// it.
type Watched struct {
	Key   string        // how the folder is mapped
	Files []WatchedFile // its files, those that the pack leaves out as drafts too, by Path
	Dirs  []File        // its directories, by their paths in the folder
}

// WatchedFile is a file of a mapped folder.
type WatchedFile struct {
	File          // by its path in the folder
	Listed string // in the pack; "" for a file that is not one of it
}

// key is a text that differs where another folder is mapped, or in another way.
func (m *Mapping) key() string {
	return fmt.Sprintf("%q %q %q %q %t %t", m.Dir, m.Below, m.Include, m.Exclude, m.MDX, m.Drafts)
}

// WatchMapped returns what shows whether the mapped folders are as they were. It is false
// where that cannot be seen: a link is in one of them.
func (p *Pack) WatchMapped() (list []Watched, ok bool) {
	for _, m := range p.mapped {
		w := Watched{Key: m.key()}
		for _, f := range m.seen {
			real, ok := m.pack.links[f.Path]
			if !ok || !sameFile(m.pack.fsys, File{real, f.Stat}) {
				return nil, false
			}
			one := WatchedFile{File: File{real, f.Stat}}
			if p.mapping(f.Path) == m {
				one.Listed = f.Path
			}
			w.Files = append(w.Files, one)
		}
		slices.SortFunc(w.Files, func(a, b WatchedFile) int { return strings.Compare(a.Path, b.Path) })
		err := fs.WalkDir(m.pack.fsys, ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case name != "." && strings.HasPrefix(path.Base(name), "."):
				if d.IsDir() {
					return fs.SkipDir // never listed
				}
				return nil
			case d.Type()&fs.ModeSymlink != 0:
				return fs.ErrInvalid
			case !d.IsDir():
				return nil
			case name != "." && !m.keep(path.Join(m.at, name), true):
				return fs.SkipDir
			}
			dir, ok := LookDir(m.pack.fsys, name)
			if !ok {
				return fs.ErrInvalid
			}
			w.Dirs = append(w.Dirs, dir)
			return nil
		})
		if err != nil {
			return nil, false
		}
		list = append(list, w)
	}
	return list, true
}

// Holds reports whether a folder is mapped as it was, and is as it was.
func (w *Watched) Holds(m *Mapping) bool {
	if m.FS == nil || w.Key != m.key() {
		return false
	}
	files := make([]File, len(w.Files))
	for i, f := range w.Files {
		files[i] = f.File
	}
	return Unchanged(m.FS, files, w.Dirs)
}

// recalled is the mapping with the files that it had.
func (w *Watched) recalled(m *Mapping) *mapped {
	folder := &Pack{Dir: m.Dir, fsys: m.FS, links: map[string]string{}}
	for _, f := range w.Files {
		if f.Listed != "" {
			folder.Files = append(folder.Files, File{f.Listed, f.Stat})
			folder.links[f.Listed] = f.Path
		}
	}
	slices.SortFunc(folder.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return &mapped{Mapping: *m, at: path.Join("documents", m.Below), pack: folder}
}

// IDDraft is the rule about pages of mapped folders that are drafts.
const IDDraft = "draft-left-out"

// holdBack takes the drafts out of the files of a mapped folder: pages that its own
// system does not publish either.
func (m *mapped) holdBack(files []File) []File {
	if m.Drafts {
		return files
	}
	isDraft := make([]bool, len(files))
	var readers sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), maxWalkers)
	for worker := range workers {
		readers.Go(func() {
			for i := worker; i < len(files); i += workers {
				isDraft[i] = m.isDraft(files[i].Path)
			}
		})
	}
	readers.Wait()
	kept := files[:0]
	m.draftNames = map[string]bool{}
	for i, f := range files {
		if isDraft[i] {
			m.drafts = append(m.drafts, f.Path)
			stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.Path), ".md"), ".mdx")
			m.draftNames[strings.ToLower(stem)] = true
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// isDraft reports a page that says so, or is in the folder that Jekyll keeps for drafts.
func (m *mapped) isDraft(listed string) bool {
	if path.Ext(listed) != ".md" {
		return false
	}
	if strings.Contains(listed[len(m.at):], "/_drafts/") {
		return true
	}
	f, _, err := m.pack.openFile(listed)
	if err != nil {
		return false // reading it later says why
	}
	defer f.Close()
	return frontmatter.IsDraft(f)
}

// maxDrafts is how many drafts a finding names.
const maxDrafts = 5

// reportDrafts says which pages of a mapped folder are drafts.
func (m *mapped) reportDrafts(found *findings) {
	if len(m.drafts) == 0 {
		return
	}
	names := make([]string, len(m.drafts))
	for i, name := range m.drafts {
		names[i] = strings.TrimPrefix(name, m.at+"/")
	}
	found.add(IDDraft, diag.Info, m.drafts[0], DraftsMessage(names, "left out"), "publish the page, or set drafts: true in that entry under documents: of packgen.yaml")
}

// DraftsMessage says once what happens to drafts, and names the first of them; there must
// be one.
func DraftsMessage(names []string, what string) string {
	list := strings.Join(names[:min(len(names), maxDrafts)], ", ")
	if more := len(names) - maxDrafts; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	if len(names) == 1 {
		return "a draft is " + what + ": " + list
	}
	return fmt.Sprintf("%d drafts are %s: %s", len(names), what, list)
}

// What a link that is broken does, as a message says it after the link; the last two are
// links to a path of a mapped folder that is not part of the pack.
const (
	NoFile    = "leads to no file"
	NoHeading = "leads to no heading"

	DraftLeftOut  = "leads to a draft, which is left out"
	ConfigLeftOut = "leads to what packgen.yaml leaves out of the pack"
)

// WhyLeftOut says why a path of a mapped folder is not part of the pack; "" for a path
// that nothing leaves out. What the configuration leaves out is known by its patterns
// alone.
func (p *Pack) WhyLeftOut(name string) string {
	if p.Has(name) {
		return ""
	}
	for _, m := range p.mapped {
		rest, ok := strings.CutPrefix(name, m.at+"/")
		if !ok {
			continue
		}
		for _, ending := range [...]string{"", ".md", ".mdx.md", "/index.md", "/README.md", "/_index.md"} {
			if _, ok := slices.BinarySearch(m.drafts, name+ending); ok {
				return DraftLeftOut
			}
		}
		for at := rest; at != "."; at = path.Dir(at) {
			for _, pattern := range m.Exclude {
				if ok, err := doublestar.Match(pattern, at); ok && err == nil {
					return ConfigLeftOut
				}
			}
		}
	}
	return ""
}

// HasDraft reports whether a draft has a name, without its folder and ending and in any
// case: what a wiki link may call it.
func (p *Pack) HasDraft(name string) bool {
	key := strings.ToLower(strings.TrimSuffix(path.Base(name), ".md"))
	return slices.ContainsFunc(p.mapped, func(m *mapped) bool { return m.draftNames[key] })
}

// LeftOutKey is a text that differs where something else is left out of mapped folders.
func (p *Pack) LeftOutKey() string {
	var b strings.Builder
	for _, m := range p.mapped {
		fmt.Fprintf(&b, "%q %q %q\n", m.at, m.Exclude, m.drafts)
	}
	return b.String()
}
