package highlight

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"

	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/highlight/grammar"
	"github.com/packgen/packgen/site/highlight/lexers"
	"github.com/packgen/packgen/templates"
)

// maxPainted is the largest code block, in bytes, that is highlighted. Larger
// ones are shown plain: they are data rather than code, and lexers may take
// more than linear time on them.
const maxPainted = 32 << 10

// Highlighter colours code blocks. The result of a block is kept in a store, by
// language and code: packs repeat themselves, and lexing is by far the slowest thing
// a build does. Make one with [New]; a nil one colours nothing. It may be used from
// several goroutines.
type Highlighter struct {
	store   store.Store
	program string
}

// New returns a highlighter that keeps what it made in a store. Program distinguishes one
// build of the program from another.
func New(s store.Store, program string) *Highlighter { return &Highlighter{s, program} }

// Paint returns the HTML of a code block in the language of that name, as fences
// write it: escaped text with tags that code.css knows. It reports false when the
// language is not known, when the block is too large, or when highlighting is off (a
// nil highlighter).
func (h *Highlighter) Paint(name string, code []byte) ([]byte, bool) {
	if h == nil || len(code) > maxPainted {
		return nil, false
	}
	lang := languageOf(name)
	if lang == nil {
		return nil, false
	}
	key := store.Key("highlight", h.program, lang.lexer.Config().Name, string(code))
	if found, ok := h.store.Action(key); ok {
		if len(found) == 0 {
			return nil, false // it breaks its lexer
		}
		if html, ok := h.store.Blob(found[0]); ok {
			return html, true
		}
	}
	html, ok := lang.steady(code)
	if !ok {
		h.store.SetAction(key, nil)
		return nil, false
	}
	h.store.SetAction(key, store.Result{h.store.SetBlob(html)})
	return html, true
}

// language is a lexer that fences name.
type language struct {
	lexer   chroma.Lexer
	grammar func() *grammar.Grammar // its rules; nil when it is not made of rules
}

// byName finds languages by name and alias, exactly: chroma's own search goes
// on to try every file name pattern, which costs time for each unknown word.
var byName = sync.OnceValue(func() map[string]*language {
	m := map[string]*language{}
	var all []*language
	registry := lexers.Registry()
	for _, lexer := range registry.Lexers {
		lang := &language{lexer, sync.OnceValue(func() *grammar.Grammar { return grammar.New(lexer, registry) })}
		for _, alias := range lexer.Config().Aliases {
			alias = strings.ToLower(alias)
			if _, taken := m[alias]; !taken {
				m[alias] = lang
			}
		}
		all = append(all, lang)
	}
	for _, lang := range all {
		m[strings.ToLower(lang.lexer.Config().Name)] = lang
	}
	for _, plain := range []string{"text", "plain", "plaintext", "txt", "no-highlight", "console output"} {
		delete(m, plain)
	}
	return m
})

// languageOf returns the language of a fence; nil when there is none.
func languageOf(name string) *language {
	if name == "" {
		return nil
	}
	return byName()[strings.ToLower(strings.Trim(name, "{}."))]
}

// Lexers of others give up on a match after 250 milliseconds by the clock, and continue
// without a word: on a machine that is busy with other things, one block in many
// thousands would come out another way. A block that took that long is lexed again
// until two runs agree; one that could not be lexed within a time, until three cannot.
const (
	lexerPatience = 250 * time.Millisecond
	maxLexed      = 6 // runs
	maxFailed     = 3 // those of them that fail
)

// steady returns the HTML of a block, the same on every machine.
func (l *language) steady(code []byte) (html []byte, ok bool) {
	var last []byte
	failed := 0
	for range maxLexed {
		start := time.Now()
		var err error
		html, err = l.tokens(code)
		ok = err == nil
		switch {
		case errors.Is(err, grammar.ErrWork):
			return nil, false
		case time.Since(start) < lexerPatience:
			return html, ok
		case ok && last != nil && bytes.Equal(html, last):
			return html, true
		case ok:
			last = html
		default:
			if failed++; failed == maxFailed {
				return nil, false
			}
		}
	}
	return nil, false
}

