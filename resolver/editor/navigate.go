package editor

import (
	"bytes"
	"fmt"
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
