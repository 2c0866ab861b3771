package markdown

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// isOrders reports a list that an order introduces, or of which more than half of the items
// are orders.
func (w *walker) isOrders(list ast.Node) bool {
	if before := list.PreviousSibling(); before != nil && (before.Kind() == ast.KindParagraph || before.Kind() == ast.KindTextBlock) {
		if text := w.plain.text(before); strings.HasSuffix(text, ":") && strings.Contains(text, " ") && isOrder(text) {
			return true
		}
	}
	items, orders := 0, 0
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		items++
		if first := item.FirstChild(); first != nil && (first.Kind() == ast.KindParagraph || first.Kind() == ast.KindTextBlock) && !beginsWithCode(first) && isOrder(w.plain.text(first)) {
			orders++
		}
	}
	return 2*orders > items
}

// beginsWithCode reports a paragraph whose first word is code: a name, and no verb of an order.
func beginsWithCode(paragraph ast.Node) bool {
	first := paragraph.FirstChild()
	return first != nil && first.Kind() == ast.KindCodeSpan
}

// longestOrder is how many words of a text decide whether it is an order.
const longestOrder = 40

// isOrder reports a text that tells the reader to do something.
func isOrder(text string) bool {
	if endsAsOrder(text) {
		return true
	}
	if i := strings.Index(text, ") "); i > 0 && text[0] == '(' {
		text = text[i+2:]
	}
	written := strings.Fields(text)
	written = written[:min(len(written), longestOrder)]
	words := strings.Fields(strings.ToLower(strings.Join(written, " ")))
	if len(words) != len(written) {
		return false // a letter whose small form is a blank
	}
	for len(words) > 1 && leads(words[0]) && words[1] != "of" {
		words, written = words[1:], written[1:]
	}
	if len(words) == 0 || strings.HasSuffix(strings.TrimRight(words[0], "*_`"), ":") {
		return false // only a label
	}
	if sentence := firstSentence(words); slices.Contains(sentence, "please") || slices.Contains(sentence, "bitte") {
		return true
	}
	if isCondition(words[0]) {
		return ordersUnder(words, written)
	}
	first := strings.Trim(words[0], "*_`\"'“„«([,;:")
	if isIn(first, "ne no não non") && len(words) > 1 {
		return beginsAsOrder(words[1], words[1:]) || first == "não" && len(words[1]) > 4 && strings.HasSuffix(words[1], "r")
	}
	if first == "don't" || first == "don’t" || first == "do" && len(words) > 1 && isIn(words[1], "not a an the this these your as so it") {
		return true
	}
	if beginsAsOrder(first, words) || endsInInfinitive(written) {
		return true
	}
	if !isOf("orders", first) || len(words) > 1 && words[1] == "of" && first != "think" && first != "dispose" {
		return ordersAfterManner(words)
	}
	return first == "ensure" || first == "make" && len(words) > 1 && words[1] == "sure" || !states(words[1:])
}

// ordersUnder reports an order after its condition: "If the lamp is red, press the key".
func ordersUnder(words, written []string) bool {
	for i, word := range words {
		if strings.HasSuffix(word, ",") {
			return isOrder(strings.Join(written[i+1:], " ")) || ordersAfterComma(words[i+1:])
		}
	}
	return endsInInfinitive(written) || ordersLater(words)
}

// ordersLater reports an order after words about when or for what it holds: "For local travel
// choose the voucher".
func ordersLater(words []string) bool {
	for i, word := range words[:len(words)-1] {
		switch {
		case isFinite(word), strings.HasSuffix(word, "."):
			return false
		case i > 1 && !isSmallWord(words[i-1]) && isVerb(words[i:]):
			return true
		}
	}
	return false
}

// isVerb reports words of which the first is the verb of an order in English by what follows
// it: "count the notes", "check out the till".
func isVerb(words []string) bool {
	next := words[1:]
	if len(next) > 1 && isIn(next[0], "out up off down through") {
		next = next[1:]
	}
	return isOf("orders", words[0]) && isIn(next[0], determiners)
}

