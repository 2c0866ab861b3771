package secret

import (
	"bytes"
	"strings"
)

// isPlaceholderValue reports a value that is not a secret itself: it says so, it
// names where one is kept, or it is a plain word or number.
func isPlaceholderValue(value string, quoted bool, class nameClass) bool {
	return isTemplate(value) || isName(value) || isPathLike(value, class) || !quoted && isExpression(value) || isFiller(value, quoted, class)
}

// isFiller reports a value that is made up to be read, or a plain word or number.
func isFiller(value string, quoted bool, class nameClass) bool {
	if isMadeUp(value, class) {
		return true
	}
	if class == passwordName {
		return isWordy(strings.ToLower(value), quoted) && !isScrambled(value)
	}
	said := strings.TrimRight(value, "!.?")
	return readsAsWords(said) || isWordy(strings.ToLower(said), quoted)
}

// isMadeUp reports a value that is made up to be read.
func isMadeUp(value string, class nameClass) bool {
	if fewCharacters(value) || saysPlaceholder(value) || runsOn(value) || isRules(value) {
		return true
	}
	if class == passwordName && (madeOfWords(value) || isVariable(value)) {
		return true
	}
	text := strings.ToLower(value)
	for _, say := range [...]string{
		"sample", "dummy", "insert", "your", "xxxx", "****", "...", "…", "todo", "fake", "process.env", "os.environ", "getenv", "secrets.",
	} {
		if strings.Contains(text, say) {
			return true
		}
	}
	return false
}

// isRules reports the rules of a form for a value, such as required|string|min:8.
func isRules(value string) bool {
	return strings.Contains(value, "|") && only(value, func(c byte) bool { return isSmall(c) || strings.IndexByte("|:_,", c) >= 0 })
}

// isVariable reports the name of something that has to do with a password, such as passwordField2.
func isVariable(value string) bool {
	name := strings.TrimRight(value, "0123456789")
	return strings.HasPrefix(strings.ToLower(value), "passw") && only(name, isLetter) && readsAsWords(name) && len(value)-len(name) < 3
}

