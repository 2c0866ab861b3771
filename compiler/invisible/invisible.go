package invisible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Run is a run of invisible characters.
type Run struct {
	Start, End int  // byte offsets
	First      rune // its first character
	Count      int  // characters
	// Stray marks a few zero-width characters at the edge of a word, such as a
	// paste from the web leaves behind, or what is left of an emoji.
	Stray bool
}

// maxStrayRun is how many zero-width characters in a row can be strays.
const maxStrayRun = 3

// Find returns the runs of a text that nothing needs, in order. Needed is a joiner
// between letters of a script that joins or in an emoji, a space between words of a
// script without spaces, a direction mark in a text that has two directions, a
// variation selector after the character it is for, the tags of a flag. Control
// characters are not looked for.
func Find(text []byte) []Run {
	var list []Run
	s := scan{text: text}
	for i := 0; i < len(text); {
		skip := nextSuspect(text[i:])
		if skip < 0 {
			break
		}
		i += skip
		c, size := utf8.DecodeRune(text[i:])
		if !isUnseen(c) || s.selects(c, i) {
			i += size
			continue
		}
		end, n := s.run(i)
		if n > 1 && isFlag(text, i, end) || n == 1 && s.needed(c, i, end) {
			i = end
			continue
		}
		list = append(list, Run{
			Start: i, End: end, First: c, Count: n,
			Stray: canStray(c) && n <= maxStrayRun && !betweenWords(text, i, end),
		})
		i = end
	}
	return list
}

// Remove returns a text without what [Find] finds in it and without control
// characters except for those that white space is made of, and how many characters it
// has left out. Bytes that are not UTF-8 stay; in a text with such bytes a blank takes
// the place of what is left out, so that no halves of a character meet.
func Remove(text string) (clean string, removed int) {
	if !suspicious(text) {
		return text, 0
	}
	runs, valid := Find([]byte(text)), utf8.ValidString(text)
	var b strings.Builder
	from := 0
	drop := func(start, end, n int) {
		b.WriteString(text[from:start])
		if !valid {
			b.WriteByte(' ')
		}
		from = end
		removed += n
	}
	for i := 0; i < len(text); {
		if len(runs) > 0 && runs[0].Start == i {
			drop(i, runs[0].End, runs[0].Count)
			i = runs[0].End
			runs = runs[1:]
			continue
		}
		c, size := utf8.DecodeRuneInString(text[i:])
		if isControl(c) {
			drop(i, i+size, 1)
		}
		i += size
	}
	if removed == 0 {
		return text, 0
	}
	b.WriteString(text[from:])
	return b.String(), removed
}

// Line is [Remove] for a text that is shown on one line: what ends a line becomes a
// blank.
func Line(text string) string {
	clean, _ := Remove(text)
	return strings.Map(func(c rune) rune {
		if c == '\u2028' || c == '\u2029' || unicode.IsControl(c) {
			return ' '
		}
		return c
	}, clean)
}

// suspicious is a quick test that lets most texts through: whether a byte may begin
// something to be removed.
func suspicious(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7F || c >= 0xC2 && begins(c) {
			return true
		}
	}
	return false
}

// begins reports the bytes that begin unseen characters and C1 controls.
func begins(c byte) bool {
	switch c {
	case 0xC2, 0xD8, 0xE1, 0xE2, 0xE3, 0xEF, 0xF3:
		return true
	}
	return false
}

// nextSuspect returns the offset of the next byte that may begin an unseen
// character; -1 when there is none.
func nextSuspect(text []byte) int {
	for i, c := range text {
		if c > 0xC2 && begins(c) {
			return i
		}
	}
	return -1
}

// isControl reports the control characters that end no line and part no words.
func isControl(c rune) bool {
	return unicode.IsControl(c) && (c < '\t' || c > '\r') && (c < 0x1C || c > 0x1E) && c != 0x85
}

// IsZeroWidth reports the spaces, joiners and operators without width.
func IsZeroWidth(c rune) bool {
	return c >= 0x200B && c <= 0x200D || c >= 0x2060 && c <= 0x2064 || c == 0xFEFF || c == 0x180E
}

// canStray reports what a paste leaves behind: characters without width, and the
// selectors of text and emoji.
func canStray(c rune) bool { return IsZeroWidth(c) || c == 0xFE0E || c == 0xFE0F }

// IsMark reports the direction marks and isolates, which right-to-left text needs.
func IsMark(c rune) bool {
	return c == 0x200E || c == 0x200F || c == 0x061C || c >= 0x2066 && c <= 0x2069
}

