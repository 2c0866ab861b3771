package memory

import (
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
)

const arrow = "→"

// Ref is one reference of a MEMORY.md to a topic file (loadout section 19.2).
type Ref struct {
	Name        string
	Description string
	Path        string // as written
	Line        int    // from 1; 0 for a file that is not listed

	link bool // written as a link, which is how agents write it
}

// parseRef reads a reference from a trimmed line, or one of the links that agents write.
// prose says that the line ends in an arrow and a word which names no file: upstream treats
// it as a reference (loadout section 28, D16).
func parseRef(line string) (ref Ref, ok, prose bool) {
	if ref, ok := linkForm(line); ok {
		return ref, true, false
	}
	text, path, ok := arrowForm(line)
	prose = ok && !strings.Contains(path, ".md") && !strings.Contains(path, "/")
	if !ok {
		text, path, ok = inlineForm(line)
	}
	if !ok {
		return Ref{}, false, false
	}
	ref.Name, ref.Description = splitName(text)
	ref.Path = path
	return ref, true, prose
}

// issue is one about the reference.
func (r Ref) issue(severity loadout.Severity, code, message, hint string) Issue {
	return Issue{Severity: severity, Code: code, Message: message, Hint: hint, RefPath: r.Path, Line: r.Line}
}

// arrowForm reads "- Name — description → `path`".
func arrowForm(line string) (text, path string, ok bool) {
	rest := strings.TrimSuffix(line, "`")
	start := len(rest)
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(rest[:start])
		if r == '`' || javascript.IsSpace(r) {
			break
		}
		start -= size
	}
	path, rest = rest[start:], strings.TrimSuffix(rest[:start], "`")
	if path == "" {
		return "", "", false
	}
	before := javascript.TrimRight(rest)
	if len(before) == len(rest) || !strings.HasSuffix(before, arrow) {
		return "", "", false
	}
	before = strings.TrimSuffix(before, arrow)
	text = javascript.TrimRight(before)
	if len(text) == len(before) || text == "" || strings.ContainsAny(text, "\r\u2028\u2029") {
		return "", "", false
	}
	if bare, ok := bullet(text); ok && bare != "" {
		text = bare
	}
	return text, path, true
}

// inlineForm reads a bullet line with an arrow and a backticked path somewhere
// after it.
func inlineForm(line string) (text, path string, ok bool) {
	body, ok := bullet(line)
	if !ok || !strings.Contains(line, " "+arrow+" ") {
		return "", "", false
	}
	at, path := inlinePath(body)
	if path == "" || foreign(path) {
		return "", "", false
	}
	text = javascript.Trim(strings.TrimSuffix(javascript.Trim(body[:at]), arrow))
	if text == "" {
		return "", "", false
	}
	name, _ := splitName(text)
	id := nameID(name)
	if id == "" || id[0] == '-' || id[len(id)-1] == '-' {
		return "", "", false
	}
	return text, path, true
}

// inlinePath finds the first backticked token that names a topic file, and the
// offset of its first backtick.
func inlinePath(body string) (at int, path string) {
	for at = 0; at < len(body); at++ {
		if body[at] != '`' {
			continue
		}
		end := strings.IndexByte(body[at+1:], '`')
		if end < 0 {
			return 0, ""
		}
		word := body[at+1 : at+1+end]
		topic := strings.HasPrefix(word, "memory/") && len(word) > len("memory/") || strings.HasSuffix(word, ".md") && len(word) > len(".md")
		if topic && !strings.ContainsFunc(word, javascript.IsSpace) {
			return at, word
		}
		at += end // the next round looks at the closing backtick: it may open the next token
	}
	return 0, ""
}

// foreign reports whether a path cannot be one of the store: a glob, or absolute.
func foreign(path string) bool {
	return strings.Contains(path, "*") || strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\\`) ||
		len(path) > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\')
}

// bullet takes a list marker and the white space after it off a line.
func bullet(line string) (rest string, ok bool) {
	if line == "" || line[0] != '-' && line[0] != '*' {
		return line, false
	}
	rest = strings.TrimLeftFunc(line[1:], javascript.IsSpace)
	return rest, len(rest) < len(line)-1
}

// splitName cuts a text into name and description at the first dash.
func splitName(text string) (name, description string) {
	name, description, found := strings.Cut(text, "—")
	if !found {
		name, description, _ = strings.Cut(text, "--")
	}
	return javascript.Trim(name), javascript.Trim(description)
}
