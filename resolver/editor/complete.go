package editor

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/loadout/index"
	"github.com/packgen/packgen/resolver/repo"
)

// maxItems is how many completions an editor gets; it asks again as more is typed.
const maxItems = 500

// openings are what is completed after, up to the place.
var openings = sync.OnceValue(func() []opening {
	return []opening{
		{regexp.MustCompile(`\[\[([^\[\]|#]*)#([^\[\]|]*)$`), func(c *completer, m []string) { c.anchors(c.named(m[1]), m[2]) }},
		{regexp.MustCompile(`\[\[([^\[\]|#]*)$`), func(c *completer, m []string) { c.pages(m[1]) }},
		{regexp.MustCompile(`\[(?:source|来源)[:：]\s*(?:[^\]]*[;；]\s*)?([^\];#]*)#([^\];]*)$`), func(c *completer, m []string) { c.anchors(strings.TrimSpace(m[1]), m[2]) }},
		{regexp.MustCompile(`\[(?:source|来源)[:：]\s*(?:[^\]]*[;；]\s*)?([^\];#]*)$`), func(c *completer, m []string) { c.files("sources", m[1]) }},
		{regexp.MustCompile(`\]\(([^()\s#]*)#([^()\s]*)$`), func(c *completer, m []string) { c.anchors(c.linked(m[1]), m[2]) }},
		{regexp.MustCompile(`\]\(([^()\s#]*)$`), func(c *completer, m []string) { c.links(m[1]) }},
	}
})

type opening struct {
	pattern *regexp.Regexp
	offer   func(c *completer, m []string)
}

// completer collects completions at a place.
type completer struct {
	at    *place
	items []completionItem
	more  bool
}

// offer adds a completion that replaces what is typed of it.
func (c *completer) offer(kind int, label, detail, typed string) {
	if !strings.Contains(strings.ToLower(label), strings.ToLower(typed)) {
		return
	}
	if len(c.items) == maxItems {
		c.more = true
		return
	}
	start := c.at.at
	start.Character -= unitsOf(typed)
	c.items = append(c.items, completionItem{Label: label, Kind: kind, Detail: detail, FilterText: label, TextEdit: &textEdit{span{start, c.at.at}, label}})
}

// complete answers what may come at a place: names of pages, paths, anchors, sources; in
// front matter and YAML files keys and values.
func (s *session) complete(at *place) (any, *rpcError) {
	c := &completer{at: at, items: []completionItem{}}
	line := at.lines.line(at.at.Line)
	before := line[:bytesOf(line, at.at.Character)]
	if name, path, ok := schemaAt(at); ok {
		if isJSON(at.name) {
			c.json(name)
		} else {
			c.keys(name, path, before)
		}
		return completionList{c.more, c.items}, nil
	}
	if at.view.pack != nil && strings.HasSuffix(at.path, ".md") {
		for _, o := range openings() {
			if m := o.pattern.FindStringSubmatch(before); m != nil {
				o.offer(c, m)
				break
			}
		}
	}
	return completionList{c.more, c.items}, nil
}

// pages offers the names of pages.
func (c *completer) pages(typed string) {
	for _, name := range c.at.view.pages() {
		if doc := c.at.view.document(name); doc != nil && name != pack.EntryName {
			c.offer(kindReference, stemOf(name), titleOf(doc, name), typed)
		}
	}
}

// files offers the files of a folder by their pack paths.
func (c *completer) files(dir, typed string) {
	for _, f := range c.at.view.pack.List(dir) {
		c.offer(kindFile, f.Path, "", typed)
	}
}

// links offers pages by their paths from this one.
func (c *completer) links(typed string) {
	for _, name := range c.at.view.pages() {
		if name != c.at.path {
			c.offer(kindFile, reference.Rewrite(c.at.path, "", asOnDisk(name)), "", typed)
		}
	}
}

// named is the page that a wikilink names.
func (c *completer) named(name string) string {
	if name == "" {
		return c.at.path
	}
	return c.at.view.table.Named(c.at.view.names(), c.at.path, name).Path
}

// linked is the page that a link leads to.
func (c *completer) linked(dest string) string {
	if dest == "" {
		return c.at.path
	}
	return c.at.view.table.Resolve(c.at.path, reference.Join(c.at.path, dest)).Path
}

// anchors offers the headings of a file.
func (c *completer) anchors(name, typed string) {
	if doc := c.at.view.document(name); doc != nil {
		for _, h := range doc.Headings {
			c.offer(kindReference, h.ID, h.Text, typed)
		}
	}
}

