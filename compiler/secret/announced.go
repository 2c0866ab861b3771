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
// Prose names passwords often, so the value has to be one beyond doubt, or is a guess.
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
	class := noName
	if isBeyondDoubt(value) {
		class = classAnnounced(s.text, from)
	}
	switch {
	case class == noName:
		s.argument(from)
		if s.mayBeNamed(from, start, to) {
			s.chosen(from, start, to)
		}
	case class == tokenName && len(value) < leastKey && !quotedAt(s.text, from):
	case hasInnerDigit(value) || hasAllKinds(value) || !readsAsWords(value) && !isCompound(value):
		s.valueAt(from, "", class, ' ')
	}
}

// mayBeNamed reports a value that is worth looking at as a password: a name that may be of one
// is before it, or what makes one of it is beside it. Most words of a text are not.
func (s *scan) mayBeNamed(from, start, to int) bool {
	value := s.text[start:to]
	return s.named >= from-maxBefore || precedesName(s.text, to) || bytes.IndexByte(value, ':') > 0 && !bytes.Contains(value, []byte(":/")) || bytes.HasSuffix(s.text[:from], []byte("/ "))
}

// precedesName reports what may continue as "as the password" or as the next command.
func precedesName(text []byte, at int) bool {
	after := bytes.TrimLeft(text[at:min(len(text), at+4)], "\"'` ")
	return bytes.HasPrefix(after, []byte("as")) || bytes.HasPrefix(after, []byte("|"))
}

// chosen looks at a value that people may have chosen as a password, in a sentence that names
// a password before or after it, or a user beside it. from is where it begins, start and to are
// its range.
func (s *scan) chosen(from, start, to int) {
	if start < s.guessed || to-start < leastChosen {
		return
	}
	if n := userBefore(s.text[start:to]); n > 0 {
		if !isPaired(s.text, from, start+n, to) {
			return
		}
		start += n
	} else if !isNamed(s.text, from, start, to) {
		return
	}
	if !isPublished(s.text[start:to]) {
		s.add(kindPassword, false, start, to)
		s.guessed = to
	}
}

// classAnnounced returns the class of the name before a value, or of one in the sentence.
func classAnnounced(text []byte, from int) nameClass {
	class := classBefore(text, from)
	if class == noName {
		class = classInSentence(text, from)
	}
	if class == tokenName && bytes.Contains(lineBefore(text, from), []byte("ublic")) {
		return noName // of a public key
	}
	return class
}

// isBeyondDoubt reports a value that prose has for no other reason.
func isBeyondDoubt(value string) bool {
	return isStrong(value) || isRandom(value) || isShortPassword(value)
}

// isRare reports a word of which prose has few.
func isRare(word []byte) bool {
	for _, c := range word {
		if isDigit(c) {
			return true
		}
	}
	return len(word) <= maxBack && isScrambled(word)
}

// isMarked reports a word that dashes, capitals, quotation marks, signs or a verb make a likely
// value, where a sentence names passwords.
func isMarked(text []byte, i, end int) bool {
	joints := 0
	for n, c := range text[i:end] {
		if c == '-' || n > 0 && isUpper(c) && isLower(text[i+n-1]) {
			joints++
		}
	}
	return joints > 1 || quotedAt(text, i) || joinsWords(text, end) || isSaid(text, i, end)
}

// joinsWords reports a sign at an offset that prose does not have between letters.
func joinsWords(text []byte, at int) bool {
	return at+1 < len(text) && strings.IndexByte("!#$%&+", text[at]) >= 0 && isLetter(text[at+1])
}

// isSaid reports a word that ends a sentence of which the verb is right before it, as in
// "the password is dragonfly".
func isSaid(text []byte, i, end int) bool {
	before := text[max(0, i-5):i]
	if !bytes.HasSuffix(before, []byte(" is ")) && !bytes.HasSuffix(before, []byte(" was ")) {
		return false
	}
	if end < len(text) && text[end] == '.' {
		end++
	}
	return end >= len(text) || text[end] == '\n'
}

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
func quotedAt(text []byte, at int) bool { return at > 0 && strings.IndexByte("\"'`", text[at-1]) >= 0 }

// isRandom reports a long number of base 16 or 64, or a UUID, as keys are.
func isRandom(value string) bool {
	return isUUID(value) || len(value) >= 20 && strings.HasSuffix(value, "=") && only(value, isBase64) && mixed(value) || len(value) >= leastKey && only(value, isHex) && hasDigit(value) && strings.Trim(value, "0123456789") != ""
}

// classBefore returns the class of the name right before a value.
func classBefore(text []byte, from int) nameClass {
	at := beforeValue(text, from)
	if at == from || at == 0 {
		return noName
	}
	if bytes.ContainsAny(text[at:from], "(,") && !quotedAt(text, from) {
		return noName // arguments of a call, which are names
	}
	name, start := assignedName(text, at)
	class := nameClassOf(name)
	if lower := bytes.ToLower(name); class == noName && bytes.Equal(lower, []byte("by")) {
		if raw, _ := assignedName(text, start); bytes.EqualFold(raw, []byte("identified")) {
			class = passwordName
		}
	}
	return class
}

// beforeValue returns the offset after the name that may be before a value.
func beforeValue(text []byte, from int) int {
	at := from
	for at > 0 && from-at < maxBack {
		switch c := text[at-1]; {
		case c == ' ' || c == '\t' || strings.IndexByte("\"'`(,*", c) >= 0:
			at--
			continue
		case c == '>':
			open := bytes.LastIndexByte(text[max(0, at-16):at], '<')
			if open < 0 {
				return from
			}
			at = max(0, at-16) + open
			continue
		case c == '-' || c == 0x93 || c == 0x94: // a dash, the last byte of an en or em dash too
			before := text[:at]
			for _, dash := range [...]string{" -", " \u2013", " \u2014", "->"} {
				if bytes.HasSuffix(before, []byte(dash)) {
					return at - len(dash)
				}
			}
		}
		for _, verb := range [...]string{" is", " was", " ist", " est", " es", "\u662f", "\u4e3a"} {
			if bytes.HasSuffix(text[:at], []byte(verb)) {
				return at - len(verb)
			}
		}
		return at
	}
	return from
}
