package editor

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
)

// headingAt is the heading at a place, with the bytes of its text; -1 for none, or one
// whose text is not in one piece.
func headingAt(at *place, doc *markdown.Document) (i, from, to int) {
	if doc == nil {
		return -1, 0, 0
	}
	for i, h := range doc.Headings {
		if at.offset() < h.Start || at.offset() >= h.End {
			continue
		}
		line, _, _ := bytes.Cut(doc.Text[h.Start:h.End], []byte("\n"))
		text := bytes.TrimRight(line, " \t#")
		from := h.Start + len(line) - len(bytes.TrimLeft(line, "# \t"))
		if to := h.Start + len(text); line[0] == '#' && from < to && !bytes.Contains(text, []byte("{#")) {
			return i, from, to
		}
	}
	return -1, 0, 0
}

// prepareRename answers which text a rename at a place would change: that of a heading,
// or the name of the page that a link leads to.
func (s *session) prepareRename(at *place) (any, *rpcError) {
	doc := at.view.document(at.path)
	if _, from, to := headingAt(at, doc); to > 0 {
		return at.lines.span(from, to), nil
	}
	if t := s.page(at); t != nil {
		return prepared{at.lines.span(t.from, t.to), stemOf(t.path)}, nil
	}
	return nil, nil
}

// page is the link at a place to a page that an editor can rename; nil when there is none.
func (s *session) page(at *place) *target {
	t := s.link(at)
	if t == nil || !s.renames || t.source || t.path == at.path || t.path == pack.EntryName || !at.view.pack.Has(t.path) || !strings.HasSuffix(t.path, ".md") {
		return nil
	}
	return t
}

// rename answers the edits that give a heading, or the page of a link, another name and
// lead links to it.
func (s *session) rename(at *place) (any, *rpcError) {
	doc := at.view.document(at.path)
	i, from, to := headingAt(at, doc)
	name := strings.TrimSpace(at.newName)
	if i < 0 {
		if t := s.page(at); t != nil {
			return s.renamePage(at.view, t.path, name)
		}
		return nil, fail(codeRefused, "no heading and no link to a page is here; a page is also renamed by the name of its file")
	}
	if name == "" || strings.ContainsAny(name, "\r\n") {
		return nil, fail(codeRefused, "a heading is one line of text")
	}
	old := doc.Headings[i].ID
	text := slices.Concat(doc.Text[:from], []byte(name), doc.Text[to:])
	after := markdown.Parse(doc.Path, text)
	if i >= len(after.Headings) || len(after.Headings) != len(doc.Headings) {
		return nil, fail(codeRefused, "%q is not the text of a heading", name)
	}
	id := after.Headings[i].ID
	edits := map[string][]replacement{at.path: {{from, to, name}}}
	if id != old {
		at.view.eachLink(func(d *markdown.Document, t target) {
			if t.path == at.path && t.fragment != "" && heading(doc, t.fragment) == i {
				if r, ok := refragment(d, t, id); ok {
					edits[d.Path] = append(edits[d.Path], r)
				}
			}
		})
		(&mentions{at.view, edits}).section(at.path, old, id)
	}
	return s.edit(at.view, edits), nil
}

// renamePage answers the edits that lead links to a page under another name in its
// folder, and the one that gives its file that name.
func (s *session) renamePage(v *packView, old, name string) (any, *rpcError) {
	ending := strings.TrimPrefix(path.Base(old), stemOf(old))
	renamed := path.Join(path.Dir(old), strings.TrimSuffix(name, ending)+ending)
	switch {
	case name == "" || strings.ContainsAny(name, `/\`) || packpath.Check(renamed) != nil:
		return nil, fail(codeRefused, "%q is not the name of a page", name)
	case v.pack.Has(renamed):
		return nil, fail(codeRefused, "%s exists", renamed)
	}
	out := s.edit(v, v.moved(moves{old: renamed}))
	from := v.file(old)
	to := filepath.Join(filepath.Dir(from), stemOf(renamed)+filepath.Ext(from))
	out.DocumentChanges = append(out.DocumentChanges, docEdit{Kind: "rename", OldURI: uriOf(from), NewURI: uriOf(to)})
	return out, nil
}

// stemOf is the name of a page without its ending.
func stemOf(name string) string {
	return path.Base(withoutEnding(name))
}

// asOnDisk is the path of a page as links write it: MDX is listed with an ending more.
func asOnDisk(name string) string {
	if strings.HasSuffix(name, mdxEnding+".md") {
		return strings.TrimSuffix(name, ".md")
	}
	return name
}

// replacement puts another text in the place of some bytes.
type replacement struct {
	from, to int
	text     string
}

// refragment replaces the fragment of a link.
func refragment(d *markdown.Document, t target, id string) (replacement, bool) {
	at := bytes.LastIndexByte(d.Text[t.at:t.end], '#')
	return replacement{t.at + at + 1, t.end, id}, at >= 0
}

// eachLink looks at the links of all pages.
func (v *packView) eachLink(look func(*markdown.Document, target)) {
	names := v.names()
	for _, name := range v.pages() {
		if doc := v.document(name); doc != nil {
			for _, t := range v.targets(doc, names) {
				look(doc, t)
			}
		}
	}
}

// edit makes an edit of files of a pack. Those that are open have their version, so that
// an editor refuses it when they have changed since.
func (s *session) edit(v *packView, edits map[string][]replacement) workspaceEdit {
	out := workspaceEdit{DocumentChanges: []docEdit{}}
	for _, name := range sortedKeys(edits) {
		text := v.text(name)
		if doc := v.document(name); doc != nil {
			text = doc.Text
		}
		file := v.file(name)
		id := &docID{URI: uriOf(file)}
		if d := s.docs[file]; d != nil {
			id = &docID{d.uri, &d.version}
		}
		l := newLines(text)
		var list []textEdit
		for _, r := range once(edits[name]) {
			list = append(list, textEdit{l.span(r.from, r.to), r.text})
		}
		out.DocumentChanges = append(out.DocumentChanges, docEdit{TextDocument: id, Edits: list})
	}
	return out
}

// once returns replacements in order, each once: several texts may use one definition of a
// link. Of two that lie over each other the first stays, since an editor takes none then.
func once(list []replacement) []replacement {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b replacement) int { return a.from - b.from })
	kept := sorted[:0]
	for _, r := range sorted {
		if len(kept) == 0 || r.from >= kept[len(kept)-1].to && r.from > kept[len(kept)-1].from {
			kept = append(kept, r)
		}
	}
	return kept
}

func sortedKeys[V any](m map[string]V) []string {
	list := make([]string, 0, len(m))
	for key := range m {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}
