package site

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// maxPainted is the largest code block, in bytes, that is highlighted. Larger
// ones are shown plain: they are data rather than code, and lexers may take
// more than linear time on them.
const maxPainted = 32 << 10

// highlighter colours code blocks, each distinct one once: packs repeat
// themselves, and lexing is by far the slowest thing a build does. Results wait
// in a spool, not in memory.
type highlighter struct {
	spool *spool
	cache *paintCache // of earlier builds; nil without a cache directory
	done  sync.Map    // paintKey → *painted
	made  atomic.Int64
}

// paintKey identifies a block: SHA-256 over the language's name and the code.
type paintKey [16]byte

type painted struct {
	once sync.Once
	at   span
	ok   bool
}

// paint returns the HTML of a code block. It reports false when the language is
// not known, when the block is too large, or when highlighting is off (a nil
// highlighter).
func (h *highlighter) paint(language string, code []byte) ([]byte, bool) {
	if h == nil || len(code) > maxPainted {
		return nil, false
	}
	lexer := lexerFor(language)
	if lexer == nil {
		return nil, false
	}
	key := keyOf(lexer.Config().Name, code)
	entry, _ := h.done.LoadOrStore(key, &painted{})
	p := entry.(*painted)
	var fresh []byte
	p.once.Do(func() {
		html, ok := h.cache.get(key)
		if !ok {
			h.made.Add(1)
			if html, ok = steadyTokens(lexer, code); !ok {
				return
			}
		}
		at, err := h.spool.put(html)
		if err != nil {
			return // the block is shown plain; the disk fails the build elsewhere
		}
		p.at, p.ok, fresh = at, true, html
	})
	if !p.ok || fresh != nil {
		return fresh, p.ok
	}
	html, err := h.spool.get(p.at, nil)
	return html, err == nil
}

func keyOf(lexer string, code []byte) paintKey {
	h := sha256.New()
	h.Write([]byte(lexer))
	h.Write([]byte{0})
	h.Write(code)
	return paintKey(h.Sum(nil)[:len(paintKey{})])
}

// byName finds lexers by name and alias, exactly: chroma's own search goes on
// to try every file name pattern, which costs time for each unknown word.
var byName = sync.OnceValue(func() map[string]chroma.Lexer {
	m := map[string]chroma.Lexer{}
	for _, lexer := range lexers.GlobalLexerRegistry.Lexers {
		for _, alias := range lexer.Config().Aliases {
			alias = strings.ToLower(alias)
			if _, taken := m[alias]; !taken {
				m[alias] = lexer
			}
		}
	}
	for _, lexer := range lexers.GlobalLexerRegistry.Lexers {
		m[strings.ToLower(lexer.Config().Name)] = lexer
	}
	for _, plain := range []string{"text", "plain", "plaintext", "txt", "no-highlight", "console output"} {
		delete(m, plain)
	}
	return m
})

// lexerFor returns the lexer of a fence's language; nil when there is none.
func lexerFor(language string) chroma.Lexer {
	if language == "" {
		return nil
	}
	return byName()[strings.ToLower(strings.Trim(language, "{}."))]
}

// The lexers give up on a match after 250 milliseconds by the clock, and go on
// without saying so: on a machine that is busy with other things, one block in
// many thousands would come out another way. A block that took that long is
// lexed again until two runs agree.
const (
	lexerPatience = 250 * time.Millisecond
	maxLexed      = 6 // runs
)

func steadyTokens(lexer chroma.Lexer, code []byte) (html []byte, ok bool) {
	var last []byte
	for range maxLexed {
		start := time.Now()
		if html, ok = tokens(lexer, code); !ok {
			return nil, false
		}
		if time.Since(start) < lexerPatience || last != nil && bytes.Equal(html, last) {
			return html, true
		}
		last = html
	}
	return nil, false
}

// tokens lexes code into HTML. It reports false when
// the lexer fails or gives other text than it was given.
func tokens(lexer chroma.Lexer, code []byte) (html []byte, ok bool) {
	defer func() {
		// Lexers are large and come from elsewhere: a panic costs a block its
		// colours, not the build its life.
		if recover() != nil {
			html, ok = nil, false
		}
	}()
	iterator, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, string(code))
	if err != nil {
		return nil, false
	}
	p := painter{seen: make([]byte, 0, len(code))}
	p.b = make([]byte, 0, len(code)*2)
	for token := iterator(); token != chroma.EOF; token = iterator() {
		p.token(classOf(token.Type), token.Value)
	}
	p.close()
	p.literal(p.blank)
	return p.b, bytes.Equal(bytes.TrimRight(p.seen, "\n"), bytes.TrimRight(code, "\n"))
}

// painter joins neighbouring tokens of one class, over blanks too: fewer tags,
// smaller pages.
type painter struct {
	writer
	seen  []byte // the text of all tokens
	open  class  // of the open element
	blank []byte // white space after it that may or may not belong to it
}

func (p *painter) token(c class, text string) {
	p.seen = append(p.seen, text...)
	if c == none && strings.TrimLeft(text, " \t\n") == "" {
		p.blank = append(p.blank, text...)
		return
	}
	if c != p.open {
		p.close()
	}
	p.literal(p.blank)
	p.blank = p.blank[:0]
	if c != p.open {
		p.raw(paintTags[c].open)
		p.open = c
	}
	p.literal([]byte(text))
}

func (p *painter) close() {
	p.raw(paintTags[p.open].close)
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

// paintTags are the tags of the classes. They stand on every token, so they are
// short: code.css says how each looks inside pre.
var paintTags = [classes]struct{ open, close string }{
	none:     {"", ""},
	keyword:  {"<b>", "</b>"},
	str:      {"<u>", "</u>"},
	number:   {"<i class=n>", "</i>"},
	name:     {"<var>", "</var>"},
	comment:  {"<i>", "</i>"},
	deleted:  {"<del>", "</del>"},
	inserted: {"<ins>", "</ins>"},
}

// classOf maps a token type to a class. Calls and builtins are left alone: code
// in which everything is coloured has no colours.
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
