package markdown

import "strings"

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

// words returns what a title in the class contains, in lower case.
func (c Class) words() []string {
	switch c {
	case ClassBoundary:
		return []string{"boundar", "limit", "compliance", "constraint", "taboo", "do not", "禁忌", "边界", "红线"}
	case ClassVoice:
		return []string{"voice", "tone", "style", "口吻", "语气", "表达"}
	case ClassValues:
		return []string{"value", "belief", "价值观"}
	case ClassTaboos:
		return []string{"taboo", "禁忌", "红线"}
	case ClassPersonaBoundaries:
		return []string{"boundar", "limit", "边界"}
	case ClassUsage:
		return []string{"usage", "how to use", "应用指南"}
	}
	return nil
}

// Has reports whether a title is in the class, whatever its case.
func (c Class) Has(title string) bool {
	title = strings.ToLower(title)
	for _, word := range c.words() {
		if strings.Contains(title, word) {
			return true
		}
	}
	return false
}

// BoundaryTitle reports whether a title is in the class boundary.
func BoundaryTitle(title string) bool { return ClassBoundary.Has(title) }
