package memory

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
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

// saidIn reads what front matter without an id says of the matcher, which is YAML as
// people write it: keywords are a list, or a text with commas, a priority has any case.
// It is nil without such front matter.
func saidIn(content string) *loadout.FrontMatter {
	block, _ := frontmatter.Read([]byte(content), frontmatter.Options{})
	if block.Node == nil { // no YAML, such as a description with a colon: line by line
		head, rest, _ := strings.Cut(content, "\n")
		said, _ := loadout.ParseFrontMatter(head+"\nid: memory\n"+rest, false)
		return said
	}
	var faults []diag.Diagnostic // what has another type says nothing
	m := frontmatter.NewMap("", block.Node, &faults)
	said := &loadout.FrontMatter{
		Keywords: listed(m, "keywords"), Patterns: listed(m, "patterns"),
		Priority: loadout.PriorityDomain, Triggers: loadout.DefaultTriggers(),
	}
	priority, _ := m.String("priority")
	switch priority = strings.ToLower(strings.TrimSpace(priority)); priority {
	case loadout.PriorityCore, loadout.PriorityManual:
		said.Priority = priority
	}
	triggers := m.Map("triggers")
	for key, to := range map[string]*bool{"task": &said.Triggers.Task, "plan": &said.Triggers.Plan, "edit": &said.Triggers.Edit} {
		if value, ok := triggers.Bool(key); ok {
			*to = value
		}
	}
	return said
}

// listed is the list of texts below a key, or the text in its place,
// split at its commas.
func listed(m frontmatter.Map, key string) []string {
	list, _ := m.StringOrStrings(key)
	var words []string
	for word := range strings.SplitSeq(strings.Join(list, ","), ",") {
		if word = strings.ToLower(strings.TrimSpace(word)); word != "" {
			words = append(words, word)
		}
	}
	return words
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

// addUnlisted adds references to the notes beside a MEMORY.md that it does not list and
// that say themselves what they are, and returns the other files. Below it, a description is
// as often that of a skill or a pack.
func (s *store) addUnlisted(a *Analysis, files []string) (others []string) {
	for _, name := range files {
		if strings.Contains(name, "/") {
			others = append(others, name)
			continue
		}
		topic, issue := s.topic(Ref{Path: name})
		if issue != nil || topic.Note.Description == "" {
			others = append(others, name)
			continue
		}
		title := cmp.Or(topic.Note.Name, strings.TrimSuffix(path.Base(name), ".md"))
		a.Refs = append(a.Refs, Ref{Name: title, Description: topic.Note.Description, Path: name})
		a.Topics = append(a.Topics, topic)
		a.TopicTokens += topic.Tokens
	}
	return others
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
