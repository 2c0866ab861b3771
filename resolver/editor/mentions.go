package editor

import (
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

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
