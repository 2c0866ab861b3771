package model

import (
	"slices"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/site/search"
)

// searchNote counts the words of the sections of a file, as a resolver would.
func searchNote(u *compiler.Unit) string {
	front := frontmatter.NewMap(u.Doc.Path, u.Doc.Meta, nil)
	asked := context.PageQuestions(u.Doc.Path, front)
	sections := make([]rank.Section, len(u.Splits))
	for i, s := range u.Splits {
		sections[i] = ScoredSection(u.Doc.Path, &s.Split, s.Text, front, asked)
	}
	return search.Note(sections)
}

// questionWords counts the words of the questions that front matter lists for each split; nil for
// none.
func questionWords(u *compiler.Unit) []int {
	asked := context.PageQuestions(u.Doc.Path, frontmatter.NewMap(u.Doc.Path, u.Doc.Meta, nil))
	if len(asked) == 0 {
		return nil
	}
	list := make([]int, len(u.Splits))
	for i, s := range u.Splits {
		list[i] = CountWords(QuestionsOf(u.Doc.Path, &s.Split, asked))
	}
	return list
}

// CountWords counts the words of questions as the scorer does.
func CountWords(questions []string) int {
	if len(questions) == 0 {
		return 0
	}
	_, lengths := rank.NewTally().Of(&rank.Section{Questions: questions})
	return lengths[rank.Questions]
}

// ScoredSection is a section as the scorer takes it.
func ScoredSection(document string, s *schema.Split, text string, front frontmatter.Map, asked map[string][]string) rank.Section {
	return rank.Section{
		Title: s.Title, TitlePath: append(context.TitlePath(document), context.FrontTitles(document, s.Title, front)...),
		Text: text, Questions: QuestionsOf(document, s, asked),
	}
}

// QuestionsOf are the questions for a document and for the sections that a split holds.
func QuestionsOf(document string, s *schema.Split, asked map[string][]string) []string {
	list := slices.Clone(asked[document])
	if len(s.Sections) == 0 {
		return append(list, asked[document+"#"+s.SectionID]...)
	}
	for _, id := range s.Sections {
		list = append(list, asked[document+"#"+id]...)
	}
	return list
}
