package index

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/markdown"
)

// text is the prose of a payload: what words are taken from. Code, links'
// targets, raw HTML and source anchors are left out.
type text struct {
	title    string
	headings []string
	body     []string
	summary  string // of the first paragraph, else of the first list item
}

// textOf collects the prose of the blocks that start in [start, end).
func textOf(doc *markdown.Document, start, end int) text {
	var t text
	first, _ := slices.BinarySearchFunc(doc.Blocks, start, func(b markdown.Block, at int) int {
		return cmp.Compare(b.Start, at)
	})
	paragraph := false
	for _, block := range doc.Blocks[first:] {
		if block.Start >= end {
			break
		}
		if block.Heading >= 0 {
			t.headings = append(t.headings, doc.Headings[block.Heading].Text)
			continue
		}
		t.body = appendProse(t.body, block.Node, doc.Text)
		switch {
		case paragraph || block.Node == nil:
		case block.Node.Kind() == ast.KindParagraph:
			if s := summarize(doc.PlainText(block.Node)); s != "" {
				t.summary, paragraph = s, true
			}
		case t.summary == "" && block.Node.Kind() == ast.KindList:
			if item := block.Node.FirstChild(); item != nil && item.FirstChild() != nil {
				t.summary = summarize(doc.PlainText(item.FirstChild()))
			}
		}
	}
	return t
}

// appendProse adds the running text below a node.
func appendProse(out []string, node ast.Node, source []byte) []string {
	if node == nil {
		return out
	}
	// The callback never fails, so neither does the walk.
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			out = append(out, string(n.Value(source)))
		case *ast.String:
			out = append(out, string(n.Value))
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock, *ast.RawHTML, *ast.AutoLink:
			return ast.WalkSkipChildren, nil
		}
		if k := n.Kind(); k == markdown.KindAnchor || k == markdown.KindMarker {
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return out
}

// headingWeight is how many times in the body a word in a heading counts.
const headingWeight = 3

// counter holds the words of one text with how often they occur, and the words
// of its title in order.
type counter struct {
	title []string
	count map[string]int
}

// count takes the words out of a text.
func count(t text) counter {
	c := counter{count: map[string]int{}}
	eachWord(t.title, func(w string) {
		if !slices.Contains(c.title, w) {
			c.title = append(c.title, w)
		}
		c.count[w] += headingWeight
	})
	for _, h := range t.headings {
		eachWord(h, func(w string) { c.count[w] += headingWeight })
	}
	for _, s := range t.body {
		eachWord(s, func(w string) { c.count[w]++ })
	}
	return c
}

// The limits of a word worth keeping, in bytes and digits: longer ones are
// hashes, keys and numbers that nobody types into a task.
const (
	minWordBytes  = 2
	maxWordBytes  = 24
	maxWordDigits = 4
)

// eachWord yields the words of a text that can lead to it: written in full in
// letters and digits the matcher knows (a word with any other letter would fall
// to pieces there), and not so common that they say nothing.
func eachWord(s string, yield func(string)) {
	for len(s) > 0 {
		start := strings.IndexFunc(s, isWordRune)
		if start < 0 {
			return
		}
		s = s[start:]
		end := wordEnd(s)
		if w, ok := usable(s[:end]); ok {
			yield(w)
		}
		s = s[end:]
	}
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
}

// wordEnd returns the length of the word that starts s. An apostrophe between
// letters belongs to the word.
func wordEnd(s string) int {
	for i, r := range s {
		if isWordRune(r) {
			continue
		}
		if r == '\'' || r == '’' {
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if isWordRune(next) && next != utf8.RuneError {
				continue
			}
		}
		return i
	}
	return len(s)
}

// usable returns the word as the matcher sees it, without a possessive ending.
func usable(w string) (string, bool) {
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
	if len(w) < minWordBytes || len(w) > maxWordBytes {
		return "", false
	}
	digits := 0
	for i := range len(w) {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		default:
			return "", false
		}
	}
	if digits == len(w) || digits > maxWordDigits {
		return "", false
	}
	w = strings.ToLower(w)
	return w, !commonEnglish()[w]
}

