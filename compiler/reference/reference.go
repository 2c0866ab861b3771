package reference

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/markdown"
)

// Way says how a link found its target.
type Way uint8

// The ways, from the plainest on.
const (
	None   Way = iota // it did not
	Exact             // as written
	Index             // as a folder, of which it is the page
	Folder            // as a folder without a page
	Short             // without the ending ".md", from the root, or as a published page would write it
	Ending            // with the ending ".html" in place of ".md"
	Case              // in another case
)

// Found is what a link leads to.
type Found struct {
	Path string // pack path; "" for None
	Way  Way
}

// Table knows the files of a pack. It is safe for concurrent use.
type Table struct {
	has    func(file string) bool
	hasDir func(dir string) bool
	files  func() []string
	folded func() map[string]string   // paths by lower-case path
	based  func() map[string][]string // paths by lower-case file name
	bare   func() map[string]string   // paths by lower-case path without the numbers of an order
	places func() map[string]string   // see At
	listed func(string) string        // see Listed
}

// Listed adds the files that a pack lists under other names than they have: the listed path
// by the other, "" for any other file.
func (t *Table) Listed(listed func(name string) string) { t.listed = listed }

// exact returns the path of a file as the pack lists it; false when there is none.
func (t *Table) exact(name string) (string, bool) {
	if t.listed != nil {
		if listed := t.listed(name); listed != "" {
			return listed, true
		}
	}
	return name, t.has(name)
}

// fold is the form in which names are compared without regard to case and Unicode form.
func fold(name string) string {
	for i := range len(name) {
		if name[i] >= 0x80 {
			return strings.ToLower(norm.NFC.String(name))
		}
	}
	return strings.ToLower(name)
}

// At adds the addresses that pages have in another system: paths by pack path without
// ending. They are asked for when a link is found in no other way.
func (t *Table) At(places func() map[string]string) { t.places = sync.OnceValue(places) }

// address looks a path up by the address of a page in another system.
func (t *Table) address(p string) Found {
	if t.places == nil {
		return Found{}
	}
	p = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(p, ".html"), ".md"), "/index")
	if f := t.places()[p]; f != "" {
		return Found{f, Short}
	}
	return Found{}
}

// NewTable returns a table of the files of a pack. has and hasDir report files and
// folders that exist; files lists those that links may mean, in path order, and
// is asked only when a link is not found as written.
func NewTable(has, hasDir func(string) bool, files func() []string) *Table {
	t := &Table{has: has, hasDir: hasDir, files: files}
	t.folded = sync.OnceValue(func() map[string]string {
		m := map[string]string{}
		for _, f := range t.files() {
			if key := fold(f); m[key] == "" {
				m[key] = f
			}
		}
		return m
	})
	t.based = sync.OnceValue(func() map[string][]string {
		m := map[string][]string{}
		for _, f := range t.files() {
			key := fold(path.Base(f))
			m[key] = append(m[key], f)
		}
		return m
	})
	t.bare = sync.OnceValue(func() map[string]string {
		m := map[string]string{}
		for _, f := range t.files() {
			if key := unnumbered(fold(f)); m[key] == "" {
				m[key] = f
			}
		}
		return m
	})
	return t
}

// unnumbered is a path without the numbers that give files and folders their order and
// that other systems leave out of addresses: "01-app/02-setup.md" is "app/setup.md".
func unnumbered(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		after := strings.TrimLeft(part, "0123456789")
		name := strings.TrimLeft(after, "-_. ")
		first, _ := utf8.DecodeRuneInString(name)
		if n := len(part) - len(after); n > 0 && n <= 3 && name != after && unicode.IsLetter(first) && !strings.HasPrefix(after, ".md") {
			parts[i] = name
		}
	}
	return strings.Join(parts, "/")
}

// Join returns the pack path that a link in a file means: the destination below the
// folder of the file. One that starts with "/" stays as it is, and one that leaves
// the pack starts with "..".
func Join(from, target string) string {
	if below, ok := strings.CutPrefix(target, "@site/"); ok { // the root of a site of Docusaurus
		target = "/" + below
	}
	if strings.HasPrefix(target, "/") {
		return path.Clean(target)
	}
	return path.Join(path.Dir(from), target)
}

// Resolve returns what a path means, which [Join] returned for a link in a file.
func (t *Table) Resolve(from, joined string) Found {
	// The folder with the pictures of GitBook has another name in a pack, which
	// lists no name that starts with a dot.
	joined = strings.Replace(joined, "/.gitbook/", "/_gitbook/", 1)
	if !strings.HasPrefix(joined, "/") {
		if f, ok := t.exact(joined); ok {
			return Found{f, Exact}
		}
		if !outside(joined) {
			if f := t.plain(joined); f.Way != None {
				return f
			}
		}
	} else if f := t.fromRoot(from, joined); f.Way != None {
		return f
	}
	if strings.HasPrefix(joined, "/") {
		return Found{}
	}
	if f := t.folder(from, joined); f.Way != None || outside(joined) {
		return f
	}
	return t.address(joined)
}