// ordersAfterComma reports an order after any comma: "if the town, the state or both are new, make a note".
func ordersAfterComma(words []string) bool {
	for i := 1; i+1 < len(words) && !strings.HasSuffix(words[i-1], "."); i++ {
		if strings.HasSuffix(words[i-1], ",") && (words[i] == "see" || isVerb(words[i:])) {
			return true
		}
	}
	return false
}

// longestManner is how many words before an order and a comma say in what way it is done.
const longestManner = 4

// ordersAfterManner reports an order after a few words and a comma: "One by one, count the notes".
func ordersAfterManner(words []string) bool {
	for i, word := range words[:min(len(words), longestManner)] {
		if isFinite(word) || isPronoun(word) || !isWord(strings.TrimSuffix(word, ",")) {
			return false
		}
		if strings.HasSuffix(word, ",") {
			return ordersAfterComma(words[i:min(len(words), i+3)])
		}
	}
	return false
}

// determiners follow the verb of an order in English.
const determiners = "the a an your these those any each its their our my"

// An order begins with its verb, which a word for "the" or "your" follows, while a statement
// begins with its subject: "Öffne die Lade", "Abra el cajón", "Flag the message". Other
// words that may come first have other endings.
//
// beginsAsOrder reports words of which the first is the verb of an order by what follows it.
func beginsAsOrder(first string, words []string) bool {
	if len(words) < 2 || !isWord(strings.Trim(words[0], "*_`[")) || isSmallWord(first) {
		return false
	}
	next := strings.Trim(words[1], "*_`\"'“„«(,;:.")
	ends := func(list ...string) bool {
		for _, end := range list {
			if strings.HasSuffix(first, end) {
				return len(first) > len(end)
			}
		}
		return false
	}
	switch {
	case next == "sie":
		return ends("en", "ern", "eln")
	case ends("ez") && len(first) > 4, first == "faites", ends("йте", "ите", "ьте", "йтесь", "итесь", "ьтесь"):
		return true
	case isIn(next, determiners):
		return ends("ss", "us") || !ends("s", "ing", "ed", "ly")
	case isIn(next, "den die das einen eine ein dein deine deinen deinem ihre ihren jede jeden jedes"):
		return ends("e")
	case strings.HasPrefix(next, "l'"), strings.HasPrefix(next, "l’"), isOf("articles abroad", next):
		return !statesAbroad(words[2:]) && (ends("a", "e", "er", "ir", "ar", "is", "i") || ends("re"))
	case isIn(next, "sur dans en em no na à al ao auf clic"):
		return !statesAbroad(words[2:]) && ends("er", "ir", "ar", "a", "e")
	}
	return false
}

// endsInInfinitive reports German words that end in a verb in its basic form, where no
// statement has it: "Bei rotem Licht die Taste halten".
func endsInInfinitive(written []string) bool {
	last := strings.Trim(written[len(written)-1], ".!)*_")
	if len(written) < 2 || len(last) < 5 || last != strings.ToLower(last) || isOf("german statements", last) || !isWord(last) ||
		!strings.HasSuffix(last, "en") && !strings.HasSuffix(last, "ern") && !strings.HasSuffix(last, "eln") {
		return false
	}
	german := 0
	for i, word := range written[:len(written)-1] {
		word = strings.Trim(word, ".,;:!()*_")
		small := strings.ToLower(word)
		switch {
		case strings.HasSuffix(written[i], ","), isFinite(small), isOf("german statements", small), i == 0 && isIn(small, "wir sie ich man er es"), strings.HasSuffix(written[i], ".") && i > 0:
			return false
		case i == 0 && len(written) < 4 && isIn(small, "die alle beide diese viele"):
			return false // may be a subject and its verb
		case isOf("german", small):
			german += 2
		case word != small && i > 0:
			german++ // nouns have capitals
		}
	}
	return german > 1 || len(written) == 2 && written[0] != strings.ToLower(written[0]) && strings.Contains(last, "ie")
}

