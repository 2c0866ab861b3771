package lint

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/injection"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/prose"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

// page is what is kept of a Markdown file after its tree is gone.
type page struct {
	path, title       string
	status            schema.Status
	line, column      int  // of the title; 1, 1 without one
	titled            bool // has a title of its own, not that of its file
	size              int  // of its text, in bytes
	aliases           []string
	answer            []string // fields that a filed answer lacks
	links             []reference
	terms             []reference // terms in bold, target in lower case
	linked            prose.Spans // where a mention needs no link: links, code, headings
	inbound, outbound int         // links from and to other pages
	places            map[string]place
	texts             []claimText // claim units, for views only
	ids               map[string]bool
	lead              bool // opens with a paragraph
	example           bool // shows code or has a section with examples
	sourced           bool // cites or links to evidence
	outside           bool // links to a URL
	limits            bool // has text under a boundary heading

	found    []diag.Diagnostic
	suppress []Suppression
	suspect  bool // a scan found something
}

type place struct{ line, column int }

// reference is a link, a [[name]], an entry of a context map, a term or a source
// anchor.
type reference struct {
	kind     byte   // one of the kinds below
	written  string // as written
	target   string // pack path; of a name or term its key
	label    string // what an entry of a context map calls the page
	fragment string
	place
}

const (
	markdownLink = 'l'
	wikiLink     = 'w'
	mapEntry     = 'm'
	boldTerm     = 'b'
	citation     = 's'
)

// Limits of what is kept of one page.
const (
	maxReferences = 10_000 // links, and as many terms
	maxTermWords  = 4
	maxTermBytes  = 60
)

// newPage reads what the rules need from a parsed file, and scans its text.
func newPage(doc *markdown.Document) *page {
	p := readPage(doc)
	injections := injection.Find(doc.Text, injection.Options{LeaveOut: suppressesInjection})
	secrets := secret.Find(doc.Text)
	p.found = append(p.found, injectionFindings(doc.Path, doc.Text, injections)...)
	p.found = append(p.found, SecretFindings(doc.Path, doc.Text, secrets)...)
	p.suspect = len(secrets) > 0 || hasStrong(injections)
	return p
}

// readPage reads what the rules need from a parsed file.
func readPage(doc *markdown.Document) *page {
	p := &page{path: doc.Path, status: doc.Status, size: len(doc.Text), line: 1, column: 1, places: map[string]place{}, ids: map[string]bool{}}
	p.title = stemTitle(doc.Path)
	p.frontMatter(doc)
	p.headings(doc)
	p.units(doc)
	p.walk(doc)
	p.wikiLinks(doc)
	p.lead = doc.Lead() != ""
	var faults []diag.Diagnostic
	p.suppress, faults = Suppressions(doc.Path, doc.Text)
	p.found = append(p.found, faults...)
	return p
}

// stemTitle is the title of a file without one: its stem, or the name of the
// directory that it is the index of.
func stemTitle(name string) string {
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if lower := strings.ToLower(stem); lower == "index" || lower == "readme" {
		return path.Base(path.Dir(name))
	}
	return stem
}

func hasStrong(hits []injection.Hit) bool {
	for _, h := range hits {
		if !h.Weak {
			return true
		}
	}
	return false
}

// headings takes the title and what the headings imply.
func (p *page) headings(doc *markdown.Document) {
	titled := false
	p.sameHeadings(doc)
	for i, h := range doc.Headings {
		p.ids[h.ID] = true
		p.linked = append(p.linked, prose.Span{Start: h.Start, End: h.End})
		if h.Level == 1 && !titled && h.Text != "" {
			titled, p.titled = true, true
			p.title = h.Text
			p.line, p.column = doc.Position(h.Start)
		}
		if strings.Contains(strings.ToLower(h.Text), "example") {
			p.example = true
		}
		limit := h.Boundary || markdown.ClassTaboos.Has(h.Text) || markdown.ClassPersonaBoundaries.Has(h.Text)
		if limit && hasContent(doc, i) {
			p.limits = true
		}
	}
}

// sameHeadings reports sections of one level below one heading that are headed alike: a
// link or an anchor to the later one leads to the first.
func (p *page) sameHeadings(doc *markdown.Document) {
	var above [7]string // the heading of each level that is open
	first := map[string]int{}
	for _, h := range doc.Headings {
		if h.Level < 1 || h.Level > 6 || h.Text == "" {
			continue
		}
		above[h.Level] = h.Text
		clear(above[h.Level+1:])
		key := strings.Join(above[1:h.Level+1], "\x00")
		line, column := doc.Position(h.Start)
		if first[key] == 0 {
			first[key] = line
			continue
		}
		if h.Level == 1 || len(p.found) >= maxFindings {
			continue
		}
		p.found = append(p.found, diag.Diagnostic{
			ID: idEntityDuplicate, Severity: diag.Info, Path: p.path, Line: line, Column: column,
			Message: fmt.Sprintf("the heading %q is on line %d too; links to it lead there", quoted(h.Text), first[key]),
			Hint:    "give one of the sections another heading",
		})
	}
}

