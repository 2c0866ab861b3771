package context

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
)

// ErrNoPassage is the error of a path that names no text of a pack that an agent may
// read: a Markdown file of documents/, wiki/ or compiled/, KNOWLEDGE.md, or a section
// of one of them.
var ErrNoPassage = errors.New("no such text in the pack")

// Passage is a part of one text of a pack, fenced as data.
type Passage struct {
	Path, Title  string
	Status       schema.Status // of the pack
	Offset, Next int           // bytes of the text; Next is 0 when the text ends here
	Size         int           // bytes of the whole text
	Context      string        // the wrapper, without a final line end
}

// Read returns up to limit bytes of a text of a pack from an offset on, cut between
// lines where a line end is near, otherwise between characters. The name is a path, or a
// path, "#" and the id of a section. Doubtful claims are marked, known secrets keep a
// text back, and the pack is gated, all as by [Resolve]; a refusal is a *RefusedError,
// a name without a text wraps [ErrNoPassage].
func Read(ctx context.Context, p Pack, name string, offset, limit int) (*Passage, error) {
	if p.FS == nil {
		return nil, errors.New("read: the pack has no file system")
	}
	file, section, isSection := strings.Cut(name, "#")
	if !readable(file) {
		return nil, fmt.Errorf("read %q: %w", name, ErrNoPassage)
	}
	list, err := catalog(ctx, []Pack{p})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	c := list[0]
	c.gate(&Request{})
	if c.blocked {
		return nil, &RefusedError{Pack: c.name(), Warnings: c.warnings}
	}
	s, err := openContents(&p, nil)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	u := s.passage(file)
	if isSection {
		u = s.sectionOf(file, section)
	}
	if u == nil {
		return nil, fmt.Errorf("read %q: %w", name, ErrNoPassage)
	}
	if len(knownSecrets(s.pack, u)) > 0 {
		return nil, fmt.Errorf("read %s: it looks as if it held a secret, and is withheld", name)
	}
	u = s.marked(u)
	text, next := window(u.text, offset, limit)
	a := Activated{
		Name: c.name(), Status: c.entry.Meta.Status, Grounding: c.entry.Meta.Grounding, Mode: c.entry.Meta.EffectiveMode(),
		Files: []File{{Path: u.path, Text: text, Status: s.pageStatus(u)}},
	}
	return &Passage{
		Path: u.path, Title: u.title, Status: a.Status, Offset: min(max(offset, 0), len(u.text)), Next: next, Size: len(u.text),
		Context: wrap(&a, false, Sure),
	}, nil
}

// readable reports a path that an agent may read. Sources, run records and indexes are
// no such texts.
func readable(name string) bool {
	if packpath.CheckPublished(name) != nil || path.Ext(name) != ".md" {
		return false
	}
	top, _, _ := strings.Cut(name, "/")
	return name == pack.EntryName || top == "documents" || top == "wiki" || top == "compiled"
}

// passage returns a file as a unit: a split or view as compile left it, or what takes
// its place, without hidden text; nil when there is none, or its author has not published it.
func (s *contents) passage(name string) *unit {
	if u := cmp.Or(find(s.splits, name), find(s.views, name)); u != nil {
		return u
	}
	if s.isLost(name) || strings.HasPrefix(name, compiledDir) {
		return nil
	}
	text, ok := s.text(name)
	if !ok {
		return nil
	}
	doc := markdown.Parse(name, text)
	if doc.Status == schema.Draft || doc.Unclosed() {
		return nil
	}
	u := &unit{kind: wikiPage, path: name, title: stem(name), document: name, text: string(markdown.Visible(name, text))}
	if len(doc.Headings) > 0 && doc.Headings[0].Text != "" {
		u.title = doc.Headings[0].Text
	}
	return u
}

// sectionOf returns a section of a document, cut in memory; nil when there is none.
func (s *contents) sectionOf(name, id string) *unit {
	for _, u := range s.cut(name) {
		if slices.Contains(u.sections, id) {
			return u
		}
	}
	return nil
}

// window returns up to limit bytes of a text from an offset on, and where the rest
// starts; 0 when there is no rest. It always returns something of the rest.
func window(text string, offset, limit int) (part string, next int) {
	from := min(max(offset, 0), len(text))
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	rest := text[from:]
	limit = max(limit, utf8.UTFMax)
	if len(rest) <= limit {
		return rest, 0
	}
	end := limit
	for end > 0 && !utf8.RuneStart(rest[end]) {
		end--
	}
	if end == 0 {
		end = limit // no UTF-8: bytes are as good as any other unit
	}
	if line := strings.LastIndexByte(rest[:end], '\n') + 1; line > end/2 {
		end = line
	}
	return rest[:end], from + end
}
