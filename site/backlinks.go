package site

import (
	"strings"

	"github.com/packgen/packgen/templates"
)

// backlink is a page that links to another one, by its place in packSite.nodes, and the
// sentence that does; "" when the link is a line of its own.
type backlink struct {
	from int32
	said string
}

// linkPages notes who links to whom.
func (ps *packSite) linkPages() error {
	for _, n := range ps.nodes {
		p, err := ps.linksOf(n)
		if err != nil {
			return err
		}
		linked := map[*node]bool{n: true}
		link := func(to *node, said string) {
			if to != nil && !linked[to] {
				linked[to] = true
				// A copy: the sentence is a part of all that is kept of the page.
				to.back = append(to.back, backlink{int32(n.order), strings.Clone(said)})
				n.links = append(n.links, int32(to.order))
			}
		}
		for i, file := range p.targets {
			found := ps.table.Resolve(n.path, file).Path
			link(ps.byPath[found], p.said[i])
			ps.notePublished(n, found)
		}
		for i, name := range p.wiki {
			found := ps.namedPath(name, n.path)
			link(ps.byPath[found], p.said[len(p.targets)+i])
			ps.notePublished(n, found)
		}
	}
	ps.reportUnpublished()
	return nil
}

// backlinks are the first pages that link to a page, and where the others are.
func (ps *packSite) backlinks(n *node) (links []templates.Backlink, more int) {
	for _, b := range n.back[:min(len(n.back), maxBack)] {
		links = append(links, ps.backlink(n.out, b))
	}
	return links, len(n.back) - len(links)
}

func (ps *packSite) backlink(out string, b backlink) templates.Backlink {
	other := ps.nodes[b.from]
	return templates.Backlink{Link: templates.Link{URL: relative(out, other.out), Text: oneLine(other.name(), maxName)}, Said: b.said}
}
