package exchange

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/relink"
	"github.com/packgen/packgen/resolver/agent/rules"
)

// okfVersion is the version of the Open Knowledge Format that is written.
const okfVersion = "0.2"

// The reserved files of a bundle.
const (
	okfIndex = "index.md"
	okfLog   = "log.md"
)

// longAgo is the day given to what is stale: it is past for every reader.
const longAgo = "1970-01-01T00:00:00+00:00"

// okfStatus maps statuses of packs and pages to those of a bundle.
func okfStatus(status schema.Status) string {
	switch status {
	case schema.Ready, schema.Stale:
		return "stable"
	case schema.Draft, schema.NeedsReview, schema.Disputed:
		return "draft"
	case schema.Archived:
		return "deprecated"
	}
	return ""
}

// bundle makes the bundle of a pack. Paths are below its root.
func (s *source) bundle(at string) ([]File, error) {
	strip := ""
	if s.flatBundle() {
		strip = "documents/"
	}
	to := s.bundlePaths(strip)
	assets := s.assets(s.pages)
	for _, a := range assets {
		to[a] = strings.TrimPrefix(a, strip)
	}
	var files []File
	place := func(doc *markdown.Document) []relink.Edit {
		return relink.Links(doc, func(l markdown.Link) (string, bool) {
			target := s.follow(doc.Path, l)
			if p, ok := to[target]; ok && target != "" {
				tail := ""
				if i := strings.IndexAny(l.Dest, "?#"); i >= 0 && !l.Wiki {
					tail = l.Dest[i:]
				}
				return "/" + destination(p) + tail, true
			}
			if l.Wiki {
				return "", true
			}
			if target != "" {
				return elsewhere(s.pack.Meta.Name, target), true
			}
			return "", false
		})
	}
	guide, err := s.okfGuide(to, place(s.guide))
	if err != nil {
		return nil, err
	}
	files = append(files, File{Path: pack.EntryName, Data: guide})
	for _, p := range s.pages {
		text, ok := s.concept(p, at, place(p.doc))
		if !ok {
			s.report(leftID, diag.Warning, p.path, "correct the front matter", "the front matter cannot be read, and a concept needs some: the page is left out")
			continue
		}
		files = append(files, File{Path: to[p.path], Data: text})
	}
	files = append(files, s.assetFiles(assets, to)...)
	return append(files, s.okfIndexes(to, files)...), nil
}

// flatBundle reports a pack that was made of a bundle without KNOWLEDGE.md: its documents
// were at the root.
func (s *source) flatBundle() bool {
	return metadataText(s.pack.Meta.Metadata, "okf", "root") == "documents"
}

// bundlePaths says where each page is in the bundle: at its own path, except for the
// names that a bundle reserves.
func (s *source) bundlePaths(strip string) moved {
	to, taken := moved{}, map[string]bool{strings.ToLower(pack.EntryName): true}
	for _, p := range s.pages {
		taken[strings.ToLower(strings.TrimPrefix(p.path, strip))] = true
	}
	for _, p := range s.pages {
		name := strings.TrimPrefix(p.path, strip)
		base := path.Base(name)
		if base == okfIndex || base == okfLog || strings.EqualFold(name, pack.EntryName) {
			stem := strings.TrimSuffix(name, ".md")
			name = stem + "-page.md"
			for taken[strings.ToLower(name)] {
				name = stem + "-page-" + mark(name) + ".md"
			}
			taken[strings.ToLower(name)] = true
			s.report(leftID, diag.Warning, p.path, "name the page otherwise to keep its name", "%s is a reserved name: the page is %s in the bundle", base, name)
		}
		to[p.path] = name
	}
	return to
}

// okfGuide is KNOWLEDGE.md as a concept.
func (s *source) okfGuide(to moved, edits []relink.Edit) ([]byte, error) {
	h, ok := readHead(relink.Apply(s.guide.Text, append(edits, anchorEdits(s.guide, inParentheses)...)))
	if !ok {
		return nil, fmt.Errorf("read the front matter of %s", pack.EntryName)
	}
	m := &s.pack.Meta
	h.remove("grounding") // sources stay behind
	s.lifecycle(h, m.Status)
	h.set("title", rules.Quoted(m.Name))
	if p, ok := to[m.PrimaryDocument]; ok && p != m.PrimaryDocument && !s.flatBundle() {
		for i, l := range h.lines {
			if strings.HasPrefix(strings.TrimSpace(l), "primaryDocument:") {
				h.lines[i] = strings.Replace(l, m.PrimaryDocument, p, 1)
			}
		}
	}
	return h.bytes(h.body), nil
}

// lifecycle writes the status of a bundle in place of that of a pack.
func (s *source) lifecycle(h *head, status schema.Status) {
	to := okfStatus(status)
	if to == "" {
		return
	}
	h.set("status", to)
	if status == schema.Stale && !h.has("stale_after") {
		h.set("stale_after", rules.Quoted(longAgo))
	}
}

