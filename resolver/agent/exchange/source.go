package exchange

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/agent/rules"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	"github.com/packgen/packgen/resolver/repo"
)

// page is a document or wiki page of a pack.
type page struct {
	path    string // in the pack
	title   string
	summary string        // one sentence; "" when the page says none
	status  schema.Status // declared; "" when it declares none
	said    schema.Status // the status that its text says, its own or that of the pack; "" when it is ready
	doc     *markdown.Document
}

// inBrackets is the status of a text that is not ready, after its summary.
func inBrackets(status schema.Status) string {
	switch status {
	case schema.Draft, schema.Disputed, schema.Stale, schema.NeedsReview:
		return " (" + string(status) + ")"
	}
	return ""
}

// globs are the files that a page is about: those that it declares, otherwise those that
// it names in its text and exist.
func (p *page) globs(exists func(name string) (dir, ok bool)) []string {
	if list := p.doc.MetaList(true, "paths", "globs", "applyTo"); len(list) > 0 {
		return slices.DeleteFunc(list, func(g string) bool { return strings.ContainsAny(g, "\r\n\"") })
	}
	return rules.GlobsIn(string(p.doc.Text[p.doc.Body:]), exists)
}

// source is a pack as exports read it.
type source struct {
	pack  *pack.Pack
	dir   string // as shown
	guide *markdown.Document
	pages []*page // in path order
	table *reference.Table
	names reference.Names
	left  map[string]bool // files that are not to be shown
	used  map[string]bool // other files of the pack that exported pages lead to
	found *[]diag.Diagnostic
	agent *resolver.Renderer // makes every text that an export takes fit for agents

	public bool // it is on a site: of other files, those alone that a site may hold
}

