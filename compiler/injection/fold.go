package injection

import (
	"bytes"
	"html"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
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

// marks are the bytes below 0x80 at which something may be folded.
var marks = func() (t [256]bool) {
	for _, c := range []byte("&*`<\\[]!_~=|") {
		t[c] = true
	}
	for c := 0x80; c < 0x100; c++ {
		t[c] = true
	}
	return t
}()

// fold returns the folded text; nil when it would be the same. Comments between words
// stay, so that what they say is looked at, or go, so that they part no phrase.
func fold(text []byte, raw, comments bool) *folded {
	r := folder{text: text, raw: raw, comments: comments}
	for r.i < len(text) {
		if c := text[r.i]; !marks[c] && (c != ' ' || !r.isWideGap()) {
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
	text     []byte
	raw      bool
	comments bool   // they stay
	i        int    // offset that is looked at
	done     int    // what is before it is in out
	out      []byte // the folded text so far
	points   []foldPoint

	word  int  // end of the last word that was looked through
	mixed bool // whether it has ASCII letters

	lineEnd int  // of the line that was looked at last for its kind
	row     bool // it is a row of a table

	ends map[string]int // offset of the next mark of an end, once looked for
}

// next returns how far the next mark of an end is from the offset; -1 when none follows.
// Each stretch of the text is looked through once.
func (r *folder) next(mark string) int {
	if r.ends == nil {
		r.ends = map[string]int{}
	}
	at, known := r.ends[mark]
	if !known || at >= 0 && at < r.i {
		if at = bytes.Index(r.text[r.i:], []byte(mark)); at >= 0 {
			at += r.i
		}
		r.ends[mark] = at
	}
	if at < 0 {
		return -1
	}
	return at - r.i
}

// isTableRow reports a line that starts with the mark of cells. Each line is looked
// through once.
func (r *folder) isTableRow() bool {
	if r.i >= r.lineEnd {
		start := bytes.LastIndexByte(r.text[:r.i], '\n') + 1
		r.lineEnd = len(r.text)
		if n := bytes.IndexByte(r.text[r.i:], '\n'); n >= 0 {
			r.lineEnd = r.i + n
		}
		r.row = len(bytes.TrimLeft(r.text[start:r.i], " \t")) == 0
	}
	return r.row
}

// isWideGap reports eight blanks side by side, which are folded to one.
func (r *folder) isWideGap() bool {
	return !r.raw && bytes.HasPrefix(r.text[r.i:], []byte("        "))
}

// length is how many bytes what stays at the offset has: a whole run of one mark.
func (r *folder) length() int {
	c := r.text[r.i]
	if c != '*' && c != '`' && c != '~' && c != '=' {
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
	case '*', '`', '~', '=':
		if n := r.length(); r.insideWord(n) && (rest[0] != '=' || n == 2) {
			return "", n
		}
	case '<':
		return r.tag(rest)
	case '\\', '[', ']', '!', '_', '|', ' ':
		if !r.raw {
			return r.markup(rest)
		}
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

// markup folds marks of Markdown around words: what readers see has none of them.
func (r *folder) markup(rest []byte) (with string, size int) {
	following := byte(' ')
	if len(rest) > 1 {
		following = rest[1]
	}
	switch rest[0] {
	case ' ':
		n := len(rest) - len(bytes.TrimLeft(rest, " "))
		return " ", n
	case '|':
		if r.isTableRow() {
			return " ", 1
		}
	case '_': // emphasis is around words, never in them
		if !prose.IsLetter(following) || !r.isAfterWord() {
			return "", 1
		}
	case '\\':
		if following == '\n' {
			return " ", 1
		}
		if strings.IndexByte("!#$%()*+,-./:;=?@[\\]^_`{|}~", following) >= 0 {
			return string(following), 2
		}
	case '!':
		if following == '[' {
			return "", 1
		}
	case '[':
		if following == '^' {
			if n := bytes.IndexByte(rest[:min(len(rest), maxReference)], ']'); n > 0 {
				return "", n + 1
			}
		}
		if n := r.unseenInBrackets(rest); n > 0 {
			return "", n
		}
		if !bytes.HasPrefix(rest, []byte("[INST]")) && !bytes.HasPrefix(rest, []byte("[/INST]")) {
			return "", 1
		}
	case ']':
		return "", 1 + destination(rest[1:])
	}
	return "", 0
}

// isAfterWord reports a letter or digit right before the offset.
func (r *folder) isAfterWord() bool {
	return r.i > 0 && (prose.IsLetter(r.text[r.i-1]) || prose.IsDigit(r.text[r.i-1]) || r.text[r.i-1] >= 0x80)
}

// tag folds a comment or tag. Those that part a word go, others except for role tags
// stand for a blank.
func (r *folder) tag(rest []byte) (with string, size int) {
	n := r.markupLength(rest)
	if n > 0 && rest[1] == '!' && r.comments && !r.insideWord(n) {
		return "", 0 // what a comment says is looked at where it is
	}
	if n == 0 || bytes.ContainsFunc(rest[:min(n, maxDisguised)], func(c rune) bool { return c >= 0x80 && foldRune(c, "x") != "x" }) {
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
	return " ", n
}

// maxDisguised is how many bytes of a comment or tag are looked through for characters that
// stand for others, so that many that end in one place are not read again and again.
const maxDisguised = 4 << 10

// markupLength returns the length of the comment or tag that text begins with, at the
// offset; 0 when there is none.
func (r *folder) markupLength(text []byte) int {
	mark, least := ">", 1
	if bytes.HasPrefix(text, []byte("<!--")) {
		mark, least = "-->", 4
	} else if len(text) < 3 || !prose.IsLetter(text[1]) && (text[1] != '/' || !prose.IsLetter(text[2])) {
		return 0
	}
	n := r.next(mark)
	if n < least {
		return 0
	}
	if blank := r.next("\n\n"); mark == ">" && !r.raw && blank >= 0 && blank < n {
		return 0 // a paragraph ends before: it is text
	}
	return n + len(mark)
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
	case unicode.Is(unicode.Inherited, c) && unicode.In(c, unicode.Mn, unicode.Me):
		return "" // a mark on the letter before
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

// maxLabel is the longest label of a link, or anchor, that is dropped, in bytes: Markdown
// has none that is longer. A destination of that length may be written in any way; a longer
// one is dropped where it follows the rules of Markdown.
const maxLabel = 1000

// destination returns the length of what follows the text of a link: a destination in
// parentheses, or a label in brackets; 0 when nothing of these follows.
func destination(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	all := text
	text = text[:min(len(text), maxLabel)]
	if text[0] == '[' {
		return bytes.IndexByte(text, ']') + 1
	}
	if text[0] != '(' {
		return 0
	}
	if bytes.IndexByte(text, ')') < 0 {
		return longDestination(all)
	}
	depth, quote := 0, byte(0)
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '<':
			quote = '>'
		case c == '"' && prose.IsBlank(text[i-1]):
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	if n := longDestination(all); n > 0 {
		return n
	}
	return bytes.IndexByte(text, ')') + 1
}

// maxNested is how many parentheses may be open in a destination.
const maxNested = 32

// longDestination returns the length of a destination with its title, in parentheses, by the
// rules of Markdown: blanks and a title end it. A text is looked through as often as
// parentheses may be nested at most.
func longDestination(text []byte) int {
	i, depth := 1, 1
	if i < len(text) && text[i] == '<' {
		n := bytes.IndexAny(text[i+1:], "<>\n")
		if n < 0 || text[i+1+n] != '>' {
			return 0
		}
		i += n + 2
	}
	for ; i < len(text) && !prose.IsBlank(text[i]) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return i + 1
		}
		if depth > maxNested {
			return 0
		}
	}
	i = min(i, len(text))
	rest := bytes.TrimLeft(text[i:], " \t\n")
	if depth != 1 || len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return 0
	}
	n := bytes.IndexByte(rest[1:], rest[0])
	if n < 0 {
		return 0
	}
	after := bytes.TrimLeft(rest[n+2:], " \t\n")
	if len(after) == 0 || after[0] != ')' {
		return 0
	}
	return len(text) - len(after) + 1
}

// unseenInBrackets returns the length of what a rendered page does not show where a bracket
// opens: the target of a wiki link that shows other words, or an anchor or marker of a claim.
func (r *folder) unseenInBrackets(rest []byte) int {
	if bytes.HasPrefix(rest, []byte("[[")) {
		n := r.next("|")
		if n < 2 || bytes.ContainsAny(rest[2:n], "[]\n") {
			return 0
		}
		return n + 1
	}
	for _, mark := range []string{"[source:", "[status:"} {
		if n := r.next("]"); n < maxLabel && n > len(mark) && prose.Lower(rest[:len(mark)]) == mark {
			return n + 1
		}
	}
	return 0
}

// maxStrays is how many stray zero-width characters, such as a paste from the web
// leaves at the edges of words and in headings, are nothing in one text: that many
// cannot carry a message.
const maxStrays = 16

// invisible finds characters that steer or carry text unseen. One hit stands for a
// run of them.
func (s *scan) invisible() {
	strays, first := 0, len(s.hits)
	for _, r := range invisible.Find(s.text) {
		stray := r.Stray || r.Count <= maxInHeading && invisible.IsZeroWidth(r.First) && s.inHeading(r.Start)
		if stray {
			strays += r.Count
		}
		start, end := s.place(r.Start, r.End)
		s.hits = append(s.hits, Hit{Kind: KindHidden, Start: start, End: end, Shown: codePoint(r.First), Weak: stray})
	}
	if strays <= maxStrays {
		s.hits = slices.DeleteFunc(s.hits, func(h Hit) bool { return h.Kind == KindHidden && h.Weak })
		return
	}
	for i := first; i < len(s.hits); i++ {
		s.hits[i].Weak = false
	}
}

// maxInHeading is how many zero-width characters side by side in a heading are what a
// tool leaves there for its links.
const maxInHeading = 2

// inHeading reports whether the line of an offset is an ATX heading.
func (s *scan) inHeading(at int) bool {
	if at < s.asked {
		s.asked, s.line = 0, 0
	}
	if i := bytes.LastIndexByte(s.text[s.asked:at], '\n'); i >= 0 {
		s.line = s.asked + i + 1
	}
	s.asked = at
	head := s.text[s.line:min(at, s.line+4)] // a heading is indented by three spaces at most
	return bytes.HasPrefix(bytes.TrimLeft(head, " "), []byte("#"))
}

// codePoint names a character as U+200B.
func codePoint(c rune) string {
	const hex = "0123456789ABCDEF"
	name := []byte("U+")
	digits := 4
	if c > 0xFFFF {
		digits = 5
	}
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		name = append(name, hex[c>>shift&0xf])
	}
	return string(name)
}
