package frontmatter

import (
	"bytes"

	"github.com/packgen/packgen/compiler/diag"
)

// What a block of lines after a first line "---" is, by the lines themselves: other systems
// begin a page with a rule, which is "---" too.
const (
	nothing = iota // comments
	hasKey         // its first line, comments left out, is "key: value"
	hasText        // its first line is something else, or blank
)

// Unclosed is what the finding about front matter says that is never closed.
const Unclosed = "the front matter is never closed, so none of the page is published"

// UnclosedBlock is what [Read] returns of a page whose first line is a marker that no
// other one closes: nothing where its lines do not begin as front matter does, since the
// marker is a rule then.
func UnclosedBlock(text []byte, path string) (Block, []diag.Diagnostic) {
	if linesOf(text[:min(len(text), MaxBytes)]).opened != hasKey {
		return Block{}, nil
	}
	marker := string(bytes.TrimSpace(firstLine(text)))
	return Block{End: len(text), Open: true}, []diag.Diagnostic{{
		ID: ID, Severity: diag.Error, Path: path, Line: 1, Column: 1,
		Message: Unclosed,
		Hint:    "write a line " + marker + " after the last key; if the first line is a rule, leave a blank line below it",
	}}
}

// linesOf reads the lines of a text after the first.
func linesOf(text []byte) *block {
	b := &block{}
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	for line := range bytes.Lines(rest) {
		b.read(line)
	}
	return b
}

// block reads the lines between the markers.
type block struct {
	opened int  // what its first line is, comments left out
	keys   bool // some line is "key:"
	blank  bool // a line of it is blank
	title  bool // it holds a heading of Markdown: a comment of one line with a blank line after it
	other  bool // some line is neither blank nor a comment
	above  bool // the line before is such a comment
}

// read takes the next line.
func (b *block) read(line []byte) {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		if b.opened == nothing {
			b.opened = hasText
		}
		b.blank = true
		b.title = b.title || b.above
		b.above = false
		return
	case text[0] == '#':
		b.above = bytes.HasPrefix(bytes.TrimLeft(text, "#"), []byte(" ")) && bytes.IndexByte(text, ':') < 0
		return
	}
	b.above = false
	key := isKeyLine(text)
	if b.opened == nothing {
		b.opened = hasText
		if key {
			b.opened = hasKey
		}
	}
	b.other, b.keys = true, b.keys || key
}

// isText reports that the lines are text between two rules, and no front matter: none of
// them has a key, and a blank line is among them, as between paragraphs.
func (b *block) isText() bool {
	return !b.keys && b.blank && (b.other || b.title)
}

// isKeyLine reports a line "key: value", or "key = value" of TOML: a key has no white
// space, so that no sentence with a colon is one.
func isKeyLine(text []byte) bool {
	i := bytes.IndexAny(text, ":= \t")
	if i < 1 || text[0] == '-' || text[0] == '*' || text[0] == '>' {
		return bytes.HasPrefix(text, []byte("{"))
	}
	rest := text[i:]
	if c := bytes.TrimLeft(rest, " \t"); len(c) > 0 && c[0] == '=' {
		return true
	}
	return rest[0] == ':' && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '\t')
}
