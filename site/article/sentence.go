package article

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf8"
)

// maxSentence is how many characters of a sentence are kept, and maxAround how many bytes
// of HTML on each side of a link are looked at.
const (
	maxSentence = 160
	maxAround   = 2 << 10
)

// Sentences returns the sentence of the first link to each target, as text: of paths, and
// of names in [[…]] as the article lists them. A link that is a line of its own has none.
func (a *Article) Sentences() (targets, wiki map[string]string) {
	targets, wiki = map[string]string{}, map[string]string{}
	at := 0
	for i := range a.Placeholders {
		h := &a.Placeholders[i]
		at += bytes.IndexByte(a.HTML[at:], Mark) + 1
		list, name := targets, h.Target
		switch h.Kind {
		case Page:
		case Wiki:
			list = wiki
			if h.Alt != "" {
				name += "|" + h.Alt
			}
		default:
			continue
		}
		if _, known := list[name]; known || name == "" {
			continue
		}
		list[name] = sentence(a.HTML, at-1, a.Placeholders, i)
	}
	return targets, wiki
}

// sentence returns the sentence around the link whose placeholder, of that number, is at an
// offset.
func sentence(text []byte, at int, placeholders []Placeholder, number int) string {
	from, end := blockStart(text, at), blockEnd(text, at)
	number -= bytes.Count(text[from:at], []byte{Mark})
	before, number := textOf(text[from:at], placeholders, number)
	link, after := text[at:end], []byte(nil)
	if i := bytes.Index(link, []byte("</a>")); i >= 0 {
		link, after = link[:i], link[i+len("</a>"):]
	}
	said, number := textOf(link, placeholders, number)
	rest, _ := textOf(after, placeholders, number)
	if i := lastStop(before); i >= 0 {
		before = before[i:]
	}
	if i := firstStop(rest); i >= 0 {
		rest = rest[:i]
	}
	before, said, rest = squeeze(before), squeeze(said), squeeze(rest)
	if strings.TrimSpace(before+rest) == "" {
		return ""
	}
	if room := maxSentence / 2; utf8.RuneCountInString(before) > room {
		before = string([]rune(before)[utf8.RuneCountInString(before)-room:])
		if _, word, found := strings.Cut(before, " "); found {
			before = word
		}
		before = "… " + before
	}
	whole := []rune(strings.TrimSpace(before + said + rest))
	if len(whole) <= maxSentence {
		return string(whole)
	}
	cut := string(whole[:maxSentence])
	if i := strings.LastIndexByte(cut, ' '); i > maxSentence/2 {
		cut = cut[:i]
	}
	return cut + " …"
}

// inline are the elements that do not end a run of text.
var inline = map[string]bool{
	"a": true, "abbr": true, "b": true, "code": true, "del": true, "em": true, "i": true, "ins": true, "kbd": true, "mark": true,
	"q": true, "s": true, "small": true, "span": true, "strong": true, "sub": true, "sup": true, "u": true, "img": true, "input": true,
}

// isInline reports a tag of such an element, opening or closing.
func isInline(tag []byte) bool {
	tag = bytes.TrimPrefix(tag, []byte("/"))
	if i := bytes.IndexAny(tag, " >\n/"); i >= 0 {
		tag = tag[:i]
	}
	return inline[string(tag)]
}

// blockStart returns where the text of the block around an offset begins.
func blockStart(text []byte, at int) int {
	least := max(0, at-maxAround)
	for i := at; ; {
		i = bytes.LastIndexByte(text[least:i], '<')
		if i < 0 {
			for least < at && !utf8.RuneStart(text[least]) {
				least++
			}
			return least
		}
		i += least
		if !isInline(text[i+1 : min(i+16, len(text))]) {
			return i + 1 + max(0, bytes.IndexByte(text[i:at], '>'))
		}
	}
}

