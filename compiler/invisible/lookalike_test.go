package invisible

import "testing"

func TestALetterLooksLikeALatinOne(t *testing.T) {
	for c, want := range map[rune]rune{
		'a': 0, 'Z': 0, '-': 0, 'é': 0, '请': 0, '😀': 0,
		'а': 'a', 'С': 'c', 'ο': 'o', 'ı': 'i', 'Ι': 'i', 'ʷ': 'w', 'ℝ': 'r',
		'ａ': 'a', 'Ｚ': 'z', '⒜': 'a', 'Ⓩ': 'z', 'ⓩ': 'z', '🄰': 'a', '🅩': 'z', '🇿': 'z',
		0x1D400: 'a', 0x1D41A: 'a', 0x1D6A3: 'z', 0x1D6A4: 0, 0x1D3FF: 0,
	} {
		if got := LookAlike(c); got != want {
			t.Errorf("%c (%#x) looks like %q, want %q", c, c, got, want)
		}
	}
}
