package secret

import (
	"bytes"
	"strings"
)

// userBefore returns how long the user and the sign are before a password, as in
// "admin:S3cr…"; 0 where there is none.
func userBefore(value []byte) int {
	at := bytes.IndexByte(value, ':')
	if at < 0 {
		at = bytes.IndexByte(value, '/')
	}
	if at < 0 || !only(string(value[:at]), isDotted) {
		return 0
	}
	return at + 1
}

// isPaired reports a password after a user, from where the two begin.
func isPaired(text []byte, from, start, to int) bool {
	isUsers := isUser(text[from:start])
	if text[start-1] != ':' {
		isUsers = false
		if !announces(lastWord(lineBefore(text, from))) {
			return false
		}
	}
	return (isUsers || logsIn(text, from, to)) && isChosen(string(text[start:to]), alone)
}

// isNamed reports a value that a sentence makes a password.
func isNamed(text []byte, from, start, to int) bool {
	before, value := lineBefore(text, from), string(text[start:to])
	at := alone
	switch {
	case quotedAt(text, from):
		if at = placeOfQuoted(text, from, to); at == anywhere {
			return false
		}
		from--
		before = before[:len(before)-1]
	case isSaid(text, from, to) && only(value, isLower) && !describes(value):
		at = lined
	}
	if !(classBefore(text, start) == passwordName || classInSentence(text, from) == passwordName || isAfterUser(text, from, to) || isAsPassword(text, to)) {
		return false
	}
	return isChosen(value, at) && (lastWord(before) != "to" || changes(bytes.Fields(before)))
}

// placeOfQuoted says where a value is after a quotation mark: anywhere in a list or a remark,
// and where the quoted text continues.
func placeOfQuoted(text []byte, from, to int) place {
	lead := bytes.TrimRight(lineBefore(text, from-1), " \t`")
	switch {
	case to >= len(text) || text[to] != text[from-1]:
		return anywhere
	case len(lead) > 0 && strings.IndexByte("(,[{|", lead[len(lead)-1]) < 0:
		return marked
	case bytes.IndexByte(lead, '(') >= 0 && hasDigit(string(text[from:to])):
		return alone // an argument
	}
	return anywhere
}

// mayName reports a word that may be the name of a password, or be about logging in, by its
// last letters.
func mayName(word []byte) bool {
	var tail [4]byte
	n := copy(tail[:], word[max(0, len(word)-len(tail)):])
	for i, c := range tail[:n] {
		tail[i] = c | 0x20
	}
	switch string(tail[:n]) {
	case "word", "sswd", "rase", "wort", "oord", "asse", "sena", "enha", "kode", "sord", "sana", "eslo", "rola", "lave", "pass", "pwd", "pw", "psk",
		"log", "ogin", "dmin", "root", "gged", "sign", "ials", "ales", "iais", "iali", "fied":
		return true
	}
	return bytes.HasSuffix(tail[:n], []byte("pwd")) || bytes.HasSuffix(tail[:n], []byte("pw"))
}

// lastWord returns the last word of a text, "." where there is none.
func lastWord(text []byte) string {
	if words := bytes.Fields(text); len(words) > 0 && words[len(words)-1][0] != '/' {
		return string(words[len(words)-1])
	}
	return "."
}

// describes reports a word that ends as adjectives and participles do.
func describes(word string) bool {
	for _, end := range [...]string{"ed", "en", "ing", "ly", "ble", "al", "ct", "id", "ive", "ry", "ent", "ant", "ful", "less", "ous", "ure", "que", "ic", "ak", "ng", "wn", "dy"} {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// changes reports words that say that something became something else.
func changes(words [][]byte) bool {
	for _, word := range words {
		switch strings.ToLower(string(word)) {
		case "set", "sets", "change", "changed", "reset", "updated", "rotated":
			return true
		}
	}
	return false
}

// lineBefore and lineAfter return what is on the line before an offset and from one on, at
// most maxBefore bytes of it.
func lineBefore(text []byte, at int) []byte {
	before := text[max(0, at-maxBefore):at]
	return before[bytes.LastIndexAny(before, "\n|")+1:]
}

func lineAfter(text []byte, at int) []byte {
	after := text[at:min(len(text), at+maxBefore)]
	if i := bytes.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	return after
}

// isAfterUser reports a value after a user's name, as in "log in as ops with X" and
// "use admin / X to log in".
func isAfterUser(text []byte, from, to int) bool {
	words := bytes.Fields(lineBefore(text, from))
	n := len(words)
	if n < 3 {
		return false
	}
	switch last := strings.Trim(string(words[n-1]), marks); last {
	case "with":
		return string(words[n-3]) == "as" && logsIn(text, from, to)
	case "/":
		return isUser(words[n-2]) || logsIn(text, from, to)
	}
	return false
}

const marks = "\"'`*_(),.:;!?"

// isUser reports a name that many systems give to their first user.
func isUser(word []byte) bool {
	switch strings.ToLower(strings.Trim(string(word), marks)) {
	case "admin", "root", "administrator":
		return true
	}
	return false
}

// logsIn reports a line that is about logging in around a value.
func logsIn(text []byte, from, to int) bool {
	for _, words := range [...][]byte{lineBefore(text, from), lineAfter(text, to)} {
		previous := ""
		for word := range bytes.FieldsSeq(words) {
			name := strings.ToLower(strings.Trim(string(word), marks))
			switch {
			case name == "chpasswd", isPairName(name), name == "in" && (strings.HasPrefix(previous, "log") || strings.HasPrefix(previous, "sign")):
				return true
			}
			previous = name
		}
	}
	return false
}

// isAsPassword reports a value after which "as the password" follows, or a command that reads
// a password.
func isAsPassword(text []byte, to int) bool {
	after := bytes.TrimLeft(lineAfter(text, to), marks+" ")
	if bytes.HasPrefix(after, []byte("|")) && (bytes.Contains(after, []byte("sudo -S")) || bytes.Contains(after, []byte("password-stdin"))) {
		return true
	}
	words := bytes.Fields(after)
	return len(words) > 2 && string(words[0]) == "as" &&
		(nameClassOf(bytes.Trim(words[1], marks)) == passwordName || nameClassOf(bytes.Trim(words[2], marks)) == passwordName)
}
