package loadout

import "unicode/utf8"

// Tokenizer names the way an index cuts texts into words. The empty one is the
// plain algorithm of loadout section 5, which knows ASCII letters and digits
// alone. An index names another under the key "tokenizer", which older readers
// ignore.
type Tokenizer string

// Unicode is the opt-in tokenizer for texts in any script:
//
//   - case and accents are folded, in keywords and patterns as well: "Café",
//     "CAFE" and "café" written with a combining accent are one word;
//   - in scripts that are written without spaces (Chinese, Japanese, Thai and
//     their like, and Korean) every two neighbouring characters are a word, and
//     in a task every single one too;
//   - in other scripts a word is a run of letters and digits, of two or more;
//   - what is a separator to the plain tokenizer within a keyword ("c++",
//     "node.js", "ci_cd") is one here, too, instead of making it unreachable.
const Unicode Tokenizer = "unicode"

// SetTokenizer sets the tokenizer of an index and of its entries.
func (ix *Index) SetTokenizer(t Tokenizer) {
	ix.Tokenizer = t
	for i := range ix.Entries {
		ix.Entries[i].SetTokenizer(t)
	}
}

// SetTokenizer sets how the words of an entry are cut that is in no index yet.
func (e *Entry) SetTokenizer(t Tokenizer) { e.unicode = t == Unicode }

// Tokenizer is how the index of an entry cuts texts into words.
func (e *Entry) Tokenizer() Tokenizer {
	if e.unicode {
		return Unicode
	}
	return ""
}

// Words returns the distinct words of a task in order of first appearance.
func (t Tokenizer) Words(task string) []string {
	return displayed(appendTokens(nil, task, t != Unicode, t == Unicode))
}

// Reachable reports whether a keyword can hit any task at all.
func (t Tokenizer) Reachable(keyword string) bool {
	if t == Unicode {
		_, ok := (&unicodeScanner{text: keyword}).next()
		return ok
	}
	return Reachable(keyword)
}

// ReachablePattern reports whether a pattern can hit any task at all.
func (t Tokenizer) ReachablePattern(pattern string) bool {
	if t == Unicode {
		return t.Reachable(pattern)
	}
	return reachablePattern(pattern)
}

// unicodeMark starts every word of the Unicode tokenizer, so that it is never mistaken
// for a token of the plain tokenizer: an index may merge entries of both.
const unicodeMark = 0

// displayed takes the marks off words and drops those that then repeat.
func displayed(words []string) []string {
	list := words[:0]
	seen := make(tokenSet, len(words))
	for _, w := range words {
		if w[0] == unicodeMark {
			w = w[1:]
		}
		if !seen[w] {
			seen[w] = true
			list = append(list, w)
		}
	}
	return list
}

// class is what a character is to the Unicode tokenizer.
type class uint8

const (
	separator class = iota
	letter          // of a word that ends at a separator
	dense           // of a script without spaces
	dropped         // an accent, a joiner: as if it were not there
)

// unicodeScanner cuts a text into words. The word lives in a buffer that the
// next call overwrites, and starts with unicodeMark.
type unicodeScanner struct {
	text  string
	task  bool // also emit single characters of dense scripts
	word  []byte
	last  rune // the dense character before the text, 0 when there is none
	alone bool // last has not been part of a word yet
	held  rune // a dense character whose pair was emitted before itself
}

// next returns the next word, or false at the end of the text.
func (s *unicodeScanner) next() ([]byte, bool) {
	if s.held != 0 {
		r := s.held
		s.held = 0
		return s.emit(r, 0), true
	}
	s.word = append(s.word[:0], unicodeMark)
	letters := 0
	for s.text != "" {
		r, size := utf8.DecodeRuneInString(s.text)
		kind := classify(r)
		if kind == dropped {
			s.text = s.text[size:]
			continue
		}
		if kind != letter && letters >= minWord {
			return s.word, true
		}
		if kind != dense && s.last != 0 {
			if word, ok := s.endRun(); ok {
				return word, true
			}
		}
		s.text = s.text[size:]
		switch kind {
		case letter:
			s.word = appendFolded(s.word, r)
			letters++
		case dense:
			s.word, letters = s.word[:1], 0
			if word, ok := s.pair(r); ok {
				return word, true
			}
		default:
			s.word, letters = s.word[:1], 0
		}
	}
	if s.last != 0 {
		if word, ok := s.endRun(); ok {
			return word, true
		}
	}
	return s.word, letters >= minWord
}

