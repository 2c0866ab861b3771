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
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/resolver/agent/relink"
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

// maxMoves is how many files and folders one request may move.
const maxMoves = 1000

// moves are the new paths of files and folders of a pack, by their old ones.
type moves map[string]string

// of returns the path of a file or folder after the moves.
func (m moves) of(name string) string {
	for above := name; ; above = path.Dir(above) {
		if now, ok := m[above]; ok {
			return now + name[len(above):]
		}
		if !strings.Contains(above, "/") {
			return name
		}
	}
}

// renameFiles answers the edits that lead links to files and folders under their new names.
func (s *session) renameFiles(p renameFilesParams) (any, *rpcError) {
	all := workspaceEdit{DocumentChanges: []docEdit{}}
	byPack := map[string]moves{}
	places := map[string]where{}
	for _, f := range p.Files[:min(len(p.Files), maxMoves)] {
		from, ok := fileOf(f.OldURI)
		to, also := fileOf(f.NewURI)
		if !ok || !also {
			continue
		}
		old, renamed := s.locate(from), s.locate(to)
		if old.dir == "" || renamed.dir != old.dir || old.path == renamed.path {
			continue // it leaves the pack: no link can follow
		}
		if byPack[old.dir] == nil {
			byPack[old.dir], places[old.dir] = moves{}, old
		}
		byPack[old.dir][old.path] = renamed.path
	}
	for _, dir := range sortedKeys(byPack) {
		view, err := s.view(places[dir])
		if err != nil {
			return nil, fail(codeRefused, "%v", err)
		}
		all.DocumentChanges = append(all.DocumentChanges, s.edit(view, view.moved(byPack[dir])).DocumentChanges...)
		view.close()
	}
	return all, nil
}

// follower finds how links are written when files of a pack have moved.
type follower struct {
	moves moves
	table *reference.Table // of the files where they are then
	names reference.Names
}

// moved are the edits that files under other names ask for: of links to them, of their own
// links to others, and of links that would lead somewhere else.
func (v *packView) moved(m moves) map[string][]replacement {
	edits := map[string][]replacement{}
	if v.pack == nil {
		return edits
	}
	f := v.follower(m)
	v.eachLink(func(d *markdown.Document, t target) {
		if t.path == "" {
			return
		}
		dest := string(d.Text[t.at:t.end])
		if now := f.written(d.Path, dest, t); now != dest {
			edits[d.Path] = append(edits[d.Path], replacement{t.at, t.end, now})
		}
	})
	for _, old := range sortedKeys(m) {
		(&mentions{v, edits}).reference(asOnDisk(old), asOnDisk(m[old]))
	}
	return edits
}

