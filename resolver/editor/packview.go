package editor

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/workspace"
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
func openView(w *workspace.Workspace, dir string, docs map[string]*openDoc, known map[string]parsed) (*packView, error) {
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
	mappings := w.Mappings(w.Rel(dir))
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
	var list []reference.Page
	for _, name := range v.pages() {
		if doc := v.document(name); doc != nil && name != pack.EntryName {
			list = append(list, reference.Page{Path: name, Title: titleOf(doc), Aliases: doc.MetaList(false, "aliases", "alias")})
		}
	}
	return reference.NewNames(list)
}

// titleOf is the title of a page: that of its front matter, or its first heading.
func titleOf(doc *markdown.Document) string {
	if title := doc.MetaString("title"); title != "" {
		return title
	}
	for _, h := range doc.Headings {
		if h.Level == 1 {
			return h.Text
		}
	}
	return strings.TrimSuffix(path.Base(doc.Path), ".md")
}

// target is what is at a place of a document: a file, and a heading or line of it.
type target struct {
	path, fragment string
	from, to       int // bytes of what leads there
	dest           string
	wiki, source   bool
}

// targets are the links and sources of a document, with their places.
func (v *packView) targets(doc *markdown.Document, names reference.Names) []target {
	var list []target
	for _, l := range doc.Links {
		t := target{from: l.Offset, to: l.Offset, dest: l.Dest, wiki: l.Wiki}
		rest := doc.Text[l.Offset:min(len(doc.Text), l.Offset+maxLink)]
		if l.Wiki {
			found, fragment, _ := v.table.Labelled(names, doc.Path, l.Dest, l.Fragment, l.Label)
			t.path, t.fragment = found.Path, fragment
			if l.Dest == "" {
				t.path = doc.Path
			}
			if end := bytes.Index(rest, []byte("]]")); end >= 0 {
				t.to = l.Offset + end + 2
			}
		} else {
			dest, fragment, _ := strings.Cut(l.Dest, "#")
			if strings.Contains(dest, ":") {
				continue
			}
			t.path, t.fragment = doc.Path, fragment
			if dest != "" {
				t.path = v.table.Resolve(doc.Path, reference.Join(doc.Path, dest)).Path
			}
			if at := bytes.Index(rest, []byte(l.Dest)); at >= 0 && l.Dest != "" {
				t.to = l.Offset + at + len(l.Dest)
			}
		}
		if t.to > t.from {
			list = append(list, t)
		}
	}
	for _, a := range doc.Anchors {
		rest := doc.Text[a.Offset:min(len(doc.Text), a.Offset+maxLink)]
		if at := bytes.Index(rest, []byte(a.Written)); a.Usable && at >= 0 {
			list = append(list, target{path: a.Path, fragment: a.Fragment, from: a.Offset + at, to: a.Offset + at + len(a.Written), dest: a.Written, source: true})
		}
	}
	return list
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
