package index

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/loadout"
)

// text is what is kept of the prose of a payload. Code, links' targets, raw HTML
// and source anchors are left out.
type text struct {
	words   *counter
	summary string // of the first paragraph, otherwise of the first list item
}

// textOf reads the prose of the blocks that start in [start, end). The counter is
// the caller's to release.
func textOf(doc *markdown.Document, start, end int, title string, tokenizer loadout.Tokenizer) text {
	t := text{words: newCounter(tokenizer)}
	t.words.entitle(title)
	first, _ := slices.BinarySearchFunc(doc.Blocks, start, func(b markdown.Block, at int) int {
		return cmp.Compare(b.Start, at)
	})
	paragraph := false
	for _, block := range doc.Blocks[first:] {
		if block.Start >= end {
			break
		}
		if block.Heading >= 0 {
			t.words.head(doc.Headings[block.Heading].Text)
			continue
		}
		t.words.addProse(block.Node, doc.Text)
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

// headingWeight is how many times in the body a word in a heading counts.
const headingWeight = 3

// counter counts the words of one text. Get one with newCounter; release it once
// its profile is stored.
type counter struct {
	title  []string       // the words of the title in order
	at     map[string]int // word → its place in words, counts and places
	words  []string
	counts []uint32
	places []place
	lower  []byte // the current word

	unicode bool // the Unicode tokenizer cuts the text
}

var counters = sync.Pool{New: func() any { return &counter{at: map[string]int{}} }}

func newCounter(tokenizer loadout.Tokenizer) *counter {
	c := counters.Get().(*counter)
	c.unicode = tokenizer == loadout.Unicode
	return c
}

// maxPooled is the number of words up to which a counter is used again: to empty
// a larger one is more expensive than to make another.
const maxPooled = 4096

// release gives the counter back.
func (c *counter) release() {
	if len(c.words) > maxPooled {
		return
	}
	clear(c.at)
	clear(c.words)
	c.title, c.words, c.counts, c.places = nil, c.words[:0], c.counts[:0], c.places[:0]
	counters.Put(c)
}

// entitle adds the words of a title.
func (c *counter) entitle(title string) {
	c.eachWord([]byte(title), func(w []byte) {
		word := c.words[c.note(w, headingWeight, inBody)]
		if !slices.Contains(c.title, word) {
			c.title = append(c.title, word)
		}
	})
}

// head adds the words of a heading within the text.
func (c *counter) head(s string) {
	c.eachWord([]byte(s), func(w []byte) { c.note(w, headingWeight, inHeading) })
}

// describe adds the words of a description.
func (c *counter) describe(s string) {
	c.eachWord([]byte(s), func(w []byte) { c.note(w, 1, inDescription) })
}

// eachWord yields the words of a text, each valid until the next one.
func (c *counter) eachWord(s []byte, yield func(w []byte)) {
	if c.unicode {
		eachUnicodeWord(s, yield)
		return
	}
	eachWord(s, &c.lower, yield)
}

// note counts one word and returns its place.
func (c *counter) note(w []byte, weight uint32, in place) int {
	i, ok := c.at[string(w)]
	if !ok {
		i = len(c.words)
		word := string(w)
		c.at[word] = i
		c.words, c.counts, c.places = append(c.words, word), append(c.counts, 0), append(c.places, inBody)
	}
	c.counts[i] += weight
	c.places[i] = max(c.places[i], in)
	return i
}

// addProse adds the running text below a node.
func (c *counter) addProse(node ast.Node, source []byte) {
	if node == nil {
		return
	}
	one := func(w []byte) { c.note(w, 1, inBody) }
	// The callback never fails, so neither does the walk.
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			c.eachWord(n.Value(source), one)
		case *ast.String:
			c.eachWord(n.Value, one)
		case *markdown.WikiLink:
			c.eachWord([]byte(n.Shown()), one)
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock, *ast.RawHTML, *ast.AutoLink:
			return ast.WalkSkipChildren, nil
		}
		if k := n.Kind(); k == markdown.KindAnchor || k == markdown.KindMarker {
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
}

// The limits of a word worth keeping, in bytes and digits: longer ones are
// hashes, keys and numbers that no task contains.
const (
	minWordBytes  = 2
	maxWordBytes  = 24
	maxWordDigits = 4
)

// eachWord yields the words of a text that can lead to it: written in full in
// letters and digits the matcher knows (a word with any other letter would fall
// to pieces there), and not so common that they say nothing. A word is valid
// until the next one; lower is room for it.
func eachWord(s []byte, lower *[]byte, yield func(w []byte)) {
	for at := 0; at < len(s); {
		r, size := runeAt(s[at:])
		if !isWordRune(r) {
			at += size
			continue
		}
		end := at + wordEnd(s[at:])
		if w := usable(s[at:end], lower); w != nil {
			yield(w)
		}
		at = end
	}
}

// runeAt decodes the first rune of a text that is not empty.
func runeAt(s []byte) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRune(s)
}

func isASCIIWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isASCIIWord(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
}

// wordEnd returns the length of the word that starts s. An apostrophe between
// letters belongs to the word.
func wordEnd(s []byte) int {
	for at := 0; at < len(s); {
		if isASCIIWord(s[at]) {
			at++
			continue
		}
		r, size := runeAt(s[at:])
		if !isWordRune(r) {
			if r != '\'' && r != '’' || at+size == len(s) {
				return at
			}
			if next, _ := runeAt(s[at+size:]); !isWordRune(next) {
				return at
			}
		}
		at += size
	}
	return len(s)
}

// usable returns the word as the matcher sees it, without a possessive ending, in
// the given room; nil for one that leads nowhere.
func usable(w []byte, lower *[]byte) []byte {
	if w[len(w)-1] == 's' {
		w = bytes.TrimSuffix(bytes.TrimSuffix(w, []byte("'s")), []byte("’s"))
	}
	if len(w) < minWordBytes || len(w) > maxWordBytes {
		return nil
	}
	digits := 0
	out := (*lower)[:0]
	for _, c := range w {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c >= 'a' && c <= 'z':
		default:
			return nil
		}
		out = append(out, c)
	}
	*lower = out
	if digits == len(w) || digits > maxWordDigits || isCommonEnglish(out) {
		return nil
	}
	return out
}