// concept is a page as a file of the bundle; ok is false when its front matter cannot be
// changed. What the page says itself is kept; the rest is added.
func (s *source) concept(p *page, at string, edits []relink.Edit) (text []byte, ok bool) {
	notes := &footnotes{doc: p.doc, ids: map[string]string{}}
	text = relink.Apply(p.doc.Text, append(edits, anchorEdits(p.doc, notes.write)...))
	h, ok := readHead(text)
	if !ok {
		return nil, false
	}
	if h.text("type") == "" {
		kind := "Document"
		if strings.HasPrefix(p.path, "wiki/") {
			kind = "Wiki page"
		}
		h.set("type", kind)
	}
	if h.text("title") == "" {
		h.set("title", rules.Quoted(p.title))
	}
	if !h.has("description") && p.summary != "" {
		h.set("description", rules.Quoted(p.summary))
	}
	if tags := p.doc.MetaList(true, "keywords"); len(tags) > 0 && !h.has("tags") {
		for i, t := range tags {
			tags[i] = rules.Quoted(oneLine(t))
		}
		h.set("tags", "["+strings.Join(tags, ", ")+"]")
	}
	s.lifecycle(h, p.status)
	if lines := notes.sources(); len(lines) > 0 && !h.has("sources") {
		h.set("sources", append([]string{""}, lines...)...)
	}
	if at != "" && !h.has("generated") {
		h.set("generated", "{by: "+rules.Quoted("packgen/"+compiler.Version)+", at: "+rules.Quoted(at)+"}")
	}
	return h.bytes(append(h.body, notes.definitions(h.body)...)), true
}

// footnotes are the sources of a page, each with its label.
type footnotes struct {
	doc  *markdown.Document
	ids  map[string]string // labels by source
	list []string          // sources in order of their first use
}

// write puts footnotes in the place of an anchor.
func (n *footnotes) write(parts []markdown.Anchor, inner string) string {
	var b strings.Builder
	for _, a := range parts {
		if !a.Usable {
			return "(" + inner + ")"
		}
		key := a.String()
		if n.ids[key] == "" {
			n.ids[key] = "src-" + mark(key)
			n.list = append(n.list, key)
		}
		b.WriteString("[^" + n.ids[key] + "]")
	}
	if b.Len() == 0 {
		return "(" + inner + ")"
	}
	return b.String()
}

// sources are the lines of the key of that name.
func (n *footnotes) sources() []string {
	var lines []string
	for _, key := range n.list {
		file, _, _ := strings.Cut(key, "#")
		lines = append(lines, "  - {id: "+n.ids[key]+", resource: "+rules.Quoted(key)+", title: "+rules.Quoted(path.Base(file))+"}")
	}
	return lines
}

// definitions are written below the body.
func (n *footnotes) definitions(body []byte) string {
	if len(n.list) == 0 {
		return ""
	}
	var b strings.Builder
	if len(body) > 0 && body[len(body)-1] != '\n' {
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for _, key := range n.list {
		fmt.Fprintf(&b, "[^%s]: %s\n", n.ids[key], strings.NewReplacer("<", "%3C", ">", "%3E", "[", "%5B", "]", "%5D").Replace(key))
	}
	return b.String()
}

// okfIndexes are the lists of the folders of a bundle.
func (s *source) okfIndexes(to moved, files []File) []File {
	written := map[string]bool{}
	for _, f := range files {
		written[f.Path] = true
	}
	type entry struct{ title, dest, summary, status string }
	concepts, folders := map[string][]entry{}, map[string][]string{}
	dirs := map[string]bool{".": true}
	add := func(name string, e entry) {
		dir := path.Dir(name)
		concepts[dir] = append(concepts[dir], e)
		for ; !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
			folders[path.Dir(dir)] = append(folders[path.Dir(dir)], dir)
		}
	}
	add(pack.EntryName, entry{s.pack.Meta.Name, pack.EntryName, oneLine(s.pack.Meta.Description), inBrackets(s.pack.Meta.Status)})
	for _, p := range s.pages {
		if written[to[p.path]] {
			add(to[p.path], entry{p.title, path.Base(to[p.path]), p.summary, inBrackets(p.said)})
		}
	}
	var lists []File
	for dir := range dirs {
		var b strings.Builder
		if dir == "." {
			b.WriteString("---\nokf_version: \"" + okfVersion + "\"\n---\n\n")
		}
		if len(concepts[dir]) > 0 {
			b.WriteString("# Concepts\n\n")
		}
		slices.SortFunc(concepts[dir], func(a, b entry) int { return strings.Compare(a.dest, b.dest) })
		for _, e := range concepts[dir] {
			line := "* [" + linkText(e.title) + "](" + destination(e.dest) + ")"
			if e.summary != "" {
				line += " - " + e.summary
			}
			b.WriteString(line + e.status + "\n")
		}
		slices.Sort(folders[dir])
		for i, f := range folders[dir] {
			if i == 0 {
				if len(concepts[dir]) > 0 {
					b.WriteString("\n")
				}
				b.WriteString("# Folders\n\n")
			}
			fmt.Fprintf(&b, "* [%s](%s/index.md)\n", linkText(path.Base(f)), destination(path.Base(f)))
		}
		lists = append(lists, File{Path: path.Join(dir, okfIndex), Data: []byte(b.String())})
	}
	slices.SortFunc(lists, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return lists
}
