package injection

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/prose"
)

// Stray zero-width characters, such as a paste from the web leaves at the edge
// of a word, are weak while they are few: that many cannot carry a message.
const (
	maxStrayRun = 3  // in a row
	maxStrays   = 16 // in one text
)

// invisible finds characters that steer or carry text unseen: zero-width and
// bidirectional control characters, Unicode tags, and runs of variation
// selectors. One hit stands for a run of them.
func (s *scan) invisible() {
	rtl, strays, first := -1, 0, len(s.hits)
	for i := 0; i < len(s.text); {
		skip := nextSuspect(s.text[i:])
		if skip < 0 {
			break
		}
		i += skip
		c, size := utf8.DecodeRune(s.text[i:])
		if !isInvisible(c) {
			i += size
			continue
		}
		end, n := invisibleRun(s.text, i)
		if isMark(c) && rtl < 0 {
			rtl = 0
			if hasRightToLeft(s.text) {
				rtl = 1
			}
		}
		switch {
		case n == 1 && s.needed(c, i, end, rtl == 1):
		case isFlag(s.text, i, end):
		case isZeroWidth(c) && n <= maxStrayRun && !betweenWords(s.text, i, end):
			strays += n
			s.hits = append(s.hits, s.invisibleHit(i, end, true))
		default:
			s.hits = append(s.hits, s.invisibleHit(i, end, false))
		}
		i = end
	}
	if strays > maxStrays {
		for i := first; i < len(s.hits); i++ {
			s.hits[i].Weak = false
		}
	}
}

// nextSuspect returns the offset of the next byte that may begin an invisible
// character; -1 when there is none.
func nextSuspect(text []byte) int {
	for i, c := range text {
		switch c {
		case 0xD8, 0xE1, 0xE2, 0xEF, 0xF3:
			return i
		}
	}
	return -1
}

func (s *scan) invisibleHit(start, end int, weak bool) Hit {
	c, _ := utf8.DecodeRune(s.text[start:])
	return Hit{Kind: KindHidden, Start: start, End: end, Shown: codePoint(c), Weak: weak}
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

func isZeroWidth(c rune) bool {
	return c >= 0x200B && c <= 0x200D || c >= 0x2060 && c <= 0x2064 || c == 0xFEFF || c == 0x180E
}

// isMark reports the direction marks and isolates, which right-to-left text
// needs. Embeddings and overrides no text of today needs.
func isMark(c rune) bool {
	return c == 0x200E || c == 0x200F || c == 0x061C || c >= 0x2066 && c <= 0x2069
}

func isTag(c rune) bool { return c >= 0xE0000 && c <= 0xE007F }

// isSelector reports the variation selectors that no emoji uses; 256 of them
// can spell any byte.
func isSelector(c rune) bool { return c >= 0xE0100 && c <= 0xE01EF }

func isInvisible(c rune) bool {
	return isZeroWidth(c) || isMark(c) || c >= 0x202A && c <= 0x202E || isTag(c) || isSelector(c)
}

// invisibleRun returns the end of the run of invisible characters that starts at
// i, and how many they are.
func invisibleRun(text []byte, i int) (end, n int) {
	for end = i; end < len(text); n++ {
		c, size := utf8.DecodeRune(text[end:])
		if !isInvisible(c) {
			break
		}
		end += size
	}
	return end, n
}

// needed reports whether a single invisible character does its work where it
// stands: a joiner between letters of a script that joins or in an emoji, a
// space between words of a script without spaces, a direction mark in a text
// that has two directions, a selector behind a Han character.
func (s *scan) needed(c rune, start, end int, rtl bool) bool {
	before, _ := utf8.DecodeLastRune(s.text[:start])
	after, _ := utf8.DecodeRune(s.text[end:])
	switch {
	case c == 0x200D && (isEmoji(before) || isEmoji(after)):
		return true
	case c == 0x200C, c == 0x200D, c == 0x200B, c == 0x2060:
		return joins(before) || joins(after)
	case isMark(c):
		return rtl
	case isSelector(c):
		return unicode.Is(unicode.Han, before)
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
	return prose.IsWordRune(before) && prose.IsWordRune(after)
}

// hasRightToLeft reports whether a text holds a Hebrew, Arabic, Syriac, Thaana
// or N'Ko letter. Their UTF-8 forms begin with 0xD6 to 0xDF; the scan stops at
// the first.
func hasRightToLeft(text []byte) bool {
	for len(text) > 0 {
		i := bytes.IndexFunc(text, func(c rune) bool { return c >= 0x0590 && c <= 0x07FF })
		if i < 0 {
			return false
		}
		c, size := utf8.DecodeRune(text[i:])
		if unicode.IsLetter(c) {
			return true
		}
		text = text[i+size:]
	}
	return false
}