// pair takes a dense character in and emits it with the one before it, or in a
// task by itself.
func (s *unicodeScanner) pair(r rune) ([]byte, bool) {
	before := s.last
	s.last, s.alone = r, before == 0
	switch {
	case before != 0:
		if s.task {
			s.held = r
		}
		return s.emit(before, r), true
	case s.task:
		s.alone = false
		return s.emit(r, 0), true
	}
	return nil, false
}

// endRun ends a run of dense characters and emits its only one.
func (s *unicodeScanner) endRun() ([]byte, bool) {
	r, alone := s.last, s.alone
	s.last, s.alone = 0, false
	if !alone {
		return nil, false
	}
	return s.emit(r, 0), true
}

// emit makes a word of one or two characters.
func (s *unicodeScanner) emit(a, b rune) []byte {
	s.word = utf8.AppendRune(append(s.word[:0], unicodeMark), a)
	if b != 0 {
		s.word = utf8.AppendRune(s.word, b)
	}
	return s.word
}

// span is a range of characters of one class.
type span struct {
	first, last rune
	class       class
}

// spans lists, in order, the characters above ASCII that are not letters, and
// the scripts without spaces. It keeps to whole blocks where it can: the
// tables of Unicode would be a tenth of the browser build.
var spans = [...]span{
	{0x80, 0xA9, separator}, {0xAB, 0xB4, separator}, {0xB6, 0xB9, separator}, {0xBB, 0xBF, separator},
	{0xD7, 0xD7, separator}, {0xF7, 0xF7, separator},
	{0x2C2, 0x2DF, separator}, {0x300, 0x36F, dropped}, {0x37E, 0x37E, separator}, {0x387, 0x387, separator},
	{0x483, 0x489, dropped}, {0x55A, 0x55F, separator}, {0x589, 0x58F, separator},
	{0x591, 0x5BD, dropped}, {0x5BE, 0x5BE, separator}, {0x5BF, 0x5C7, dropped}, {0x5F3, 0x5F4, separator},
	{0x600, 0x60F, separator}, {0x610, 0x61A, dropped}, {0x61B, 0x61F, separator}, {0x640, 0x640, dropped},
	{0x64B, 0x65F, dropped}, {0x66A, 0x66D, separator}, {0x670, 0x670, dropped}, {0x6D4, 0x6D4, separator},
	{0x6D6, 0x6ED, dropped}, {0x964, 0x965, separator},
	{0xE00, 0xEFF, dense}, {0x1000, 0x109F, dense}, {0x1100, 0x11FF, dense}, {0x1680, 0x1680, separator},
	{0x1780, 0x17D3, dense}, {0x17D4, 0x17DB, separator}, {0x17DC, 0x17FF, dense}, {0x1800, 0x180E, separator},
	{0x1AB0, 0x1AFF, dropped}, {0x1DC0, 0x1DFF, dropped},
	{0x2000, 0x200B, separator}, {0x200C, 0x200F, dropped}, {0x2010, 0x20CF, separator}, {0x20D0, 0x20FF, dropped},
	{0x2100, 0x2129, separator}, {0x212B, 0x2BFF, separator}, {0x2E00, 0x2E7F, separator},
	{0x2E80, 0x2FDF, dense}, {0x2FE0, 0x3004, separator}, {0x3005, 0x3007, dense}, {0x3008, 0x3020, separator},
	{0x3021, 0x3029, dense}, {0x302A, 0x302F, dropped}, {0x3030, 0x3030, separator}, {0x3031, 0x3035, dense},
	{0x3036, 0x3040, separator}, {0x3041, 0x3098, dense}, {0x3099, 0x309C, dropped}, {0x309D, 0x309F, dense},
	{0x30A0, 0x30A0, separator}, {0x30A1, 0x30FA, dense}, {0x30FB, 0x30FB, separator}, {0x30FC, 0x318F, dense},
	{0x3190, 0x319F, separator}, {0x31A0, 0x31BF, dense}, {0x31C0, 0x31EF, separator}, {0x31F0, 0x31FF, dense},
	{0x3200, 0x33FF, separator}, {0x3400, 0x4DBF, dense}, {0x4DC0, 0x4DFF, separator}, {0x4E00, 0x9FFF, dense},
	{0xA960, 0xA97F, dense}, {0xAC00, 0xD7FF, dense}, {0xD800, 0xF8FF, separator}, {0xF900, 0xFAFF, dense},
	{0xFE00, 0xFE0F, dropped}, {0xFE10, 0xFE1F, separator}, {0xFE20, 0xFE2F, dropped}, {0xFE30, 0xFE6F, separator},
	{0xFEFF, 0xFF0F, separator}, {0xFF1A, 0xFF20, separator}, {0xFF3B, 0xFF40, separator}, {0xFF5B, 0xFF65, separator},
	{0xFF66, 0xFF9F, dense}, {0xFFA0, 0xFFDF, dense}, {0xFFE0, 0xFFFF, separator},
	{0x1F000, 0x1FBFF, separator}, {0x20000, 0x3FFFF, dense}, {0xE0000, 0x10FFFF, separator},
}

