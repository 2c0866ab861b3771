package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/scratch"
)

// maxCited is how many bytes of a cited text the claims page shows.
const maxCited = 600

// SpanOf returns the hash of what a claim rests on, as the last compile took it; "" when it
// is not known.
func SpanOf(ps *Pack, c *schema.Claim) string {
	id, claims := c.ClaimID[:min(len(c.ClaimID), claimIDLen)], ps.Result.Run.Claims // in the order of ids
	at, _ := slices.BinarySearchFunc(claims, id, func(c schema.RunClaim, id string) int { return strings.Compare(c.Claim, id) })
	for ; at < len(claims) && claims[at].Claim == id; at++ {
		if compiler.SourceOf(claims[at].Source) == c.Source {
			return claims[at].Span
		}
	}
	return ""
}

// CitedText returns the text that a claim cites, where the site publishes sources, or excerpts
// of them and the pack has a licence; "" otherwise, or where no lines and no section are
// named.
func CitedText(ps *Pack, name, fragment string) string {
	if fragment == "" || pack.LayerOf(name) != pack.Sources || !ps.Pack.Has(name) || ps.Outputs.Withheld[name] {
		return ""
	}
	if excerpts := ps.Settings.Excerpts && ps.Pack.Meta.License != ""; !excerpts && !ps.IsPublished(name) {
		return ""
	}
	return diag.Clip(compiler.CitedText(name, sourceText(ps, name), fragment), maxCited)
}

// Limits of what the page of a source shows of its text.
const (
	maxSourceText  = 256 << 10
	maxSourceLines = 5000
)

// citedOf returns the claims that rest on each file of sources/, by its path.
func citedOf(ps *Pack) map[string][]int32 {
	cited := map[string][]int32{}
	for i, c := range ps.Result.SourceMap.Claims {
		if name := c.Source.Path; pack.LayerOf(name) == pack.Sources && ps.Pack.Has(name) && !ps.Outputs.Withheld[name] {
			cited[name] = append(cited[name], int32(i))
		}
	}
	return cited
}

// lineFragment is a fragment that names lines of a source.
var lineFragment = regexp.MustCompile(`^L(\d+)(-L?\d+)?$`)

// SourceLines returns the lines of a source that its page shows; nil for one that is not
// published, is not text or is too long.
func SourceLines(ps *Pack, name string) []string {
	if !ps.IsPublished(name) || packpath.IsDrawing(name) || IsImage(name) {
		return nil
	}
	text := sourceText(ps, name)
	if len(text) == 0 || len(text) > maxSourceText || !utf8.Valid(text) || slices.Contains(text, 0) {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
	if len(lines) > maxSourceLines {
		return nil
	}
	return lines
}

// sourceLength returns how many lines the page of a source shows, which are counted once,
// however many claims cite it.
func sourceLength(ps *Pack, name string) int {
	n, known := ps.memo.lengths.Load(name)
	if !known {
		n, _ = ps.memo.lengths.LoadOrStore(name, len(SourceLines(ps, name)))
	}
	return n.(int)
}

// sourceText returns a file of sources/ as readers see it, which is read once.
func sourceText(ps *Pack, name string) []byte {
	data, known := ps.memo.sources.Load(name)
	if !known {
		text, err := ps.Pack.ReadFile(name)
		if err != nil {
			text = nil // the claim is shown without it
		}
		text = Visible(name, text)
		data, _ = ps.memo.sources.LoadOrStore(name, text)
	}
	return data.([]byte)
}

// hasLine reports whether the page of a source has a line of that number.
func hasLine(ps *Pack, name, number string) bool {
	if len(number) > 4 || number[0] == '0' {
		return false
	}
	n := 0
	for _, c := range number {
		n = 10*n + int(c-'0')
	}
	return n <= sourceLength(ps, name)
}

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