// follower looks at the pack as it is after the moves.
func (v *packView) follower(m moves) *follower {
	var files []string
	has, dirs := map[string]bool{}, map[string]bool{}
	for _, file := range v.pack.Files {
		name := m.of(file.Path)
		files = append(files, name)
		has[name] = true
		for dir := path.Dir(name); dir != "." && !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	table := reference.NewTable(func(name string) bool { return has[name] }, func(dir string) bool { return dirs[strings.TrimSuffix(dir, "/")] }, func() []string { return files })
	table.Listed(func(name string) string {
		if listed := v.pack.ListedAs(name); has[listed] {
			return listed
		}
		return ""
	})
	return &follower{m, table, v.namesAfter(m.of)}
}

// written is the destination of a link of a page after the moves: as it is when it leads
// where it did, otherwise in the way it was written.
func (f *follower) written(page, dest string, t target) string {
	from, to := f.moves.of(page), f.moves.of(t.path)
	name, tail := dest, ""
	if i := strings.IndexAny(dest, "?#"); i >= 0 && (!t.wiki || dest[i] == '#') {
		name, tail = dest[:i], dest[i:]
	}
	switch {
	case name == "":
		return dest
	case t.source && to == t.path:
		return dest
	case t.source:
		return to + tail
	case t.wiki:
		return f.wiki(from, name, t.path, to) + tail
	}
	return f.link(page, from, name, t, to) + tail
}

// wiki is the name of a page or file in a wiki link.
func (f *follower) wiki(from, name, old, to string) string {
	leads := func(name string) bool { return f.table.Named(f.names, from, name).Path == to }
	whole := path.Ext(name) != "" && path.Ext(name) == path.Ext(asOnDisk(old)) // with its ending
	inLink := func(p string) string {
		if p = asOnDisk(p); whole {
			return p
		}
		return withoutEnding(p)
	}
	named := strings.EqualFold(path.Base(name), path.Base(inLink(old))) // a title stays
	if leads(name) && (!named || path.Base(inLink(old)) == path.Base(inLink(to))) {
		return name
	}
	full := inLink(to)
	root, below, _ := strings.Cut(full, "/")
	short := []string{path.Base(full), below}
	switch beside := relink.PathOf(reference.Rewrite(from, "", full)); {
	case !strings.Contains(name, "/"):
	case strings.HasPrefix(strings.TrimPrefix(name, "/"), root+"/"):
		short = nil
	case strings.HasPrefix(name, "."):
		short = []string{beside}
	default:
		short = []string{below, beside}
	}
	for _, candidate := range short {
		if strings.HasPrefix(name, "/") {
			candidate = "/" + candidate
		}
		if leads(candidate) {
			return candidate
		}
	}
	return full
}

// link is the path in a link of Markdown or HTML.
func (f *follower) link(page, from, written string, t target, to string) string {
	name := relink.PathOf(written)
	if found := f.table.Resolve(from, reference.Join(from, name)); found.Path == to && found.Way == t.way {
		return written
	}
	for _, target := range shapes(name, t, to) {
		for _, candidate := range candidates(page, from, written, t.path, target) {
			if found := f.table.Resolve(from, reference.Join(from, relink.PathOf(candidate))); candidate != "" && found.Path == to && found.Way != reference.Case {
				return candidate
			}
		}
	}
	return reference.Rewrite(from, "", asOnDisk(to))
}

// shapes are the paths by which a link may name a file, that of a name like the one it has
// first: as a folder, with the ending of a published page, or without an ending.
func shapes(name string, t target, to string) []string {
	slash := ""
	if strings.HasSuffix(name, "/") {
		slash = "/"
	}
	full := asOnDisk(to)
	switch ext := path.Ext(name); {
	case t.way == reference.Folder:
		return []string{full + slash}
	case t.way == reference.Index, slash != "" && path.Base(name) == path.Base(path.Dir(t.path)):
		return []string{path.Dir(full) + slash, full}
	case ext == ".html" || ext == ".htm":
		return []string{withoutEnding(full) + ext, full}
	case path.Base(name) == path.Base(withoutEnding(t.path)):
		return []string{withoutEnding(full) + slash, full}
	}
	return []string{full}
}

// withoutEnding is the path of a page without its ending.
func withoutEnding(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".md"), mdxEnding)
}

// candidates are the ways to write a path in a page, that of the link first: from the root
// of a site, with "./", or relative.
func candidates(page, from, written, old, to string) []string {
	encoded := reference.Rewrite(pack.EntryName, "", to) // the pack path
	beside := reference.Rewrite(from, "", to)
	site := ""
	name := written
	if below, ok := strings.CutPrefix(written, "@site/"); ok {
		site, name = "@site", "/"+below
	}
	switch {
	case strings.HasPrefix(name, "/"):
		var list []string
		path := relink.PathOf(name)
		for dir := page; dir != ""; { // the root that the link counts from
			i := strings.LastIndexByte(dir, '/')
			dir = dir[:max(i, 0)]
			root := strings.TrimPrefix(dir+"/", "/")
			below, ok := strings.CutPrefix(encoded, reference.Rewrite(pack.EntryName, "", root))
			if ok && strings.HasPrefix(old, root+strings.TrimSuffix(path[1:], "/")) {
				list = append(list, site+"/"+below)
			}
		}
		return append(list, beside)
	case strings.HasPrefix(name, "./") && !strings.HasPrefix(beside, "."):
		return []string{"./" + beside}
	}
	return []string{beside}
}
