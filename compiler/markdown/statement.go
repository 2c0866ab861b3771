package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// Only a statement can be true or false, and so needs a source. Steps of a procedure,
// orders, questions, commands, names of things and lines that introduce others do not.

// isStatement reports a list item that states something. line is the item as written;
// completes says that the item ends a sentence that a line before it began; beside says that
// its list is of orders, or an order introduces it: there only what has a verb states something.
func isStatement(text, line string, completes, beside bool) bool {
	text = strings.TrimRight(withoutIcons(text), " \"'”»)*_")
	line = withoutIcons(line)
	switch {
	case isName(text, line), isDemand(text, line):
		return false
	case beside && !hasSubject(text) && !slices.ContainsFunc(strings.Fields(strings.ToLower(text)), isPronoun) && countsVerbs(strings.Fields(strings.ToLower(text))) < 1:
		return false
	case completes:
		return true
	case isAim(text), isNamedOrder(text):
		return false
	case isSentence(text), isDefinition(text):
		return true
	}
	if len(strings.Fields(text)) > longestOrder {
		return true
	}
	text = withoutRemarks(text)
	words := strings.Fields(strings.ToLower(text))
	if len(words) < 2 || isGerund(words[0]) {
		return isValue(text)
	}
	return hasQuantity(text) || countsVerbs(words) > 0 || isPronoun(words[0]) || hasPredicate(text, line)
}

// hasPredicate reports a verb after an article or the like and a noun, or after a name in code.
func hasPredicate(text, line string) bool {
	words := strings.Fields(text)
	return hasSubject(text) && hasVerb(words[2:]) || strings.HasPrefix(line, "`") && hasVerb(words[1:])
}

// leadsToPage reports an item, as written, that begins with a link to another page of the
// documents and says no more than what is there: "[Tills](tills.md): a guide for clerks".
func leadsToPage(line string) bool {
	line = strings.TrimLeft(line, "*_")
	_, after, ok := strings.Cut(line, "](")
	page, _, _ := strings.Cut(after, ")")
	if !ok || line[0] != '[' || line[1] == '`' || !strings.HasSuffix(page, ".md") || strings.Contains(page, "://") {
		return false
	}
	said := strings.Fields(strings.ToLower(saidOf("page" + strings.TrimLeft(after[len(page):], ")*_"))))
	return len(said) > 0 && countsVerbs(said) < 1 && !hasVerb(said)
}

// isRest reports what continues the item before, or means more items.
func isRest(text string) bool {
	return strings.HasPrefix(text, "...") || strings.HasPrefix(text, "…") || strings.TrimSuffix(text, ".") == "etc"
}

// isAim reports a text that says only what for: "To help clerks count", without a verb of its own.
func isAim(text string) bool {
	words := strings.Fields(strings.ToLower(text))
	if len(words) < 2 || words[0] != "to" || countsVerbs(words) > 0 {
		return false
	}
	for i, word := range words[1:] {
		if strings.HasSuffix(words[i], ",") && isPronoun(word) {
			return false
		}
	}
	return true
}

// isName reports what names, shows or points at something. line is the text as written.
func isName(text, line string) bool {
	return isExample(text) || strings.HasSuffix(text, ":") || isTemplateLink(line) || hasLinksAlone(line) || leadsToPage(line) || isRest(text) || isUtterance(text) || isPointer(text)
}

// isDemand reports a question, a command or an order. Where code comes first, it is a name
// and no verb of an order.
func isDemand(text, line string) bool {
	if isQuestion(text) || isCommand(line) {
		return true
	}
	return !strings.HasPrefix(strings.TrimLeft(line, "[*"), "`") && (isOrder(text) || !isTitle(saidOf(text)) && isOrder(saidOf(text)))
}

// longestTitle is how many words the title of an order has at most.
const longestTitle = 5

// isNamedOrder reports a title, and an order after it: "Monthly count. Ask the clerk for a date".
func isNamedOrder(text string) bool {
	words := strings.Fields(text)
	title := firstSentence(words)
	if len(title) == len(words) || len(title) > longestTitle || hasSubject(text) || saidOf(strings.Join(title, " ")) != "" {
		return false
	}
	lower := strings.Fields(strings.ToLower(strings.Join(title, " ")))
	return countsVerbs(lower) < 1 && !slices.ContainsFunc(lower, isPronoun) && isOrder(strings.Join(words[len(title):], " "))
}

