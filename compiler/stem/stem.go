package stem

// endings are cut off words for comparison, the longest that fits first; what
// takes their place follows a bar.
var endings = [...]string{
	"ization", "isation", "ations", "ements", "ation", "ement", "ments", "ings", "ment", "able", "ible", "ness", "ing",
	"ies|y", "ied|y", "ion", "ity", "ed", "er", "or", "es", "ly", "ie|y", "al", "e",
}

// Least is the least length of a stem, in bytes.
const Least = 3

// Endings returns what is cut off words, the longest first, and what takes its place.
func Endings() [][2]string {
	list := make([][2]string, len(endings))
	for i, ending := range endings {
		list[i] = split(ending)
	}
	return list
}

// split parts an ending from what takes its place.
func split(ending string) [2]string {
	if n := len(ending); n > 2 && ending[n-2] == '|' {
		return [2]string{ending[:n-2], ending[n-1:]}
	}
	return [2]string{ending, ""}
}

// Of returns the part of a word that its forms have in common: "compil" for
// compile, compiled, compiler and compilation. It only serves comparison. The
// word's bytes may be changed; Cyrillic words lose their endings too, and words with
// other letters stay as they are.
func Of(word []byte) []byte {
	if isCyrillic(word) {
		return ofCyrillic(word)
	}
	for _, c := range word {
		if c < 'a' || c > 'z' {
			return word
		}
	}
	for _, ending := range endings {
		cut := split(ending)
		if n := len(word) - len(cut[0]); n >= Least && string(word[n:]) == cut[0] && hasVowel(word[:n]) {
			return tail(append(word[:n], cut[1]...))
		}
	}
	return tail(word)
}

// tail evens out what cutting leaves at the end of a stem: a doubled consonant,
// and the "s" that the plural rule takes from "status" and leaves in "statuses".
func tail(stem []byte) []byte {
	if n := len(stem); n > Least && stem[n-1] == stem[n-2] && !isVowel(stem[n-1]) {
		stem = stem[:n-1]
	}
	if n := len(stem); n > Least && stem[n-1] == 's' {
		stem = stem[:n-1]
	}
	return stem
}

func hasVowel(word []byte) bool {
	for _, c := range word {
		if isVowel(c) || c == 'y' {
			return true
		}
	}
	return false
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	}
	return false
}
