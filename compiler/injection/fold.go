package injection

import (
	"bytes"
	"html"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/prose"
)

// folded is a text as a reader, or a model, takes it in: character references
// decoded, invisible characters left out, letters that only look like
// Latin ones replaced by those, and markup in the middle of a word dropped. It
// undoes what hides a phrase from a scan that reads bytes.
type folded struct {
	text []byte
	// points are the places from which on the offsets of the two texts differ by
	// another amount, in order.
	points []foldPoint
}

// foldPoint says that the byte at to stands for the byte at from.
type foldPoint struct{ to, from int }

// original returns the range of the text before the fold that a range stands for.
func (f *folded) original(start, end int) (from, to int) {
	from = f.at(start)
	if end == start {
		return from, from
	}
	// What follows the last character may be left out; its own end counts.
	last := f.at(end - 1)
	return from, max(last+1, min(f.at(end), last+maxReference))
}

func (f *folded) at(offset int) int {
	i := sort.Search(len(f.points), func(i int) bool { return f.points[i].to > offset }) - 1
	if i < 0 {
		return offset
	}
	return f.points[i].from + offset - f.points[i].to
}

// maxReference is the longest character reference that is decoded, in bytes; the
// longest name there is has 33.
const maxReference = 40

// fold returns the folded text; nil when it would be the same.
func fold(text []byte, raw bool) *folded {
	r := folder{text: text, raw: raw}
	for r.i < len(text) {
		if c := text[r.i]; c < 0x80 && c != '&' && c != '*' && c != '`' && c != '<' && c != '\\' {
			r.i++
			continue
		}
		if with, size := r.step(); size > 0 {
			r.replace(with, size)
			continue
		}
		r.i += r.length()
	}
	if r.points == nil {
		return nil
	}
	r.out = append(r.out, text[r.done:]...)
	return &folded{text: r.out, points: r.points}
}

// folder is a fold in progress.
type folder struct {
	text   []byte
	raw    bool
	i      int    // offset that is looked at
	done   int    // what is before it is in out
	out    []byte // the folded text so far
	points []foldPoint

	word  int  // end of the last word that was looked through
	mixed bool // whether it has ASCII letters
}

// length is how many bytes what stays at the offset has: a whole run of one mark.
func (r *folder) length() int {
	c := r.text[r.i]
	if c != '*' && c != '`' {
		_, size := utf8.DecodeRune(r.text[r.i:])
		return size
	}
	n := 1
	for r.i+n < len(r.text) && r.text[r.i+n] == c {
		n++
	}
	return n
}

// replace puts with in place of size bytes.
func (r *folder) replace(with string, size int) {
	r.out = append(r.out, r.text[r.done:r.i]...)
	if with != "" {
		r.points = append(r.points, foldPoint{len(r.out), r.i})
		r.out = append(r.out, with...)
	}
	r.i += size
	r.done = r.i
	r.points = append(r.points, foldPoint{len(r.out), r.i})
}

// step says what the text at the offset is folded to and how many bytes of it
// are; 0 when it stays.
func (r *folder) step() (with string, size int) {
	rest := r.text[r.i:]
	switch rest[0] {
	case '&':
		return decodeReference(rest)
	case '\\':
		if r.raw {
			return escapeOf(rest)
		}
	case '*', '`':
		if n := r.length(); r.insideWord(n) {
			return "", n
		}
	case '<':
		return r.tag(rest)
	default:
		return r.character(rest)
	}
	return "", 0
}

// insideWord reports whether what is n bytes long at the offset parts a word:
// letters are on both sides, or more of its kind after it.
func (r *folder) insideWord(n int) bool {
	before, after := byte(0), byte(0)
	switch {
	case r.i > r.done:
		before = r.text[r.i-1]
	case len(r.out) > 0:
		before = r.out[len(r.out)-1]
	}
	if r.i+n < len(r.text) {
		after = r.text[r.i+n]
	}
	return (prose.IsLetter(before) || before >= 0x80) && (prose.IsLetter(after) || after >= 0x80 || after == '<' || after == '*' || after == '`' || after == '&')
}

// decodeReference decodes a character reference. Those of brackets, ampersands and
// quotation marks stay: whoever writes them so means the character itself.
func decodeReference(text []byte) (with string, size int) {
	end := bytes.IndexByte(text[:min(len(text), maxReference)], ';')
	if end < 3 || !(text[1] == '#' || prose.IsLetter(text[1])) {
		return "", 0
	}
	written := string(text[:end+1])
	decoded := html.UnescapeString(written)
	if decoded == written || strings.ContainsAny(decoded, "<>&\"'") {
		return "", 0
	}
	c, _ := utf8.DecodeRuneInString(decoded)
	return foldRune(c, decoded), end + 1
}

