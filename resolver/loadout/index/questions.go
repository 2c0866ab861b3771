package index

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/loadout"
)

// pageQuestions are the questions that the front matter of a page says it answers, by the
// page and by its sections.
func pageQuestions(u *compiler.Unit) map[string][]string {
	return context.PageQuestions(u.Doc.Path, frontmatter.NewMap(u.Doc.Path, u.Doc.Meta, nil))
}

// questionsOf are those of one split: of its page, its sections and itself.
func questionsOf(questions map[string][]string, s *schema.Split) []string {
	list := slices.Clone(questions[s.Document])
	sections := s.Sections
	if len(sections) == 0 {
		sections = []string{s.SectionID}
	}
	for _, id := range sections {
		list = append(list, questions[s.Document+"#"+id]...)
	}
	if s.ID != s.Document {
		list = append(list, questions[s.ID]...)
	}
	return list
}

// answering returns a declaration that also names the words of questions; itself, which may
// be nil, when they have none.
func (d *declaration) answering(questions []string, tokenizer loadout.Tokenizer) *declaration {
	var asked []string
	c := newCounter(tokenizer)
	defer c.release()
	for _, q := range questions {
		var words []string
		c.eachWord([]byte(q), func(w []byte) {
			if !slices.Contains(words, string(w)) {
				words = append(words, string(w))
			}
		})
		if line := strings.Join(words, " "); line != "" && !slices.Contains(asked, line) {
			asked = append(asked, line)
		}
	}
	if len(asked) == 0 {
		return d
	}
	out := declaration{}
	if d != nil {
		out = *d
	}
	out.asked = append(slices.Clip(out.asked), asked...)
	return &out
}

// withQuestions adds what an entry answers to its keywords and patterns: all words of its
// questions as one keyword, so that they make no other keyword count less, and each
// question of several words as a pattern.
func withQuestions(keywords, patterns, asked []string) (k, p []string) {
	var words []string
	for _, question := range asked {
		list := strings.Split(question, " ")
		for _, w := range list {
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
		if pattern := strings.Join(list, "_"); len(list) > 1 && !slices.Contains(patterns, pattern) {
			patterns = append(slices.Clip(patterns), pattern)
		}
	}
	if all := strings.Join(words, " "); all != "" && !slices.Contains(keywords, all) {
		keywords = append(slices.Clip(keywords), all)
	}
	return keywords, patterns
}