// place is where in a text a word occurs; of several places the greatest counts.
type place uint8

const (
	inBody        place = iota
	inHeading           // of a part of the text
	inDescription       // of the pack
)

// share adds in how many drafts of the part each word occurs, and how many there are.
func (p *part) share(holders map[string]int) {
	holders[""] += p.count
	for i, word := range p.words {
		n, known := holders[word]
		if !known {
			word = strings.Clone(word) // it is a piece of the whole part
		}
		holders[word] = n + int(p.holders[i])
	}
}

// sharing says how common the words of a part are in a build.
type sharing struct {
	part   *part
	texts  uint8   // log2 of the number of texts, rounded up
	rarity []uint8 // by word: log2 of how many texts hold it, rounded up
	common []bool  // by word: most entries share it
}

// fewTexts is the number of texts up to which "most of them" means nothing.
const fewTexts = 2

// sharing takes what a part needs to know of all parts. How many texts hold a word
// counts by powers of two, so that one more or less mostly changes nothing.
func (p *part) sharing(holders map[string]int) *sharing {
	texts := holders[""]
	s := &sharing{part: p, texts: rough(texts), rarity: make([]uint8, len(p.words)), common: make([]bool, len(p.words))}
	for i, word := range p.words {
		n := holders[word]
		s.rarity[i] = rough(n)
		s.common[i] = texts > fewTexts && 2*n > texts
	}
	return s
}

// rough is the binary logarithm of n, rounded up.
func rough(n int) uint8 { return uint8(bits.Len(uint(max(n, 1) - 1))) }

// key names everything that derived keywords depend on besides the words of a part.
func (s *sharing) key() []byte {
	b := append(make([]byte, 0, len(s.rarity)+1), s.texts)
	for i, r := range s.rarity {
		if s.common[i] {
			r |= 0x80
		}
		b = append(b, r)
	}
	return b
}

// How many keywords are derived for an entry. Each further one lowers what a
// hit on the others counts, so words that occur only once are taken just to
// reach enoughKeywords.
const (
	maxKeywords    = 8
	enoughKeywords = 4
)