// escapeOf decodes an escape such as \u0069, as JSON has it.
func escapeOf(text []byte) (with string, size int) {
	if len(text) < 6 || text[1] != 'u' {
		return "", 0
	}
	c := rune(0)
	for _, digit := range text[2:6] {
		switch {
		case prose.IsDigit(digit):
			c = c<<4 | rune(digit-'0')
		case digit|0x20 >= 'a' && digit|0x20 <= 'f':
			c = c<<4 | rune(digit|0x20-'a'+10)
		default:
			return "", 0
		}
	}
	if !utf8.ValidRune(c) {
		return "", 0 // half of a pair
	}
	return foldRune(c, string(c)), 6
}

// tag folds a comment or tag. Those that part a word go, others except for role tags
// stand for a blank.
func (r *folder) tag(rest []byte) (with string, size int) {
	n := markup(rest)
	if n == 0 || bytes.ContainsFunc(rest[:n], func(c rune) bool { return c >= 0x80 && foldRune(c, "x") != "x" }) {
		return "", 0 // or a tag in disguise
	}
	name := bytes.TrimPrefix(rest[1:n], []byte("/"))
	switch prose.Lower(name[:prose.WordEnd(name, 0)]) {
	case "system", "assistant", "tool", "knowledge_pack":
		return "", 0
	case "br", "p", "li", "td", "th", "tr", "div":
		return " ", n
	}
	if r.insideWord(n) {
		return "", n
	}
	if rest[1] == '!' {
		return "", 0 // what a comment says is looked at where it is
	}
	return " ", n
}

// maxMarkup is the longest tag or comment inside a word that is dropped, in bytes.
const maxMarkup = 200

// markup returns the length of the comment or tag that text begins with; 0 when
// there is none.
func markup(text []byte) int {
	head := text[:min(len(text), maxMarkup)]
	if bytes.HasPrefix(head, []byte("<!--")) {
		if i := bytes.Index(head, []byte("-->")); i >= 0 {
			return i + 3
		}
		return 0
	}
	if len(head) < 3 || !prose.IsLetter(head[1]) && (head[1] != '/' || !prose.IsLetter(head[2])) {
		return 0
	}
	return bytes.IndexByte(head, '>') + 1
}

// character folds a character beyond ASCII.
func (r *folder) character(rest []byte) (with string, size int) {
	c, size := utf8.DecodeRune(rest)
	same := string(rest[:size])
	with = foldRune(c, same)
	if with == same {
		return "", 0
	}
	if like(c) != 0 && !r.isMixed() {
		return "", 0
	}
	return with, size
}

// isMixed reports whether the word at the offset has ASCII letters too: a word of
// Greek or Cyrillic letters alone is just that. Words are looked through once.
func (r *folder) isMixed() bool {
	if r.i < r.word {
		return r.mixed
	}
	start := r.i
	for start > 0 && prose.EndsInWord(r.text[:start]) && r.i-start < prose.MaxWord {
		_, size := utf8.DecodeLastRune(r.text[:start])
		start -= size
	}
	r.word = max(prose.WordEnd(r.text, r.i), r.i+1)
	r.mixed = bytes.ContainsFunc(r.text[start:r.word], func(c rune) bool { return c < 0x80 && prose.IsLetter(byte(c)) })
	return r.mixed
}

// foldRune returns what a character is folded to; same when it stays.
func foldRune(c rune, same string) string {
	switch {
	case c == 0xAD || invisible.IsZeroWidth(c) || invisible.IsMark(c) || invisible.IsTurn(c) || c == 0x034F || invisible.IsSelector(c) || c >= 0xFE00 && c <= 0xFE0F:
		return ""
	case like(c) != 0:
		return string(like(c))
	case c >= 0xFF21 && c <= 0xFF5A, c >= 0x1D400 && c <= 0x1D6A3, c >= 0x24B6 && c <= 0x24E9, c >= 0x2100 && c <= 0x214F:
		if plain := norm.NFKC.String(same); len(plain) == 1 && prose.IsLetter(plain[0]) {
			return plain
		}
	}
	return same
}

// lookAlikes holds the Latin letter for each letter below 0x0520 that looks like it.
var lookAlikes = sync.OnceValue(func() *[0x0520]byte {
	var table [0x0520]byte
	for c := range table {
		table[c] = byte(invisible.LookAlike(rune(c)))
	}
	return &table
})

// like returns the Latin letter that a letter of another script, or a rare Latin
// one, looks like; 0 when there is none.
func like(c rune) rune {
	if c < 0x0131 || c >= 0x0520 {
		return 0
	}
	return rune(lookAlikes()[c])
}