var errLexer = errors.New("the lexer fails, or gives other text than it was given")

// tokens lexes code into HTML.
func (l *language) tokens(code []byte) (html []byte, err error) {
	defer func() {
		// Lexers are large and come from elsewhere: a panic leaves a block
		// plain and does not end the build.
		if recover() != nil {
			html, err = nil, errLexer
		}
	}()
	p := painter{rest: code}
	p.b = make([]byte, 0, len(code)*3/2+64)
	if err := l.lex(string(code), p.token); err != nil {
		return nil, err
	}
	p.close()
	p.text(p.blank)
	if p.other || len(bytes.TrimRight(p.rest, "\n")) > 0 {
		return nil, errLexer
	}
	return p.b, nil
}

// lex calls emit with each token.
func (l *language) lex(code string, emit func(chroma.TokenType, string)) error {
	if g := l.grammar(); g != nil {
		return g.Lex(code, emit)
	}
	iterator, err := l.lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return err
	}
	for token := iterator(); token != chroma.EOF; token = iterator() {
		emit(token.Type, token.Value)
	}
	return nil
}

// painter joins neighbouring tokens of one class, over blanks too: fewer tags,
// smaller pages.
type painter struct {
	b     []byte
	rest  []byte // the text that no token has shown yet
	other bool   // tokens show something else than the text
	open  class  // of the open element
	blank []byte // white space after it that may or may not belong to it
}

func (p *painter) token(t chroma.TokenType, text string) {
	switch {
	case len(text) <= len(p.rest) && string(p.rest[:len(text)]) == text:
		p.rest = p.rest[len(text):]
	case strings.TrimRight(text, "\n") == string(bytes.TrimRight(p.rest, "\n")):
		p.rest = nil // with the line break that lexers add to the last line
	default:
		p.other = true
	}
	c := classOf(t)
	if c == none && strings.TrimLeft(text, " \t\n") == "" {
		p.blank = append(p.blank, text...)
		return
	}
	if c != p.open {
		p.close()
	}
	p.text(p.blank)
	p.blank = p.blank[:0]
	if c != p.open {
		p.b = append(p.b, tags[c].open...)
		p.open = c
	}
	p.b = templates.AppendText(p.b, text)
}

func (p *painter) text(s []byte) { p.b = templates.AppendText(p.b, s) }

func (p *painter) close() {
	p.b = append(p.b, tags[p.open].close...)
	p.open = none
}

// class is what a token is coloured as.
type class uint8

const (
	none class = iota
	keyword
	str
	number
	name
	comment
	deleted
	inserted
	classes
)

// tags are the tags of the classes. They are on every token, so they are
// short: code.css says how each looks inside pre.
var tags = [classes]struct{ open, close string }{
	none:     {"", ""},
	keyword:  {"<b>", "</b>"},
	str:      {"<u>", "</u>"},
	number:   {"<i class=n>", "</i>"},
	name:     {"<var>", "</var>"},
	comment:  {"<i>", "</i>"},
	deleted:  {"<del>", "</del>"},
	inserted: {"<ins>", "</ins>"},
}

// classOf maps a token type to a class. Calls and builtins are left alone: where
// everything is coloured, nothing stands out.
func classOf(t chroma.TokenType) class {
	switch {
	case t == chroma.KeywordConstant:
		return number
	case t.InCategory(chroma.Keyword), t == chroma.CommentPreproc, t == chroma.OperatorWord:
		return keyword
	case t.InCategory(chroma.Comment):
		return comment
	case t.InSubCategory(chroma.LiteralString), t == chroma.LiteralDate:
		return str
	case t.InSubCategory(chroma.LiteralNumber), t == chroma.NameConstant:
		return number
	case t == chroma.NameClass, t == chroma.NameTag, t == chroma.NameDecorator, t == chroma.NameAttribute,
		t == chroma.NameVariable, t == chroma.GenericHeading, t == chroma.GenericSubheading:
		return name
	case t == chroma.GenericDeleted:
		return deleted
	case t == chroma.GenericInserted:
		return inserted
	}
	return none
}
