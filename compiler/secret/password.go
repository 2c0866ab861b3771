package secret

import (
	"encoding/base64"
	"strings"
	"sync"
)

// leastStrong is the shortest password that is strong, in bytes.
const leastStrong = 8

// isPassword reports a value that can only be a password where a text calls it one: it is
// strong, or of letters and digits that read as nothing.
func isPassword(value string, quoted bool) bool {
	if isStrong(value) {
		return quoted || !isCompound(value)
	}
	return len(value) >= leastValue && hasDigit(value) && only(value, isPlain) && !readsAsWords(value) && !only(value, isHexAnyCase)
}

// isStrong reports a value that can only be a secret: digits and letters
// with a sign among them, or of both cases.
func isStrong(value string) bool {
	upper, lower, digit, sign := false, false, false, false
	for i := range len(value) {
		switch c := value[i]; {
		case isUpper(c):
			upper = true
		case isLower(c):
			lower = true
		case isDigit(c):
			digit = true
		case strings.IndexByte("!@#$%^&*+=~,;|?", c) >= 0:
			sign = true
		}
	}
	return digit && (upper || lower) && (sign || upper && lower) && !strings.ContainsAny(value, "/\\")
}

// isShortPassword reports a value that is a password even where it is short: a word of small
// letters and a number of four digits and more, as people choose them, or random letters.
func isShortPassword(value string) bool {
	word := strings.TrimRight(value, "0123456789")
	return len(word) >= 4 && len(value)-len(word) >= 4 && only(word, isLower) || isScrambled(value)
}

// leastScrambled is the shortest row of letters that can be seen to be random, in bytes.
const leastScrambled = 10

// isScrambled reports letters that change case at every second of them, which names do not.
func isScrambled[text string | []byte](value text) bool {
	changes := 0
	for i := 1; i < len(value); i++ {
		if isUpper(value[i]) != isUpper(value[i-1]) {
			changes++
		}
	}
	return len(value) >= leastScrambled && 2*changes >= len(value) && only(string(value), isLetter)
}

// isCompound reports words with numbers that dashes or dots join, such as SHA256-hashed and
// settings.Smtp2.
func isCompound(value string) bool {
	if !strings.ContainsAny(value, "-_.") {
		return readsAsWords(value)
	}
	for part := range strings.FieldsFuncSeq(value, func(c rune) bool { return c == '-' || c == '_' || c == '.' }) {
		word := strings.TrimRight(part, "0123456789")
		if !only(word, isLetter) || len(part)-len(word) > 4 {
			return false
		}
	}
	return true
}

// fillers are the words of passwords that are made up to be read, or that everybody tries first.
const fillers = " password passwd passwrd passw passphrase passcode pass pwd pw secret secrets token key keys user username admin administrator root guest test tests testing tester" +
	" demo dev local default welcome qwerty letmein postgres postgresql mysql mariadb redis mongo mongodb rabbitmq rabbit amqp oracle sa app db database docker minio keycloak elastic" +
	" grafana jenkins airflow odoo nextcloud wordpress drupal django rails flask symfony laravel homestead vagrant super some your the my our new old very strong secure long change" +
	" changeit me this is a an it not real api hash salt value string random initial temp temporary enter type any min max least characters chars at with in of for and or on to" +
	" client server service account login sample example dummy fake placeholder here unique phrase put wrong invalid incorrect valid good bad weak first" +
	" second other another master encryption encrypted plain text plaintext abc abcd abcde asdf foo bar baz qux hello world mock insecure" +
	" word words please use be safe must should set more less than one two foobared "

// triedFirst are the words of passwords that documentation shows, and that everybody knows.
const triedFirst = " correct horse battery staple john alice bob jane doe scott tiger gopher lennon swordfish "

// longestFiller is the length of the longest of them.
const longestFiller = 14

// maxFiller is how long a password of such words is at most, in bytes.
const maxFiller = 64

// madeOfWords reports a password of nothing but fillers, numbers and signs,
// with letters that look like those they stand for: p@ssw0rd, Str0ng!Passw0rd1, and base64 of them.
func madeOfWords(text string) bool {
	if plain, err := base64.StdEncoding.DecodeString(text); err == nil && len(text) > leastValue && only(string(plain), isPrintable) {
		text = string(plain)
	}
	text = strings.ToLower(text)
	if text = strings.Trim(text, "0123456789!@#$%^&*()._-+=?~"); text == "" {
		return true
	}
	if len(text) > maxFiller {
		return false
	}
	plain := strings.NewReplacer("0", "o", "1", "l", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s").Replace(text)
	for part := range strings.FieldsFuncSeq(plain, func(c rune) bool { return c < 'a' || c > 'z' }) {
		if !isRowOfFillers(part) && !isRowOfFillers(strings.ReplaceAll(part, "l", "i")) {
			return false
		}
	}
	return true
}

// isRowOfFillers reports a row of letters that parts into fillers.
func isRowOfFillers(text string) bool {
	known := ofFillers()
	ends := make([]bool, len(text)+1) // where a filler ends that begins where one ends
	ends[0] = true
	for from := range len(text) {
		for to := from + 1; ends[from] && to <= min(len(text), from+longestFiller); to++ {
			ends[to] = ends[to] || known[text[from:to]]
		}
	}
	return ends[len(text)]
}

// Sets of words, made once.
var (
	ofFillers = sync.OnceValue(func() map[string]bool { return setOf(fillers + triedFirst) })
	ofTexts   = sync.OnceValue(func() map[string]bool { return setOf(fillers + aboutPasswords) })
)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

func isPrintable(c byte) bool { return c >= ' ' && c < 0x7F }

// runsOn reports a text most of which counts up or repeats, such as abcdef123456 and a1b2c3d4.
func runsOn(text string) bool {
	var letters, digits []byte
	for i := range len(text) {
		switch c := text[i]; {
		case isLetter(c):
			letters = append(letters, c|0x20)
		case isDigit(c):
			digits = append(digits, c)
		}
	}
	return countsUp([]byte(strings.ToLower(text))) || len(letters) > 2 && len(digits) > 2 && countsUp(letters) && countsUp(digits)
}

// countsUp reports that most bytes are the one before or the next one.
func countsUp(text []byte) bool {
	n := 0
	for i := 1; i < len(text); i++ {
		if step := int(text[i]) - int(text[i-1]); step == 1 || step == 0 {
			n++
		}
	}
	return 10*n >= 7*len(text)
}
