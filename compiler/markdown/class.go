package markdown

import (
	"slices"
	"strings"
	"unicode"
)

// Class is a heading class of agent-knowledge section 13.6.
type Class uint8

// The heading classes.
const (
	ClassBoundary          Class = iota // limits of use, rules, taboos
	ClassVoice                          // tone and style of a persona
	ClassValues                         // values and beliefs of a persona
	ClassTaboos                         // what a persona never does
	ClassPersonaBoundaries              // where a persona's role ends
	ClassUsage                          // how to use the pack
)

// classWords are what the titles of the classes contain, in lower case.
var classWords = [...][]string{
	ClassBoundary:          {"boundar", "limit", "compliance", "constraint", "taboo", "do not", "禁忌", "边界", "红线"},
	ClassVoice:             {"voice", "tone", "style", "口吻", "语气", "表达"},
	ClassValues:            {"value", "belief", "价值观"},
	ClassTaboos:            {"taboo", "禁忌", "红线"},
	ClassPersonaBoundaries: {"boundar", "limit", "边界"},
	ClassUsage:             {"usage", "how to use", "应用指南"},
}

// Has reports whether a title is in the class, whatever its case.
func (c Class) Has(title string) bool {
	title = strings.ToLower(title)
	return slices.ContainsFunc(classWords[c], func(word string) bool { return strings.Contains(title, word) })
}

// IsBoundary reports whether a title is a boundary title and nothing more: each of
// its words is one that names boundaries, or holds such words together ("Limits",
// "Runtime boundaries", "Limits and constraints"). A title that merely contains such
// a word has another topic ("Rate limiting", "Compliance of JSON parsers").
func IsBoundary(title string) bool {
	title = strings.ToLower(strings.TrimSpace(title))
	for _, word := range []string{"禁忌", "边界", "红线"} {
		if strings.HasSuffix(title, word) { // the last word of a Chinese title says what it is
			return true
		}
	}
	found := false
	for word := range strings.FieldsFuncSeq(strings.ReplaceAll(title, "do not", "donot"), func(r rune) bool { return !unicode.IsLetter(r) }) {
		names := isIn(word, "boundary boundaries limit limits limitation limitations constraint constraints compliance taboo taboos donot")
		if !names && !isIn(word, "and or of the our its this use pack runtime known general") {
			return false
		}
		found = found || names
	}
	return found
}
