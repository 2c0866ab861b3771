package context

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/context/rank"
)

// recommendation is the fixed advice when something is missing (agent-knowledge
// section 13.9).
const recommendation = "ask_user_or_mark_unknown"

// openPoints lists the claims without a source that the query asks about
// and no title of the selection covers, then the open questions of that kind
// (section 13.9).
func (p *picker) openPoints(files []File) []string {
	titles := rank.NewWordSet()
	for _, f := range files {
		for _, w := range rank.Words(f.Title) {
			titles[w] = true
		}
	}
	asked := func(text string) bool {
		return slices.ContainsFunc(rank.Words(text), func(w string) bool { return p.words[w] && !titles[w] })
	}
	var list []string
	add := func(text string) {
		if asked(text) && !slices.Contains(list, text) {
			list = append(list, secret.RedactKnown(text))
		}
	}
	for _, c := range p.sourceMap.Claims {
		if (c.Status == schema.Missing || c.Status == schema.SourceRequired) && p.isPrimary(c.Document) {
			add(c.Text)
		}
	}
	for _, title := range p.openQuestions() {
		add(title)
	}
	return list
}

// isPrimary reports whether a file lies on a side that the profile declares as a
// fact source.
func (s *contents) isPrimary(name string) bool {
	switch {
	case strings.HasPrefix(name, "documents/"):
		return s.meta.HasDocuments()
	case strings.HasPrefix(name, "wiki/"):
		return s.meta.HasWiki()
	}
	return true
}

// openQuestions returns the titles of the open pages under wiki/open-questions/,
// by path, without known secrets: the caches keep them. An open page is one whose status
// is not ready (section 6.4).
func (s *contents) openQuestions() []string {
	if s.snap != nil {
		return s.snap.facts.Open
	}
	var list []string
	for _, u := range s.openPages(questionsDir) {
		list = append(list, secret.RedactKnown(u.title))
	}
	return list
}

// openPages reads the open pages of a folder of the wiki, by path.
func (s *contents) openPages(dir string) []*unit {
	if !s.meta.HasWiki() {
		return nil
	}
	var list []*unit
	for _, f := range s.pack.List(strings.TrimSuffix(dir, "/")) {
		if !strings.HasSuffix(f.Path, ".md") || s.document(f.Path).status() == schema.Ready {
			continue
		}
		if u := s.page(f.Path); u != nil {
			list = append(list, u)
		}
	}
	return list
}

// unmet returns the required phrases that no single file holds all words of.
func unmet(phrases []string, packs []Activated) []string {
	if len(phrases) == 0 {
		return nil
	}
	var texts []rank.WordSet
	for _, a := range packs {
		for _, f := range a.Files {
			texts = append(texts, rank.NewWordSet(f.Title, rank.Prose(f.Text)))
		}
	}
	var list []string
	for _, phrase := range phrases {
		words := rank.Words(phrase)
		met := slices.ContainsFunc(texts, func(text rank.WordSet) bool {
			return !slices.ContainsFunc(words, func(w string) bool { return !text[w] })
		})
		if !met {
			list = append(list, phrase)
		}
	}
	return list
}
