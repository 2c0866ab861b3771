package secret

import (
	"bytes"
	"strings"
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
