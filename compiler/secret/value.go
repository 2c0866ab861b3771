package secret

import "strings"

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
