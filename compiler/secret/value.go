package secret

import "strings"

// isPlaceholderValue reports a value that is not a secret itself: it says so, it
// names where one is kept, or it is a plain word or number.
func isPlaceholderValue(value string, quoted bool, class nameClass) bool {
	if isTemplate(value) || isName(value) || isPathLike(value, class) || fewCharacters(value) || saysPlaceholder(value) {
		return true
	}
	text := strings.ToLower(value)
	if isWordy(text, quoted) || class != passwordName && readsAsWords(value) {
		return true
	}
	for _, say := range [...]string{
		"sample", "dummy", "insert", "your", "xxxx", "****", "....", "…", "todo", "fake", "process.env", "os.environ", "getenv", "secrets.",
	} {
		if strings.Contains(text, say) {
			return true
		}
	}
	return false
}

// isTemplate reports a variable, a call or a place to be filled in.
func isTemplate(value string) bool {
	if strings.IndexByte("<{[(", value[0]) >= 0 || strings.Contains(value, "${") || strings.Contains(value, "{{") || strings.Contains(value, "$(") || strings.Contains(value, "<%") {
		return true
	}
	if value[0] == '$' || value[0] == '%' {
		if name := strings.Trim(value, "$%"); strings.HasPrefix(value, "$2") || only(name, func(c byte) bool { return isDotted(c) || c == ':' || c == '/' }) {
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
	if strings.Contains(value, "://") {
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