// statesAbroad reports a verb of a statement in French, Spanish, Portuguese or Italian.
func statesAbroad(words []string) bool {
	for _, raw := range words {
		word := strings.Trim(raw, ".,;:!()\"'`*_")
		if isIn(word, "que qui si où cuando quando lorsque pour para afin se ou et y e") {
			return false
		}
		if isOf("statements abroad", word) {
			return true
		}
		if strings.HasSuffix(raw, ".") {
			return false
		}
	}
	return false
}

// endsAsOrder reports the orders of Chinese, Japanese and Korean, which a word for "please"
// begins or ends.
func endsAsOrder(text string) bool {
	text = strings.TrimRight(text, " 。.！!")
	for _, start := range [...]string{"请", "請", "不要", "切勿"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	for _, end := range [...]string{"ください", "下さい", "ましょう", "세요", "십시오", "시오"} {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	return false
}

//go:embed words.txt
var wordLists string

// words are the lists of words.txt, by their names.
var words = sync.OnceValue(func() map[string]map[string]bool {
	lists := map[string]map[string]bool{}
	var list map[string]bool
	for line := range strings.Lines(wordLists) {
		name, isName := strings.CutSuffix(strings.TrimSpace(line), ":")
		switch {
		case strings.HasPrefix(line, "#"):
		case isName:
			list = map[string]bool{}
			lists[name] = list
		default:
			for word := range strings.FieldsSeq(line) {
				list[word] = true
			}
		}
	}
	return lists
})

// isOf reports a word of a list of words.txt.
func isOf(list, word string) bool { return words()[list][word] }

// isIn reports a word of a list of words with blanks between them.
func isIn(word, list string) bool {
	return word != "" && !strings.Contains(word, " ") && strings.Contains(" "+list+" ", " "+word+" ")
}

// isWord reports letters alone.
func isWord(word string) bool {
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return word != ""
}

// isSmallWord reports a word that no sentence has as its verb: prepositions, conjunctions,
// pronouns and adverbs of the languages whose orders are known.
func isSmallWord(word string) bool {
	return isCondition(word) || isPronoun(word) || isOf("small", word)
}

// leads reports a word that may come before an order.
func leads(word string) bool {
	return isOf("leading", strings.Trim(word, ",:.")) || isAdverb(word)
}

// isAdverb reports an English adverb of manner or time that may come before an order.
func isAdverb(word string) bool {
	word = strings.TrimSuffix(word, ",")
	return strings.HasSuffix(word, "ly") && isWord(word) && !isOf("orders", word)
}

// isCondition reports a word that begins what comes before an order and a comma.
func isCondition(word string) bool { return isOf("conditions", word) }

// states reports words with the verb of a statement: what follows "that", "if" and the like
// is a clause of its own.
func states(words []string) bool {
	for i, raw := range words {
		word := strings.Trim(raw, ".,;:!()\"'`*_")
		if isOf("clauses", word) {
			return false
		}
		if isFinite(word) && !isPlural(words, i) {
			return true
		}
		if end := strings.TrimRight(raw, "\"'”’)*_"); end == "" || strings.IndexByte(".:;!", end[len(end)-1]) >= 0 || strings.HasPrefix(raw, "(") {
			return false
		}
	}
	return false
}

// isPlural reports a verb of a statement that is the plural of a noun as well, and is one
// where a sentence ends after it, or "of", "for" and the like follow.
func isPlural(words []string, i int) bool {
	word := strings.Trim(words[i], ".,;:!()\"'`*_")
	return isIn(word, "needs takes shows stands lies costs ends runs holds returns says means") &&
		(word != words[i] || i+1 == len(words) || words[i+1] == "of" || isCondition(words[i+1]) && (word != "needs" || words[i+1] != "to"))
}

// isFinite reports a verb that a statement has and an order does not begin with.
func isFinite(word string) bool { return isOf("finite verbs", word) }