// schemaAt is the schema of what is written at a place in YAML, and the path of keys
// around it; false in other text.
func schemaAt(at *place) (name string, keys []string, ok bool) {
	from := 0
	switch base := path.Base(strings.ReplaceAll(at.name, `\`, "/")); {
	case base == repo.ConfigName:
		name = "config"
	case base == roleName:
		name = "boot"
	case base == schema.LockName:
		name = "lock"
	case strings.HasPrefix(at.path, "evals/discovery.") && isJSON(at.path):
		name = "discovery-eval"
	case strings.HasSuffix(at.path, "evals/context.yaml"):
		name = "context-eval"
	case strings.HasSuffix(base, "routing.yaml"):
		name = "routing"
	case strings.HasSuffix(base, ".md") && at.lines.line(0) == "---":
		end := slices.Index(strings.Split(string(at.lines.text), "\n")[1:], "---")
		if end >= 0 && at.at.Line > end || at.at.Line == 0 {
			return "", nil, false
		}
		name, from = "page", 1
		if base == pack.EntryName {
			name = "knowledge"
		}
	default:
		return "", nil, false
	}
	return name, keysAbove(at.lines, from, at.at.Line), true
}

var keyOfLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([ ]*(?:- +)?)["']?([^"':#\s][^"':]*)["']?:(?:\s|$)`)
})

// keysAbove are the keys that a line is below, by its indentation.
func keysAbove(l *lines, from, line int) []string {
	text := l.line(line)
	indent := len(text) - len(strings.TrimLeft(text, " -"))
	var keys []string
	for n := line - 1; n >= from && indent > 0; n-- {
		if m := keyOfLine().FindStringSubmatch(l.line(n)); m != nil && len(m[1]) < indent {
			keys, indent = append(keys, m[2]), len(m[1])
		}
	}
	slices.Reverse(keys)
	return keys
}

// keys offers the keys of a mapping, or the values of a key.
func (c *completer) keys(name string, above []string, before string) {
	if typed, at, ok := scalarAt(before, above); ok && c.values(name, at, typed) {
		return
	}
	if key, typed, ok := strings.Cut(strings.TrimLeft(before, " -"), ":"); ok {
		c.enums(name, append(above, strings.Trim(key, `"'`)), strings.TrimLeft(typed, " "))
		return
	}
	typed := strings.TrimLeft(before, " -")
	switch {
	case name == "knowledge" && slices.Equal(above, []string{"metadata", "loadout"}) && c.at.view.pack != nil:
		for _, id := range c.at.view.splitIDs() {
			c.offer(kindReference, id, "split", typed)
		}
		return
	case name == "page" && slices.Equal(above, []string{"questions"}):
		c.anchors(c.at.path, typed)
		return
	}
	c.known(name, above, typed)
}

// known offers the keys that a schema has at a place.
func (c *completer) known(name string, above []string, typed string) {
	if p := said(name, above); p != nil {
		known := p.Keys()
		for _, key := range sortedKeys(known) {
			c.offer(kindProperty, key, known[key].Description, typed)
		}
	}
}

// enums offers the values that a schema lists for a key.
func (c *completer) enums(name string, keys []string, typed string) {
	p := said(name, keys)
	if p == nil {
		return
	}
	for _, form := range append([]*schema.Property{p}, p.AnyOf...) {
		for _, v := range form.Enum {
			if text := fmt.Sprint(v); v != nil && text != "" {
				c.offer(kindValue, text, "", typed)
			}
		}
	}
}

// said is what a schema says at a path of keys; nil for a key that it does not know.
func said(name string, keys []string) *schema.Property {
	root, err := schema.Find(name)
	if err != nil {
		return nil
	}
	p, err := root.At(keys...)
	if err != nil {
		return nil
	}
	return p
}

// aboutKey says what the key at a place means.
func aboutKey(at *place) string {
	name, above, ok := schemaAt(at)
	if !ok {
		return ""
	}
	m := keyOfLine().FindStringSubmatch(at.lines.line(at.at.Line))
	if m == nil {
		return ""
	}
	p := said(name, append(above, m[2]))
	if p == nil || p.Description == "" {
		return ""
	}
	return "`" + m[2] + "`: " + p.Description
}

// scalarAt is what is typed of a value up to a place of YAML, with the keys above it.
func scalarAt(before string, above []string) (typed string, keys []string, ok bool) {
	text := strings.TrimLeft(before, " ")
	item := strings.HasPrefix(text, "- ")
	text = strings.TrimLeft(text, "- ")
	if key, value, isPair := strings.Cut(text, ":"); isPair && !strings.ContainsAny(key, "#[{ ") {
		keys = append(slices.Clone(above), strings.Trim(key, `"'`))
		text = value
	} else if keys = above; !item {
		return "", nil, false
	}
	text = text[strings.LastIndexAny(text, "[,")+1:] // a list on one line
	return strings.TrimLeft(text, ` "'`), keys, true
}

