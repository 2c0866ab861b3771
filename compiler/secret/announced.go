package secret

import (
	"bytes"
	"strings"
)

// A value that a name announces without a sign between them is looked for back from
// a word with a digit in it, or with letters that change case, of which prose has few: maxBack bytes to where the
// value begins, and as many to the name.
const maxBack = 48

// announced looks before a word for the name of a secret that only blanks, quotation
// marks, brackets, tags, a verb or a few words part from it, as in "the password is S3cr…",
// setPassword("S3cr…"), "requirepass S3cr…" and "the password of the router is S3cr…".
// Prose names passwords often, so the value has to be one beyond doubt.
func (s *scan) announced(i int) {
	from := i
	for from > 0 && i-from < maxBack && !isBlank(s.text[from-1]) && !opensValue(s.text, from) {
		from--
	}
	if i-from == maxBack || from == s.seen {
		return
	}
	s.seen = from
	start, to, _ := assignedValue(s.text, from, ' ')
	value := string(s.text[start:to])
	if !isBeyondDoubt(value) {
		return
	}
	class := s.classBefore(from)
	if class == noName {
		class = s.classInSentence(from)
	}
	switch {
	case class == noName:
		s.argument(from)
	case class == tokenName && len(value) < leastKey && !s.quotedAt(from):
	case hasInnerDigit(value) || hasAllKinds(value) || !readsAsWords(value) && !isCompound(value):
		s.valueAt(from, "", class, ' ')
	}
}

// isBeyondDoubt reports a value that prose has for no other reason.
func isBeyondDoubt(value string) bool {
	return isStrong(value) || isRandom(value) || isShortPassword(value)
}

// isRare reports a word of which prose has few.
func isRare(word []byte, digit bool) bool { return digit || len(word) <= maxBack && isScrambled(word) }

// hasInnerDigit reports a digit in place of a letter, and a sign: Rh4barb3r!
func hasInnerDigit(value string) bool {
	for i := 1; i+1 < len(value); i++ {
		if isDigit(value[i]) && isLetter(value[i-1]) && isLetter(value[i+1]) {
			return strings.ContainsAny(value, "!@#$%^&*+=~?")
		}
	}
	return false
}

// hasAllKinds reports letters of both cases, digits, and a sign between letters: Copper!Kettle26
func hasAllKinds(value string) bool {
	sign := strings.IndexAny(value, "!#$%&?")
	return sign > 0 && sign+1 < len(value) && isLetter(value[sign-1]) && isLetter(value[sign+1]) &&
		hasDigit(value) && hasUpper(value) && strings.ToUpper(value) != value
}

// opensValue reports a quotation mark or bracket before an offset.
func opensValue(text []byte, at int) bool {
	c := text[at-1]
	switch {
	case strings.IndexByte("\"'`(>", c) >= 0:
		return true
	case c < 0x80:
		return false
	}
	for _, mark := range [...]string{"\u201c", "\u201e", "\u2018", "\u00ab", "\u300c"} {
		if bytes.HasSuffix(text[:at], []byte(mark)) {
			return true
		}
	}
	return false
}

// quotedAt reports a quotation mark before an offset.
func (s *scan) quotedAt(at int) bool { return at > 0 && strings.IndexByte("\"'`", s.text[at-1]) >= 0 }

// isRandom reports a long number of base 16, as keys are.
func isRandom(value string) bool {
	return len(value) >= 20 && only(value, isHex) && hasDigit(value) && strings.Trim(value, "0123456789") != ""
}

// classBefore returns the class of the name right before a value.
func (s *scan) classBefore(from int) nameClass {
	at := s.beforeValue(from)
	if at == from || at == 0 {
		return noName
	}
	if bytes.ContainsAny(s.text[at:from], "(,") && !s.quotedAt(from) {
		return noName // arguments of a call, which are names
	}
	name, start := assignedName(s.text, at)
	class := nameClassOf(name)
	if lower := bytes.ToLower(name); class == noName && bytes.Equal(lower, []byte("by")) {
		if raw, _ := assignedName(s.text, start); bytes.EqualFold(raw, []byte("identified")) {
			class = passwordName
		}
	}
	return class
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