// hasContent reports whether a heading has text before the next one.
func hasContent(doc *markdown.Document, heading int) bool {
	from, to := doc.Headings[heading].End, len(doc.Text)
	if heading+1 < len(doc.Headings) {
		to = doc.Headings[heading+1].Start
	}
	return len(bytes.TrimSpace(doc.Text[from:to])) > 0
}

// frontMatter takes aliases and the fields of a filed answer (section 7.3).
func (p *page) frontMatter(doc *markdown.Document) {
	if doc.Meta == nil {
		return
	}
	m := frontmatter.NewMap(doc.Path, doc.Meta, nil)
	if date, ok := m.String("date"); ok && strings.HasPrefix(p.path, "wiki/") && !isDate(date) {
		d := diag.Diagnostic{
			ID: "metadata-invalid", Severity: diag.Warning, Path: p.path, Message: fmt.Sprintf("the date %q of this page cannot be read", quoted(date)),
			Hint: "write it as year, month and day, such as 2026-02-28",
		}
		d.Line, d.Column = m.Value("date").Line, m.Value("date").Column
		p.found = append(p.found, d)
	}
	if title, ok := m.String("title"); ok && strings.TrimSpace(title) != "" {
		p.title, p.titled = title, true
	}
	for _, key := range []string{"aliases", "alias"} {
		if list, ok := m.StringOrStrings(key); ok {
			p.aliases = append(p.aliases, list...)
		}
	}
	if m.Value("sources") != nil || m.Value("source") != nil {
		p.sourced = true
	}
	if m.Value("question") == nil && m.Value("asked_at") == nil || !strings.HasPrefix(p.path, "wiki/synthesis/") {
		return
	}
	for _, key := range []string{"question", "asked_at", "status", "sources"} {
		if m.Value(key) == nil {
			p.answer = append(p.answer, key)
		}
	}
}

// isDate takes an ISO date, with or without a time.
func isDate(s string) bool {
	day := s[:min(len(s), len(time.DateOnly))]
	_, err := time.Parse(time.DateOnly, day)
	return err == nil && strings.Trim(s[len(day):], "Tt Zz+-:.0123456789UC") == ""
}

// units remembers where claims are.
func (p *page) units(doc *markdown.Document) {
	for _, a := range doc.Anchors {
		p.sourced = p.sourced || a.Usable
		if a.Usable && len(p.links) < maxReferences {
			p.refer(doc, reference{kind: citation, written: a.Written, target: a.Path}, a.Offset)
		}
	}
	view := strings.HasPrefix(p.path, "compiled/")
	for _, u := range doc.Units {
		if u.Text == "" || len(u.Anchors) == 0 && u.Marker == "" && !view {
			continue
		}
		key := FoldText(u.Text)
		if _, ok := p.places[key]; !ok {
			line, column := doc.Position(u.Start)
			p.places[key] = place{line, column}
			if view {
				p.texts = append(p.texts, claimText{key, u.Text, len(u.Anchors) > 0})
			}
		}
	}
}

// walk takes links, bold terms and the places where a mention needs no link.
func (p *page) walk(doc *markdown.Document) {
	for _, l := range doc.Links {
		if l.Wiki {
			continue // wikiLinks takes them
		}
		target, fragment, local := linkTarget(doc.Path, l.Dest)
		switch {
		case !local:
			p.outside = p.outside || !l.Image
		case len(p.links) < maxReferences:
			p.refer(doc, reference{kind: markdownLink, written: l.Dest, target: target, fragment: fragment}, l.Offset)
		}
	}
	_ = ast.Walk(doc.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			p.example = true
			p.exclude(n.Lines().Sliced(0, n.Lines().Len()))
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock:
			p.exclude(n.Lines().Sliced(0, n.Lines().Len()))
			return ast.WalkSkipChildren, nil
		case *ast.Link, *ast.CodeSpan, *ast.Image, *ast.AutoLink:
			p.excludeText(n)
			return ast.WalkSkipChildren, nil
		case *ast.Emphasis:
			if n.Level == 2 {
				p.term(doc, n)
			}
		}
		return ast.WalkContinue, nil
	})
}

func (p *page) refer(doc *markdown.Document, r reference, offset int) {
	r.line, r.column = doc.Position(offset)
	p.links = append(p.links, r)
}

// linkTarget resolves a link of a file to a pack path. local is false for a URL
// and for a path that leaves the pack or starts at a root.
func linkTarget(from, dest string) (target, fragment string, local bool) {
	dest, fragment, _ = strings.Cut(dest, "#")
	dest, _, _ = strings.Cut(dest, "?")
	if i := strings.IndexAny(dest, ":/"); i >= 0 && (dest[i] == ':' || i == 0) {
		return "", "", false
	}
	if dest == "" {
		return from, unescape(fragment), true
	}
	target = path.Join(path.Dir(from), unescape(dest))
	return target, unescape(fragment), target != ".." && !strings.HasPrefix(target, "../")
}
