package rank

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// manual is a small manual, some sections of which are about the same thing.
func manual() []Section {
	list := []Section{
		{Document: "a", Title: "Descale the boiler", Text: "Pour vinegar in."},
		{Document: "b", Title: "Boiler parts", Text: "Descale the boiler: boiler, descale, boiler, descale, boiler."},
		{Document: "c", Title: "Renew the warranty", Text: "Send the card."},
		{Document: "d", Title: "Odds and ends", Text: "Descale, boiler, renew, warranty: everything about it, renew, descale."},
		{Document: "e", Title: "Gauge", Text: "Lever gauge hose."}, {Document: "f", Title: "Hose", Text: "The hose has a gauge."},
	}
	for _, document := range []string{"h", "i", "j"} {
		list = append(list, Section{Document: document, Title: "Lever valve", Text: "Turn it."})
	}
	for _, document := range []string{"k", "l", "m"} {
		list = append(list, Section{Document: document, Title: "Pen", Text: "A quill."})
	}
	list = append(list, Section{Document: "p", Title: "Paint", Text: "Ochre, umber, sienna."}, Section{Document: "q", Title: "Ochre", Text: "Ochre, ochre."})
	list = append(list, Section{Document: "s", Title: "Chute and hopper", Text: "Clean it once a week."}, Section{Document: "t", Title: "Chute", Text: "Chute, hopper, chute, hopper, chute, hopper, hopper, chute, chute, hopper."})
	for i := range 40 {
		list = append(list, Section{Document: fmt.Sprint(i), Title: "Other thing", Text: "Words of no use."})
	}
	for i := range list {
		list[i].Path = fmt.Sprint(i)
	}
	return list
}

// taken are the documents of the sections that a query is answered by.
func taken(query string) string {
	sections := manual()
	var list []string
	for _, h := range (BM25F{}).Score(query, sections).Ranked(nil) {
		list = append(list, sections[h.Section].Document)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestWhereAListEnds(t *testing.T) {
	for _, c := range []struct{ rule, query, want string }{
		{"a clear answer ends the list, and headings make it clear", "descale boiler", "a"},
		{"a query that is not met well gives all that come near the best", "gauge hose frob zorb blip clack", "e f"},
		{"parts with clear answers in sections of their own give these alone, not a section with words of all", "descale the boiler, and renew the warranty", "a c"},
		{"a part that several sections answer as well gives two of them", "renew the warranty, and lever the valve", "c h i"},
		{"a guess gives two", "quill zorb", "k l"},
		{"less than a guess gives one", "quill zorb frob blip clack snick", "k"},
		{"a section with words of the query that none before it holds is needed beside it", "boiler warranty", "a b c"},
		{"a section whose headings hold less of the query adds nothing", "chute hopper zorb", "s"},
		{"a part that no section meets adds nothing", "descale the boiler, and zorb quill frob blip clack snick", "a"},
		{"a section that holds much less of the query than the best one adds nothing", "ochre umber sienna frob blip zorb", "p"},
		{"parts that one section answers are one question", "descale the boiler, and pour vinegar", "a"},
	} {
		if got := taken(c.query); got != c.want {
			t.Errorf("%s: %q takes %s, want %s", c.rule, c.query, got, c.want)
		}
	}
}

func TestAHeadingWeighsMoreThanAnyNumberOfMentions(t *testing.T) {
	sections := manual()
	r := BM25F{Stop: 0.01}.Score("descale boiler", sections).(*bm25Ranking)
	if r.scores[0][0] < r.scores[0][1]+5 || r.scores[0][1] == 0 {
		t.Errorf("heading %.2f, mentions %.2f", r.scores[0][0], r.scores[0][1])
	}
}

func TestNoListIsLongerThanItsCap(t *testing.T) {
	var sections []Section
	for i := range 20 {
		sections = append(sections, Section{Path: fmt.Sprint(i), Document: fmt.Sprint(i), Title: "Kettle", Text: "Kettle."})
	}
	for most, want := range map[int]int{0: defaultMost, 2: 2} {
		if got := len(BM25F{Most: most}.Score("kettle", sections).Ranked(nil)); got != want {
			t.Errorf("most %d gives %d sections, want %d", most, got, want)
		}
	}
}

// Sections that were found among many say nothing of how rare a word is: what they share
// was looked for.
func TestRarityCountsWhatSectionsWereFoundAmong(t *testing.T) {
	t.Parallel()
	sections := []Section{
		{Path: "a", Title: "A", Text: "The runner has a token."}, {Path: "b", Title: "B", Text: "The runner has a vault."}, {Path: "c", Title: "C", Text: "A vault and a token, no machine."},
	}
	r, among := BM25F{}.Score("runner token", sections).(*bm25Ranking), BM25F{From: 1000}.Score("runner token", sections).(*bm25Ranking)
	if few := (BM25F{From: 3}).Score("runner token", sections).(*bm25Ranking); among.rarity(0) <= r.rarity(0) || few.rarity(0) != r.rarity(0) {
		t.Errorf("a word of two sections of a thousand has rarity %v, of two of three %v", among.rarity(0), r.rarity(0))
	}
}
