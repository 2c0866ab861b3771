package rules

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/stem"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/agent/rules/vocabulary"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	"github.com/packgen/packgen/resolver/loadout/scripts"
)

const (
	// maxOwn is how many words of its own call a section, beside those of its heading
	// and the signals.
	maxOwn = 16
	// maxKeywords is how many keywords a rule gets: a hit of one of more is too little
	// for the matcher that counts shares of them.
	maxKeywords = 10
	// maxHeading, maxParts and maxSentence are how much a description has of the heading, of
	// the headings in the section and of its first sentence, and
	// maxDescription how long it is, both in UTF-16 units. Agents leave out whole
	// descriptions when all of them together take too much, 8,000 at the least: so those
	// of a file share maxListing, unless each would have less than minDescription.
	maxHeading     = 80
	maxParts       = 120
	maxSentence    = 60
	maxDescription = 350
	minDescription = 160
	maxListing     = 7_000
	// maxShownGlobs is how many globs a description names.
	maxShownGlobs = 3
)

// ownWords lists the words that tell each section from the others, as the layout of the
// format does not.
func ownWords(sections []Section, as form) [][]string {
	if as.as == "" {
		return make([][]string, len(sections))
	}
	texts := make([]vocabulary.Text, len(sections))
	for i := range sections {
		_, body, _ := strings.Cut(sections[i].Content, "\n")
		texts[i] = vocabulary.Text{Heading: sections[i].Heading, Body: body}
	}
	return vocabulary.Words(texts, maxOwn)
}

// without leaves out the words of a section that say nothing, and forms of those that
// call it already.
func (s *Signals) without(own, keywords []string) []string {
	had := stems(strings.Join(keywords, " "))
	return slices.DeleteFunc(own, func(w string) bool { return had[stemOf(w)] || slices.Contains(s.Stop, w) })
}

// markup is code, which stays as it is, links and pictures, of which the text stays, and
// the marks of footnotes, of tags and of what is emphasised.
var markup = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(`[^`]*`)" + `|!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|\[\^[^\]]*\]|</[A-Za-z][^>]*>|<[A-Za-z]+ [^>]*=[^>]*>|\*\*`)
})

// describe says when an agent needs a section: its heading, what it begins with, and the
// words by which a task for it can be known.
func (f form) describe(p *Proposal, own []string) string {
	heading := javascript.Line(p.Section.Heading)
	text := javascript.Shorten(heading, maxHeading)
	if above := javascript.Line(p.Section.within); above != "" {
		text = javascript.Shorten(above, maxHeading) + ", " + text
	}
	if parts := strings.Join(p.Section.parts(), ", "); parts != "" {
		text += " (" + javascript.Shorten(parts, maxParts) + ")"
	}
	if s := p.Summary; s != "" && s != heading {
		text += ": " + javascript.Shorten(FirstSentence(markup().ReplaceAllString(s, "$1$2")), maxSentence)
	}
	text = strings.NewReplacer("<", "(", ">", ")").Replace(text)
	if text = strings.TrimRight(text, ":： "); !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "…") && !strings.HasSuffix(text, "。") {
		text += "."
	}
	const use = " Use when the task is about "
	room := min(maxDescription, max(minDescription, maxListing/max(1, f.descriptions))) - token.Units(text) - token.Units(use)
	files := ""
	if globs := p.Globs[:min(maxShownGlobs, len(p.Globs))]; len(globs) > 0 {
		if files = ", or works on " + strings.Join(globs, ", "); token.Units(files) > room/2 {
			files = ""
		}
	}
	room -= token.Units(files) + 1
	said, folded := stems(text), map[string]bool{}
	for _, w := range scripts.Words(text) {
		folded[w] = true
	}
	var words []string
	for _, w := range slices.Concat(p.Keywords, own) {
		if s := stemOf(w); !said[s] && !(needsUnicode([]string{w}) && (folded[w] || strings.Contains(strings.ToLower(text), w))) && token.Units(w)+2 <= room {
			said[s] = true
			words = append(words, w)
			room -= token.Units(w) + 2
		}
	}
	if len(words) == 0 {
		words = []string{javascript.Shorten(heading, maxHeading)} // nothing else calls it
	}
	return text + use + strings.Join(words, ", ") + files + "."
}

// parts are the headings in a section, without its own.
func (s *Section) parts() (list []string) {
	for i, p := range newDocument(s.Content).headings() {
		if i > 0 && p.level >= s.Level {
			list = append(list, javascript.Line(p.text))
		}
	}
	return list
}

func stemOf(word string) string { return string(stem.Of([]byte(strings.ToLower(word)))) }

// stems are the stems of the words of a text.
func stems(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, isBetweenWords) {
		set[stemOf(w)] = true
	}
	return set
}
