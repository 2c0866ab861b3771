package secret

import (
	"bytes"
	"strings"
)

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
