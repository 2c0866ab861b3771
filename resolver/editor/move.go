package editor

import (
	"path"
	"strings"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/resolver/agent/relink"
)

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