// report adds a finding about a file of the pack.
func (s *source) report(id string, severity diag.Severity, file, hint, format string, args ...any) {
	*s.found = append(*s.found, diag.Diagnostic{
		ID: id, Severity: severity, Pack: s.pack.Meta.Name, Path: file, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// open reads the pages of a compiled pack. Archived pages are among them.
func open(m *repo.Member, found *[]diag.Diagnostic) (*source, error) {
	s := &source{pack: m.Pack, dir: m.Dir, left: map[string]bool{}, used: map[string]bool{}, found: found}
	for _, name := range m.Withheld() {
		s.left[name] = true
	}
	s.agent = resolver.NewRenderer(m.Pack, m.Doubts())
	s.guide = markdown.Parse(pack.EntryName, s.agent.Text(pack.EntryName, m.Pack.EntryText))
	s.table = reference.NewTable(m.Pack.Has, m.Pack.HasDir, func() []string {
		list := make([]string, len(m.Pack.Files))
		for i, f := range m.Pack.Files {
			list[i] = f.Path
		}
		return list
	})
	s.table.Listed(m.Pack.ListedAs)
	var named []reference.Page
	for _, dir := range []string{"documents", "wiki"} {
		for _, f := range m.Pack.List(dir) {
			if path.Ext(f.Path) != ".md" || s.left[f.Path] {
				continue
			}
			p, err := s.read(f.Path)
			if err != nil {
				return nil, err
			}
			if p != nil {
				s.pages = append(s.pages, p)
				named = append(named, reference.Page{Path: p.path, Title: p.title, Aliases: p.doc.MetaList(false, "aliases")})
			}
		}
	}
	s.names = reference.NewNames(named)
	s.reportMarked()
	return s, nil
}

// reportMarked says what of the pack is not confirmed, and marked for that.
func (s *source) reportMarked() {
	if stale, disputed := s.agent.Marked(); stale+disputed > 0 {
		s.report(markedID, diag.Warning, pack.EntryName, "confirm or correct these claims; packgen check names them",
			"the export marks %s as stale and %s as disputed", amount.Counted(stale, "claim"), amount.Grouped(disputed))
	}
	if status := s.pack.Meta.Status; status != schema.Ready && status != schema.Archived {
		s.report(markedID, diag.Warning, pack.EntryName, "set status: ready when the pack has been reviewed", "the status of the pack is %s: each page of the export says so", status)
	}
}

// read reads one page; nil for a file that no compile reads either.
func (s *source) read(name string) (*page, error) {
	data, err := s.pack.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, pack.ErrTooLarge):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	text, ok := frontmatter.Decode(data)
	if !ok {
		return nil, nil
	}
	text = s.agent.Text(name, text)
	doc := markdown.Parse(name, text)
	p := &page{path: name, doc: doc, status: doc.Status}
	plain := doc
	without, said := resolver.CutStatus(string(text))
	if p.said = said; said != "" {
		plain = markdown.Parse(name, []byte(without))
	}
	p.title, p.summary = titleOf(plain), resolver.Summary(text, summaryOf(plain))
	return p, nil
}

// titleOf is the title of a page: declared, its first heading, or its name.
func titleOf(doc *markdown.Document) string {
	title := doc.MetaString("title")
	if title == "" && len(doc.Headings) > 0 {
		title = doc.Headings[0].Text
	}
	if title = oneLine(cited().ReplaceAllString(title, "")); title == "" {
		title = strings.TrimSuffix(path.Base(doc.Path), path.Ext(doc.Path))
	}
	return javascript.Shorten(title, 120)
}

// cited finds anchors that an export turned into text: a title or summary is the same
// with them and without.
var cited = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*\(source: [^)]*\)`) })

// maxSummary is the longest summary, in UTF-16 units.
const maxSummary = 200

// summaryOf is the sentence that says what a page is about: declared, or its first.
func summaryOf(doc *markdown.Document) string {
	text := doc.MetaString("description", "summary")
	if text == "" {
		for _, b := range doc.Blocks {
			if b.Content && b.Heading < 0 {
				text = doc.PlainText(b.Node)
				break
			}
		}
		text = rules.FirstSentence(oneLine(cited().ReplaceAllString(text, "")))
	}
	return javascript.Shorten(oneLine(text), maxSummary)
}

// oneLine makes a text fit for one line of Markdown that nothing in it can end.
func oneLine(text string) string {
	text = strings.NewReplacer("<", "(", ">", ")").Replace(invisible.Line(text))
	return strings.Join(strings.Fields(text), " ")
}

// shown are the pages that agents may read: all but the archived ones.
func (s *source) shown() []*page {
	return slices.DeleteFunc(slices.Clone(s.pages), func(p *page) bool { return p.status == schema.Archived })
}

// maxPackDescription is what KNOWLEDGE.md allows, in UTF-16 units.
const maxPackDescription = 1024

// guide is the front matter of a pack that is made of something else. What nobody has
// reviewed says so.
type guide struct {
	values      map[string]string
	maintainers []string
	skill       [][2]string // metadata of a skill
	other       []string    // lines of keys that mean nothing here
	okfRoot     string      // where documents were in a bundle; "" in their folder
}

// guideFields are the fields that are written, in order.
var guideFields = []string{"name", "description", "type", "status", "profile", "version", "language", "license", "scope", "trust", "updated", "compatibility"}

func newGuide(name, description string) *guide {
	description = strings.TrimSpace(description)
	if description == "" {
		description = "Imported: say what is inside and when to use it."
	}
	if token.Units(description) > maxPackDescription {
		description = javascript.Shorten(description, maxPackDescription)
	}
	return &guide{values: map[string]string{
		"name": name, "description": description, "type": "domain-reference", "status": string(schema.NeedsReview), "profile": "document-first", "trust": "unreviewed",
	}}
}

// set sets a field to a value that it may have.
func (g *guide) set(key, value string) {
	switch {
	case value == "",
		key == "status" && !slices.Contains(schema.PackStatuses(), schema.Status(value)),
		key == "type" && !pack.KnownType(value),
		key == "trust" && !slices.Contains(pack.Trusts(), value):
		return
	}
	g.values[key] = value
}

// text is the front matter, with its markers and an empty line after it.
func (g *guide) text() string {
	var b strings.Builder
	b.WriteString("---\n")
	for _, key := range guideFields {
		if v := g.values[key]; v != "" {
			b.WriteString(key + ": " + scalar(v) + "\n")
		}
	}
	if len(g.maintainers) > 0 {
		b.WriteString(rules.QuotedList("maintainers", g.maintainers))
	}
	if g.okfRoot != "" || len(g.skill)+len(g.other) > 0 {
		b.WriteString("metadata:\n")
	}
	if g.okfRoot != "" {
		b.WriteString("  okf:\n    root: " + g.okfRoot + "\n")
	}
	if len(g.skill)+len(g.other) > 0 {
		b.WriteString("  skill:\n")
		if len(g.skill) > 0 {
			b.WriteString("    metadata:\n")
		}
		for _, kv := range g.skill {
			b.WriteString("      " + rules.Quoted(kv[0]) + ": " + rules.Quoted(kv[1]) + "\n")
		}
		if len(g.other) > 0 {
			b.WriteString("    fields:\n")
		}
		for _, lines := range g.other {
			for l := range strings.Lines(lines) {
				b.WriteString("      " + strings.TrimRight(l, "\n") + "\n")
			}
		}
	}
	return b.String() + "---\n\n"
}

// scalar writes a value plainly where YAML reads it as the same text.
func scalar(v string) string {
	if plainKey().MatchString(v) {
		switch strings.ToLower(v) {
		case "true", "false", "null":
		default:
			return v
		}
	}
	return rules.Quoted(v)
}

// valueOf returns the value of a key of a mapping; nil when there is none.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for k, v := range pairs(n) {
		if k == key {
			return v
		}
	}
	return nil
}

// pairs ranges over the keys and values of a mapping; over nothing for anything else.
func pairs(n *yaml.Node) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i].Value, n.Content[i+1]) {
				return
			}
		}
	}
}

// metadataText returns the text at a path of keys below metadata; "" when there is none.
func metadataText(n *yaml.Node, keys ...string) string {
	for _, key := range keys {
		n = valueOf(n, key)
	}
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// foreignMetadata are the entries of the metadata of a skill that a pack was made of,
// which packgen gives no meaning.
func foreignMetadata(n *yaml.Node) [][2]string {
	var list [][2]string
	for k, v := range pairs(valueOf(valueOf(n, "skill"), "metadata")) {
		if v.Kind == yaml.ScalarNode {
			list = append(list, [2]string{k, v.Value})
		}
	}
	return list
}
