package editor

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/repo"
)

// maxShown is how much of a page a hover shows, in lines.
const maxShown = 12

// offset is the byte that is asked about.
func (at *place) offset() int { return at.lines.offset(at.at) }

// link is what leads somewhere at the place; nil when nothing does.
func (s *session) link(at *place) *target {
	doc := at.view.document(at.path)
	if doc == nil {
		return nil
	}
	o := at.offset()
	for _, t := range at.view.targets(doc, at.view.names()) {
		if t.from <= o && o <= t.to && t.path != "" {
			return &t
		}
	}
	return nil
}

// split is the split whose id is at the place, in KNOWLEDGE.md, or that the section at the
// place is cut into; nil when there is none.
func (at *place) split() *schema.Split {
	data := at.view.text(pack.IndexPath)
	ix, err := schema.DecodeIndex(data)
	if err != nil {
		return nil
	}
	key := strings.Trim(strings.TrimSuffix(strings.TrimSpace(at.lines.line(at.at.Line)), ":"), `"'`)
	id := ""
	if doc := at.view.document(at.path); doc != nil && at.path != pack.EntryName {
		for _, h := range doc.Headings {
			if h.Start <= at.offset() && at.offset() < h.End {
				id = h.ID
			}
		}
	}
	for i := range ix.Splits {
		sp := &ix.Splits[i]
		if at.path == pack.EntryName && sp.ID == key || id != "" && sp.Document == at.path && (sp.SectionID == id || slices.Contains(sp.Sections, id)) {
			return sp
		}
	}
	return nil
}

// define answers where the link, source or split at a place leads.
func (s *session) define(at *place) (any, *rpcError) {
	if dir, e, ok := at.entry(); ok {
		return placeIn(dir, e), nil
	}
	if at.view.pack == nil {
		return nil, nil
	}
	if t := s.link(at); t != nil {
		return at.view.location(t.path, t.fragment), nil
	}
	if sp := at.split(); sp != nil && at.path == pack.EntryName {
		return at.view.location(sp.Document, sp.SectionID), nil
	}
	if name, fragment, ok := at.named(); ok {
		return at.view.location(name, fragment), nil
	}
	return nil, nil
}

// placeIn is the place of what an entry is made from.
func placeIn(dir string, e entry) location {
	out := location{URI: uriOf(filepath.Join(dir, filepath.FromSlash(e.file)))}
	if text, err := atomicfile.Read(filepath.Join(dir, filepath.FromSlash(e.file)), pack.MaxFileSize); err == nil && e.section != "" {
		decoded, _ := frontmatter.Decode(text)
		doc := markdown.Parse(e.file, decoded)
		if i := heading(doc, e.section); i >= 0 {
			start := newLines(doc.Text).at(doc.Headings[i].Start)
			out.Range = span{start, start}
		}
	}
	return out
}

// location is the place of a fragment in a file of the pack; nil when there is no such
// file.
func (v *packView) location(name, fragment string) any {
	if !v.pack.Has(name) {
		return nil
	}
	out := location{URI: uriOf(v.file(name))}
	if n, err := strconv.Atoi(strings.TrimPrefix(strings.Split(fragment, "-")[0], "L")); err == nil && n > 0 && strings.HasPrefix(fragment, "L") {
		out.Range = span{position{n - 1, 0}, position{n - 1, 0}}
		return out
	}
	if doc := v.document(name); doc != nil && fragment != "" {
		if i := heading(doc, fragment); i >= 0 {
			start := newLines(doc.Text).at(doc.Headings[i].Start)
			out.Range = span{start, start}
		}
	}
	return out
}

// hover answers what is at a place: the first lines of a page, the source and status of a
// claim, the tokens and keywords of a split, the meaning of a key.
func (s *session) hover(at *place) (any, *rpcError) {
	text := ""
	if at.view.pack != nil {
		if t := s.link(at); t != nil {
			text = at.view.firstLines(t.path, t.fragment)
		} else if sp := at.split(); sp != nil {
			text = at.view.aboutSplit(sp)
		} else {
			text = at.view.aboutClaim(at.path, at.offset())
		}
	}
	if _, e, ok := at.entry(); ok {
		text = fmt.Sprintf("`%s`: %s", e.id, e.about)
	}
	if text == "" {
		text = aboutKey(at)
	}
	if text == "" {
		return nil, nil
	}
	return hover{markup{"markdown", text}}, nil
}

// firstLines are the first lines of a page, or of a section or line of it.
func (v *packView) firstLines(name, fragment string) string {
	text := v.text(name)
	from := 0
	if doc := v.document(name); doc != nil {
		text, from = doc.Text, doc.Body
		if i := heading(doc, fragment); fragment != "" && i >= 0 {
			from = doc.Headings[i].Start
		}
	}
	if loc, ok := v.location(name, fragment).(location); ok && strings.HasPrefix(fragment, "L") {
		from = newLines(text).offset(loc.Range.Start)
	}
	rest := bytes.TrimLeft(text[min(from, len(text)):], "\n")
	list := bytes.SplitN(rest, []byte("\n"), maxShown+1)
	shown := string(bytes.Join(list[:min(len(list), maxShown)], []byte("\n")))
	return fmt.Sprintf("`%s`\n\n%s", name, cut(shown))
}

