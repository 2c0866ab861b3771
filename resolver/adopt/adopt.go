package adopt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/secret"
)

// Limits of what is looked at.
const (
	maxFiles = 200_000
	maxPage  = 4 << 20 // bytes of a page that is read for its title
	maxDepth = 40      // folders in each other
)

// Folder is what was found in a folder.
type Folder struct {
	Dir         string            // absolute
	Title       string            // of the whole
	Description string            // first paragraph of its first page
	Primary     string            // its first page, relative to the folder; "" when there is no page
	Pages       []Page            // Markdown, in the folder's own order
	Order       string            // where the order comes from: "mkdocs.yml", "SUMMARY.md", … or "names"
	Unread      map[string]int    // documents that are not read, by ending
	Other       int               // files that are neither and can be on a site, such as pictures
	Kept        map[string]int    // those that only the archive holds, by ending
	Left        []Left            // what is left out
	Drafts      []string          // pages that are left out since their author has not published them
	labels      map[string]string // of folders, by path
	Unicode     bool              // a part of the pages is in other scripts
}

// Page is a Markdown file of the folder.
type Page struct {
	Path  string // relative to the folder
	Title string
	rank  float64 // what its front matter or name says about its place; +Inf: nothing
	label string  // what the folder's own navigation calls it
}

// Left is a file that is left out, and why.
type Left struct{ Path, Why string }

// unread are the endings of documents that this program does not read.
var unread = []string{".mdx", ".rst", ".adoc", ".asciidoc", ".ipynb", ".html", ".htm", ".org", ".textile", ".rmd", ".qmd", ".markdown", ".mdown", ".docx", ".tex"}

// Skipped are the folders that hold no documents, whatever is in them.
var skipped = []string{"node_modules", "vendor", "__pycache__", "_site", "_book", "dist", "target"}

// navigation are the pages of Docsify and of GitHub's wikis that are around every other
// one, in lower case.
var navigation = []string{"_sidebar.md", "_navbar.md", "_footer.md", "_header.md"}

// Options say what is read.
type Options struct {
	MDX bool // files .mdx are Markdown; as pages they end in ".mdx.md"
}

// Look looks at a folder. The error is for a folder that cannot be read.
func Look(ctx context.Context, dir string, o Options) (*Folder, error) {
	root, err := regularfile.Root(dir)
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", dir, err)
	}
	defer root.Close()
	f := &Folder{Dir: dir, Unread: map[string]int{}, Kept: map[string]int{}}
	l := &looker{ctx: ctx, mdx: o.MDX, fsys: regularfile.FS(root), folder: f, ranks: map[string]float64{}, labels: map[string]string{}}
	if err := l.walk(".", 0); err != nil {
		return nil, fmt.Errorf("look at %s: %w", dir, err)
	}
	l.sort()
	l.navigation()
	l.describe()
	f.labels = l.labels
	f.Unicode = l.foreign*foreignShare > len(f.Pages)
	return f, nil
}

// foreignShare is the part of the pages, as 1 in foreignShare, from which other scripts
// than the Latin one count.
const foreignShare = 50

// looker goes through a folder.
type looker struct {
	ctx    context.Context
	mdx    bool
	fsys   fs.FS
	folder *Folder
	files  int
	ranks  map[string]float64 // of folders
	labels map[string]string  // of folders

	contents []string // tables of contents
	foreign  int      // pages whose title has no Latin letter
}

