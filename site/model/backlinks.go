package model

import (
	"fmt"
	"sync"

	"github.com/packgen/packgen/compiler/scratch"
)

// Backlink is a page that links to another one, by its place in Pack.Nodes, and where
// the sentence is that does, in Links.Said; an empty one when the link is a line of its
// own.
type Backlink struct {
	From, length int32
	at           int64
}

// Sentences are the sentences with links of all pages of a pack: a large one has more of
// them than fit in memory.
type Sentences struct {
	mu   sync.Mutex
	text scratch.Bytes
}

// add adds the sentence of a link.
func (s *Sentences) add(from *Node, said string) Backlink {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Backlink{int32(from.order), int32(len(said)), s.text.Append([]byte(said))}
}

// Of returns the sentence of a link.
func (s *Sentences) Of(b Backlink) (string, error) {
	said := make([]byte, b.length)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.text.ReadAt(said, b.at); err != nil {
		return "", fmt.Errorf("read the sentence of a link: %w", err)
	}
	return string(said), nil
}

// close lets the sentences go.
func (s *Sentences) close() { _ = s.text.Close() }

// linkPages notes who links to whom.
func linkPages(ps *Pack) error {
	var lost unpublishedLinks
	for _, n := range ps.Nodes {
		p, err := linksOf(ps, n)
		if err != nil {
			return err
		}
		linked := map[*Node]bool{n: true}
		link := func(to *Node, said string) {
			if to != nil && !linked[to] {
				linked[to] = true
				to.Back = append(to.Back, ps.Links.Said.add(n, said))
				n.Links = append(n.Links, int32(to.order))
			}
		}
		for i, file := range p.targets {
			found := ps.Links.Table.Resolve(n.Path, file).Path
			link(ps.ByPath[found], p.said[i])
			lost.note(ps, n, found)
		}
		for i, name := range p.wiki {
			found := namedPath(ps, name, n.Path)
			link(ps.ByPath[found], p.said[len(p.targets)+i])
			lost.note(ps, n, found)
		}
	}
	ps.Links.Found = lost.findings(ps.Name)
	return nil
}