// IsTurn reports the embeddings and overrides of direction, which no text of today
// needs, and the controls that were given up long ago.
func IsTurn(c rune) bool { return c >= 0x202A && c <= 0x202E || c >= 0x206A && c <= 0x206F }

// IsSelector reports the variation selectors beyond the first sixteen, which no
// emoji uses: with those they can spell any byte.
func IsSelector(c rune) bool { return c >= 0xE0100 && c <= 0xE01EF }

func isFirstSelector(c rune) bool { return c >= 0xFE00 && c <= 0xFE0F }

func isTag(c rune) bool { return c >= 0xE0000 && c <= 0xE007F }

// isAnnotation reports the controls of interlinear annotations.
func isAnnotation(c rune) bool { return c >= 0xFFF9 && c <= 0xFFFB }

// isFiller reports the Hangul letters without a shape.
func isFiller(c rune) bool { return c == 0x115F || c == 0x1160 || c == 0x3164 || c == 0xFFA0 }

func isUnseen(c rune) bool {
	return IsZeroWidth(c) || IsMark(c) || IsTurn(c) || IsSelector(c) || isFirstSelector(c) || isTag(c) || isAnnotation(c) || isFiller(c)
}

// scan is a call of Find in progress.
type scan struct {
	text  []byte
	asked bool // whether the text has two directions was worked out
	rtl   bool
}

// run returns the end of the run of unseen characters that starts at i, and how
// many they are.
func (s *scan) run(i int) (end, n int) {
	for end = i; end < len(s.text); n++ {
		c, size := utf8.DecodeRune(s.text[end:])
		if !isUnseen(c) {
			break
		}
		end += size
	}
	return end, n
}

// selects reports one of the first sixteen variation selectors right after the
// character that it selects a form of, as in an emoji.
func (s *scan) selects(c rune, at int) bool {
	if !isFirstSelector(c) || at == 0 {
		return false
	}
	before, _ := utf8.DecodeLastRune(s.text[:at])
	return !isUnseen(before) && !unicode.IsSpace(before) && !unicode.IsControl(before)
}

// needed reports whether a single unseen character does its work where it is.
func (s *scan) needed(c rune, start, end int) bool {
	before, _ := utf8.DecodeLastRune(s.text[:start])
	after, _ := utf8.DecodeRune(s.text[end:])
	switch {
	case c == 0x200D && (isEmoji(before) || isEmoji(after)):
		return true
	case c == 0x200C, c == 0x200D, c == 0x200B, c == 0x2060:
		return joins(before) || joins(after)
	case IsMark(c):
		return s.rightToLeft()
	case IsSelector(c):
		return unicode.Is(unicode.Han, before)
	case isFiller(c):
		return unicode.Is(unicode.Hangul, before) || unicode.Is(unicode.Hangul, after)
	}
	return false
}

// joins reports a letter or mark of a script that uses joiners or zero-width
// spaces: all but Latin, Greek, Cyrillic and a few others that never do.
func joins(c rune) bool {
	return (unicode.IsLetter(c) || unicode.IsMark(c)) && c >= 0x0590
}

func isEmoji(c rune) bool {
	return c >= 0x1F000 && c <= 0x1FAFF || c >= 0x2190 && c <= 0x2BFF || c == 0xFE0F
}

// maxFlag is the longest run of tags in a flag of a region: six letters or
// digits and the end, each of four bytes.
const maxFlag = 7 * 4

// isFlag reports the tags of a flag such as that of Scotland: a black flag, a
// region in tags, a cancel tag.
func isFlag(text []byte, start, end int) bool {
	before, _ := utf8.DecodeLastRune(text[:start])
	last, _ := utf8.DecodeLastRune(text[:end])
	return before == 0x1F3F4 && last == 0xE007F && end-start <= maxFlag
}

func betweenWords(text []byte, start, end int) bool {
	before, _ := utf8.DecodeLastRune(text[:start])
	after, _ := utf8.DecodeRune(text[end:])
	return isWord(before) && isWord(after)
}

func isWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// rightToLeft reports whether the text holds a Hebrew, Arabic, Syriac, Thaana or
// N'Ko letter. It stops at the first.
func (s *scan) rightToLeft() bool {
	if !s.asked {
		s.asked = true
		for i := 0; i < len(s.text) && !s.rtl; i++ {
			if c := s.text[i]; c >= 0xD6 && c <= 0xDF { // what their UTF-8 forms begin with
				r, _ := utf8.DecodeRune(s.text[i:])
				s.rtl = unicode.IsLetter(r)
			}
		}
	}
	return s.rtl
}