// values offers what a value may name: packs, pages, sections. It is false for a value
// that names nothing of the repository.
func (c *completer) values(name string, keys []string, typed string) bool {
	v := c.at.view
	switch at := name + " " + strings.Join(keys, "."); at {
	case "context-eval pack_name", "discovery-eval pack_name":
		if v.pack != nil {
			c.offer(kindReference, v.pack.Meta.Name, "pack", typed)
		}
	case "routing tasks.must", "routing tasks.must.id", "routing tasks.must_not":
		c.entries(typed)
	case "config trust.ref":
		c.locked(typed)
	case "config documents.pack", "config packs", "config roles":
		c.packs(typed)
	case "knowledge metadata.primaryDocument":
		for _, page := range v.pages() {
			if strings.HasPrefix(page, "documents/") {
				c.offer(kindFile, page, "", typed)
			}
		}
	case "context-eval cases.required", "context-eval cases.forbidden":
		if file, fragment, ok := strings.Cut(typed, "#"); ok {
			c.anchors(file, fragment)
			break
		}
		for _, page := range v.pages() {
			c.offer(kindFile, page, "", typed)
		}
	default:
		return name == "boot" && c.ofRole(keys, typed)
	}
	return true
}

// packs offers the directories of the packs of the repository.
func (c *completer) packs(typed string) {
	for _, dir := range packsOf(c.at.ws) {
		c.offer(kindFile, dir, "pack", typed)
	}
}

// packsOf are the directories of the packs of a repository.
func packsOf(w *repo.Repo) []string {
	own := *w
	if err := own.Load(); err != nil {
		return nil // a fault of the file that is written just now
	}
	dirs, _, err := pack.Find(w.Paths.Dir, own.Config.Packs)
	if err != nil {
		return nil
	}
	return dirs
}

// locked offers the references of packgen.lock.
func (c *completer) locked(typed string) {
	data, err := atomicfile.Read(c.at.ws.Paths.Abs(schema.LockName), schema.MaxLock)
	if err != nil {
		return
	}
	if lock, err := schema.DecodeLock(data); err == nil {
		for _, r := range lock.References {
			c.offer(kindReference, r.Ref, r.Pack, typed)
		}
	}
}

// splitIDs are what metadata.loadout of KNOWLEDGE.md may name: the pack and its splits.
func (v *packView) splitIDs() []string {
	list := []string{v.pack.Meta.Name}
	if ix, err := schema.DecodeIndex(v.text(pack.IndexPath)); err == nil {
		for i := range ix.Splits {
			list = append(list, ix.Splits[i].ID)
		}
		for _, v := range ix.Views {
			list = append(list, viewID(v.Path))
		}
	}
	return list
}

// viewID is what metadata.loadout calls a view.
func viewID(name string) string { return strings.TrimSuffix(path.Base(name), ".md") }

// named is the file, and the heading or line of it, that a key or value of YAML at a
// place names; false when it names none.
func (at *place) named() (file, fragment string, ok bool) {
	name, above, isYAML := schemaAt(at)
	if !isYAML || at.view.pack == nil {
		return "", "", false
	}
	line := at.lines.line(at.at.Line)
	if m := keyOfLine().FindStringSubmatch(line); m != nil && at.offsetInLine() <= len(m[1])+len(m[2])+1 {
		switch {
		case name == "page" && slices.Equal(above, []string{"questions"}):
			return at.path, m[2], true
		case name == "page", name == "knowledge" && len(above) == 0:
			return "", "", false // a key of the format
		}
	}
	file, fragment, _ = strings.Cut(wordAt(line, at.offsetInLine()), "#")
	file = path.Clean(file)
	return file, fragment, at.view.pack.Has(file)
}

// offsetInLine is where in its line the place is, in bytes.
func (at *place) offsetInLine() int {
	return at.offset() - at.lines.starts[min(at.at.Line, len(at.lines.starts)-1)]
}

// wordAt is the word around a byte of a line.
func wordAt(line string, at int) string {
	const ends = " \t\"'[],{}"
	at = min(max(at, 0), len(line))
	from := strings.LastIndexAny(line[:at], ends) + 1
	to := strings.IndexAny(line[at:], ends)
	if to < 0 {
		to = len(line) - at
	}
	return line[from : at+to]
}