// walk looks at a folder and all below.
func (l *looker) walk(dir string, depth int) error {
	entries, err := fs.ReadDir(l.fsys, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		name := path.Join(dir, e.Name())
		if l.files++; l.files > maxFiles {
			return diag.WithHint(fmt.Errorf("the folder holds more than %d files", maxFiles), "name a folder of documents, not the whole of a project")
		}
		switch why := unusable(e.Name()); {
		case e.Name() == ".gitbook" && e.IsDir():
			if info, err := fs.Lstat(l.fsys, path.Join(name, "assets")); err == nil && info.IsDir() {
				if err := l.walk(path.Join(name, "assets"), depth+2); err != nil {
					return err
				}
			}
		case e.Name() == ".pages" && e.Type().IsRegular():
			l.category(name)
		case strings.HasPrefix(e.Name(), "."):
		case why != "" && e.IsDir():
			l.leave(name+"/**", why)
		case why != "":
			l.leave(name, why)
		case !e.IsDir() && packpath.CheckFile(e.Name()) != nil:
			l.leave(name, "agents and tools obey a file of this name wherever they find it")
		case e.Type()&fs.ModeSymlink != 0:
			if info, err := fs.Stat(l.fsys, name); err != nil || !info.Mode().IsRegular() {
				l.leave(name, "a link that leads out of the folder, to a folder, or to nothing")
			} else {
				l.file(name)
			}
		case e.IsDir() && slices.Contains(skipped, e.Name()):
			l.leave(name+"/**", "a folder of programs or of what they made")
		case e.IsDir() && depth >= maxDepth:
			l.leave(name+"/**", "too many folders in each other")
		case e.IsDir():
			if _, err := fs.Lstat(l.fsys, path.Join(name, pack.EntryName)); err == nil {
				l.leave(name+"/**", "a pack of its own")
				continue
			}
			if err := l.walk(name, depth+1); err != nil {
				return err
			}
		case e.Type().IsRegular():
			l.file(name)
		default:
			l.leave(name, "neither a file nor a folder")
		}
	}
	return nil
}

// unusable says why no file of a pack can have a name; "" when it can.
func unusable(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "its name is not UTF-8"
	case packpath.Check(name) != nil:
		return "its name cannot be the name of a file in a pack"
	case secret.RedactPath(name) != name:
		return "its name holds what looks like a secret"
	}
	return ""
}

// leave notes a file that is left out. No part of a secret in its name is repeated.
func (l *looker) leave(name, why string) {
	l.folder.Left = append(l.folder.Left, Left{secret.RedactPath(name), why})
}

// file looks at one file.
func (l *looker) file(name string) {
	switch ext := strings.ToLower(path.Ext(name)); {
	case path.Ext(name) == ".md", path.Ext(name) == ".mdx" && l.mdx:
		l.page(name)
	case slices.Contains(unread, ext):
		l.folder.Unread[ext]++
	default:
		if base := path.Base(name); base == "mkdocs.yml" || base == "mkdocs.yaml" {
			l.contents = append(l.contents, name)
		}
		l.category(name)
		l.other(name)
	}
}

// other looks at a file that goes with the pages. One that holds a secret is left out.
func (l *looker) other(name string) {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".txt", ".csv", ".tsv", ".json", ".yaml", ".yml", ".svg", ".toml", ".xml", ".js", ".ts", ".py", ".sh", ".env", "":
		data, err := readSome(l.fsys, name, maxPage)
		if text, ok := frontmatter.Legible(data); err == nil && ok && l.holdsSecret(name, text) {
			return
		}
	}
	if !packpath.CanShow(name) {
		l.folder.Kept[strings.ToLower(path.Ext(name))]++
		return
	}
	l.folder.Other++
}

// holdsSecret leaves out a file with a secret: a build would withhold it, and fail.
func (l *looker) holdsSecret(name string, text []byte) bool {
	for _, h := range secret.Find(text) {
		if h.Known {
			l.leave(name, "it holds a "+h.Kind)
			return true
		}
	}
	return false
}

// page looks at a Markdown file. One that a build could not publish is left out.
func (l *looker) page(name string) {
	if n := path.Base(name); n == "SUMMARY.md" || slices.Contains(navigation, strings.ToLower(n)) {
		l.leave(name, "the navigation of another system")
		l.contents = append(l.contents, name)
		return
	}
	p := Page{Path: name, Title: strings.TrimSuffix(path.Base(name), path.Ext(name)), rank: rankOf(name)}
	if path.Ext(name) == ".mdx" {
		p.Path += ".md" // as the pack lists it
	}
	data, err := readSome(l.fsys, name, maxPage)
	text, ok := frontmatter.Decode(data)
	switch {
	case errors.As(err, new(*atomicfile.TooLargeError)):
		l.folder.Pages = append(l.folder.Pages, p)
		return
	case err != nil:
		l.leave(name, "it cannot be read")
		return
	case !ok:
		l.leave(name, "it is not UTF-8, or holds a NUL byte")
		return
	}
	if l.holdsSecret(name, text) {
		return
	}
	if frontmatter.IsDraft(bytes.NewReader(data)) || strings.Contains("/"+name, "/_drafts/") {
		l.folder.Drafts = append(l.folder.Drafts, p.Path)
		return
	}
	doc := markdown.Parse("documents/"+name, text)
	if doc.Unclosed() {
		l.leave(name, "its front matter is never closed")
		return
	}
	p.read(doc)
	if strings.ContainsFunc(p.Title, unicode.IsLetter) && !strings.ContainsFunc(p.Title, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) {
		l.foreign++
	}
	l.folder.Pages = append(l.folder.Pages, p)
}

