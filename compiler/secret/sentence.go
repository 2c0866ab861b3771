package secret

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A sentence that gives away a secret names it at most maxBefore bytes and maxBetween words
// before the value.
const (
	maxBefore  = 96
	maxBetween = 7
)

// classInSentence returns the class of the name that a sentence gives before a value, with
// words between them of which the last announces something: "the password of the router
// is", "the root password was changed to", "if it asks for a passcode, type".
func classInSentence(text []byte, from int) nameClass {
	before := text[max(0, from-maxBefore):from]
	if i := bytes.LastIndexAny(before, "\n|"); i >= 0 {
		before = before[i+1:]
	}
	words := bytes.Fields(before)
	words = words[max(0, len(words)-maxBetween-1):]
	for n := range words {
		word := words[len(words)-1-n]
		name := strings.Trim(string(word), "\"'`*_()[],:;.!?=\u201c\u201d\u201e")
		switch class := nameClassOf([]byte(name)); {
		case n > 0 && strings.IndexByte(".!?;", word[len(word)-1]) >= 0: // the end of another sentence
			return noName
		case class == passwordName && bytes.Contains(bytes.ToLower(word), []byte("password")) && strings.HasSuffix(name, "s"):
			return noName
		case class != noName:
			if n == 0 && word[len(word)-1] == ',' {
				return noName // arguments of a call, parts of a list
			}
			return class
		case n == 0 && !announces(string(word)):
			return lastName(string(word))
		case n > 0 && isCodeWord(name):
			return noName
		}
	}
	return noName
}

// isCodeWord reports a word that no sentence has between a name and its value.
func isCodeWord(word string) bool {
	return strings.ContainsAny(word, "0123456789=<>{}\\") && !only(word, isDigit)
}

// lastName returns the class of a name that Japanese text joins with its particle.
func lastName(word string) nameClass {
	for _, particle := range [...]string{"は", "是", "为", "：", ":"} {
		word = strings.TrimSuffix(strings.TrimRight(word, "「“\"'`"), particle)
	}
	return nameClassOf([]byte(word))
}

// announces reports a word after which the value comes.
func announces(word string) bool {
	if strings.IndexByte(":=/", word[len(word)-1]) >= 0 {
		return true
	}
	switch strings.ToLower(strings.Trim(word, "\"'`*(,")) {
	case "is", "was", "are", "be", "became", "becomes", "heißt", "lauten", "wurde", "to", "as", "currently", "now", "type", "enter", "use", "still", "ist", "lautet", "war", "est", "es", "é", "è", "era", "är", "er", "on", "jest", "-", "–", "—", "":
		return true
	}
	return false
}

// The functions whose last argument is a password.
var loginCalls = [...]string{"networkcredential", "login", "auth", "basicauth", "setbasicauth", "basic_auth", "authenticate", "signin", "passwordauthentication", "userpassword", "passwordcredentials", "getconnection"}

// argument looks at a quoted value that is a password by the call it is an argument of, as
// in login("bob", "S3cr…") and getByLabel("Password").fill("S3cr…"). Tests are full of
// such calls, so it is a guess.
func (s *scan) argument(from int) {
	if !quotedAt(s.text, from) {
		return
	}
	head := bytes.TrimRight(s.text[max(0, from-1-maxBefore):from-1], " ")
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[i+1:]
	}
	if callsForPassword(head) {
		to := from + run(s.text[from:], 0, maxValue, func(c byte) bool { return c != s.text[from-1] && c != '\n' })
		if value := string(s.text[from:to]); !strings.Contains(value, " ") && (len(value) >= leastStrong && !isPlaceholderValue(value, true, passwordName) || isChosen(value, alone)) {
			s.add(kindPassword, false, from, to)
		}
	}
}

// callsForPassword reports a text that ends where a call has a password as its argument.
func callsForPassword(head []byte) bool {
	lower := bytes.ToLower(head)
	if bytes.HasSuffix(lower, []byte("convertto-securestring")) {
		return true
	}
	open := bytes.LastIndexByte(lower, '(')
	if open < 0 {
		return false
	}
	name := lower[:open]
	switch last := lower[len(lower)-1]; {
	case last == ',':
		for _, call := range loginCalls {
			if bytes.HasSuffix(name, []byte(call)) {
				return true
			}
		}
	case open == len(lower)-1:
		dot := bytes.LastIndexByte(name, '.')
		if dot < 0 {
			return false
		}
		label := bytes.TrimRight(name[:dot], ")]\"'`")
		return len(label) < dot && nameClassOf(label[bytes.LastIndexAny(label, " \"'`=#[(")+1:]) == passwordName
	}
	return false
}

