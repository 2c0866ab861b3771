package editor

import (
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/repo"
)

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
	cfg, err := own.LoadConfig()
	if err != nil {
		return nil // a fault of the file that is written just now
	}
	dirs, _, err := pack.Find(w.Paths.Dir, cfg.Packs)
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
