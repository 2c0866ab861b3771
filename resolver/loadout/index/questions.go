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

// answering returns a declaration that also has questions, their words and the names in
// titles; itself, which may be nil, when there are none.
func (d *declaration) answering(questions, titles []string, tokenizer loadout.Tokenizer) *declaration {
	out := declaration{}
	if d != nil {
		out = *d
	}
	c := newCounter(tokenizer)
	defer c.release()
	asked := slices.Clip(out.asked)
	words := strings.Fields(out.askedWords)
	for _, title := range titles {
		for _, name := range append(loadout.NamePatterns(title), c.wholeTitle(title)...) {
			if !slices.Contains(asked, name) {
				asked = append(asked, name)
			}
		}
	}
	for _, q := range questions {
		if pattern := loadout.QuestionPattern(q); pattern != "" && !slices.Contains(asked, pattern) {
			asked = append(asked, pattern)
		}
		c.eachWord([]byte(q), func(w []byte) {
			if !slices.Contains(words, string(w)) {
				words = append(words, string(w))
			}
		})
	}
	if len(asked) == len(out.asked) && len(words) == 0 {
		return d
	}
	out.asked, out.askedWords = asked, strings.Join(words, " ")
	return &out
}

// wholeTitle is the pattern of a title without a word that can lead to it, such as "for" and
// "Who we are": the task that is the title asks for it.
func (c *counter) wholeTitle(title string) []string {
	usable := false
	c.eachWord([]byte(title), func([]byte) { usable = true })
	if pattern := loadout.QuestionPattern(title); !usable && pattern != "" {
		return []string{pattern}
	}
	return nil
}

// withQuestions adds what an entry answers to its keywords and patterns: all words of its
// questions as one keyword, so that they make no other keyword count less, and each
// question as a pattern.
func (d *declaration) withQuestions(keywords, patterns []string) (k, p []string) {
	for _, pattern := range d.asked {
		if !slices.Contains(patterns, pattern) {
			patterns = append(slices.Clip(patterns), pattern)
		}
	}
	if d.askedWords != "" && !slices.Contains(keywords, d.askedWords) {
		keywords = append(slices.Clip(keywords), d.askedWords)
	}
	return keywords, patterns
}