// tables looks for secrets in tables of Markdown whose header names them: the column
// below "Password".
func (s *scan) tables() {
	s.guessed = 0
	s.htmlTables()
	s.guessed = 0
	var columns []nameClass // of the table that the line is in
	previous := [2]int{}
	for at := 0; at < len(s.text); {
		end := at + bytes.IndexByte(s.text[at:], '\n')
		if end < at {
			end = len(s.text)
		}
		switch {
		case bytes.IndexByte(s.text[at:end], '|') < 0:
			columns = nil
		case isDelimiterRow(s.text[at:end]):
			columns = s.columns(previous[0], previous[1])
		case columns != nil:
			s.row(at, end, columns)
		}
		previous = [2]int{at, end}
		at = end + 1
	}
}

// isDelimiterRow reports the line below the header of a table.
func isDelimiterRow(line []byte) bool {
	dash := false
	for _, c := range line {
		if c != '|' && c != '-' && c != ':' && !isBlank(c) {
			return false
		}
		dash = dash || c == '-'
	}
	return dash
}

// columns returns what the columns below a header hold; nil where none holds secrets.
func (s *scan) columns(from, to int) []nameClass {
	var columns []nameClass
	any := false
	eachCell(s.text, from, to, func(start, end int) {
		class := columnOf(s.text, start, end)
		any = any || class != noName
		columns = append(columns, class)
	})
	if !any {
		return nil
	}
	return columns
}

// columnOf returns what the column below a cell holds.
func columnOf(text []byte, start, end int) nameClass {
	if cell := bytes.TrimRight(text[start:end], " \t\r*`_"); bytes.HasSuffix(cell, []byte(")")) {
		if open := bytes.LastIndexByte(cell, '('); open > 0 {
			end = start + open // a remark, as in "Password (new)"
		}
	}
	if class := nameClassOf(bytes.Trim(text[start:end], " \t\r*`_")); class != noName {
		return class
	}
	name, _ := assignedName(text[:end], end)
	if isPairName(squeeze(name)) {
		return pairName
	}
	return nameClassOf(name)
}

// htmlTables looks for secrets in tables of HTML whose header names them.
func (s *scan) htmlTables() {
	var columns []nameClass
	n := 0
	for at := bytes.Index(s.text, []byte("<th")); at >= 0 && at+3 < len(s.text); {
		open := bytes.IndexByte(s.text[at:], '>')
		if open < 0 {
			return
		}
		start := at + open + 1
		end := start + bytes.IndexByte(s.text[start:], '<')
		if end < start {
			return
		}
		switch tag := string(bytes.ToLower(s.text[at+1 : at+3])); {
		case tag == "ta":
			columns = nil
		case tag == "tr":
			n = 0
		case tag == "th" && !isLetter(s.text[at+3]):
			if n == 0 {
				columns = nil
			}
			columns = append(columns, columnOf(s.text, start, end))
			n++
		case tag == "td":
			s.cell(start, end, n, columns, '>')
			n++
		}
		at = end
	}
}

// row looks at the cells of a row in columns of secrets.
func (s *scan) row(from, to int, columns []nameClass) {
	n := 0
	eachCell(s.text, from, to, func(start, end int) {
		s.cell(start, end, n, columns, '|')
		n++
	})
}

// cell looks at the nth cell of a row; sign is what it begins after.
func (s *scan) cell(start, end, n int, columns []nameClass, sign byte) {
	if n >= len(columns) || columns[n] == noName {
		return
	}
	if columns[n] == pairName {
		s.pair("login", start, sign)
	} else if cell := bytes.TrimSpace(s.text[start:end]); len(cell) > 0 && bytes.IndexByte(cell, ' ') < 0 {
		s.valueAt(start, "", columns[n], sign)
	}
}

// eachCell calls a function with the range of each cell of a row.
func eachCell(text []byte, from, to int, cell func(start, end int)) {
	for from < to && (isBlank(text[from]) || text[from] == '>') {
		from++
	}
	if from < to && text[from] == '|' {
		from++
	}
	for from < to {
		end := from
		for end < to && (text[end] != '|' || text[end-1] == '\\') {
			end++
		}
		cell(from, end)
		from = end + 1
	}
}

