package editor

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/agent/relink"
	"github.com/packgen/packgen/resolver/repo"
)

// overlay is a directory in which open documents are as the editor has them.
type overlay struct {
	fs.FS
	dir  string              // absolute
	docs map[string]*openDoc // by path on disk
}

// Open opens a file as the editor has it, otherwise as it is on disk.
func (o overlay) Open(name string) (fs.File, error) {
	if d := o.docs[filepath.Join(o.dir, filepath.FromSlash(name))]; d != nil {
		return &openText{Reader: bytes.NewReader(d.text), name: path.Base(name)}, nil
	}
	return o.FS.Open(name)
}

// Lstat and ReadLink are for the walk of a pack.
func (o overlay) Lstat(name string) (fs.FileInfo, error)     { return fs.Lstat(o.FS, name) }
func (o overlay) ReadLink(name string) (string, error)       { return fs.ReadLink(o.FS, name) }
func (o overlay) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(o.FS, name) }
func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(o.FS, name) }

// openText is an open document as a file.
type openText struct {
	*bytes.Reader
	name string
}

func (t *openText) Close() error               { return nil }
func (t *openText) Stat() (fs.FileInfo, error) { return t, nil }
func (t *openText) Name() string               { return t.name }
func (t *openText) Mode() fs.FileMode          { return 0o444 }
func (t *openText) ModTime() time.Time         { return time.Time{} }
func (t *openText) IsDir() bool                { return false }
func (t *openText) Sys() any                   { return nil }

// parsed is a document with what it was parsed from.
type parsed struct {
	doc  *markdown.Document
	stat store.Stat
	text []byte // of an open document
}

// packView is a pack as the editor has it.
type packView struct {
	dir    string // absolute
	pack   *pack.Pack
	found  []diag.Diagnostic
	texts  map[string][]byte // of open documents, by path in the pack
	parsed map[string]parsed // kept from view to view
	table  *reference.Table
	close  func()
}

// openView opens a pack with the open documents in place of its files, and with the
// folders that it reads in place.
func openView(w *repo.Repo, dir string, docs map[string]*openDoc, known map[string]parsed) (*packView, error) {
	root, err := regularfile.Root(dir)
	if err != nil {
		return nil, fmt.Errorf("open pack: %w", err)
	}
	roots := []*os.Root{root}
	closeAll := func() {
		for _, r := range roots {
			r.Close() // only read: an error of Close loses nothing
		}
	}
	mappings := w.Mappings(w.Paths.Rel(dir))
	for i, m := range mappings {
		if folder, err := regularfile.Root(m.Dir); err == nil { // otherwise opening the pack reports it
			roots = append(roots, folder)
			mappings[i].FS = overlay{regularfile.FS(folder), m.Dir, docs}
		}
	}
	p, found, err := pack.OpenFS(overlay{regularfile.FS(root), dir, docs}, dir, mappings...)
	if err != nil || p == nil {
		closeAll()
		if err == nil {
			return &packView{dir: dir, found: found, close: func() {}}, nil
		}
		return nil, err
	}
	v := &packView{dir: dir, pack: p, found: found, texts: map[string][]byte{}, parsed: known, close: closeAll}
	for name, d := range docs {
		if p.Has(d.where.path) && v.file(d.where.path) == name {
			v.texts[d.where.path] = d.text
		}
	}
	v.table = reference.NewTable(p.Has, p.HasDir, func() []string {
		var list []string
		for _, f := range p.Files {
			list = append(list, f.Path)
		}
		return list
	})
	v.table.Listed(p.ListedAs)
	return v, nil
}

// file is the path of a file on disk.
func (v *packView) file(name string) string {
	if v.pack == nil {
		return filepath.Join(v.dir, filepath.FromSlash(name))
	}
	dir, below := v.pack.Locate(name)
	return filepath.Join(dir, filepath.FromSlash(below))
}

// text is a file decoded; nil when it cannot be read.
func (v *packView) text(name string) []byte {
	if v.pack == nil {
		return nil
	}
	data, err := v.pack.ReadFile(name)
	if err != nil {
		return nil
	}
	text, _ := frontmatter.Decode(data)
	return text
}

// document is a Markdown file, parsed once for each text it has; nil when it cannot be
// read.
func (v *packView) document(name string) *markdown.Document {
	if v.pack == nil || !strings.HasSuffix(name, ".md") {
		return nil
	}
	own, open := v.texts[name]
	f, _ := v.pack.Stat(name)
	if k, ok := v.parsed[name]; ok && (open && bytes.Equal(k.text, own) && k.text != nil || !open && k.text == nil && k.stat == f.Stat) {
		return k.doc
	}
	text := v.text(name)
	if text == nil {
		return nil
	}
	k := parsed{doc: markdown.Parse(name, text), stat: f.Stat}
	if open {
		k.text = own
	}
	v.parsed[name] = k
	return k.doc
}