// countsVerbs returns how many finite verbs of a text are not of a clause that depends on
// another one: "what this guide will teach" and "tools that have no tests" have none.
func countsVerbs(words []string) int {
	verbs, clauses := 0, 0
	last, written := "", "" // the word before, without signs and with them
	for i, raw := range words {
		word := strings.Trim(raw, ".,;:!()\"'`*_")
		switch {
		case isOf("dependent clauses", word):
			clauses++
		case isIn(word, "they you we this he she"):
			if i > 1 && last == written && !isSmallWord(last) {
				clauses++ // "the problem they were trying to solve"
			}
		case i == 0 || !isFinite(word), isPlural(words, i), isIn(last, "and or to can cannot may must will would should does did not"):
		case clauses > 0:
			clauses--
		default:
			verbs++
		}
		last, written = word, raw
	}
	return verbs
}

// withoutRemarks returns a text without what is in round brackets, and without the title
// in quotation marks that it may begin with.
func withoutRemarks(text string) string {
	var b strings.Builder
	if text != "" && strings.Contains("\"“„«", firstRune(text)) {
		if i := strings.IndexAny(text[len(firstRune(text)):], "\"”»“"); i >= 0 {
			b.WriteString("title ")
			text = strings.TrimLeft(text[len(firstRune(text))+i:], "\"”»“, ")
		}
	}
	for {
		open := strings.IndexByte(text, '(')
		if open < 0 {
			break
		}
		b.WriteString(text[:open])
		end := strings.IndexByte(text[open:], ')')
		if end < 0 {
			return b.String()
		}
		text = text[open+end+1:]
	}
	return b.String() + text
}

func isGerund(word string) bool {
	return len(word) > 4 && strings.HasSuffix(word, "ing") && !strings.HasSuffix(word, "thing") && word != "string"
}

// isUtterance reports a text that quotation marks hold whole: what somebody might say.
func isUtterance(text string) bool {
	return text != "" && strings.Contains("\"“„«", firstRune(text)) && !strings.ContainsAny(text[len(firstRune(text)):], "\"”»")
}

// withoutIcons returns a text without the names of icons that it begins with, such as
// ":material-plus: " or ":material-plus:{ .red } ".
func withoutIcons(text string) string {
	for strings.HasPrefix(text, ":") {
		icon, rest, ok := strings.Cut(text[1:], ":")
		if strings.HasPrefix(rest, "{") {
			_, rest, _ = strings.Cut(rest, "}")
		}
		if !ok || icon == "" || strings.Contains(icon, " ") || !strings.HasPrefix(rest, " ") {
			break
		}
		text = strings.TrimLeft(rest, " ")
	}
	return text
}

// isExample reports a text whose label says that it is an example.
func isExample(text string) bool {
	label, _, ok := strings.Cut(strings.ToLower(text), ":")
	words := strings.Fields(label)
	if !ok || len(words) > longestName {
		return false
	}
	return isIn(label, "do don't don’t e.g. bad good wrong right") || namesExamples(label)
}

// namesExamples reports a title or label with a word for examples.
func namesExamples(title string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(title)), func(word string) bool {
		return isOf("examples", strings.Trim(word, ".,:()"))
	})
}

// hasLinksAlone reports an item, as written, that has nothing but links after its label.
func hasLinksAlone(line string) bool {
	said := strings.TrimLeft(line, "!")
	if said == line && !(strings.HasPrefix(line, "[") && strings.Contains(line, "), [")) {
		said = saidOf(strings.ReplaceAll(line, "*", ""))
	}
	if !strings.HasPrefix(said, "[") {
		return false
	}
	for strings.HasPrefix(said, "[") {
		end := strings.IndexByte(said, ']')
		if end < 0 || end+1 == len(said) || strings.IndexByte("([", said[end+1]) < 0 {
			return false
		}
		closing := strings.IndexAny(said[end+1:], ")]")
		if closing < 0 {
			return false
		}
		said = strings.TrimLeft(said[end+closing+2:], " ,.;|/!()")
	}
	return said == ""
}

