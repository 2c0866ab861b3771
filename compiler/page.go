package compiler

import (
	"net/url"
	"path"
	"strings"
)

// The files of wiki/ that are inputs only, and the folders whose pages state
// claims but get no splits (agent-knowledge section 6.4).
const (
	wikiIndex          = "wiki/index.md"
	wikiLog            = "wiki/log.md"
	wikiSources        = "wiki/sources/"
	wikiContradictions = "wiki/contradictions/"
	wikiOpenQuestions  = "wiki/open-questions/"
	openQuestionsFile  = "documents/open-questions.md"
)

// role says what a Markdown file of documents/ or wiki/ is for a compile.
type role uint8

const (
	inputOnly     role = iota // index, log, the side that is not primary
	document                  // cut into splits
	openDocument              // documents/open-questions.md: sections without splits
	page                      // one split, or several when it is long
	sourcePage                // summary of a source: claims, no split
	contradiction             // conflicting claims: no split
	question                  // known gaps: no split
)

// roleOf returns the role of a file by its path alone; its status may still make
// it an input only.
func (k *contract) roleOf(name string) role {
	switch {
	case !k.isPrimary(name), name == wikiIndex, name == wikiLog:
		return inputOnly
	case name == openQuestionsFile:
		return openDocument
	case strings.HasPrefix(name, "documents/"):
		return document
	case strings.HasPrefix(name, wikiSources):
		return sourcePage
	case strings.HasPrefix(name, wikiContradictions):
		return contradiction
	case strings.HasPrefix(name, wikiOpenQuestions):
		return question
	}
	return page
}

// isPrimary reports whether a file is on a side that the profile declares as a
// fact source.
func (k *contract) isPrimary(name string) bool {
	if strings.HasPrefix(name, "documents/") {
		return k.documents
	}
	return k.wiki
}

// getsSplits reports whether files of that role are cut into splits.
func (r role) getsSplits() bool { return r == document || r == page }

// recordsQuestions reports whether the role is the proper place for gaps.
func (r role) recordsQuestions() bool { return r == openDocument || r == question }

// stemOf returns the file name without ".md".
func stemOf(name string) string { return strings.TrimSuffix(path.Base(name), ".md") }

// pageOrder returns the pages that the links of wiki/index.md lead to, in their
// order, each once. Exists reports whether a path is a page.
func pageOrder(links []link, exists func(string) bool) []string {
	var list []string
	seen := map[string]bool{}
	for _, l := range links {
		target, _, ok := localTarget(l.dest)
		if !ok || l.image || l.wiki || target == "" || strings.HasPrefix(target, "/") {
			continue
		}
		target = path.Join("wiki", target)
		if !seen[target] && exists(target) {
			seen[target] = true
			list = append(list, target)
		}
	}
	return list
}

// localTarget takes a link destination apart: the percent-decoded path without
// its query, and the percent-decoded fragment. Ok is false for a destination
// with a scheme or a host, which points outside of any pack.
func localTarget(dest string) (target, fragment string, ok bool) {
	if strings.HasPrefix(dest, "//") || hasScheme(dest) {
		return "", "", false
	}
	dest, fragment, _ = strings.Cut(dest, "#")
	dest, _, _ = strings.Cut(dest, "?")
	return unescape(dest), unescape(fragment), true
}

// unescape decodes percent escapes; what is not a valid escape stays as written.
func unescape(s string) string {
	if decoded, err := url.PathUnescape(s); err == nil {
		return decoded
	}
	return s
}

// hasScheme reports whether a destination starts with a URI scheme.
func hasScheme(dest string) bool {
	for i := range len(dest) {
		c := dest[i]
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return c == ':' && i > 0
		}
	}
	return false
}
