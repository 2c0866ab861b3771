package secret

import (
	"bytes"
	"strings"
)

// A value that a name announces without a sign between them is looked for back from
// a word with a digit in it, of which prose has few: maxBack bytes to where the
// value begins, and as many to the name.
const maxBack = 48

// announced looks before a word for the name of a secret that only blanks, quotation
// marks, brackets, tags or a verb part from it, as in "the password is S3cr…",
// setPassword("S3cr…") and "requirepass S3cr…". Prose names passwords often, so the
// value has to be one beyond doubt.
func (s *scan) announced(i int) {
	from := i
	for from > 0 && i-from < maxBack && !isBlank(s.text[from-1]) && strings.IndexByte("\"'`(>", s.text[from-1]) < 0 {
		from--
	}
	if i-from == maxBack || from == s.seen {
		return
	}
	s.seen = from
	at := s.beforeValue(from)
	if at == from || at == 0 {
		return
	}
	if bytes.ContainsAny(s.text[at:from], "(,") && strings.IndexByte("\"'`", s.text[from-1]) < 0 {
		return // arguments of a call, which are names
	}
	name, start := assignedName(s.text, at)
	class := classOf(squeeze(name))
	if lower := bytes.ToLower(name); class == noName && bytes.Equal(lower, []byte("by")) {
		if raw, _ := assignedName(s.text, start); bytes.EqualFold(raw, []byte("identified")) {
			class = passwordName
		}
	}
	if class == noName {
		return
	}
	value, to, _ := assignedValue(s.text, from, ' ')
	if text := string(s.text[value:to]); isStrong(text) && !readsAsWords(text) {
		s.valueAt(from, "", class, ' ')
	}
}

// beforeValue returns the offset after the name that may be before a value.
func (s *scan) beforeValue(from int) int {
	at := from
	for at > 0 && from-at < maxBack {
		switch c := s.text[at-1]; {
		case c == ' ' || c == '\t' || strings.IndexByte("\"'`(,*", c) >= 0:
			at--
			continue
		case c == '>':
			open := bytes.LastIndexByte(s.text[max(0, at-16):at], '<')
			if open < 0 {
				return from
			}
			at = max(0, at-16) + open
			continue
		case c == '-' || c == 0x93 || c == 0x94: // a dash, the last byte of an en or em dash too
			before := s.text[:at]
			for _, dash := range [...]string{" -", " \u2013", " \u2014", "->"} {
				if bytes.HasSuffix(before, []byte(dash)) {
					return at - len(dash)
				}
			}
		}
		for _, verb := range [...]string{" is", " was", " ist", " est", " es", "\u662f", "\u4e3a"} {
			if bytes.HasSuffix(s.text[:at], []byte(verb)) {
				return at - len(verb)
			}
		}
		return at
	}
	return from
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
