package secret

import (
	"bytes"
	"strings"
)

// leastValue is the shortest value of an assignment that may be a secret, in
// bytes (agent-knowledge section 18.4).
const leastValue = 12

// maxName is how far back an assignment's name is read, in bytes, and maxValue
// how much of its value is judged.
const (
	maxName  = 64
	maxValue = 128
)

// assignment looks at a "=" or ":" with a name before it that means a secret, and
// returns where to go on.
func (s *scan) assignment(at int) int {
	name, start := assignedName(s.text, at)
	if !isSecretName(name) {
		return at + 1
	}
	from, to, quoted := assignedValue(s.text, at+1)
	value := s.text[from:to]
	shared := start > 0 && (s.text[start-1] == '?' || s.text[start-1] == '&') && strings.HasSuffix(name, "token")
	if len(value) < leastValue || shared || isPlaceholderValue(string(value), quoted) {
		return at + 1 // shared: the token of a link that is made to be passed on
	}
	if to == at+1+maxValue {
		for to < len(s.text) && !isBlank(s.text[to]) {
			to++
		}
	}
	s.add(kindAssigned, from, to)
	return to
}

// assignedName reads the name before an assignment, in lower case without "_",
// "-" and ".", and where it starts. "API key" is one name.
func assignedName(text []byte, at int) (name string, start int) {
	end := at
	floor := max(0, at-maxName)
	for end > floor && strings.IndexByte(" \t\"'`*:", text[end-1]) >= 0 {
		end--
	}
	start = end
	for start > floor && (isTokenRest(text[start-1]) || text[start-1] == '.') {
		start--
	}
	if word := text[start:end]; start-1 > floor && text[start-1] == ' ' && bytes.EqualFold(word, []byte("key")) {
		for start--; start > floor && isTokenRest(text[start-1]); {
			start--
		}
	}
	squeezed := make([]byte, 0, maxName)
	for _, c := range text[start:end] {
		switch {
		case c >= 'A' && c <= 'Z':
			squeezed = append(squeezed, c|0x20)
		case isLetter(c) || isDigit(c):
			squeezed = append(squeezed, c)
		}
	}
	return string(squeezed), start
}

// isSecretName reports a name that ends in a word for a secret.
func isSecretName(name string) bool {
	for _, end := range []string{"password", "passwd", "passphrase", "secret", "token", "apikey", "secretkey", "accesskey", "privatekey"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return name == "pwd"
}

// assignedValue returns the range of the value after an assignment and whether
// quotation marks hold it. A quoted text with blanks is prose, and empty.
func assignedValue(text []byte, at int) (from, to int, quoted bool) {
	limit := min(len(text), at+maxValue)
	from = at
	for from < limit && strings.IndexByte(" \t=>*:", text[from]) >= 0 {
		from++
	}
	if from < limit && (text[from] == '"' || text[from] == '\'' || text[from] == '`') {
		mark := text[from]
		from++
		for to = from; to < limit && text[to] != mark; to++ {
			if isBlank(text[to]) {
				return from, from, true
			}
		}
		return from, to, true
	}
	for to = from; to < limit && !isBlank(text[to]) && strings.IndexByte("\"'`,;|&", text[to]) < 0; to++ {
	}
	for to > from && strings.IndexByte(".:*!?", text[to-1]) >= 0 {
		to--
	}
	return from, to, false
}

// isPlaceholderValue reports a value that is no secret itself: it says so, it
// names where one is kept, or it is a plain word or number.
func isPlaceholderValue(value string, quoted bool) bool {
	if strings.ContainsAny(value, "<>{}()[]\\") || strings.HasPrefix(value, "$") || strings.HasPrefix(value, "%") ||
		isPathLike(value) || fewCharacters(value) {
		return true
	}
	text := strings.ToLower(value)
	if isWordy(text, quoted) {
		return true
	}
	for _, say := range []string{
		"example", "sample", "dummy", "placeholder", "changeme", "change-me", "change_me", "replace", "insert", "your", "redacted",
		"xxxx", "****", "....", "…", "todo", "fake", "notreal", "not-real", "not_real", "mysecret", "mypassword", "process.env", "os.environ", "getenv",
	} {
		if strings.Contains(text, say) {
			return true
		}
	}
	return false
}

// isPathLike reports URLs, paths and file names.
func isPathLike(value string) bool {
	if strings.Contains(value, "://") || strings.HasPrefix(value, "/") || strings.HasPrefix(value, "./") ||
		strings.HasPrefix(value, "../") || strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "#") || strings.HasPrefix(value, "@") {
		return true
	}
	dot := strings.LastIndexByte(value, '.')
	ext := len(value) - dot - 1
	return dot > 0 && ext >= 1 && ext <= 5 && strings.Trim(strings.ToLower(value[dot+1:]), "abcdefghijklmnopqrstuvwxyz") == "" && !strings.ContainsAny(value, "+=")
}

// fewCharacters reports a value of at most three different characters.
func fewCharacters(value string) bool {
	seen := 0
	for i := range len(value) {
		if strings.IndexByte(value[:i], value[i]) < 0 {
			if seen++; seen > 3 {
				return false
			}
		}
	}
	return true
}

// leastPassphrase is the length from which a quoted value of letters alone is
// taken for a secret; no plain word is so long.
const leastPassphrase = 20

// isWordy reports a value, in lower case, that reads as words, an identifier or a
// number: letters alone, digits alone, or parts that each are a word with at
// most two digits behind it.
func isWordy(value string, quoted bool) bool {
	digits := strings.ContainsAny(value, "0123456789")
	letters := strings.ContainsAny(value, "abcdefghijklmnopqrstuvwxyz")
	signs := strings.ContainsAny(value, "!@#$%^&*+=~")
	switch {
	case signs && (letters || digits):
		return false
	case !digits && !strings.ContainsAny(value, "-_./"):
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
		if len(part)-len(word) > 2 && word != "" || strings.ContainsAny(word, "0123456789") || len(part) > 4 && word == "" {
			return false
		}
	}
	return true
}