// read takes title and place from a page.
func (p *Page) read(doc *markdown.Document) {
	title := ""
	for _, h := range doc.Headings {
		if h.Level == 1 {
			title = markdown.WithoutAttributes(h.Text)
			break
		}
	}
	p.Title = oneLine(cmp.Or(doc.NavigationLabel(), doc.MetaString("title"), title, p.Title))
	if rank, ok := doc.NavigationPlace(); ok {
		p.rank = rank
	}
}

// describe finds what the folder is about.
func (l *looker) describe() {
	f := l.folder
	first := l.first()
	if first == "" {
		return
	}
	f.Primary = first
	for _, name := range []string{first, "../README.md"} {
		var data []byte
		var err error
		if strings.HasPrefix(name, "../") {
			data, err = beside(f.Dir, "README.md")
		} else {
			data, err = readSome(l.fsys, fileOf(name), maxPage)
		}
		text, ok := frontmatter.Decode(data)
		if err != nil || !ok {
			continue
		}
		doc := markdown.Parse("documents/"+path.Base(name), text)
		if f.Title == "" {
			var p Page
			p.read(doc)
			f.Title = p.Title
		}
		if f.Description = paragraph(doc); f.Description != "" {
			return
		}
	}
}

// first returns the page of the folder itself.
func (l *looker) first() string {
	for _, name := range []string{"README.md", "index.md", "Readme.md", "readme.md", "_index.md", "Home.md", "src/README.md", "docs/index.md", "docs/README.md", "index.mdx.md", "README.mdx.md", "docs/index.mdx.md"} {
		if slices.ContainsFunc(l.folder.Pages, func(p Page) bool { return p.Path == name }) {
			return name
		}
	}
	if len(l.folder.Pages) > 0 {
		return l.folder.Pages[0].Path
	}
	return ""
}

// fileOf is the file of a page.
func fileOf(page string) string {
	if name, ok := strings.CutSuffix(page, ".mdx.md"); ok {
		return name + ".mdx"
	}
	return page
}

// leastParagraph is how short the first paragraph may be, in bytes: shorter ones are
// badges and greetings.
const leastParagraph = 40

// paragraph is the first paragraph of a page that says something, on one line and
// without tags of another system; the description in its front matter comes before it.
func paragraph(doc *markdown.Document) string {
	if s := oneLine(doc.MetaString("description", "summary")); len(s) >= leastParagraph {
		return s
	}
	for _, u := range doc.Units {
		if s := oneLine(u.Text); u.Kind == markdown.Paragraph && len(s) >= leastParagraph && strings.Contains(s, " ") && !strings.HasSuffix(s, ":") && !strings.Contains(s, "{{") && !strings.Contains(s, "{%") {
			return s
		}
	}
	return ""
}

// NameFor makes the name of a pack of that of a folder: of the one above, when it is
// called docs or the like.
func NameFor(dir string) string {
	name := slug(filepath.Base(dir))
	switch name {
	case "docs", "doc", "documentation", "content", "pages", "src", "wiki", "site", "website", "markdown", "book", "":
		if above := slug(filepath.Base(filepath.Dir(dir))); above != "" {
			if name == "" {
				return above
			}
			return strings.Trim(diag.Cut(above, 58), "-") + "-" + diag.Cut(name, 5)
		}
	}
	return cmp.Or(strings.Trim(diag.Cut(name, 60), "-"), "documents")
}

// slug leaves the characters that the name of a pack may have.
func slug(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}