func firstRune(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return text[:size]
}

// isPointer reports a name and the path or address where more is found, or such a path by itself.
func isPointer(text string) bool {
	if name, said, ok := strings.Cut(text, "："); ok && !strings.Contains(name, " ") {
		text = said
	}
	if i := strings.LastIndexByte(text, ' '); i > 0 {
		name := strings.TrimRight(text[:i], " ")
		if !strings.HasSuffix(name, ":") && !strings.HasSuffix(name, "—") && !strings.HasSuffix(name, "–") {
			return false
		}
		if words := strings.Fields(strings.ToLower(name)); strings.Contains(name, "[") || len(words) > longestName || countsVerbs(words) > 0 {
			return false
		}
		text = text[i+1:]
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return false
	}
	if strings.Contains(text, "/") {
		return true
	}
	dot := strings.LastIndexByte(text, '.')
	return dot >= 0 && dot+1 < len(text) && !strings.Contains(text, "@") && text[dot+1] >= 'a' && text[dot+1] <= 'z'
}

// isQuestion reports a text whose first or last sentence asks something.
func isQuestion(text string) bool {
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") {
		return true
	}
	i := strings.IndexByte(text, '?')
	return i >= 0 && text[i+1] == ' ' && !strings.Contains(text[:i], ". ")
}

// isValue reports a single word that is not a name: what a list of values has, such as "steel".
func isValue(text string) bool {
	return text != "" && text[0] != '-' && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLower(r) && r != '-' })
}

// hasQuantity reports a number that counts or measures something: one with a sign, or with a
// word after it. Numbers that end a name do not: "Act of 2002", "Top 10".
func hasQuantity(text string) bool {
	words := strings.Fields(text)
	for i, word := range words {
		signed := strings.TrimLeft(word, "(~$€£<>≤≥±+-")
		number := strings.TrimRight(signed, "0123456789.,-–")
		switch {
		case signed == "" || signed[0] < '0' || signed[0] > '9' || isYear(signed):
		case number == "" || strings.HasPrefix(number, "%") || len(number) < 4 && strings.ToLower(number) == number && !strings.ContainsAny(number, ":)/@"):
			unit := i+1 < len(words) && isWord(firstRune(words[i+1])) && strings.ToLower(firstRune(words[i+1])) == firstRune(words[i+1])
			if len(signed) < len(word) && word[0] != '(' || number != "" || unit {
				return true
			}
		}
	}
	return false
}

// isYear reports a number such as 2016.
func isYear(word string) bool {
	word = strings.Trim(word, "(),.;")
	return len(word) == 4 && (strings.HasPrefix(word, "19") || strings.HasPrefix(word, "20"))
}

// isCommand reports an item that is one code span of several words.
func isCommand(line string) bool {
	return strings.HasPrefix(line, "`") && strings.HasSuffix(line, "`") && strings.Count(line, "`") == 2 && strings.Contains(line, " ")
}

// isTemplateLink reports an item that is a tag of a template language, or a link with one.
func isTemplateLink(line string) bool {
	return strings.HasPrefix(line, "{%") && strings.HasSuffix(line, "%}") || strings.HasPrefix(line, "[") && strings.Contains(line, "]({%") && strings.HasSuffix(line, ")")
}

// isSentence reports a text of three words and more that ends as a sentence does, in
// Chinese and Japanese of any length.
func isSentence(text string) bool {
	if strings.HasSuffix(text, "。") || strings.HasSuffix(text, "！") {
		return true
	}
	words := strings.Fields(text)
	if open := strings.LastIndexByte(text, '('); open > strings.LastIndexByte(text, ')') {
		return false // only what is in brackets ends so
	}
	return len(words) > 2 && strings.HasSuffix(text, ".") && (!isGerund(words[0]) || countsVerbs(firstSentence(words)) > 0 || hasVerb(firstSentence(words)[min(2, len(firstSentence(words))):]))
}

