package rank

import "bytes"

// endings are cut off words for comparison, the longest that fits first; one
// that stands in for a letter names it.
var endings = [...]struct{ ending, instead string }{
	{"ization", ""}, {"isation", ""}, {"ations", ""}, {"ements", ""}, {"ation", ""}, {"ement", ""}, {"ments", ""},
	{"ings", ""}, {"ment", ""}, {"able", ""}, {"ible", ""}, {"ness", ""}, {"ing", ""}, {"ies", "y"}, {"ied", "y"},
	{"ion", ""}, {"ity", ""}, {"ed", ""}, {"er", ""}, {"or", ""}, {"es", ""}, {"ly", ""}, {"ie", "y"}, {"al", ""},
	{"e", ""},
}

// minStem is the least length of a stem, in bytes.
const minStem = 3

// stemOf returns the part of a word that its forms have in common: "compil" for
// compile, compiled, compiler and compilation. It only serves comparison. The
// word's bytes may be changed; words with other letters than a to z stay as they
// are.
func stemOf(word []byte) []byte {
	for _, c := range word {
		if c < 'a' || c > 'z' {
			return word
		}
	}
	for _, e := range endings {
		stem, ok := bytes.CutSuffix(word, []byte(e.ending))
		if !ok || len(stem) < minStem || !hasVowel(stem) {
			continue
		}
		return tail(append(stem, e.instead...))
	}
	return tail(word)
}

// tail evens out what cutting leaves at the end of a stem: a doubled consonant,
// and the "s" that the plural rule takes from "status" and leaves in "statuses".
func tail(stem []byte) []byte {
	stem = undouble(stem)
	if n := len(stem); n > minStem && stem[n-1] == 's' {
		stem = stem[:n-1]
	}
	return stem
}

func hasVowel(word []byte) bool { return bytes.ContainsAny(word, "aeiouy") }

// undouble drops the second of two equal consonants at the end.
func undouble(word []byte) []byte {
	n := len(word)
	if n > minStem && word[n-1] == word[n-2] && !bytes.ContainsRune([]byte("aeiou"), rune(word[n-1])) {
		return word[:n-1]
	}
	return word
}