// classify returns the class of a character.
func classify(r rune) class {
	if r < utf8.RuneSelf {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			return letter
		}
		return separator
	}
	low, high := 0, len(spans)
	for low < high {
		mid := (low + high) / 2
		if spans[mid].last < r {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(spans) && spans[low].first <= r {
		return spans[low].class
	}
	return letter
}

// The base letters of the Latin characters from U+00C0 and from U+1E00. A star
// stands for two letters.
const (
	latinFirst = 0xC0
	latinBases = "aaaaaa*ceeeeiiiidnooooo.ouuuuy**aaaaaa*ceeeeiiiidnooooo.ouuuuy*y" +
		"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll" +
		"lllnnnnnnnnnoooooo**rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"
	vietnameseFirst = 0x1E00
	vietnameseBases = "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm" +
		"mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv" +
		"wwwwwwwwwwxxxxyyzzzzzzhtwyasss*daaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee" +
		"eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyyllvvyy"
)

// appendFolded appends a letter without case and accents.
func appendFolded(dst []byte, r rune) []byte {
	switch {
	case r >= 'A' && r <= 'Z':
		return append(dst, byte(r)+('a'-'A'))
	case r < utf8.RuneSelf:
		return append(dst, byte(r))
	case r == 0x212A: // the Kelvin sign
		return append(dst, 'k')
	case r >= latinFirst && r < latinFirst+rune(len(latinBases)):
		return appendBase(dst, latinBases[r-latinFirst], r)
	case r >= vietnameseFirst && r < vietnameseFirst+rune(len(vietnameseBases)):
		return appendBase(dst, vietnameseBases[r-vietnameseFirst], r)
	case r >= 0xFF10 && r <= 0xFF5A: // full width
		return appendFolded(dst, r-0xFEE0)
	case r >= 0x386 && r <= 0x3CE:
		r = foldGreek(r)
	case r >= 0x400 && r <= 0x52F:
		r = foldCyrillic(r)
	case r >= 0x531 && r <= 0x556: // Armenian
		r += 0x30
	}
	return utf8.AppendRune(dst, r)
}

// appendBase appends the base of a Latin character, or the two letters that a
// ligature stands for.
func appendBase(dst []byte, base byte, r rune) []byte {
	if base != '*' {
		return append(dst, base)
	}
	switch r {
	case 0xC6, 0xE6:
		return append(dst, "ae"...)
	case 0x152, 0x153:
		return append(dst, "oe"...)
	case 0xDE, 0xFE:
		return append(dst, "th"...)
	}
	return append(dst, "ss"...)
}

// foldGreek returns a Greek letter without case and accent.
func foldGreek(r rune) rune {
	switch r {
	case 0x386, 0x3AC:
		return 0x3B1
	case 0x388, 0x3AD:
		return 0x3B5
	case 0x389, 0x3AE:
		return 0x3B7
	case 0x38A, 0x390, 0x3AA, 0x3AF, 0x3CA:
		return 0x3B9
	case 0x38C, 0x3CC:
		return 0x3BF
	case 0x38E, 0x3AB, 0x3B0, 0x3CB, 0x3CD:
		return 0x3C5
	case 0x38F, 0x3CE:
		return 0x3C9
	case 0x3C2: // final sigma
		return 0x3C3
	}
	if r >= 0x391 && r <= 0x3A9 {
		r += 0x20
	}
	return r
}

// foldCyrillic returns a Cyrillic letter without case, and without the accent
// of those that Unicode can also write as two characters.
func foldCyrillic(r rune) rune {
	switch {
	case r <= 0x40F:
		r += 0x50
	case r <= 0x42F:
		r += 0x20
	case r >= 0x460 && r <= 0x481, r >= 0x48A && r <= 0x4BF, r >= 0x4D0:
		r |= 1
	case r == 0x4C0:
		r = 0x4CF
	case r >= 0x4C1 && r <= 0x4CE:
		r += r & 1
	}
	switch r {
	case 0x450, 0x451: // e with grave and with diaeresis
		return 0x435
	case 0x439, 0x45D: // short i, i with grave
		return 0x438
	case 0x453:
		return 0x433
	case 0x457:
		return 0x456
	case 0x45C:
		return 0x43A
	case 0x45E:
		return 0x443
	}
	return r
}