// A token may be broken by Markdown and still be read whole where the page is
// shown: formatters write "_" as "\_", and somebody puts half of it in bold.

// maxBroken is how much of a text one broken token is looked for in, in bytes.
// Texts made of nothing but beginnings are looked at once over, and no more.
const (
	maxBroken   = 4096
	spareBroken = 64 << 10 // bytes that a short text may cost beyond its own
)

// broken looks for a token that starts at i and is broken by markup, and returns
// its end; 0 when there is none.
func (s *scan) broken(i int) int {
	if s.spent > len(s.text)+spareBroken {
		return 0
	}
	text := s.text[i:min(len(s.text), i+maxBroken)]
	var word []byte
	var ends []int // the offset after each byte of word
	for at := 0; at < len(text) && len(word) < maxToken; {
		c, n := text[at], 1
		if !isTokenRest(c) {
			if c, n = joint(text[at:]); n == 0 {
				break
			}
		}
		at += n
		if c != 0 {
			word, ends = append(word, c), append(ends, i+at)
		}
		if len(word) == 2 && len(s.forms.beginning(word)) == 0 {
			return 0
		}
		s.spent += n
	}
	if len(word) < 2 {
		return 0
	}
	whole := scan{text: word, forms: s.forms}
	whole.form(0, false)
	if len(whole.hits) == 0 {
		return 0
	}
	h := whole.hits[0]
	s.hits = append(s.hits, Hit{Kind: h.Kind, Known: h.Known, Start: i, End: ends[h.End-1], Shown: h.Shown})
	return ends[h.End-1]
}

// joint looks at markup between two characters of a token: an escape or a
// character reference, which stand for the character c, or what is invisible or part of a
// link (c is 0). n is its length in bytes, 0 when it is something else.
func joint(text []byte) (c byte, n int) {
	switch text[0] {
	case '\\':
		if len(text) > 1 && (text[1] == '_' || text[1] == '-') {
			return text[1], 2
		}
	case '&':
		return referred(text)
	case '*', '`':
		for n < len(text) && text[n] == text[0] {
			n++
		}
	case '~':
		if bytes.HasPrefix(text, []byte("~~")) {
			return 0, 2
		}
	case '[':
		if bytes.HasPrefix(text, []byte("[[")) {
			if bar := bytes.IndexAny(text[2:], "|[]\n"); bar >= 0 && text[2+bar] == '|' {
				return 0, 2 + bar + 1 // what a wiki link leads to
			}
		}
		return 0, 1
	case ']':
		return 0, 1 + linked(text[1:])
	case '<':
		if bytes.HasPrefix(text, []byte("<!--")) {
			if end := bytes.Index(text[:min(len(text), maxTag)], []byte("-->")); end >= 0 {
				n = end + len("-->")
			}
		} else if end := bytes.IndexByte(text[:min(len(text), maxTag)], '>'); end > 1 && (isLetter(text[1]) || text[1] == '/') {
			n = end + 1
		}
	default:
		r, size := utf8.DecodeRune(text)
		if unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me) {
			return 0, size
		}
	}
	return 0, n
}

// linked returns the length of the destination or label that follows the text of a link; 0
// when none does.
func linked(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	end := 0
	switch text[0] {
	case '(':
		end = bytes.IndexAny(text, ")\n")
	case '[':
		if !bytes.HasPrefix(text, []byte("[[")) {
			end = bytes.IndexAny(text, "]\n")
		}
	}
	if end <= 0 || text[end] == '\n' {
		return 0
	}
	return end + 1
}

// maxReference is the longest character reference of a character of a token, in bytes.
const maxReference = 16

// referred returns the character of a token that a character reference names; n is 0
// where there is none.
func referred(text []byte) (c byte, n int) {
	end := bytes.IndexByte(text[:min(len(text), maxReference)], ';')
	if end < 2 {
		return 0, 0
	}
	decoded := html.UnescapeString(string(bytes.ToLower(text[:3])) + string(text[3:end+1]))
	if decoded == "\u2010" {
		decoded = "-" // what &hyphen; is
	}
	r, size := utf8.DecodeRuneInString(decoded)
	switch {
	case size != len(decoded):
		return 0, 0
	case r < utf8.RuneSelf && isTokenRest(byte(r)):
		return byte(r), end + 1
	case unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me):
		return 0, end + 1
	}
	return 0, 0
}

// maxTag is how many bytes of a tag or comment are looked through for its end: each of many
// that begin and do not end would be looked through to the end of the page.
const maxTag = 4 << 10