// cut shortens what a hover shows.
func cut(text string) string {
	const most = 2000 // characters
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// aboutSplit says what a split costs and which words find it.
func (v *packView) aboutSplit(sp *schema.Split) string {
	text := fmt.Sprintf("split `%s`: %d tokens, `%s`", sp.ID, sp.TokenEstimate, sp.Path)
	declared := frontmatter.NewMap(pack.EntryName, v.pack.Meta.Metadata, nil).Map("loadout").Map(sp.ID)
	words, _ := declared.Strings("keywords")
	if doc := v.document(sp.Document); len(words) == 0 && doc != nil {
		words = doc.MetaList(true, "keywords")
	}
	if len(words) == 0 {
		return text + "\n\nkeywords: derived by the build"
	}
	return text + "\n\nkeywords: " + strings.Join(words, ", ")
}

// aboutClaim says what the claim at a place rests on, as the last compile found.
func (v *packView) aboutClaim(name string, offset int) string {
	doc := v.document(name)
	if doc == nil {
		return ""
	}
	for _, u := range doc.Units {
		if u.Start > offset || offset > u.End || u.Text == "" || len(u.Anchors) == 0 && u.Marker == "" {
			continue
		}
		var out []string
		if m, err := schema.DecodeSourceMap(v.text(pack.SourceMapPath)); err == nil {
			for _, c := range m.Claims {
				if c.Document == name && c.Text == u.Text {
					out = append(out, fmt.Sprintf("claim: %s, source `%s`", c.Status, markdown.Anchor{Path: c.Source.Path, Fragment: c.Source.Anchor}))
				}
			}
		}
		if out == nil {
			out = []string{"claim: not compiled yet"}
			for _, a := range u.Anchors {
				out = append(out, "source `"+a.Written+"`")
			}
		}
		return strings.Join(out, "\n\n")
	}
	return ""
}

// actions answers what check --fix would do to the document.
func (s *session) actions(at *place) (any, *rpcError) {
	list := []codeAction{}
	d := s.docs[at.name]
	if at.view.pack == nil || !strings.HasSuffix(at.path, ".md") {
		return list, nil
	}
	found, err := check.Editing(s.requests, at.view.pack, at.view.found, local(at.ws, at.view.dir))
	if err != nil {
		return list, nil
	}
	own := found[:0]
	for _, f := range found {
		if f.Path == at.path {
			own = append(own, f)
		}
	}
	fixed, what := check.FixText(at.path, d.text, own)
	if fixed == nil {
		return list, nil
	}
	l := newLines(d.text)
	edit := docEdit{TextDocument: &docID{d.uri, &d.version}, Edits: []textEdit{{l.span(0, len(d.text)), string(fixed)}}}
	return append(list, codeAction{"Fix " + strings.Join(what, ", "), "quickfix", workspaceEdit{[]docEdit{edit}}}), nil
}

// maxRepositories is how many directories are kept with the repository they are in.
const maxRepositories = 1000

// mdxEnding is the ending of Markdown with components, which a pack lists with ".md"
// appended.
const mdxEnding = ".mdx"

// where is where a file belongs.
type where struct {
	ws   *repo.Repo // of the repository; nil for a file of none
	dir  string     // of the pack, absolute; "" for a file of none
	path string     // in the pack
}

// settle finds the repositories of the folders that the editor has open.
func (s *session) settle(p *initializeParams) {
	uris := []string{p.RootURI}
	for _, f := range p.WorkspaceFolders {
		uris = append(uris, f.URI)
	}
	for _, uri := range uris {
		name, ok := fileOf(uri)
		if info, err := os.Stat(name); !ok || err != nil || !info.IsDir() {
			continue
		}
		if w := s.repositoryAt(name); !s.knows(w.Paths.Dir) {
			s.folders = append(s.folders, w)
		}
	}
	resources := p.Capabilities.Workspace.WorkspaceEdit.ResourceOperations
	for _, kind := range resources {
		s.renames = s.renames || kind == "rename"
	}
}

// knows reports whether a directory is that of a repository of the session.
func (s *session) knows(dir string) bool {
	for _, w := range s.folders {
		if w.Paths.Dir == dir {
			return true
		}
	}
	return false
}

// repositoryAt is the repository that a directory is in.
func (s *session) repositoryAt(dir string) *repo.Repo {
	if w := s.repositories[dir]; w != nil {
		return w
	}
	w := *s.folders[0]
	w.Find(dir)
	var found *repo.Repo
	for _, known := range s.folders {
		if known.Paths.Dir == w.Paths.Dir {
			found = known
		}
	}
	if found == nil {
		found = configured(&w)
	}
	if len(s.repositories) >= maxRepositories {
		clear(s.repositories)
	}
	s.repositories[dir] = found
	return found
}

// reload reads the configuration of all repositories again.
func (s *session) reload() {
	clear(s.repositories)
	for i, w := range s.folders {
		s.folders[i] = configured(w)
	}
	for name, d := range s.docs {
		d.where = s.locate(name)
	}
}

// configured is a repository with its configuration as it is now. It is another one: checks
// use the old one until they end.
func configured(w *repo.Repo) *repo.Repo {
	now := *w
	_ = now.Load() // faults are findings of its file
	return &now
}

// candidates are the repositories that a file may belong to: the one it is in, then
// those that the editor has open, which may read its folder in place.
func (s *session) candidates(name string) []*repo.Repo {
	dir := filepath.Dir(name)
	own := s.repositoryAt(dir)
	if own.Paths.Dir == dir && !repo.Holds(dir, repo.ConfigName) && !repo.Holds(dir, ".git") {
		return s.folders // it is in no repository
	}
	return append([]*repo.Repo{own}, s.folders...)
}

// locate finds where a file belongs: in the pack around it, otherwise in one that reads
// its folder in place.
func (s *session) locate(name string) where {
	list := s.candidates(name)
	for _, w := range list {
		if dir := packAround(w.Paths.Dir, name); dir != "" {
			below, _ := below(dir, name)
			return where{w, dir, below}
		}
		if at := mappedAt(w, name); at.dir != "" {
			return at
		}
	}
	for _, w := range list {
		if _, ok := below(w.Paths.Dir, name); ok {
			return where{ws: w}
		}
	}
	return where{}
}

// below is the path of a file below a directory; false for one elsewhere.
func below(dir, name string) (string, bool) {
	rel, err := filepath.Rel(dir, name)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// packAround is the directory of the pack that a file of a repository is in; "" for none.
func packAround(root, name string) string {
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		if _, ok := below(root, dir); !ok {
			return ""
		}
		if info, err := os.Lstat(filepath.Join(dir, pack.EntryName)); err == nil && info.Mode().IsRegular() {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// mappedAt is the pack that reads the folder of a file in place.
func mappedAt(w *repo.Repo, name string) where {
	for _, d := range w.Config.Documents {
		rest, ok := below(w.Paths.Abs(d.From), name)
		if !ok {
			continue
		}
		if d.MDX && strings.HasSuffix(rest, mdxEnding) {
			rest += ".md"
		}
		return where{w, w.Paths.Abs(d.Pack), path.Join("documents", d.Below, rest)}
	}
	return where{}
}

// mentions adds what names a page or a section without a link: KNOWLEDGE.md and
// evals name paths, questions and metadata.loadout ids.
type mentions struct {
	view  *packView
	edits map[string][]replacement
}

// add adds a replacement.
func (m *mentions) add(name string, r replacement) { m.edits[name] = append(m.edits[name], r) }

// files are those that name pages without a link.
func (m *mentions) files() []string {
	list := []string{pack.EntryName}
	for _, f := range m.view.pack.List("evals") {
		if ending := path.Ext(f.Path); ending == ".yaml" || ending == ".yml" {
			list = append(list, f.Path)
		}
	}
	return list
}

// reference replaces a path, or a path and section, wherever it is written as a word. Of a
// folder, paths of what is in it are replaced too.
func (m *mentions) reference(old, now string) {
	folder := m.view.pack.HasDir(old)
	const inName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./"
	for _, name := range m.files() {
		text := string(m.view.text(name))
		for at := 0; ; {
			i := strings.Index(text[at:], old)
			if i < 0 {
				break
			}
			from, to := at+i, at+i+len(old)
			at = to
			startsWord := from == 0 || !strings.ContainsRune(inName, rune(text[from-1]))
			endsWord := to == len(text) || folder && text[to] == '/' || !strings.ContainsRune(inName, rune(text[to])) || text[to] == '.' && (to+1 == len(text) || text[to+1] == ' ' || text[to+1] == '\n')
			if startsWord && endsWord {
				m.add(name, replacement{from, to, now})
			}
		}
	}
}

// key replaces a key below other keys of the front matter of a page.
func (m *mentions) key(name string, above []string, old, now string) {
	doc := m.view.document(name)
	if doc == nil {
		return
	}
	l := newLines(doc.Text)
	for n := 1; n < len(l.starts) && l.starts[n] < doc.Body; n++ {
		found := keyOfLine().FindStringSubmatchIndex(l.line(n))
		if found == nil {
			continue
		}
		from, to := l.starts[n]+found[4], l.starts[n]+found[5]
		if string(doc.Text[from:to]) == old && slices.Equal(keysAbove(l, 1, n), above) {
			m.add(name, replacement{from, to, now})
		}
	}
}

// section makes everything that names a section of a page name its new id.
func (m *mentions) section(name, old, now string) {
	m.reference(name+"#"+old, name+"#"+now)
	m.key(name, []string{"questions"}, old, now)
	ix, err := schema.DecodeIndex(m.view.text(pack.IndexPath))
	if err != nil {
		return // it was never compiled: nothing says which id is that of a split
	}
	for i := range ix.Splits {
		sp := &ix.Splits[i]
		if before, ok := strings.CutSuffix(sp.ID, "/"+old); ok && sp.Document == name && sp.SectionID == old {
			m.key(pack.EntryName, []string{"metadata", "loadout"}, sp.ID, before+"/"+now)
		}
	}
}
