package markdown

import (
	"bytes"
	"sync"

	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"

	"github.com/packgen/packgen/compiler/diag"
)

// state is what is known of a document while it is parsed.
type state struct {
	source  []byte
	mdx     bool // it is a page of MDX
	fronted bool // it has front matter: Jekyll and its kin read tags on such pages alone
	notes   []note

	// Some forms mean one thing in one system and another, or nothing, on GitHub: ~x~ is
	// struck there and a subscript in MkDocs. A page has such a meaning where other marks of
	// that system, which GitHub does not have, are on it.
	isVault, isMyST, isMkDocs func() bool

	comments  comments
	closers   map[string]int // the last of each text that closes a container; -1 when there is none
	tags      tags
	footnotes footnotes
	work      work
}

// tags are what is known of the tags of a document.
type tags struct {
	unended  int            // how many do not end
	last     string         // the name of the one that was opened last
	markdown map[string]int // how many elements are open that ask for Markdown, by name
	comment  int            // the end of the comment in an HTML block that a blank line was found in
}

var stateKey = parser.NewContextKey()

// stateOf returns the state of the document that is parsed.
func stateOf(pc parser.Context) *state { return pc.Get(stateKey).(*state) }

// newState returns the state of a document that nothing is read of.
func newState(source []byte, mdx, fronted bool) *state {
	hasMark := func(marks ...string) func() bool {
		return sync.OnceValue(func() bool { return hasAny(source, marks) })
	}
	return &state{
		source: source, mdx: mdx, fronted: fronted,
		isVault: hasMark("[["),
		isMyST: hasMark(")=\n", "\n```{note}", "\n```{warning}", "\n```{tip}", "\n```{code-block}", "\n```{admonition}", "\n```{figure}",
			"\n```{image}", "\n```{toctree}", "\n```{include}", "\n:::{", "{ref}`", "{doc}`", "{term}`", "{eq}`", "{numref}`", "{cite:"),
		isMkDocs: hasMark("\n!!! ", "\n??? ", "\n=== \"", "\n/// ", "--8<--", "{ .", "{ #", "{: ",
			":material-", ":octicons-", ":fontawesome-", ":simple-", "++ctrl", "{++", "{--", "{~~", "{>>", "^^", "<!-- md:", "\n::: {"),
		comments:  comments{source: source, ends: map[string]int{}, from: map[string]int{}, open: map[string]int{}},
		closers:   map[string]int{},
		tags:      tags{markdown: map[string]int{}},
		footnotes: footnotes{notes: map[string]*east.Footnote{}, refs: map[*east.Footnote]int{}},
		work:      work{left: leastWork + workPerByte*len(source)},
	}
}

// hasAny reports whether one of some marks is in a text.
func hasAny(text []byte, marks []string) bool {
	for _, mark := range marks {
		if bytes.Contains(text, []byte(mark)) {
			return true
		}
	}
	return false
}

// note is something the parser saw that is worth a diagnostic.
type note struct {
	offset        int
	id            string
	severity      diag.Severity
	message, hint string
	recorded      string // what run records say instead; "" for the message
}

func addNote(pc parser.Context, n note) {
	s := stateOf(pc)
	s.notes = append(s.notes, n)
}

// maxClosers is how many different closers of a document are looked for.
const maxClosers = 64

// closes reports whether what closes a container may be after an offset: a tag, or, for a
// sign, a line of at least three of it. Only the last one of each is looked for, so that a
// document of tags is read once.
func (s *state) closes(closer string, from int) bool {
	last, ok := s.closers[closer]
	switch {
	case ok:
	case len(s.closers) >= maxClosers:
		return false
	case len(closer) == 1:
		last = lastLineOf(s.source, closer[0])
	default:
		last = bytes.LastIndex(s.source, []byte(closer))
	}
	s.closers[closer] = last
	return last >= from
}

// lastLineOf returns where the last line starts that is at least three of a sign and nothing
// else, in a quote or not; -1 when none is.
func lastLineOf(source []byte, sign byte) int {
	for end := len(source); end > 0; {
		start := bytes.LastIndexByte(source[:end-1], '\n') + 1
		if line := bytes.Trim(source[start:end], " \t\r\n>"); len(line) >= 3 && countByte(line, sign) == len(line) {
			return start
		}
		end = start
	}
	return -1
}
