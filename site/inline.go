package site

import (
	"bytes"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"github.com/packgen/packgen/compiler/markdown"
)

// inlines writes the inline children of a node. Neighbouring pieces of text are
// taken together, since [[Page]] reaches us as several.
func (r *renderer) inlines(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			c = r.textRun(t)
			continue
		}
		r.inline(c)
	}
}

// textRun writes the text that starts at t and returns the last node of it.
func (r *renderer) textRun(t *ast.Text) ast.Node {
	start, stop := t.Segment.Start, t.Segment.Stop
	last := t
	for !last.IsRaw() && !last.SoftLineBreak() && !last.HardLineBreak() {
		next, ok := last.NextSibling().(*ast.Text)
		if !ok || next.IsRaw() || next.Segment.Start != stop {
			break
		}
		last, stop = next, next.Segment.Stop
	}
	run := r.doc.Text[start:stop]
	switch {
	case t.IsRaw():
		r.literal(run)
	default:
		if r.heading && last.NextSibling() == nil {
			run = cutID(run)
		}
		r.prose(run, start)
	}
	switch {
	case last.HardLineBreak():
		r.raw("<br>\n")
	case last.SoftLineBreak():
		r.raw("\n")
	}
	return last
}

// cutID takes a closing {#id} off the text of a heading (agent-knowledge
// section 6.3).
func cutID(run []byte) []byte {
	trimmed := bytes.TrimRight(run, " \t")
	at := bytes.LastIndex(trimmed, []byte("{#"))
	if at < 0 || !bytes.HasSuffix(trimmed, []byte("}")) || len(trimmed)-at < 4 {
		return run
	}
	inside := trimmed[at+2 : len(trimmed)-1]
	if bytes.ContainsAny(inside, " \t{}") || at > 0 && !strings.ContainsRune(" \t", rune(run[at-1])) {
		return run
	}
	return bytes.TrimRight(run[:at], " \t")
}

// maxWikiLink is the longest [[…]], in bytes; what is longer is text.
const maxWikiLink = 512

// prose writes text in which [[Page]] and [[Page|label]] are links.
func (r *renderer) prose(run []byte, offset int) {
	from := 0 // where to look for the next one
	for !r.inLink {
		at := bytes.Index(run[from:], []byte("[["))
		if at < 0 {
			break
		}
		at += from
		name, label, size := readWikiLink(run[at:])
		if size == 0 || at > 0 && run[at-1] == '\\' {
			from = at + 1
			continue
		}
		r.text(run[:at])
		r.wikiLink(name, label, offset+at)
		run = run[at+size:]
		offset += at + size
		from = 0
	}
	r.text(run)
}

// readWikiLink reads the [[…]] that starts text. Size is its length in bytes; 0
// when it is none.
func readWikiLink(text []byte) (name string, label []byte, size int) {
	end := bytes.Index(text[:min(len(text), maxWikiLink)], []byte("]]"))
	if end < 0 || bytes.IndexByte(text[2:end], '[') >= 0 {
		return "", nil, 0
	}
	target, label, labelled := bytes.Cut(text[2:end], []byte("|"))
	if labelled {
		target = bytes.TrimSuffix(target, []byte(`\`)) // as tables need it
	} else {
		label = target
	}
	name = strings.TrimSpace(decodeText(target))
	label = bytes.TrimSpace(label)
	if name == "" || len(label) == 0 {
		return "", nil, 0
	}
	return name, label, end + 2
}

func (r *renderer) wikiLink(target string, label []byte, offset int) {
	name, fragment, _ := strings.Cut(target, "#")
	h := hole{kind: holeWiki, target: strings.TrimSpace(name), fragment: strings.TrimSpace(fragment)}
	h.line, h.column = r.doc.Position(offset)
	if h.target != "" {
		r.wiki = append(r.wiki, h.target)
	}
	r.hole(h)
	r.text(label)
	r.raw("</a>")
}

// decodeText resolves backslash escapes and character references.
func decodeText(s []byte) string {
	s = util.UnescapePunctuations(s)
	s = util.ResolveNumericReferences(s)
	return string(util.ResolveEntityNames(s))
}

func (r *renderer) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.CodeSpan:
		r.codeSpan(n)
	case *ast.Emphasis:
		tag := "em"
		if n.Level == 2 {
			tag = "strong"
		}
		r.raw("<" + tag + ">")
		r.inlines(n)
		r.raw("</" + tag + ">")
	case *ast.Link:
		r.link(n)
	case *ast.AutoLink:
		r.autoLink(n)
	case *ast.Image:
		r.image(n)
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			r.literal(s.Value(r.doc.Text))
		}
	case *ast.String:
		r.literal(n.Value)
	case *east.TaskCheckBox:
		r.raw(`<input type=checkbox disabled`)
		if n.IsChecked {
			r.raw(" checked")
		}
		r.raw(">")
	case *markdown.AnchorNode:
		r.anchors(n)
	case *markdown.MarkerNode:
		r.raw(`<span class="badge ` + n.Value + `">` + strings.ReplaceAll(n.Value, "-", " ") + "</span>")
	default:
		r.inlines(n)
	}
}

func (r *renderer) codeSpan(n *ast.CodeSpan) {
	if t, ok := n.FirstChild().(*ast.Text); ok && r.linked != nil && !r.inLink {
		target, fragment, _ := strings.Cut(string(t.Segment.Value(r.doc.Text)), "#")
		if strings.HasSuffix(target, ".md") && r.linked(target) {
			r.hole(hole{kind: holePage, target: target, fragment: fragment})
			defer r.raw("</a>")
		}
	}
	r.raw("<code>")
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			r.literal(bytes.ReplaceAll(t.Segment.Value(r.doc.Text), []byte("\n"), []byte(" ")))
		}
	}
	r.raw("</code>")
}

// anchors shows the parts of a source anchor as chips. A chip links to what it
// names when that is on the site.
func (r *renderer) anchors(n *markdown.AnchorNode) {
	for i, a := range n.Parts {
		if i > 0 {
			r.raw(" ")
		}
		label := path.Base(a.Path)
		if a.Fragment != "" {
			label += "#" + a.Fragment
		}
		if !a.Usable {
			label = a.Written
		}
		if r.inLink {
			r.raw(`<span class=src>`)
			r.literal([]byte(label))
			r.raw("</span>")
			continue
		}
		h := hole{kind: holeSource, target: a.Path, fragment: a.Fragment}
		if !a.Usable {
			h.target = ""
		}
		h.line, h.column = r.doc.Position(a.Offset)
		r.hole(h)
		r.literal([]byte(label))
		r.raw("</a>")
	}
}
