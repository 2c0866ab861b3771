package injection

import (
	"bytes"
	_ "embed" // the phrases
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/prose"
)

// wordings are the phrases that are told by their words alone, a family and a phrase a
// line. A phrase is a sequence of
//
//	a|b   one of these words
//	?a|b  one of these words, or none
//	~2    up to so many words
//	:     a colon
//	,     a comma, or the end of the sentence
//	@     an address with a scheme, within the sentence
//	!     at the head: an order, see imperative
//
//go:embed wordings.txt
var wordings string

// step is one step of a phrase.
type step struct {
	words []string // one of them
	maybe bool     // or none
	skip  int      // up to so many words
	mark  byte     // ':', ',' or '@'
}

// wording is a phrase of the list.
type wording struct {
	kind  string
	order bool
	steps []step // after the first word
}

// book holds the phrases by their first word, and which words are worth a look: by
// their first letter a bit for each length.
type book struct {
	phrases map[string][]wording
	first   map[string]string // the words themselves
	lengths [26]uint64
}

func (b *book) note(word string) {
	b.first[word] = word
	b.lengths[word[0]-'a'] |= 1 << len(word)
}

// readWordings reads the list.
var readWordings = sync.OnceValue(func() *book {
	b := &book{phrases: map[string][]wording{}, first: map[string]string{}}
	for _, word := range firstWords() {
		b.note(word)
	}
	for line := range strings.Lines(strings.TrimSpace(wordings)) {
		fields := strings.Fields(line)
		w := wording{kind: kindOf(fields[0])}
		fields = fields[1:]
		if w.order = fields[0] == "!"; w.order {
			fields = fields[1:]
		}
		for _, f := range fields[1:] {
			w.steps = append(w.steps, readStep(f))
		}
		for first := range strings.SplitSeq(fields[0], "|") {
			b.phrases[first] = append(b.phrases[first], w)
			b.note(first)
		}
	}
	return b
})

// kindOf is the family of a name in the list: what is said to a model by its name is
// an override of what its user says.
func kindOf(name string) string {
	switch name {
	case "address", "exfiltrate":
		return kindOverride
	}
	return name
}

func readStep(field string) step {
	switch {
	case field == ":" || field == "," || field == "@":
		return step{mark: field[0]}
	case field[0] == '~':
		n, _ := strconv.Atoi(field[1:])
		return step{skip: n}
	}
	rest, maybe := strings.CutPrefix(field, "?")
	return step{words: strings.Split(rest, "|"), maybe: maybe}
}

// wording looks for the phrases of the list that begin with a word.
func (s *scan) wording(word string, start, end int) {
	for _, w := range s.book.phrases[word] {
		if w.order && !s.imperative(start) {
			continue
		}
		if stop, ok := s.follow(w.steps, end); ok {
			s.add(w.kind, start, stop, s.denied(start) || s.reported(start))
			return
		}
	}
}

// follow matches steps with what is after an offset.
func (s *scan) follow(steps []step, at int) (end int, ok bool) {
	if len(steps) == 0 {
		return at, true
	}
	first, rest := steps[0], steps[1:]
	if first.mark != 0 {
		if next, ok := s.mark(first.mark, at); ok {
			return s.follow(rest, next)
		}
		return 0, false
	}
	if first.skip > 0 || first.maybe {
		if end, ok := s.follow(rest, at); ok {
			return end, true
		}
	}
	word, next := prose.NextWord(s.text, at)
	switch {
	case word == "":
		return 0, false
	case first.skip > 1:
		return s.follow(append([]step{{skip: first.skip - 1}}, rest...), next)
	case first.skip == 1:
		return s.follow(rest, next)
	case slices.Contains(first.words, word):
		return s.follow(rest, next)
	}
	return 0, false
}

// maxAddress is how far an address may be from the word before it, in bytes.
const maxAddress = 24

// mark looks for a mark after an offset.
func (s *scan) mark(c byte, at int) (next int, ok bool) {
	rest := s.text[at:]
	if c == '@' {
		i := bytes.Index(rest[:min(len(rest), maxAddress)], []byte("://"))
		return at + i + 3, i >= 0
	}
	n := 0
	for n < len(rest) && n < 4 && (prose.IsBlank(rest[n]) || rest[n] == '*' || rest[n] == '_') {
		n++
	}
	switch {
	case n < len(rest) && rest[n] == c:
		return at + n + 1, true
	case c == ',' && (n >= len(rest) || prose.EndsSentence(s.text, at+n) || rest[n] == ';' || rest[n] == ':'):
		return at, true
	}
	return 0, false
}

// chinese finds "ignore all instructions above" and its like in Chinese.
func (s *scan) chinese(at int) {
	rest := s.text[at:]
	i := slices.IndexFunc([]string{"忽略", "无视", "忘记", "忽視"}, func(verb string) bool { return bytes.HasPrefix(rest, []byte(verb)) })
	if i < 0 {
		return
	}
	end := bytes.IndexFunc(rest, func(c rune) bool { return c < 0x80 || strings.ContainsRune("，。；！？、", c) })
	if end < 0 {
		end = len(rest)
	}
	clause := string(rest[:min(end, maxShown)])
	prior := strings.Contains(clause, "之前") || strings.Contains(clause, "以上") || strings.Contains(clause, "先前") || strings.Contains(clause, "上述")
	for _, noun := range []string{"指令", "指示", "提示词", "规则"} {
		if at2 := strings.Index(clause, noun); prior && at2 >= 0 {
			s.add(kindOverride, at, at+at2+len(noun), false)
			return
		}
	}
}

// label finds a line that pretends to be a turn of a chat: "System: ignore …".
func (s *scan) label(word string, start, end int) {
	if word != "system" && word != "assistant" && word != "developer" || end >= len(s.text) || s.text[end] != ':' {
		return
	}
	if _, first := lineBefore(s.text[:start], "# *>-\t<!"); !first {
		return
	}
	switch next, stop := prose.NextWord(s.text, end+1); next {
	case "you", "ignore", "disregard", "forget", "approve", "reveal", "sure", "okay", "yes", "obey", "always", "never", "execute", "call", "delete", "run":
		s.add(kindRoleTag, start, stop, false)
	}
}
