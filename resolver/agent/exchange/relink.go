package exchange

import (
	"bufio"
	"bytes"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/resolver/agent/relink"
)

// follow returns the file or folder of the pack that a link in one of its files leads
// to; "" when there is none.
func (s *source) follow(from string, l markdown.Link) string {
	if l.Wiki {
		found, _, _ := s.table.Labelled(s.names, from, l.Dest, l.Fragment, l.Label)
		return found.Path
	}
	return s.table.Resolve(from, reference.Join(from, relink.PathOf(l.Dest))).Path
}

// carried reports whether an export may take a file that is not a page along: one that
// pages show, and no source, record or output.
func (s *source) carried(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	return (top == "assets" || top == "documents" || top == "wiki") && path.Ext(name) != ".md" && !s.left[name] && (!s.public || s.canShow(name))
}

// canShow reports a file that may be on a site, where a browser opens it by its address.
func (s *source) canShow(name string) bool {
	if !packpath.CanShow(name) {
		return false
	}
	if !packpath.IsDrawing(name) {
		return true
	}
	f, _, err := s.pack.OpenFile(name)
	if err != nil {
		return false
	}
	defer f.Close()
	return packpath.RefuseDrawing(bufio.NewReader(f)) == nil
}

// elsewhere is the address of a text that an export has not.
func elsewhere(name, target string) string {
	return (&url.URL{Scheme: "knowledge", Host: name, Path: "/" + strings.TrimLeft(target, "/")}).String()
}

// moved says where files of a pack are in an export, by their path in the pack.
type moved map[string]string

// relink returns the edits that make the links of a document right at another path of an
// export. Links to what the export has not become addresses of the pack, whose name is
// given.
func (s *source) relink(doc *markdown.Document, to string, at moved, name string) []relink.Edit {
	return relink.Links(doc, func(l markdown.Link) (string, bool) {
		target := s.follow(doc.Path, l)
		if place, ok := at[target]; ok && target != "" {
			if _, asset := s.used[target]; asset {
				s.used[target] = true
			}
			return reference.Rewrite(to, l.Dest, place), true
		}
		if l.Wiki {
			return "", true
		}
		if target == "" {
			target = reference.Join(doc.Path, relink.PathOf(l.Dest))
			if !s.pack.Has(target) && !s.pack.HasDir(target) {
				return "", false // an address would name a text that no pack has
			}
		}
		if strings.HasPrefix(target, "..") {
			return "", false
		}
		return elsewhere(name, target), true
	})
}

// assets are the other files that pages lead to, in path order.
func (s *source) assets(pages []*page) []string {
	for _, p := range append([]*page{{path: s.guide.Path, doc: s.guide}}, pages...) {
		for _, l := range p.doc.Links {
			if !l.Wiki && relink.Outer(l.Dest) {
				continue
			}
			if target := s.follow(p.path, l); s.pack.Has(target) && s.carried(target) {
				s.used[target] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(s.used))
}

// anchorEdits turn the anchors of a document into text: what they name stays behind, and
// a pack that is made of the export must not refer to files that it has not.
func anchorEdits(doc *markdown.Document, write func(parts []markdown.Anchor, inner string) string) []relink.Edit {
	var edits []relink.Edit
	for i := 0; i < len(doc.Anchors); {
		start := doc.Anchors[i].Offset
		j := i
		for j < len(doc.Anchors) && doc.Anchors[j].Offset == start {
			j++
		}
		if n := bytes.IndexByte(doc.Text[start:], ']'); n > 0 {
			inner := string(doc.Text[start+1 : start+n])
			edits = append(edits, relink.Edit{Start: start, End: start + n + 1, Text: write(doc.Anchors[i:j], inner)})
		}
		i = j
	}
	return edits
}

// inParentheses writes an anchor as text.
func inParentheses(_ []markdown.Anchor, inner string) string { return "(" + inner + ")" }
