package rank

import "strings"

// belowTitle is the text of a split without the title of the document that it begins
// with: the words of a title are the same for all sections below it.
func belowTitle(text string) string {
	title, rest, ok := strings.Cut(text, "\n\n")
	if !ok || !strings.HasPrefix(title, "# ") || strings.Contains(title, "\n") || !strings.HasPrefix(rest, "##") {
		return text
	}
	return rest
}
