package stem

import "unicode/utf8"

// Class is what a character is to those that cut texts into words.
type Class uint8

// The classes of characters.
const (
	Separator Class = iota
	Letter          // a letter or a digit of a word that ends at a separator
	Dense           // a character of a script without spaces between words
	Dropped         // an accent, a joiner: as if it were not there
)

// span is a range of characters of one class.
type span struct {
	first, last rune
	class       Class
}

// spans lists, in order, the characters above ASCII that are not letters, and
// the scripts without spaces. It keeps to whole blocks where it can: the
// tables of Unicode would be a tenth of the browser build.
var spans = [...]span{
	{0x80, 0xA9, Separator}, {0xAB, 0xB4, Separator}, {0xB6, 0xB9, Separator}, {0xBB, 0xBF, Separator},
	{0xD7, 0xD7, Separator}, {0xF7, 0xF7, Separator},
	{0x2C2, 0x2DF, Separator}, {0x300, 0x36F, Dropped}, {0x37E, 0x37E, Separator}, {0x387, 0x387, Separator},
	{0x483, 0x489, Dropped}, {0x55A, 0x55F, Separator}, {0x589, 0x58F, Separator},
	{0x591, 0x5BD, Dropped}, {0x5BE, 0x5BE, Separator}, {0x5BF, 0x5C7, Dropped}, {0x5F3, 0x5F4, Separator},
	{0x600, 0x60F, Separator}, {0x610, 0x61A, Dropped}, {0x61B, 0x61F, Separator}, {0x640, 0x640, Dropped},
	{0x64B, 0x65F, Dropped}, {0x66A, 0x66D, Separator}, {0x670, 0x670, Dropped}, {0x6D4, 0x6D4, Separator},
	{0x6D6, 0x6ED, Dropped}, {0x964, 0x965, Separator},
	{0xE00, 0xEFF, Dense}, {0x1000, 0x109F, Dense}, {0x1100, 0x11FF, Dense}, {0x1680, 0x1680, Separator},
	{0x1780, 0x17D3, Dense}, {0x17D4, 0x17DB, Separator}, {0x17DC, 0x17FF, Dense}, {0x1800, 0x180E, Separator},
	{0x1AB0, 0x1AFF, Dropped}, {0x1DC0, 0x1DFF, Dropped},
	{0x2000, 0x200B, Separator}, {0x200C, 0x200F, Dropped}, {0x2010, 0x20CF, Separator}, {0x20D0, 0x20FF, Dropped},
	{0x2100, 0x2129, Separator}, {0x212B, 0x2BFF, Separator}, {0x2E00, 0x2E7F, Separator},
	{0x2E80, 0x2FDF, Dense}, {0x2FE0, 0x3004, Separator}, {0x3005, 0x3007, Dense}, {0x3008, 0x3020, Separator},
	{0x3021, 0x3029, Dense}, {0x302A, 0x302F, Dropped}, {0x3030, 0x3030, Separator}, {0x3031, 0x3035, Dense},
	{0x3036, 0x3040, Separator}, {0x3041, 0x3098, Dense}, {0x3099, 0x309C, Dropped}, {0x309D, 0x309F, Dense},
	{0x30A0, 0x30A0, Separator}, {0x30A1, 0x30FA, Dense}, {0x30FB, 0x30FB, Separator}, {0x30FC, 0x318F, Dense},
	{0x3190, 0x319F, Separator}, {0x31A0, 0x31BF, Dense}, {0x31C0, 0x31EF, Separator}, {0x31F0, 0x31FF, Dense},
	{0x3200, 0x33FF, Separator}, {0x3400, 0x4DBF, Dense}, {0x4DC0, 0x4DFF, Separator}, {0x4E00, 0x9FFF, Dense},
	{0xA960, 0xA97F, Dense}, {0xAC00, 0xD7FF, Dense}, {0xD800, 0xF8FF, Separator}, {0xF900, 0xFAFF, Dense},
	{0xFE00, 0xFE0F, Dropped}, {0xFE10, 0xFE1F, Separator}, {0xFE20, 0xFE2F, Dropped}, {0xFE30, 0xFE6F, Separator},
	{0xFEFF, 0xFF0F, Separator}, {0xFF1A, 0xFF20, Separator}, {0xFF3B, 0xFF40, Separator}, {0xFF5B, 0xFF65, Separator},
	{0xFF66, 0xFF9F, Dense}, {0xFFA0, 0xFFDF, Dense}, {0xFFE0, 0xFFFF, Separator},
	{0x1F000, 0x1FBFF, Separator}, {0x20000, 0x3FFFF, Dense}, {0xE0000, 0x10FFFF, Separator},
}

// ClassOf returns the class of a character.
func ClassOf(r rune) Class {
	if r < utf8.RuneSelf {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			return Letter
		}
		return Separator
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
	return Letter
}

// The base letters of the Latin characters from U+00C0 and from U+1E00. A star stands for
// two letters, a point for the character itself.
const (
	latinFirst = 0xC0
	latinBases = "aaaaaa*ceeeeiiiidnooooo.ouuuuy**aaaaaa*ceeeeiiiidnooooo.ouuuuy*y" +
		"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll" +
		"lllnnnnnnnnnoooooo**rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs" +
		"................................oo.............uu..............." +
		".............aaiioouuuuuuuuuu.aaaa**..ggkkoooo..j...gg..nnaa**.." +
		"aaaaeeeeiiiioooorrrruuuusstt..hh......aaeeooooooooyy"
	vietnameseFirst = 0x1E00
	vietnameseBases = "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm" +
		"mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv" +
		"wwwwwwwwwwxxxxyyzzzzzzhtwyasss*daaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee" +
		"eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyyllvvyy"
)

// The characters that stand for several letters, from U+FB00.
const ligatureFirst = 0xFB00

var ligatures = [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}

// AppendFolded appends a letter without case and accents.
func AppendFolded(dst []byte, r rune) []byte {
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
		return AppendFolded(dst, r-0xFEE0)
	case r >= ligatureFirst && r < ligatureFirst+rune(len(ligatures)):
		return append(dst, ligatures[r-ligatureFirst]...)
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
	switch base {
	case '.':
		return utf8.AppendRune(dst, r)
	case '*':
	default:
		return append(dst, base)
	}
	switch r {
	case 0xC6, 0xE6, 0x1E2, 0x1E3, 0x1FC, 0x1FD:
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

// Classes lists the ranges of characters above ASCII that are not letters: the first of each,
// how many follow it, and their class.
func Classes() []int {
	list := make([]int, 0, 3*len(spans))
	for _, s := range spans {
		list = append(list, int(s.first), int(s.last-s.first), int(s.class))
	}
	return list
}