// pages are the Markdown files that people write, in path order.
func (v *packView) pages() []string {
	var list []string
	for _, dir := range [...]string{"documents", "wiki"} {
		for _, f := range v.pack.List(dir) {
			if strings.HasSuffix(f.Path, ".md") {
				list = append(list, f.Path)
			}
		}
	}
	return append(list, pack.EntryName)
}

// names are what wikilinks may call the pages.
func (v *packView) names() reference.Names {
	return v.namesAfter(func(name string) string { return name })
}

// namesAfter are what wikilinks may call the pages when they have other paths.
func (v *packView) namesAfter(to func(name string) string) reference.Names {
	var list []reference.Page
	for _, name := range v.pages() {
		if doc := v.document(name); doc != nil && name != pack.EntryName {
			list = append(list, reference.Page{Path: to(name), Title: titleOf(doc, to(name)), Aliases: doc.MetaList(false, "aliases", "alias")})
		}
	}
	slices.SortStableFunc(list, func(a, b reference.Page) int { return strings.Compare(a.Path, b.Path) })
	return reference.NewNames(list)
}

// titleOf is the title of a page: that of its front matter, its first heading, or the name
// of its file.
func titleOf(doc *markdown.Document, name string) string {
	if title := doc.MetaString("title"); title != "" {
		return title
	}
	for _, h := range doc.Headings {
		if h.Level == 1 {
			return h.Text
		}
	}
	return strings.TrimSuffix(path.Base(name), ".md")
}

// target is what is at a place of a document: a file, and a heading or line of it.
type target struct {
	path, fragment string
	way            reference.Way
	from, to       int // bytes of what leads there
	at, end        int // bytes of the path with its fragment; in a definition, for a link that refers to one
	wiki, source   bool
}

// targets are the links and sources of a document, with their places.
func (v *packView) targets(doc *markdown.Document, names reference.Names) []target {
	var list []target
	written := relink.Places(doc)
	for _, l := range doc.Links {
		t := target{from: l.Offset, wiki: l.Wiki}
		switch {
		case l.Wiki:
			v.wikiTarget(&t, doc, names, l)
		case !relink.Outer(l.Dest) || strings.HasPrefix(l.Dest, "#"):
			v.linkTarget(&t, doc, l, written)
		}
		if t.end > t.at {
			list = append(list, t)
		}
	}
	for _, a := range doc.Anchors {
		rest := doc.Text[a.Offset:min(len(doc.Text), a.Offset+maxLink)]
		if at := bytes.Index(rest, []byte(a.Written)); a.Usable && at >= 0 {
			from, to := a.Offset+at, a.Offset+at+len(a.Written)
			list = append(list, target{path: a.Path, fragment: a.Fragment, from: from, to: to, at: from, end: to, source: true})
		}
	}
	return list
}

// linkTarget sets what a link of Markdown or HTML leads to.
func (v *packView) linkTarget(t *target, doc *markdown.Document, l markdown.Link, written func(markdown.Link) (from, to int)) {
	_, fragment, _ := strings.Cut(l.Dest, "#")
	t.path, t.fragment, t.way = doc.Path, fragment, reference.Exact
	if dest := relink.PathOf(l.Dest); dest != "" {
		found := v.table.Resolve(doc.Path, reference.Join(doc.Path, dest))
		t.path, t.way = found.Path, found.Way
	}
	t.at, t.end = written(l)
	t.to = t.end
	if text := doc.Text[l.Offset:max(l.Offset, t.at)]; bytes.Contains(text, []byte("]:")) {
		t.to = l.Offset + bytes.IndexByte(text, ']') + 1
	}
}

// wikiTarget sets what a wiki link leads to.
func (v *packView) wikiTarget(t *target, doc *markdown.Document, names reference.Names, l markdown.Link) {
	found, fragment, swapped := v.table.Labelled(names, doc.Path, l.Dest, l.Fragment, l.Label)
	t.path, t.fragment, t.way = found.Path, fragment, found.Way
	if l.Dest == "" && !swapped {
		t.path = doc.Path
	}
	rest := doc.Text[l.Offset:min(len(doc.Text), l.Offset+maxLink)]
	open, end := bytes.Index(rest, []byte("[[")), bytes.Index(rest, []byte("]]"))
	if open < 0 || open > 1 || end < open {
		return
	}
	t.to = l.Offset + end + 2
	open += 2
	if bar := bytes.IndexByte(rest[open:end], '|'); bar >= 0 && swapped {
		open += bar + 1
	} else if bar >= 0 {
		end = open + bar
		if rest[end-1] == '\\' { // in a table
			end--
		}
	}
	name := bytes.TrimSpace(rest[open:end])
	t.at = l.Offset + open + bytes.Index(rest[open:end], name)
	t.end = t.at + len(name)
}

// maxLink is how long a link may be, in bytes.
const maxLink = 4 << 10

// heading finds a heading of a document by its id; -1 when there is none.
func heading(doc *markdown.Document, id string) int {
	for i, h := range doc.Headings {
		if h.ID == id || markdown.Slug(id) == h.ID {
			return i
		}
	}
	return -1
}