// Rewrite returns a destination in a file as it would be written for another path:
// dest with its path replaced, its query and fragment kept.
func Rewrite(from, dest, to string) string {
	tail := ""
	if i := strings.IndexAny(dest, "?#"); i >= 0 {
		tail = dest[i:]
	}
	return strings.NewReplacer(" ", "%20", "%", "%25", "?", "%3F", "#", "%23", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E").Replace(relative(from, to)) + tail
}

// relative returns the path from a file to another one.
func relative(from, to string) string {
	dir := path.Dir(from)
	up := ""
	for dir != "." && !strings.HasPrefix(to, dir+"/") {
		dir = path.Dir(dir)
		up += "../"
	}
	if dir == "." {
		return up + to
	}
	return up + strings.TrimPrefix(to, dir+"/")
}

func outside(p string) bool { return p == ".." || strings.HasPrefix(p, "../") }

// FolderPages are the names of the page that is that of its folder.
var FolderPages = [...]string{"index.md", "Index.md", "INDEX.md"}

// pages are the pages that may represent a folder.
var pages = [...]string{"index.md", "Index.md", "INDEX.md", "README.md", "_index.md", "readme.md", "Readme.md", "index.mdx.md", "README.mdx.md"}

// endings are what may follow the name of a page when a link leaves it out: ".mdx" of a
// file that is not read, ".mdx.md" of one that is.
var endings = [...]string{".md", ".mdx.md", ".mdx"}

// plain looks a path up by what may be meant with it.
func (t *Table) plain(p string) Found {
	if f, ok := t.exact(p); ok {
		return Found{f, Exact}
	}
	if t.hasDir(p) {
		for _, name := range pages {
			if page, ok := t.exact(path.Join(p, name)); ok {
				return Found{page, Index}
			}
		}
		return Found{p, Folder}
	}
	switch ext := path.Ext(p); ext {
	case ".html", ".htm":
		stem := strings.TrimSuffix(p, ext)
		for _, ending := range endings {
			if f, ok := t.exact(stem + ending); ok {
				return Found{f, Ending}
			}
		}
		if path.Base(stem) == "index" {
			if f := t.plain(path.Dir(p)); f.Way == Index {
				return Found{f.Path, Ending}
			}
		}
	default:
		for _, ending := range endings {
			if f, ok := t.exact(p + ending); ok {
				return Found{f, Short}
			}
		}
	}
	return t.fold(p)
}

// fold looks a path up without regard to case.
func (t *Table) fold(p string) Found {
	folded := t.folded()
	key := fold(p)
	if f := folded[key]; f != "" {
		if norm.NFC.String(f) == norm.NFC.String(p) {
			return Found{f, Short} // written alike, in another Unicode form
		}
		return Found{f, Case}
	}
	if stem, ok := strings.CutSuffix(key, ".html"); ok {
		for _, ending := range endings {
			if f := folded[stem+ending]; f != "" {
				return Found{f, Ending}
			}
		}
	}
	for _, ending := range written {
		if f := folded[key+ending]; f != "" {
			return Found{f, Short}
		}
	}
	bare := t.bare()
	key = unnumbered(strings.TrimSuffix(key, ".html"))
	for _, ending := range written {
		if f := bare[key+ending]; f != "" {
			return Found{f, Short}
		}
	}
	return Found{}
}

// written is what links leave out of the path of a page.
var written = [...]string{".md", ".mdx.md", "/index.md", "/readme.md", "/index.mdx.md", ""}

// bases are the folders below which systems publish documents, wherever their files are.
var bases = [...]string{"docs/", "doc/", "documentation/"}

// maxRoots is how many folders above a file are tried as the root of a link.
const maxRoots = 16

// fromRoot looks up a path from the root: of the documents, or of any folder above
// the file, from the top down.
func (t *Table) fromRoot(from, p string) Found {
	p = strings.TrimPrefix(p, "/")
	dirs := []string{""}
	for i, r := range from {
		if r == '/' && len(dirs) < maxRoots {
			dirs = append(dirs, from[:i])
		}
	}
	for _, dir := range dirs[1:] {
		if f := t.plain(path.Join(dir, p)); f.Way != None {
			if f.Way == Exact || f.Way == Index || f.Way == Folder {
				f.Way = Short
			}
			return f
		}
	}
	if f, ok := t.exact(p); ok {
		return Found{f, Short}
	}
	top, _, _ := strings.Cut(from, "/")
	if f := t.address(path.Join(top, p)); f.Way != None {
		return f
	}
	for _, base := range bases {
		if below, ok := strings.CutPrefix(p, base); ok && below != "" {
			return t.fromRoot(from, below)
		}
	}
	// A page that is not translated is shown in the language of the others.
	if locale, below, _ := strings.Cut(p, "/"); isLocale(locale) && below != "" && slices.ContainsFunc(dirs, func(dir string) bool { return t.hasDir(path.Join(dir, locale)) }) {
		return t.fromRoot(from, below)
	}
	return Found{}
}

// isLocale reports a folder such as "de", "pt-br" or "zh-Hans", which holds the pages in
// one language.
func isLocale(name string) bool {
	language, region, regional := strings.Cut(name, "-")
	letters := func(s string) bool {
		return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
	}
	return len(language) == 2 && letters(language) && (!regional || len(region) >= 2 && len(region) <= 4 && letters(region))
}

// folder looks up a path that was written as from the folder that a published page
// becomes: "../b/" in a.md means b.md.
func (t *Table) folder(from, joined string) Found {
	dir := path.Dir(from)
	stem := path.Join(dir, strings.TrimSuffix(path.Base(from), path.Ext(from)))
	alternative := ""
	if below, ok := strings.CutPrefix(joined, dir+"/"); ok {
		alternative = path.Join(stem, below)
	} else if up := path.Dir(dir); dir != "." && up != "." {
		if below, ok := strings.CutPrefix(joined, up+"/"); ok {
			alternative = path.Join(dir, below)
		}
	}
	if alternative == "" || alternative == joined || outside(alternative) || path.Ext(joined) == ".md" {
		return Found{}
	}
	f := t.plain(alternative)
	if f.Way != None && f.Way != Case && f.Way != Ending {
		f.Way = Short
	}
	return f
}

// Names are what wiki links may call the pages of a pack.
type Names map[string]string

// Page is a page with its names.
type Page struct {
	Path, Title string
	Aliases     []string
}

// NewNames returns the names of pages. Where two answer to one name, a title comes
// before a file name, that before an alias, and the first page before later ones.
func NewNames(pages []Page) Names {
	n := make(Names, 2*len(pages))
	take := func(name, path string) {
		if key := markdown.Slug(name); n[key] == "" {
			n[key] = path
		}
	}
	for _, p := range pages {
		take(p.Title, p.Path)
	}
	for _, p := range pages {
		take(strings.TrimSuffix(strings.TrimSuffix(path.Base(p.Path), ".md"), ".mdx"), p.Path)
	}
	for _, p := range pages {
		for _, alias := range p.Aliases {
			take(alias, p.Path)
		}
	}
	return n
}

// Named returns what a wiki link in a file means: a path below the pack, below the
// file's own source or beside the file; the name of a page; the end of a path.
func (t *Table) Named(names Names, from, name string) Found {
	name = strings.TrimPrefix(strings.TrimSuffix(name, "/"), "/")
	if name == "" || outside(path.Clean(name)) {
		return t.Resolve(from, Join(from, name))
	}
	root, _, _ := strings.Cut(from, "/")
	for _, base := range []string{"", root, path.Dir(from)} {
		p := path.Join(base, name)
		for _, try := range []string{p + ".md", p + ".mdx.md", p} {
			if f, ok := t.exact(try); ok {
				return Found{f, Exact}
			}
		}
	}
	if p := names[markdown.Slug(name)]; p != "" {
		return Found{p, Exact}
	}
	based := t.based()
	key := fold(name)
	for _, base := range []string{path.Base(key), path.Base(key) + ".md", path.Base(key) + ".mdx.md"} {
		ending := "/" + strings.TrimSuffix(key, path.Base(key)) + base
		for _, f := range based[base] {
			if strings.HasSuffix("/"+fold(f), ending) {
				return Found{f, Exact}
			}
		}
	}
	return Found{}
}

// Labelled returns what [[name|label]] means in a file. Obsidian writes the page before
// its label, the wikis of GitHub after it: swapped says that label is the page, since no
// page is called name. Fragment is that of the one which is the page, without "#".
func (t *Table) Labelled(names Names, from, name, fragment, label string) (found Found, of string, swapped bool) {
	found = t.Named(names, from, name)
	if found.Way != None || label == "" || fragment != "" {
		return found, fragment, false
	}
	page, of, _ := strings.Cut(label, "#")
	if other := t.Named(names, from, strings.TrimSpace(page)); other.Way != None && strings.TrimSpace(page) != "" {
		return other, strings.TrimSpace(of), true
	}
	return found, fragment, false
}
