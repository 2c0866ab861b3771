package htmltag

import (
	"bytes"
	"strings"
)

// Kind says what a token is.
type Kind uint8

// The kinds of tokens.
const (
	Text    Kind = iota // everything else
	Open                // <name …> or <name …/>
	Close               // </name>
	Comment             // <!-- … -->, also <!…> and <?…?>
)

// Limits of what is read as a tag; beyond them it is text.
const (
	maxName  = 24      // bytes of a name
	maxAttrs = 32      // attributes of a tag
	maxTag   = 8 << 10 // bytes of a tag

	maxExpression = 512 // bytes of a value in braces
)

// Token is a piece of HTML.
type Token struct {
	Kind  Kind
	Name  string // of a tag, in lower case
	Attrs []Attr // of an opening tag, in order; of two with one name the first
	Start int    // offset in the text
	End   int    // offset after it
}

// Attr is an attribute of a tag.
type Attr struct {
	Name  string // in lower case
	Value string // as written, without quotes; character references are not decoded
	At    int    // offset of the value in the text
}

// Get returns the value of an attribute; false when the tag has none of that name.
func (t *Token) Get(name string) (string, bool) {
	for i := range t.Attrs {
		if t.Attrs[i].Name == name {
			return t.Attrs[i].Value, true
		}
	}
	return "", false
}

// Next returns the token that starts at an offset of a text, which must be less
// than its length.
func Next(text []byte, at int) Token {
	if text[at] == '<' {
		if t, ok := readTag(text, at); ok {
			return t
		}
	}
	for end := at + 1; ; end++ {
		i := bytes.IndexByte(text[end:], '<')
		if i < 0 {
			return Token{Kind: Text, Start: at, End: len(text)}
		}
		end += i
		if startsTag(text[end:]) {
			return Token{Kind: Text, Start: at, End: end}
		}
	}
}

// startsTag reports whether a text could start with a tag or comment.
func startsTag(text []byte) bool {
	return len(text) > 1 && (text[1] == '/' || text[1] == '!' || text[1] == '?' || isLetter(text[1]))
}

// readTag reads the tag or comment that starts at an offset.
func readTag(text []byte, at int) (Token, bool) {
	rest := text[at:]
	if len(rest) < 3 {
		return Token{}, false
	}
	switch {
	case rest[1] == '!' || rest[1] == '?':
		return readComment(rest, at)
	case rest[1] == '/':
		name := readName(rest[2:])
		end := 2 + len(name)
		for end < len(rest) && isSpace(rest[end]) {
			end++
		}
		if name == "" || end == len(rest) || rest[end] != '>' {
			return Token{}, false
		}
		return Token{Kind: Close, Name: strings.ToLower(name), Start: at, End: at + end + 1}, true
	}
	name := readName(rest[1:])
	if name == "" {
		return Token{}, false
	}
	t := Token{Kind: Open, Name: strings.ToLower(name), Start: at}
	return t, t.readAttrs(text[:min(len(text), at+maxTag)], at+1+len(name))
}

// readComment reads what starts with "<!" or "<?". An unclosed one runs to the end
// of the text.
func readComment(rest []byte, at int) (Token, bool) {
	end := []byte(">")
	from := 2
	switch {
	case bytes.HasPrefix(rest, []byte("<!-->")), bytes.HasPrefix(rest, []byte("<!--->")):
	case bytes.HasPrefix(rest, []byte("<!--")):
		end, from = []byte("-->"), 4
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		end = []byte("]]>")
	case rest[1] == '?':
		end = []byte("?>")
	case !isLetter(rest[2]) && rest[2] != '-':
		return Token{}, false
	}
	t := Token{Kind: Comment, Start: at, End: at + len(rest)}
	if i := bytes.Index(rest[from:], end); i >= 0 {
		t.End = at + from + i + len(end)
	}
	return t, true
}

// readName returns the name that starts a text; "" when there is none, or a longer
// one than a tag has.
func readName(text []byte) string {
	n := 0
	for n < len(text) && (isLetter(text[n]) || n > 0 && (text[n] >= '0' && text[n] <= '9' || text[n] == '-' || text[n] == ':' || text[n] == '.')) {
		if n++; n > maxName {
			return ""
		}
	}
	return string(text[:n])
}

// readAttrs reads the attributes from an offset to the end of the tag; false when
// they do not end.
func (t *Token) readAttrs(text []byte, at int) bool {
	for {
		from := at
		for at < len(text) && isSpace(text[at]) {
			at++
		}
		if at == len(text) {
			return false
		}
		if text[at] == '/' && at+1 < len(text) && text[at+1] == '>' {
			t.End = at + 2
			return true
		}
		if text[at] == '>' {
			t.End = at + 1
			return true
		}
		if at == from || len(t.Attrs) == maxAttrs {
			return false
		}
		name := at
		for at < len(text) && isAttrName(text[at]) {
			at++
		}
		if at == name {
			return false
		}
		a := Attr{Name: strings.ToLower(string(text[name:at]))}
		var ok bool
		if at, ok = a.readValue(text, at); !ok {
			return false
		}
		if _, taken := t.Get(a.Name); !taken {
			t.Attrs = append(t.Attrs, a)
		}
	}
}

// readValue reads "= value", if present, and returns the offset after it.
func (a *Attr) readValue(text []byte, at int) (end int, ok bool) {
	next := at
	for next < len(text) && isSpace(text[next]) {
		next++
	}
	if next == len(text) || text[next] != '=' {
		return at, true
	}
	for next++; next < len(text) && isSpace(text[next]); {
		next++
	}
	if next == len(text) {
		return 0, false
	}
	if quote := text[next]; quote == '"' || quote == '\'' {
		i := bytes.IndexByte(text[next+1:], quote)
		if i < 0 {
			return 0, false
		}
		a.Value, a.At = string(text[next+1:next+1+i]), next+1
		return next + i + 2, true
	}
	end = expressionEnd(text, next)
	for end < len(text) && !isSpace(text[end]) && bytes.IndexByte([]byte("\"'=<>`"), text[end]) < 0 {
		end++
	}
	a.Value, a.At = string(text[next:end]), next
	return end, end > next
}

// expressionEnd returns the offset after an expression in braces, as MDX has for a value, or
// where it starts for any other text. What is in quotes of the expression is text.
func expressionEnd(text []byte, start int) int {
	if text[start] != '{' {
		return start
	}
	depth, quote := 0, byte(0)
	for at := start; at < min(len(text), start+maxExpression); at++ {
		switch c := text[at]; {
		case quote != 0:
			if c == '\\' {
				at++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return start
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// isAttrName reports a byte that the name of an attribute may hold.
func isAttrName(c byte) bool {
	return c > ' ' && c < 0x7f && bytes.IndexByte([]byte("\"'>/=<`"), c) < 0
}