// term is a word of a text by its number in the vocabulary.
type term struct {
	word  uint32
	count uint32
}

// profile is the words of one text in compact form.
type profile struct {
	title []uint32 // in order
	terms []term   // every word once, in no particular order
}

// vocabulary numbers the words of a build, so that a text costs eight bytes a
// distinct word.
type vocabulary struct {
	ids   map[string]uint32
	words []string
}

// id returns the number of a word.
func (v *vocabulary) id(w string) uint32 {
	n, ok := v.ids[w]
	if !ok {
		n = uint32(len(v.words))
		v.ids[w] = n
		v.words = append(v.words, w)
	}
	return n
}

// profile stores the words of one text.
func (v *vocabulary) profile(c counter) profile {
	p := profile{title: make([]uint32, len(c.title)), terms: make([]term, 0, len(c.count))}
	for i, w := range c.title {
		p.title[i] = v.id(w)
	}
	for w, n := range c.count {
		p.terms = append(p.terms, term{v.id(w), uint32(n)})
	}
	return p
}

// shareOut tells how many texts hold each word.
type sharing struct {
	texts   int
	holders map[uint32]int
}

// commonWords counts in how many drafts each word occurs.
func commonWords(drafts []*draft) sharing {
	s := sharing{texts: len(drafts), holders: map[uint32]int{}}
	for _, d := range drafts {
		for _, t := range d.note.profile.terms {
			s.holders[t.word]++
		}
	}
	return s
}

// fewTexts is the number of texts up to which "most of them" means nothing.
const fewTexts = 2

// common reports whether most entries share a word.
func (s sharing) common(word uint32) bool {
	return s.texts > fewTexts && 2*s.holders[word] > s.texts
}

// How many keywords are derived for an entry. Each further one lowers what a
// hit on the others counts, so words that occur only once are taken just to
// reach enoughKeywords.
const (
	maxKeywords    = 8
	enoughKeywords = 4
)

// derive picks the keywords of a text: the words of its title, then the terms
// with the greatest weight, equal ones by the alphabet.
func (v *vocabulary) derive(p profile, s sharing) []string {
	var keywords []string
	for _, w := range p.title {
		if !s.common(w) && len(keywords) < maxKeywords {
			keywords = append(keywords, v.words[w])
		}
	}
	ranked := make([]term, 0, len(p.terms))
	for _, t := range p.terms {
		if !s.common(t.word) && !slices.Contains(p.title, t.word) {
			ranked = append(ranked, t)
		}
	}
	slices.SortFunc(ranked, func(a, b term) int {
		return cmp.Or(
			cmp.Compare(s.weight(b), s.weight(a)),
			cmp.Compare(v.words[a.word], v.words[b.word]),
		)
	})
	for _, t := range ranked {
		if len(keywords) == maxKeywords {
			break
		}
		if t.count > 1 || len(keywords) < enoughKeywords {
			keywords = append(keywords, v.words[t.word])
		}
	}
	return keywords
}

// weight is tf-idf in whole numbers, so that every machine ranks alike:
// log2(1 + count) times log2(1 + texts / texts that hold the word).
func (s sharing) weight(t term) uint64 {
	holders := uint64(s.holders[t.word])
	idf := log2(uint64(s.texts)+holders) - log2(holders)
	return log2(1+uint64(t.count)) * idf
}

// log2 returns the binary logarithm of n in 1/65536, 0 for n = 0.
func log2(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	const fraction = 16
	whole := bits.Len64(n) - 1
	// x is n scaled to [1, 2) with 31 bits after the point.
	x := n << (63 - whole) >> 32
	result := uint64(whole) << fraction
	for bit := uint64(1) << (fraction - 1); bit > 0; bit >>= 1 {
		x = x * x >> 31
		if x >= 1<<32 {
			x >>= 1
			result |= bit
		}
	}
	return result
}