// isDefinition reports a text of a name, a sign and what is said of it.
func isDefinition(text string) bool { return saidOf(text) != "" }

// longestName is how many words a name has at most of which something is said.
const longestName = 8

// saidOf returns what a text says of the name that it begins with; "" where it has none.
func saidOf(text string) string {
	for _, sign := range [...]string{": ", " – ", " — ", " --- ", " - ", " = ", "："} {
		if name, said, ok := strings.Cut(text, sign); ok && name != "" && said != "" && len(strings.Fields(name)) <= longestName {
			if strings.Contains("\"“„«", firstRune(name)) {
				return "" // the title of a work, and where it appeared
			}
			return said
		}
	}
	return ""
}

// isTitle reports a first sentence of two or three words with capitals: "Pull Request."
func isTitle(text string) bool {
	words := firstSentence(strings.Fields(text))
	return (len(words) == 2 || len(words) == 3) && strings.HasSuffix(words[len(words)-1], ".") &&
		!slices.ContainsFunc(words, func(word string) bool { return !unicode.IsUpper([]rune(word)[0]) })
}

func isPronoun(word string) bool { return isOf("pronouns", word) }

// hasVerb reports words with an order's verb in the form of a statement. One with a capital
// or a comma is the plural of a noun.
func hasVerb(words []string) bool {
	for i, word := range words {
		isNoun := strings.HasSuffix(word, ",") || strings.ToLower(firstRune(word)) != firstRune(word)
		word = strings.Trim(word, ".,;:!()\"'`*_")
		stem, ok := strings.CutSuffix(word, "s")
		if ok && !isNoun && (i+1 == len(words) || words[i+1] != "of") && (isOf("orders", stem) || isOf("orders", strings.TrimSuffix(stem, "e"))) {
			return true
		}
	}
	return false
}

// isOpen reports a line that needs what comes after it to be a sentence: its last word is a
// verb or a word that joins. "There are three kinds" is one, and only names follow it.
func isOpen(begun string) bool {
	words := strings.Fields(strings.ToLower(begun))
	if len(words) == 0 {
		return false
	}
	last := strings.Trim(words[len(words)-1], "*_`\",()")
	if before := words[max(0, len(words)-2)]; last == "example" || last == "as" && before == "such" || last == "like" {
		return false
	}
	return isFinite(last) || isOf("joining", last)
}

// firstSentence returns the words up to the end of the first sentence.
func firstSentence(words []string) []string {
	for i, word := range words {
		if strings.HasSuffix(word, ".") {
			return words[:i+1]
		}
	}
	return words
}

// deepestTree is how many folders deep the first file of a tree is looked for.
const deepestTree = 4

// isTree reports a list with the path of a file among its items, or in a list below one of
// them, which are names then.
func (w *walker) isTree(list ast.Node, depth int) bool {
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		first := item.FirstChild()
		if first == nil || first.Kind() != ast.KindParagraph && first.Kind() != ast.KindTextBlock {
			continue
		}
		name, _, _ := strings.Cut(w.plain.text(first), " ")
		if isPointer(name) && !isSentence(w.plain.text(first)) {
			return true
		}
		if below := first.NextSibling(); depth < deepestTree && below != nil && below.Kind() == ast.KindList && w.isTree(below, depth+1) {
			return true
		}
	}
	return false
}

// isProcedure reports a numbered list of steps. Where its first item states something
// beyond doubt, it is a list of facts with numbers.
func (w *walker) isProcedure(list *ast.List) bool {
	if !list.IsOrdered() {
		return false
	}
	if item := list.FirstChild(); item != nil {
		if first := item.FirstChild(); first != nil && (first.Kind() == ast.KindParagraph || first.Kind() == ast.KindTextBlock) {
			text := w.plain.text(first)
			words := strings.Fields(strings.ToLower(text))
			return !hasSubject(text) || !isSentence(text) && !states(words) && (len(words) < 3 || !hasVerb(words[2:]))
		}
	}
	return true
}

// hasSubject reports a text that begins with a word that only a subject begins with.
func hasSubject(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return isOf("subjects", first)
}
