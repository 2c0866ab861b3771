package stem

// cyrillicEndings are cut off Cyrillic words, the longest that fits. They are those of
// Russian nouns, adjectives and verbs; other languages in that script share many.
const cyrillicEndings = " иями ями ами ого его ому ему ыми ими ией иях иям ием ать ять ить еть ает яет ают яют" +
	" ый ий ой ая яя ое ее ые ие ую юю ым им ом ем ых их ах ях ам ям ов ев ей ия ии ию" +
	" ыи ои еи иеи" + // those with a short i, folded
	" а я о е ы и у ю ь й "

// leastCyrillic is the least length of a Cyrillic stem, in letters of two bytes each.
const leastCyrillic = 3

// isCyrillic reports a word that holds nothing but letters of the blocks from U+0400 to
// U+047F, which are two bytes each.
func isCyrillic(word []byte) bool {
	if len(word)%2 != 0 {
		return false
	}
	for i := 0; i < len(word); i += 2 {
		if word[i] != 0xD0 && word[i] != 0xD1 {
			return false
		}
	}
	return len(word) > 0
}

// ofCyrillic returns what the forms of a Cyrillic word have in common. "Ё" counts as "е",
// as which it is often written.
func ofCyrillic(word []byte) []byte {
	for i := 0; i < len(word); i += 2 {
		if word[i] == 0xD1 && word[i+1] == 0x91 {
			word[i], word[i+1] = 0xD0, 0xB5
		}
	}
	if n := len(word) - 4; n >= 2*leastCyrillic && (string(word[n:]) == "ся" || string(word[n:]) == "сь") {
		word = word[:n]
	}
	for size := 8; size > 0; size -= 2 {
		n := len(word) - size
		if n < 2*leastCyrillic {
			continue
		}
		for at := 0; at+size+2 <= len(cyrillicEndings); at++ {
			if cyrillicEndings[at] == ' ' && cyrillicEndings[at+size+1] == ' ' && cyrillicEndings[at+1:at+1+size] == string(word[n:]) {
				return word[:n]
			}
		}
	}
	return word
}

// Cyrillic returns what is cut off Cyrillic words, with blanks around and between, and the
// least length of what remains, in letters.
func Cyrillic() (endings string, least int) { return cyrillicEndings, leastCyrillic }
