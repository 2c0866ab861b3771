package exchange

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

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

// importBundles makes a pack of a bundle, or of each where a folder holds nothing but
// bundles, as an export makes it.
func (t *tree) importBundles(given string, now time.Time) []*made {
	dirs := t.bundles()
	if len(dirs) == 0 {
		return t.importEach([]string{"."}, given, "bundle", func(string) *made { return t.importOKF(given, now) })
	}
	return t.importEach(dirs, given, "bundle", func(dir string) *made {
		own := &Imported{From: t.done.From}
		b := &tree{dir: filepath.Join(t.dir, dir), base: dir, files: map[string][]byte{}, said: map[string]schema.Status{}, order: t.below(dir), done: own}
		for _, f := range b.order {
			b.files[f] = t.files[dir+"/"+f]
		}
		m := b.importOKF(given, now)
		for _, d := range own.Findings {
			d.Path = path.Join(dir, d.Path)
			t.done.Findings = append(t.done.Findings, d)
		}
		return m
	})
}

// bundles lists the folders of a folder that holds bundles and nothing else: a bundle
// says the version of its format in the list at its root.
func (t *tree) bundles() (dirs []string) {
	for _, f := range t.order {
		dir, _, below := strings.Cut(f, "/")
		if !below {
			return nil
		}
		if len(dirs) > 0 && dirs[len(dirs)-1] == dir {
			continue
		}
		h, ok := readHead(t.files[dir+"/"+okfIndex])
		if !ok || h.text("okf_version") == "" {
			return nil
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// importOKF makes a pack of a bundle: one that a pack was exported to, or any other.
func (t *tree) importOKF(given string, now time.Time) *made {
	var root *head
	if text, ok := t.text(pack.EntryName); ok {
		if h, ok := readHead(text); ok && h.text("name") != "" && h.text("description") != "" {
			root = h
		}
	}
	ours := root != nil && metadataText(root.keys["metadata"].value, "okf", "root") == ""
	at := moved{}
	for _, f := range t.order {
		if to := t.admit(f, t.okfFile(f, root != nil, ours)); to != "" {
			at[f] = to
		}
	}
	if !slices.ContainsFunc(t.order, func(f string) bool { return isMarkdown(f) && at[f] != "" }) {
		return nil
	}
	m := &made{}
	if root != nil {
		m.name = cmp.Or(given, packName(root.text("name")))
		m.add(pack.EntryName, t.okfEntry(root, m.name, at, now))
	} else {
		m.name = cmp.Or(given, packName(t.base))
		// What the list at the root of a bundle says of it; "" when it says nothing.
		g := newGuide(m.name, summaryOf(markdown.Parse(okfIndex, t.files[okfIndex])))
		g.okfRoot = "documents"
		m.add(pack.EntryName, []byte(g.text()+"# "+oneLine(t.base)+"\n"))
	}
	for _, f := range t.order {
		to, ok := at[f]
		if !ok || f == pack.EntryName && root != nil {
			continue
		}
		data := t.files[f]
		if isMarkdown(f) {
			text, ok := t.text(f)
			if !ok {
				continue
			}
			data = t.okfPage(f, to, text, at, now)
		}
		m.add(to, data)
	}
	return m
}

// okfFile says where a file of a bundle is in a pack; "" for one that is left out.
func (t *tree) okfFile(f string, entry, ours bool) string {
	top, _, _ := strings.Cut(f, "/")
	switch {
	case f == pack.EntryName && entry:
		return f
	case path.Base(f) == okfIndex:
		if !isListing(string(t.files[f])) {
			t.done.report(lostID, diag.Warning, f, "move the text to a page with another name", "a bundle keeps a list of the folder here, which an export makes again: other text in it is left out")
		}
		return ""
	case path.Base(f) == okfLog:
		t.done.report(lostID, diag.Warning, f, "keep it in the version control", "the history of a bundle has no place in a pack: the file is left out")
		return ""
	case f == listFile:
		return ""
	case ours && (top == "documents" || top == "wiki" || top == "assets"):
		return f
	case ours && isMarkdown(f):
		return "documents/" + f
	case ours:
		return "assets/" + f
	}
	return "documents/" + f
}

// isListing reports the text of a list: headings, entries with links, and front matter
// that only says the version.
func isListing(text string) bool {
	h, ok := readHead([]byte(text))
	if !ok {
		return false
	}
	for key := range h.keys {
		if key != "okf_version" {
			return false
		}
	}
	for line := range strings.Lines(string(h.body)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "* [") || strings.HasPrefix(line, "- [") {
			continue
		}
		return false
	}
	return true
}

// okfEntry is KNOWLEDGE.md of a pack that was exported.
func (t *tree) okfEntry(h *head, name string, at moved, now time.Time) []byte {
	t.lifecycle(h, t.said[pack.EntryName], now)
	h.remove("title")
	if h.text("name") != name {
		h.set("name", name)
	}
	doc := markdown.Parse(pack.EntryName, h.bytes(h.body))
	return relink.Apply(doc.Text, back(doc, pack.EntryName, "/", at))
}

// okfPage is a page of a bundle as a page of a pack. Its front matter stays as it is,
// except for the status, which has other words in a pack.
func (t *tree) okfPage(f, to string, text []byte, at moved, now time.Time) []byte {
	h, ok := readHead(text)
	if !ok {
		t.done.report(lostID, diag.Warning, f, "correct the front matter", "the front matter cannot be read: the page has no title and no status from it")
	} else {
		if h.text("type") == "" {
			t.done.report(lostID, diag.Info, f, "leave it: an export writes one", "the concept has no type, which a bundle requires")
		}
		t.lifecycle(h, t.said[f], now)
		text = h.bytes(h.body)
	}
	doc := markdown.Parse(f, text)
	return relink.Apply(doc.Text, back(doc, to, "/", at))
}

// lifecycle writes the status of a pack in place of that of a bundle. What the text said of
// itself distinguishes the statuses that are drafts in a bundle.
func (t *tree) lifecycle(h *head, said schema.Status, now time.Time) {
	status := schema.Status("")
	switch h.text("status") {
	case "draft":
		if okfStatus(said) == "draft" {
			status = said
		}
	case "stable":
		status = schema.Ready
		if past(h.text("stale_after"), now) {
			status = schema.Stale
		}
	case "deprecated":
		status = schema.Archived
	}
	if status != "" {
		h.set("status", string(status))
	}
}

// past reports a moment that is over.
func past(text string, now time.Time) bool {
	if now.IsZero() {
		now = time.Now()
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Before(now)
		}
	}
	return false
}

// importLLMs makes a pack of the files that an llms.txt lists.
func (t *tree) importLLMs(given string) []*made {
	const file = "llms.txt"
	text, ok := t.text(file)
	if !ok {
		t.done.report(unusableID, diag.Error, file, "name the folder that it is in", "the folder has no such file")
		return nil
	}
	doc := markdown.Parse(file, text)
	title := t.base
	if len(doc.Headings) > 0 && doc.Headings[0].Level == 1 {
		title = doc.Headings[0].Text
	}
	m := &made{name: cmp.Or(given, packName(title, t.base))}
	at := moved{}
	remote := 0
	for _, l := range doc.Links {
		f := t.listedFile(l.Dest)
		switch {
		case f == "":
			remote++
			t.done.report(lostID, diag.Warning, file, "save the page into the folder, at the path of its address", "%s is not in the folder: the page is left out", oneLine(l.Dest))
		case isMarkdown(f) || path.Ext(f) == ".txt":
			if to := t.admit(f, "documents/"+strings.TrimSuffix(f, path.Ext(f))+".md"); to != "" {
				at[f] = to
			}
		default:
			t.done.report(lostID, diag.Warning, f, "save it as Markdown", "the file is not Markdown: it is left out")
		}
	}
	if len(at) == 0 {
		t.done.report(unusableID, diag.Error, file, "save the pages that it lists into the folder", "none of the %d pages that it lists is in the folder", remote)
		return nil
	}
	g := newGuide(m.name, t.llmsAbout(doc))
	guide := relink.Apply(doc.Text, relink.Links(doc, func(l markdown.Link) (string, bool) {
		to, ok := at[t.listedFile(l.Dest)]
		return destination(to), ok
	}))
	m.add(pack.EntryName, []byte(g.text()+strings.Trim(string(guide), "\n")+"\n"))
	left := 0
	for _, f := range t.order {
		to, ok := at[f]
		switch {
		case ok:
			text, ok := t.text(f)
			if !ok {
				continue
			}
			page := markdown.Parse(f, text)
			m.add(to, relink.Apply(page.Text, back(page, to, "", at)))
		case isMarkdown(f):
			left++
		}
	}
	if left > 0 {
		t.done.report(lostID, diag.Warning, file, "list them to import them", "%d other Markdown files of the folder are not listed: they are left out", left)
	}
	return []*made{m}
}

// llmsAbout is the quotation at the head of an llms.txt.
func (t *tree) llmsAbout(doc *markdown.Document) string {
	for _, b := range doc.Blocks {
		if b.Node != nil && b.Node.Kind().String() == "Blockquote" {
			return oneLine(doc.PlainText(b.Node))
		}
	}
	return ""
}

// listedFile returns the file of the folder that an address in an llms.txt means; "" when
// the folder has none: the path itself, or the longest end of it.
func (t *tree) listedFile(dest string) string {
	if i := strings.Index(dest, "://"); i >= 0 {
		_, rest, ok := strings.Cut(dest[i+3:], "/")
		if !ok {
			return ""
		}
		dest = rest
	}
	name := strings.TrimPrefix(path.Clean("/"+relink.PathOf(dest)), "/")
	for name != "" && name != "." {
		for _, try := range []string{name, name + ".md", name + "/index.md"} {
			if _, ok := t.files[try]; ok {
				return try
			}
		}
		_, rest, ok := strings.Cut(name, "/")
		if !ok {
			return ""
		}
		name = rest
	}
	return ""
}
