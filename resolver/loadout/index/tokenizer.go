package index

import (
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/loadout"
)

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
