package rank

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxRun is the longest compound that is looked at, in bytes.
const maxRun = 64

// compounds calls yield for every compound in ASCII of a text whose parts say nothing of a topic
// alone, such as "one-on-ones" or "to-do": in lower case and without a plural ending. The
// bytes are valid until it returns.
func compounds(text string, yield func(word []byte)) {
	for at := 0; ; {
		hyphen := strings.IndexByte(text[at:], '-')
		if hyphen < 0 {
			return
		}
		from, to := at+hyphen, at+hyphen
		for from > at && inWord(text[from-1]) {
			from--
		}
		for to < len(text) && (inWord(text[to]) || text[to] == '-') {
			to++
		}
		at = to
		if to-from <= maxRun && isASCII(text[from:to]) {
			if word := compound(text[from:to]); word != nil {
				yield(word)
			}
		}
	}
}

func inWord(c byte) bool { return c >= utf8.RuneSelf || lowerASCII()[c] != 0 }

// compound is a run of words with hyphens between them as a word of its own; nil where one
// of the words is a topic, or the run no compound.
func compound(run string) []byte {
	parts := strings.Split(strings.ToLower(run), "-")
	last := len(parts) - 1
	if slices.Contains(parts, "") {
		return nil
	}
	for i, part := range parts {
		if stopWords()[part] {
			continue
		}
		if n := len(part); n >= minPlural && part[n-1] == 's' && part[n-2] != 's' {
			part = part[:n-1]
		}
		if !weakWords()[part] {
			return nil
		}
		if i == last {
			parts[i] = part
		}
	}
	return []byte(strings.Join(parts, "-"))
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// isCompound reports what compounds yields.
func isCompound(stem string) bool { return strings.Contains(stem, "-") }
