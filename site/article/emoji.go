package article

import (
	"bytes"
	_ "embed"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/markdown"
)

// maxEmoji is the longest name between two colons, in bytes.
const maxEmoji = 64

// emojiList has a line for each name that GitHub gives an emoji: the name and the emoji.
//
//go:embed emoji.txt
var emojiList string

var emojiByName = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(emojiList) {
		name, emoji, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		m[name] = emoji
	}
	return m
})

// readEmoji reads the ":name:" that starts a text: an emoji of GitHub, or the name of
// an icon of MkDocs, which is not shown. Size is 0 when it is neither.
func readEmoji(text []byte) (shown string, size int) {
	end := bytes.IndexByte(text[1:min(len(text), maxEmoji)], ':')
	if end < 1 {
		return "", 0
	}
	name := text[1 : 1+end]
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '+' && c != '-' {
			return "", 0
		}
	}
	if emoji, ok := emojiByName()[string(name)]; ok {
		return emoji, end + 2
	}
	if who, what, ok := strings.Cut(string(name), "_"); ok && (who == "man" || who == "woman") { // as others name them
		if emoji, ok := emojiByName()[what+"_"+who]; ok {
			return emoji, end + 2
		}
	}
	if set, _, ok := bytes.Cut(name, []byte("-")); ok {
		switch string(set) {
		case "material", "fontawesome", "octicons", "simple":
			return "", end + 2
		}
	}
	return "", 0
}

// HeadingText returns the text of a heading as pages show it.
func HeadingText(s string) string { return EmojiText(markdown.WithoutAttributes(s)) }

// EmojiText replaces the names of emoji in a text.
func EmojiText(s string) string {
	if !strings.Contains(s, ":") {
		return s
	}
	var b []byte
	eachEmoji([]byte(s), func(plain []byte) { b = append(b, plain...) }, func(shown string) { b = append(b, shown...) })
	return string(b)
}

// eachEmoji splits a text at the names of emoji.
func eachEmoji(text []byte, plain func([]byte), emoji func(string)) {
	from := 0
	for at := 0; at < len(text); {
		i := bytes.IndexByte(text[at:], ':')
		if i < 0 {
			break
		}
		at += i
		shown, size := readEmoji(text[at:])
		if size == 0 || at > 0 && text[at-1] == '\\' {
			at++
			continue
		}
		plain(text[from:at])
		emoji(shown)
		at += size
		if shown == "" && len(bytes.TrimSpace(text[:at-size])) == 0 {
			at += dashSize(text[at:])
		}
		from = at
	}
	plain(text[from:])
}

// dashSize is the size of the dash that a text starts with, between blanks: that between
// an icon that is not shown and what it is about.
func dashSize(text []byte) int {
	for _, dash := range []string{" - ", " – ", " — "} {
		if bytes.HasPrefix(text, []byte(dash)) {
			return len(dash)
		}
	}
	return 0
}