// derive picks the keywords of a text: the words of its title, those of the
// description, then the terms with the greatest weight, equal ones by the
// alphabet. What an author put into a heading or description is kept however many
// entries share it: in a small pack all of them say what it is about.
func (s *sharing) derive(p *profile) []uint32 {
	var keywords []uint32
	for _, w := range p.title {
		if len(keywords) < maxKeywords && !(p.ours && s.common[w]) {
			keywords = append(keywords, w)
		}
	}
	ranked := make([]term, 0, len(p.terms))
	for _, t := range p.terms {
		if (t.place != inBody || !s.common[t.word]) && !slices.Contains(p.title, t.word) {
			ranked = append(ranked, t)
		}
	}
	slices.SortFunc(ranked, func(a, b term) int {
		return cmp.Or(
			cmp.Compare(described(b), described(a)),
			cmp.Compare(s.weight(b), s.weight(a)),
			cmp.Compare(s.part.words[a.word], s.part.words[b.word]),
		)
	})
	for _, t := range ranked {
		if len(keywords) == maxKeywords {
			break
		}
		if t.count > 1 || t.place != inBody || len(keywords) < enoughKeywords {
			keywords = append(keywords, t.word)
		}
	}
	return keywords
}

// described is 1 for a word of the description, which goes before others.
func described(t term) int {
	if t.place == inDescription {
		return 1
	}
	return 0
}

// weight is tf-idf in whole numbers, so that every machine ranks alike:
// log2(1 + count) times log2(1 + texts / texts that hold the word), both numbers of
// texts rounded to a power of two.
func (s *sharing) weight(t term) uint64 {
	texts, holders := uint64(1)<<s.texts, uint64(1)<<s.rarity[t.word]
	idf := log2(texts+holders) - log2(holders)
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

// Words returns the words of a text that can lead to it, in order and each once:
// those that the matcher knows, without the common words of English.
func Words(text string) []string {
	var list []string
	seen := map[string]bool{}
	var room []byte
	eachWord([]byte(text), &room, func(w []byte) {
		if !seen[string(w)] {
			seen[string(w)] = true
			list = append(list, string(w))
		}
	})
	return list
}

// Declared returns the keywords and patterns that the metadata.loadout of a pack
// declares for any of its entries, in order and each once.
func Declared(p *pack.Pack) (keywords, patterns []string) {
	declared, places, _ := packDeclarations(p, "")
	ids := make([]string, 0, len(declared))
	for id := range declared {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return places[a].Line - places[b].Line })
	add := func(to *[]string, words []string) {
		for _, w := range words {
			if !slices.Contains(*to, w) {
				*to = append(*to, w)
			}
		}
	}
	for _, id := range ids {
		add(&keywords, declared[id].keywords)
		add(&patterns, declared[id].patterns)
	}
	return keywords, patterns
}

// DeclaredBy returns the keywords that the metadata.loadout of a pack declares, by the id
// of the entry.
func DeclaredBy(p *pack.Pack) map[string][]string {
	declared, _, _ := packDeclarations(p, "")
	found := map[string][]string{}
	for id, d := range declared {
		if len(d.keywords) > 0 {
			found[id] = d.keywords
		}
	}
	return found
}

// UseUnicode lets packs that need it have their words cut by the Unicode
// tokenizer: those whose language is named and is not English. An index with
// such a pack says so in its "tokenizer" field; without one it is exactly what
// it would be otherwise. Call it before anything else.
func (b *Builder) UseUnicode() { b.unicode = true }

// tokenizer returns how the words of a pack are cut.
func (b *Builder) tokenizer(p *pack.Pack) loadout.Tokenizer {
	language, _, _ := strings.Cut(strings.ToLower(p.Meta.Language), "-")
	if b.unicode && language != "" && language != "en" {
		return loadout.Unicode
	}
	return ""
}

// eachUnicodeWord yields the words of a text that can lead to it, as the Unicode
// tokenizer cuts them. Single characters, which it has in a task, lead nowhere.
func eachUnicodeWord(s []byte, yield func(w []byte)) {
	for _, w := range loadout.Unicode.Words(string(s)) {
		runes := utf8.RuneCountInString(w)
		if runes < minWordBytes || runes > maxWordBytes || commonEnglish()[w] {
			continue
		}
		digits := 0
		for i := range len(w) {
			if w[i] >= '0' && w[i] <= '9' {
				digits++
			}
		}
		if digits < len(w) && digits <= maxWordDigits {
			yield([]byte(w))
		}
	}
}