// blockEnd returns where that text ends.
func blockEnd(text []byte, at int) int {
	most := min(len(text), at+maxAround)
	for i := at; ; i++ {
		next := bytes.IndexByte(text[i:most], '<')
		if next < 0 {
			for most < len(text) && !utf8.RuneStart(text[most]) {
				most--
			}
			return most
		}
		if i += next; !isInline(text[i+1 : min(i+16, len(text))]) {
			return i
		}
	}
}

// textOf returns the text of a piece of HTML whose first placeholder has that number, and
// the number of the first one after it. Source chips are left out.
func textOf(piece []byte, placeholders []Placeholder, number int) (string, int) {
	var out strings.Builder
	for len(piece) > 0 {
		i := bytes.IndexAny(piece, "<\x00")
		if i < 0 {
			out.Write(piece)
			break
		}
		out.Write(piece[:i])
		mark := piece[i] == Mark
		piece = piece[i:]
		if !mark {
			end := bytes.IndexByte(piece, '>')
			if end < 0 {
				break
			}
			piece = piece[end+1:]
			continue
		}
		piece = piece[1:]
		if h := &placeholders[number]; h.Kind == Wiki {
			out.WriteString(html.EscapeString(h.Alt))
		} else if h.Kind == Source {
			if end := bytes.Index(piece, []byte("</a>")); end >= 0 {
				piece = piece[end+len("</a>"):]
			}
		}
		number++
	}
	return html.UnescapeString(out.String()), number
}

// squeeze makes one blank of every run of them, at the ends too.
func squeeze(s string) string {
	words := strings.Join(strings.Fields(s), " ")
	if words != "" && strings.TrimLeft(s, " \n\t") != s {
		words = " " + words
	}
	if words != "" && strings.TrimRight(s, " \n\t") != s {
		words += " "
	}
	if words == "" && s != "" {
		return " "
	}
	return words
}

// stops end a sentence: the first three with a blank after them.
const stops = ".!?。！？"

// lastStop returns where the last sentence of a text begins; -1 when the text is of one.
func lastStop(s string) int {
	for i := len(s); i > 0; {
		i = strings.LastIndexAny(s[:i], stops)
		if i < 0 {
			return -1
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		if n > 1 || i+1 < len(s) && (s[i+1] == ' ' || s[i+1] == '\n') {
			return i + n
		}
	}
	return -1
}

// firstStop returns where the first sentence of a text ends; -1 when it goes on to the end.
func firstStop(s string) int {
	for i := 0; i < len(s); {
		next := strings.IndexAny(s[i:], stops)
		if next < 0 {
			return -1
		}
		i += next
		_, n := utf8.DecodeRuneInString(s[i:])
		if i += n; n > 1 || i == len(s) || s[i] == ' ' || s[i] == '\n' {
			return i
		}
	}
	return -1
}

// maxOpening is how many characters of its first paragraph an article opens with.
const maxOpening = 90

// Opening returns the beginning of the first paragraph of an article, as text; "" when it
// has none.
func (a *Article) Opening() string {
	at, number := 0, 0
	for {
		i := bytes.Index(a.HTML[at:], []byte("<p"))
		if i < 0 {
			return ""
		}
		number += bytes.Count(a.HTML[at:at+i], []byte{Mark})
		at += i
		open := a.HTML[at:]
		end := bytes.IndexByte(open, '>')
		if end < 0 {
			return ""
		}
		if tag := open[:end]; string(tag) != "<p" {
			number += bytes.Count(tag, []byte{Mark})
			at += end
			continue
		}
		from := at + end + 1
		text, _ := textOf(a.HTML[from:blockEnd(a.HTML, from)], a.Placeholders, number)
		if text = strings.TrimSpace(squeeze(text)); text == "" {
			at = from
			continue
		}
		if stop := firstStop(text); stop > 0 {
			text = text[:stop]
		}
		whole := []rune(text)
		if len(whole) <= maxOpening {
			return text
		}
		cut := string(whole[:maxOpening])
		if i := strings.LastIndexByte(cut, ' '); i > maxOpening/2 {
			cut = cut[:i]
		}
		return cut + " …"
	}
}