// references answers the links to the heading at a place, or to the page that a link there
// leads to; at the top of a page those to it.
func (s *session) references(at *place) (any, *rpcError) {
	list := []location{}
	file, fragment := at.path, ""
	doc := at.view.document(at.path)
	if doc == nil {
		return list, nil
	}
	if t := s.link(at); t != nil {
		file, fragment = t.path, t.fragment
	} else if i, _, _ := headingAt(at, doc); i >= 0 && doc.Headings[i].Level > 1 {
		fragment = doc.Headings[i].ID
	}
	to := at.view.document(file)
	same := func(other string) bool {
		return fragment == "" || other == fragment || to != nil && heading(to, other) >= 0 && heading(to, other) == heading(to, fragment)
	}
	at.view.eachLink(func(d *markdown.Document, t target) {
		if t.path == file && same(t.fragment) {
			list = append(list, location{uriOf(at.view.file(d.Path)), newLines(d.Text).span(t.from, t.to)})
		}
	})
	return list, nil
}

// maxIndex is the largest compiled/index.json that is read, in bytes.
const maxIndex = 64 << 20

// entry is an entry of the loadout index of the repository.
type entry struct {
	id, about     string
	file, section string // what it is made from, in the pack
}

// entriesOf are the entries of a pack, as it was compiled last: itself first.
func entriesOf(dir string) []entry {
	data, err := atomicfile.Read(filepath.Join(dir, "compiled", "index.json"), maxIndex)
	if err != nil {
		return nil // never compiled
	}
	ix, err := schema.DecodeIndex(data)
	if err != nil {
		return nil
	}
	list := []entry{{ix.Pack, "pack", pack.EntryName, ""}}
	for _, v := range ix.Views {
		list = append(list, entry{index.EntryID(ix.Pack, viewID(v.Path)), fmt.Sprintf("%d tokens", v.TokenEstimate), v.Path, ""})
	}
	for i := range ix.Splits {
		s := &ix.Splits[i]
		list = append(list, entry{index.EntryID(ix.Pack, s.ID), fmt.Sprintf("%s, %d tokens", s.Title, s.TokenEstimate), s.Document, s.SectionID})
	}
	return list
}

// entries offers the entries that a task may have to select: the packs, and the parts of
// the pack of the document and of the one whose name is typed.
func (c *completer) entries(typed string) {
	for _, dir := range packsOf(c.at.ws) {
		full := c.at.ws.Paths.Abs(dir)
		named := strings.HasPrefix(strings.ToLower(typed), path.Base(dir))
		if full != c.at.view.dir && !named { // its directory has the name of a pack
			c.offer(kindReference, path.Base(dir), "pack", typed)
			continue
		}
		for _, e := range entriesOf(full) {
			c.offer(kindReference, e.id, e.about, typed)
		}
	}
}

// entry is the entry whose id is at a place of routing goldens, and the directory of its
// pack.
func (at *place) entry() (dir string, e entry, ok bool) {
	if name, _, yaml := schemaAt(at); !yaml || name != "routing" {
		return "", entry{}, false
	}
	id := wordAt(at.lines.line(at.at.Line), at.offsetInLine())
	for _, dir := range packsOf(at.ws) {
		if !strings.HasPrefix(id, path.Base(dir)) {
			continue
		}
		for _, e := range entriesOf(at.ws.Paths.Abs(dir)) {
			if e.id == id {
				return at.ws.Paths.Abs(dir), e, true
			}
		}
	}
	return "", entry{}, false
}

// maxItemsWalked bounds how many files of a role are looked at.
const maxItemsWalked = 5000

// ofRole offers the briefs or skills that a list of boot.yml may name.
func (c *completer) ofRole(keys []string, typed string) bool {
	n := len(keys)
	if n < 2 || keys[n-2] != "briefs" && keys[n-2] != "skills" {
		return false
	}
	switch keys[n-1] {
	case "say", "ref", "hide", "not":
	default:
		return false
	}
	dir := filepath.Dir(c.at.name)
	root := regularfile.Dir(dir)
	if info, err := fs.Stat(root, "briefs"); keys[n-2] == "briefs" && c.at.view.pack != nil && (err != nil || !info.IsDir()) {
		for _, page := range c.at.view.pages() {
			if page != pack.EntryName {
				c.offer(kindFile, page, "", typed)
			}
		}
		return true
	}
	walked := 0
	_ = fs.WalkDir(root, keys[n-2], func(name string, d fs.DirEntry, err error) error {
		if walked++; err != nil || walked > maxItemsWalked {
			return fs.SkipAll
		}
		if !d.IsDir() {
			c.offer(kindFile, strings.TrimPrefix(name, keys[n-2]+"/"), "", typed)
		}
		return nil
	})
	return true
}
