package site

import (
	"fmt"
	"sync"

	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/templates"
)

// backlink is a page that links to another one, by its place in packSite.nodes, and where
// the sentence is that does, in packSite.said; an empty one when the link is a line of its
// own.
type backlink struct {
	from, length int32
	at           int64
}

// linkSentences are the sentences with links of all pages of a pack: a large one has more of
// them than fit in memory.
type linkSentences struct {
	mu   sync.Mutex
	text scratch.Bytes
}

// add adds the sentence of a link.
func (s *linkSentences) add(from *node, said string) backlink {
	s.mu.Lock()
	defer s.mu.Unlock()
	return backlink{int32(from.order), int32(len(said)), s.text.Append([]byte(said))}
}

// of returns the sentence of a link.
func (s *linkSentences) of(b backlink) (string, error) {
	said := make([]byte, b.length)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.text.ReadAt(said, b.at); err != nil {
		return "", fmt.Errorf("read the sentence of a link: %w", err)
	}
	return string(said), nil
}

// close lets the sentences go.
func (s *linkSentences) close() { _ = s.text.Close() }

// linkPages notes who links to whom.
func linkPages(ps *packSite) error {
	var lost unpublishedLinks
	for _, n := range ps.nodes {
		p, err := ps.linksOf(n)
		if err != nil {
			return err
		}
		linked := map[*node]bool{n: true}
		link := func(to *node, said string) {
			if to != nil && !linked[to] {
				linked[to] = true
				to.back = append(to.back, ps.said.add(n, said))
				n.links = append(n.links, int32(to.order))
			}
		}
		for i, file := range p.targets {
			found := ps.table.Resolve(n.path, file).Path
			link(ps.byPath[found], p.said[i])
			lost.note(ps, n, found)
		}
		for i, name := range p.wiki {
			found := ps.namedPath(name, n.path)
			link(ps.byPath[found], p.said[len(p.targets)+i])
			lost.note(ps, n, found)
		}
	}
	ps.found = lost.findings(ps.name)
	return nil
}

// backlinks are the first pages that link to a page, and where the others are.
func backlinks(ps *packSite, n *node) (links []templates.Backlink, more int, err error) {
	for _, b := range n.back[:min(len(n.back), maxBack)] {
		said, err := ps.said.of(b)
		if err != nil {
			return nil, 0, err
		}
		other := ps.nodes[b.from]
		links = append(links, templates.Backlink{Link: templates.Link{URL: relative(n.out, other.out), Text: oneLine(other.name(), maxName)}, Said: said})
	}
	return links, len(n.back) - len(links), nil
}