// isTemplate reports a variable, a call or a place to be filled in.
func isTemplate(value string) bool {
	if strings.IndexByte("<{[(", value[0]) >= 0 || strings.Contains(value, "${") || strings.Contains(value, "{{") || strings.Contains(value, "$(") || strings.Contains(value, "<%") {
		return true
	}
	if value[0] == '$' || value[0] == '%' {
		if name := strings.Trim(value, "$%"); isHash(value) || only(name, func(c byte) bool { return isDotted(c) || c == ':' || c == '/' }) {
			return true // a hash, a variable
		}
	}
	for _, pair := range [...]string{"()", "[]", "{}", "<>"} {
		open, end := strings.IndexByte(value, pair[0]), strings.LastIndexByte(value, pair[1])
		switch {
		case open <= 0:
		case end < open && isCode(value[:open]):
			return true // a call that continues after a blank
		case end > open && (isPlain(value[open-1]) || end == len(value)-1) && (end == len(value)-1 || !isPlain(value[end+1])):
			return true // a call, an element, a type
		}
	}
	return strings.Contains(value, `\`) || strings.HasPrefix(value, "&#") || strings.HasPrefix(value, "&lt;")
}

// isExpression reports a piece of code, the number of a version, or the pattern of a text:
// what comes after the word "password" in a program that is about one.
func isExpression(value string) bool {
	if strings.IndexByte(").,;:]}=", value[0]) >= 0 || strings.HasPrefix(value, "--") {
		return true
	}
	unpadded := strings.TrimSuffix(value, "==") // of base64
	for _, operator := range [...]string{"->", "=>", "==", "!=", "&&", "||", "??", "::", ").", ")[", "]["} {
		if strings.Contains(unpadded, operator) {
			return true
		}
	}
	if !hasDigit(value) {
		return strings.ContainsAny(value, "=;()[]{}|.,") // no more than letters and what joins names
	}
	if word := strings.TrimLeft(value, "0123456789"); isDigit(value[0]) && only(word, isLetter) && readsAsWords(word) {
		return true // 3Attempts
	}
	return isDigit(value[0]) && strings.ContainsAny(value, ".:") && only(value, func(c byte) bool { return isSmall(c) || strings.IndexByte(".:+~-", c) >= 0 })
}

// isHash reports what is stored in place of a password, such as $2b$12$… and $argon2id$v=19$….
func isHash(value string) bool {
	scheme, _, ok := strings.Cut(value[1:], "$")
	return value[0] == '$' && ok && len(scheme) > 0 && len(scheme) < 20 && only(scheme, isTokenRest) && !hasUpper(scheme)
}

func hasUpper(text string) bool { return strings.ToLower(text) != text }

// isCode reports what is written before the bracket of a call.
func isCode(text string) bool {
	text = strings.TrimLeft(text, "&*$@!")
	return only(text, func(c byte) bool { return isDotted(c) || c == '$' || c == ':' }) &&
		(strings.ContainsAny(text, "._:$") || only(text, isLetter) || readsAsWords(text))
}

// isName reports a value that is itself the name of a secret, such as
// testPrivateKey2: a variable of a program.
func isName(value string) bool {
	return only(value, isDotted) && classOf(squeeze([]byte(value))) != noName
}

// isPathLike reports URLs, paths and file names.
func isPathLike(value string, class nameClass) bool {
	if strings.Contains(value, "://") || strings.HasPrefix(value, "arn:") {
		return true
	}
	if class == passwordName && strings.ContainsAny(value, "!$^&*;|,") {
		return false
	}
	for _, start := range [...]string{"/", "./", "../", "~/", "#", "@", "~"} {
		if strings.HasPrefix(value, start) {
			return true
		}
	}
	dot := strings.LastIndexByte(value, '.')
	ext := len(value) - dot - 1
	if dot > 0 && class == passwordName && isStrong(value) && !isCompound(value[:dot]) {
		return false // no name of a file, however it ends
	}
	return dot > 0 && ext >= 1 && ext <= 5 && only(value[dot+1:], isLetter) && !strings.ContainsAny(value, "+=")
}

// leastPassphrase is the length from which a quoted value of letters alone is treated
// as a secret; no plain word is so long.
const leastPassphrase = 20

// isWordy reports a value, in lower case, that reads as words, an identifier or a
// number: letters alone, digits alone, or parts that each are a word with at
// most two digits after it.
func isWordy(value string, quoted bool) bool {
	digits := hasDigit(value)
	letters := strings.ContainsAny(value, "abcdefghijklmnopqrstuvwxyz")
	signs := strings.ContainsAny(value, "!@#$%^&*+=~,;|(){}[]<>?")
	switch {
	case signs && (letters || digits):
		return false
	case !digits && !strings.ContainsAny(value, "-_./:"):
		return !quoted || len(value) < leastPassphrase
	case !digits || !letters:
		return true
	}
	parts := strings.FieldsFunc(value, func(c rune) bool { return c == '-' || c == '_' || c == '.' || c == '/' || c == ':' })
	if len(parts) < 2 {
		return false
	}
	for _, part := range parts {
		word := strings.TrimRight(part, "0123456789")
		if len(part)-len(word) > 2 && word != "" || hasDigit(word) || len(part) > 4 && word == "" {
			return false
		}
	}
	return true
}

// longWords say wherever they are that a value is made up to be read.
var longWords = [...]string{
	"example", "placeholder", "redacted", "changeme", "change-me", "change_me", "goeshere", "notreal", "not-real", "not_real",
	"keyhere", "tokenhere", "secrethere", "yourtoken", "yourkey", "yourprivate", "yoursecret", "yourpassword", "yourapi", "mysecret", "mypassword",
	"removed", "replace", "truncated", "omitted",
}

// shortWords do so as a part of their own; in a row of random characters they
// could be by chance.
var shortWords = [...]string{"your", "fake", "dummy", "sample", "todo", "insert", "mock", "xxx", "abc", "foo", "bar", "foobar", "here", "none", "null", "test1234"}

// saysPlaceholder reports a token that is made up to be read: it says so, or most
// of it is a row of crosses, noughts, stars or dots.
func saysPlaceholder(word string) bool {
	text := strings.ToLower(word[:min(len(word), maxToken)])
	for _, say := range longWords {
		if strings.Contains(text, say) {
			return true
		}
	}
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == '-' || c == '_' || c == '.' || c == ' ' }) {
		for _, say := range shortWords {
			if part == say {
				return true
			}
		}
	}
	marks := 0
	for i := range len(text) {
		switch text[i] {
		case 'x', '*', '.', '0', '#', '_':
			marks++
		}
	}
	return 2*marks >= len(text) && longestRow(text, "x*.0#_") >= 4
}

// longestRow is the length of the longest row of one of some characters.
func longestRow(text, of string) int {
	best, n := 0, 0
	for i := range len(text) {
		switch {
		case strings.IndexByte(of, text[i]) < 0:
			n = 0
		case i > 0 && text[i] == text[i-1]:
			n++
		default:
			n = 1
		}
		best = max(best, n)
	}
	return best
}

// different counts the different bytes of a text, up to a limit.
func different(text string, limit int) int {
	n := 0
	for i := range len(text) {
		if strings.IndexByte(text[:i], text[i]) < 0 {
			if n++; n == limit {
				break
			}
		}
	}
	return n
}

// fewCharacters reports a value of at most three different characters.
func fewCharacters(value string) bool { return different(value, 4) < 4 }

// longestWord is the longest row of letters that passes for a word.
const longestWord = 20

// readsAsWords reports words that are joined in camel case, with underscores or
// dashes, or not at all: most letters are in rows of four and more that change
// case at their start only, capitals and digits are few, and there are vowels. In
// random text one of these fails.
func readsAsWords(text string) bool {
	var letters, capitals, digits, vowels, inWords, row int
	flush := func() {
		if row >= 4 && row <= longestWord {
			inWords += row
		}
		row = 0
	}
	for i := range len(text) {
		c := text[i]
		if !isLetter(c) {
			flush()
			if isDigit(c) {
				digits++
			}
			continue
		}
		switch {
		case isUpper(c) && i > 0 && isLower(text[i-1]):
			flush()
		case isLower(c) && i > 1 && isUpper(text[i-1]) && isUpper(text[i-2]):
			row-- // the capital belongs to this word
			flush()
			row = 1
		}
		letters++
		row++
		if isUpper(c) {
			capitals++
		}
		if strings.IndexByte("aeiouyAEIOUY", c) >= 0 {
			vowels++
		}
	}
	flush()
	if capitals == letters && digits > 0 && !strings.ContainsAny(text, "_-") {
		return false
	}
	return letters > 0 && 10*inWords >= 6*letters && 10*digits <= letters+digits && 4*vowels >= letters &&
		(capitals == letters || 10*capitals <= 3*letters)
}

// leastChosen is the shortest password that a person makes of words, in bytes, and
// leastWord the shortest word of one.
const (
	leastChosen = 5
	leastWord   = 4
)

// A place says how sure it is that a text has a value there, not code or prose.
type place uint8

const (
	anywhere place = iota // a word of a sentence, the right side of an assignment
	alone                 // no word of a sentence follows, as in a cell of a table
	lined                 // nothing follows on its line, as in YAML
	marked                // quotation marks hold it, or it is in an address, an element, a variable of a shell
)

// isChosen reports a password of the kinds that people choose and that take few guesses:
// words with a number, words that dashes join, letters swapped for digits, and, where the
// place leaves no doubt, a word alone. It is not a filler, a name or
// code. Such a value is a guess wherever it is.
func isChosen(value string, at place) bool {
	return len(value) >= leastChosen && len(value) < maxValue && isMadeAsChosen(value, at) && !isTextual(value, at)
}

// isTextual reports a value that a text about passwords has for another reason.
func isTextual(value string, at place) bool {
	if isTemplate(value) || isName(value) || isMadeUp(value, passwordName) {
		return true
	}
	return (at < lined || !isWordPair(value)) && (isPathLike(value, passwordName) || at != marked && isExpression(value))
}

// isMadeAsChosen reports a value made of what people make passwords of.
func isMadeAsChosen(value string, at place) bool {
	body := strings.TrimRight(value, "!?.#$&*+")
	m := makeupOf(body)
	switch digits := len(body) - m.letters - m.signs; {
	case m.other || m.letters < leastWord:
		return false
	case m.swapped && !only(body, isHexAnyCase):
		return true
	case digits > 0:
		return at == marked || !strings.ContainsAny(body, "_.") && (digits > 1 || at >= alone)
	case m.words > 1:
		return m.isPhrase(body, strings.ContainsAny(value, oddSigns), at)
	}
	return at >= lined && only(body, isLower)
}

// oddSigns are signs that words have between them in passwords alone.
const oddSigns = "!#$%&+?@="

// makeup counts what a value is made of.
type makeup struct {
	letters, signs   int
	words, longWords int
	swapped          bool // a digit is in place of a letter
	other            bool // a filler, or a character that is rare in passwords
}

// makeupOf counts what a value is made of.
func makeupOf(value string) (m makeup) {
	for i := 0; i < len(value); i++ {
		end := wordEnd(value, i)
		switch {
		case end > i:
			m.other = m.other || isFillerWord(strings.ToLower(value[i:end]))
			if m.words++; end-i >= leastWord-1 {
				m.longWords++
			}
			m.letters += end - i
			i = end - 1
		case isDigit(value[i]):
			m.swapped = m.swapped || i > 0 && i+1 < len(value) && isLetter(value[i-1]) && isLower(value[i+1])
		case strings.IndexByte("-_.^*~"+oddSigns, value[i]) >= 0:
			m.signs++
		default:
			m.other = true
		}
	}
	return m
}

// isPhrase reports words without digits that are a password at a place. odd says that a sign
// is among them that names do not have.
func (m makeup) isPhrase(body string, odd bool, at place) bool {
	isMixed := hasUpper(body) && !readsAsWords(body)
	switch {
	case at == anywhere:
		return false
	case isMixed && (odd || at == marked):
		return true
	case m.longWords < m.words:
		return false
	case at == marked || at == lined && (strings.Count(body, "_") == m.words-1 || isWordPair(body)):
		return true
	}
	return !strings.ContainsAny(body, "_.") && (odd || m.words > 2 && (m.signs == 0 || m.signs == m.words-1))
}

// isWordPair reports two words with a dot between them, the second of which is too long for
// the extension of a file.
func isWordPair(value string) bool {
	first, second, ok := strings.Cut(value, ".")
	return ok && len(first) > leastWord && len(second) > leastWord && only(first, isLower) && only(second, isLower)
}

// wordEnd returns the end of a word that begins at an offset: letters up to the next one
// that begins with a capital.
func wordEnd(text string, at int) int {
	end := at
	for end < len(text) && isLetter(text[end]) && (end == at || !isUpper(text[end]) || isUpper(text[end-1])) {
		end++
	}
	return end
}

// isFillerWord reports a word that passwords which are made up to be read consist of, and
// that text about passwords has in place of one.
func isFillerWord(word string) bool {
	return len(word) > 1 && ofTexts()[word]
}

// aboutPasswords are words that describe a password or the field that holds it.
const aboutPasswords = " required optional mandatory hidden prompt prompted field form input output none null nil true false yes no never always encrypted hashed hash hashing salted stored masked" +
	" credentials credential creds cred auth authentication vault keyring keychain manager store file path env environment variable var vars config configuration setting settings" +
	" type types text varchar char int uint float files compat format algorithm number bytes byte utf base sha md aes hmac rsa bcrypt scrypt argon pbkdf oauth jwt base64 ascii json yaml xml http https ldap smtp ssh tls ssl rfc iso" +
	" generate generated generator auto automatic manual sensitive protected protection policy policies rules rule strength reset resetting change changed changing rotation rotate expired expires" +
	" empty blank missing omitted unset not set unknown undefined unchanged disabled enabled supported allowed deprecated ignored see above below same as if only also then from when where which" +
	" existing current previous confirm confirmation repeat match matches mismatch length short minimum maximum digits digit letters letter numbers symbols upper lower case uppercase lowercase mixed" +
	" button label hint title page link form screen dialog icon toggle show hide visible forgot forgotten lost request response body header query param params parameter args argument value values" +
	" object array list map entry item record row column property attribute option options flag class function method struct interface enum protocol provider handler validator encoder" +
	" pflichtfeld erforderlich obligatoire obligatorio obligatoria requis requerido requerida richiesto richiesta verplicht vereist wymagane opcional facultatif valfritt" +
	" wifi network private public internal external shared global remote side step section version stage production staging cluster node host hostname server id uuid guid read write"

// isWeak reports a password that people choose after a name that means one, or a secret with
// a digit that they choose where a machine should.
func isWeak(value, name string, class nameClass, at place) bool {
	if class == passwordName {
		return isChosen(value, at)
	}
	isToken := strings.HasSuffix(name, "secret") || strings.HasSuffix(name, "token") || strings.HasSuffix(name, "apikey")
	return isToken && class == tokenName && at == marked && hasDigit(value) && isChosen(value, alone)
}

// placeOf says where a value is that begins at start, after a sign at begin-1, and ends at to.
func placeOf(text []byte, begin, start, to int, quoted bool, sign byte) place {
	isTight := start == begin
	isJoined := sign == '=' && isTight && begin > 1 && !isBlank(text[begin-2])
	ends := endsLine(text, start, to, sign)
	switch {
	case quoted, sign == '>' && isTight, isJoined && endsField(text, to, ends), ends && isBesideUser(text, begin):
		return marked
	case ends && (sign == ':' || sign == '|'):
		return lined
	case ends || sign == ' ' || isJoined && text[to] == ' ':
		return alone
	}
	return anywhere
}

// endsField reports a value after which a parameter or an argument ends.
func endsField(text []byte, to int, ends bool) bool {
	return ends || strings.IndexByte("&;\"'`|)", text[to]) >= 0
}

// endsLine reports a value after which the line or the cell of a table ends.
func endsLine(text []byte, start, to int, sign byte) bool {
	end := run(text, to, 4, func(c byte) bool { return strings.IndexByte(" \t.;*", c) >= 0 })
	return end >= len(text) || text[end] == '\n' || text[end] == '\r' || sign == '|' && text[end] == '|' && isBlank(text[start-1])
}

// isBesideUser reports a text in which a user is named before an offset, as in the lines of a
// settings file and the row of a table.
func isBesideUser(text []byte, at int) bool {
	before := bytes.ToLower(text[max(0, at-maxBefore):at])
	for _, name := range [...]string{"user", "username", "login", "account"} {
		i := bytes.LastIndex(before, []byte(name))
		if i < 0 {
			continue
		}
		after := bytes.TrimLeft(before[i+len(name):], "\"'`* \t")
		if len(after) > 0 && strings.IndexByte(":=|", after[0]) >= 0 {
			return true
		}
	}
	return false
}

// mayBeChosen reports a password that an option or a call gives away.
func mayBeChosen(value string, quoted bool, at place) bool {
	return !isPlaceholderValue(value, quoted, passwordName) || isChosen(value, at)
}
