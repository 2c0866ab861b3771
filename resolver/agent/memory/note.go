package memory

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	"github.com/packgen/packgen/resolver/loadout/scripts"
)

// Note is the front matter that agents write into the memories they keep.
type Note struct {
	Name, Description, Type string
}

// maxNoteLines is how many lines the front matter of a note has.
const maxNoteLines = 200

// noteOf reads the front matter of a note: name, description and type, the last also
// below metadata. Values are one line; quotes around them are taken off.
func noteOf(content string) (n Note) {
	head, found := strings.CutPrefix(strings.ReplaceAll(content, "\r\n", "\n"), "---\n")
	if !found {
		return n
	}
	count := 0
	for line := range strings.SplitSeq(head, "\n") {
		if count++; line == "---" {
			return n
		}
		if count > maxNoteLines {
			break
		}
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		value = javascript.Line(strings.Trim(strings.TrimSpace(value), `"'`))
		nested := line != strings.TrimLeft(line, " \t")
		switch {
		case !ok || value == "":
		case key == "name" && !nested:
			n.Name = value
		case key == "description" && !nested:
			n.Description = value
		case key == "type":
			n.Type = value
		}
	}
	return Note{} // the block does not end
}

// linkForm reads "- [Title](file.md) — hook".
func linkForm(line string) (ref Ref, ok bool) {
	text, isItem := bullet(line)
	if !isItem || !strings.HasPrefix(text, "[") {
		return ref, false
	}
	title, rest, found := strings.Cut(text[1:], "](")
	target, hook, closed := strings.Cut(rest, ")")
	if !found || !closed {
		return ref, false
	}
	target = strings.Trim(strings.TrimSpace(target), "<>")
	if plain, err := url.PathUnescape(target); err == nil {
		target = plain
	}
	if path.Ext(target) != ".md" || strings.Contains(target, "://") || foreign(target) {
		return ref, false
	}
	hook = strings.TrimLeftFunc(hook, func(r rune) bool { return javascript.IsSpace(r) || strings.ContainsRune("—–-:", r) })
	return Ref{Name: javascript.Trim(title), Description: javascript.Trim(hook), Path: target, link: true}, true
}

// unlisted returns references to the notes beside a MEMORY.md that it does not list and
// that say themselves what they are, and the other files. Below it, a description is as
// often that of a skill or a pack.
func (s *store) unlisted(files []string) (refs []Ref, topics []*Topic, others []string) {
	for _, name := range files {
		if strings.Contains(name, "/") {
			others = append(others, name)
			continue
		}
		topic, issue := s.topic(Ref{Path: name, Line: -1})
		if issue != nil || topic.Note.Description == "" {
			others = append(others, name)
			continue
		}
		title := topic.Note.Name
		if title == "" {
			title = strings.TrimSuffix(path.Base(name), ".md")
		}
		refs = append(refs, Ref{Name: title, Description: topic.Note.Description, Path: name, Line: -1})
		topics = append(topics, topic)
	}
	return refs, topics, others
}

// idOf makes an id of a name: of its ASCII letters (loadout section 19.3), and of the
// letters of any script when it has others.
func idOf(name string) string {
	if !hasOtherLetters(name) {
		return nameID(name)
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	return strings.Join(words, "-")
}

// hasOtherLetters reports letters that the plain tokenizer does not see.
func hasOtherLetters(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }) >= 0
}

// maxNoteWords is how many keywords a memory gets from what describes it.
const maxNoteWords = 10

// describe adds the words of descriptions to keywords, and those that only the Unicode
// tokenizer sees. Words of the name and the headings come first.
func describe(keywords []string, texts ...string) []string {
	add := func(word string) {
		if len(keywords) < maxNoteWords && !slices.Contains(keywords, word) && !stopWords()[word] {
			keywords = append(keywords, word)
		}
	}
	for _, text := range texts {
		for _, w := range loadout.Words(text) {
			if len(w) > 2 {
				add(w)
			}
		}
		for _, w := range scripts.Words(text) {
			add(w)
		}
	}
	return keywords
}
