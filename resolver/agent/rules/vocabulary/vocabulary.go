package vocabulary

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/stem"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	"github.com/packgen/packgen/resolver/loadout/scripts"
)

// Text is a section: its heading, and what is below it.
type Text struct{ Heading, Body string }

// How much a word counts for the place where it is.
const (
	headingWeight = 3.0
	spanWeight    = 1.5 // as code, or emphasised
	proseWeight   = 1.0
	blockWeight   = 0.5 // in a code block, which has many names that no task has
)

const (
	// commonShare is the share of the sections above which a word is common to all.
	commonShare = 3
	// The lengths of a word, in characters: longer ones are keys and hashes.
	minWord, maxWord = 3, 24
	// maxRun is the longest run of a script without spaces that counts as a word.
	maxRun = 6
)

// destinations are where links of a text lead to, and addresses.
var destinations = regexp.MustCompile(`\]\([^)\s]*\)|https?://[^\s)>]*`)

// word is a word of a section with all its forms.
type word struct {
	shown  string // the first form, folded
	weight float64
}

// Words lists, for each section, the words that are most its own, at most that many, the
// best first: those that are often in it and seldom in the others. Forms of a word are
// one word. Each can be hit by a task.
func Words(texts []Text, most int) [][]string {
	sections := make([]map[string]*word, len(texts))
	order := make([][]string, len(texts)) // of the stems, as they appear
	in := map[string]int{}                // sections by stem
	for i, t := range texts {
		c := counter{words: map[string]*word{}}
		c.section(t)
		sections[i], order[i] = c.words, c.order
		for s := range c.words {
			in[s]++
		}
	}
	common := max(1, len(texts)/commonShare)
	lists := make([][]string, len(texts))
	for i, words := range sections {
		score := func(s string) float64 {
			return (1 + math.Log(words[s].weight)) * math.Log(float64(len(texts)+1)/float64(in[s]))
		}
		stems := slices.DeleteFunc(slices.Clone(order[i]), func(s string) bool { return in[s] > common || words[s].weight < proseWeight })
		slices.SortStableFunc(stems, func(a, b string) int { return -cmp.Compare(score(a), score(b)) })
		for _, s := range stems[:min(most, len(stems))] {
			lists[i] = append(lists[i], words[s].shown)
		}
	}
	return lists
}

// counter counts the words of a section.
type counter struct {
	words map[string]*word
	order []string
}

func (c *counter) section(t Text) {
	c.add(t.Heading, headingWeight)
	outline := javascript.NewOutline(t.Body)
	for line := range strings.SplitSeq(t.Body, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if outline.Next(line) == javascript.Inert {
			c.add(line, blockWeight)
			continue
		}
		if rest := strings.TrimLeft(line, "#"); len(rest) < len(line) && strings.HasPrefix(rest, " ") {
			c.add(rest, headingWeight)
			continue
		}
		for i, span := range strings.Split(strings.ReplaceAll(destinations.ReplaceAllString(line, "]"), "**", "`"), "`") {
			c.add(span, proseWeight+float64(i%2)*(spanWeight-proseWeight))
		}
	}
}

// add counts the words of a text.
func (c *counter) add(text string, weight float64) {
	for _, w := range scripts.Fields(withoutPlaceholders(text)) {
		for _, w := range scripts.Runs(strings.ToLower(w)) {
			if !usable(w) {
				continue
			}
			s := string(stem.Of([]byte(w)))
			if c.words[s] == nil {
				c.words[s] = &word{shown: w}
				c.order = append(c.order, s)
			}
			c.words[s].weight += weight
		}
	}
}

// withoutPlaceholders returns a text without what is there to be filled in: <name>,
// {name}, and names of files such as NNNN_verb_object.sql, whose parts nobody types.
func withoutPlaceholders(text string) string {
	var kept []string
	for field := range strings.FieldsSeq(text) {
		field = cutBetween(cutBetween(field, '<', '>'), '{', '}')
		parts := strings.FieldsFunc(field, func(r rune) bool { return !unicode.IsLetter(r) })
		if !slices.ContainsFunc(parts, isBlankWord) {
			kept = append(kept, field)
		}
	}
	return strings.Join(kept, " ")
}

// cutBetween drops what two brackets enclose.
func cutBetween(text string, open, end byte) string {
	from, to := strings.IndexByte(text, open), strings.LastIndexByte(text, end)
	if from < 0 || to < from {
		return text
	}
	return text[:from] + " " + text[to+1:]
}

// isBlankWord reports letters in place of any others: NNNN, xxx, YYYY.
func isBlankWord(word string) bool {
	return len(word) >= minWord && strings.Trim(strings.ToLower(word), strings.ToLower(word[:1])) == ""
}

// amounts are words for numbers: a text is full of them, and no task is known by one.
const amounts = " two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty thirty hundred thousand second seconds minute minutes hour hours day days week weeks twice half "

// usable reports whether a word can call a section.
func usable(w string) bool {
	n := utf8.RuneCountInString(w)
	first, _ := utf8.DecodeRuneInString(w)
	switch {
	case unicode.In(first, unicode.Han, unicode.Katakana):
		return n >= 2 && n <= maxRun && loadout.Unicode.Reachable(w)
	case n < minWord, n > maxWord, strings.IndexFunc(w, unicode.IsLetter) < 0, index.IsCommon(w), strings.Contains(amounts, " "+w+" "):
		return false
	}
	return loadout.Reachable(w) || loadout.Unicode.Reachable(w)
}
