package loadout_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/packgen/packgen/resolver/loadout"
)

// words returns n distinct words that look like words.
func words(r *rand.Rand, n int) []string {
	syllables := strings.Fields("ba ce di fo gu ka le mi no pu ra se ti vo xu ya ze qui sta tor")
	seen := map[string]bool{}
	list := make([]string, 0, n)
	for len(list) < n {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			list = append(list, w)
		}
	}
	return list
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// hostileEntry makes an entry with everything that can be odd about one.
func hostileEntry(r *rand.Rand, i int, vocabulary []string) loadout.Entry {
	e := loadout.Entry{
		ID: fmt.Sprintf("e-%d", i), Path: "p.md", Summary: "s \"q\" \u2028",
		Priority:  pick(r, []string{"domain", "domain", "domain", "core", "manual", "odd", ""}),
		TokensEst: float64(r.IntN(5)), Lines: r.IntN(3), Triggers: loadout.DefaultTriggers(),
	}
	for range r.IntN(7) {
		e.Keywords = append(e.Keywords, oddWord(r, vocabulary, "- \u00a0"))
	}
	for range r.IntN(3) {
		e.Patterns = append(e.Patterns, oddWord(r, vocabulary, "_"))
	}
	if r.IntN(3) == 0 {
		e.Patterns = append(e.Patterns, loadout.QuestionPattern(oddWord(r, vocabulary, "_")))
	}
	switch r.IntN(12) {
	case 0:
		e.TokensEst = math.NaN()
	case 1:
		return loadout.DecodeEntry(pick(r, []loadout.Value{
			`{"id":"raw","keywords":["ba"],"priority":"domain"}`, `{"keywords":5,"patterns":["ba"]}`,
			`{"keywords":["ba",null],"patterns":[]}`, `null`, `[]`, `"x"`, `{"priority":"core","keywords":7}`,
			`{"priority":"manual"}`, `{"id":"str","keywords":"ba","patterns":["ba"],"tokens_est":"3"}`,
		}))
	}
	return e
}

// oddWord joins words by separators, with odd ones among them.
func oddWord(r *rand.Rand, vocabulary []string, separators string) string {
	word := func() string {
		if r.IntN(8) == 0 {
			return pick(r, []string{"", "x", "CI", "caf\u00e9", "c++", "\xed\xa0\x80", "a_b", "\u6570\u636e\u5e93", "\u7a0e", "\u0411\u0430\u0437\u0430"})
		}
		return pick(r, vocabulary)
	}
	s := word()
	for r.IntN(3) == 0 {
		s += pick(r, strings.Split(separators, "")) + word()
	}
	return s
}

// randomTask makes a task of n words, some of them unknown or oddly written.
func randomTask(r *rand.Rand, vocabulary []string, n int) string {
	var b strings.Builder
	for range n {
		w := pick(r, vocabulary)
		switch r.IntN(6) {
		case 0:
			w = strings.ToUpper(w)
		case 1:
			w = pick(r, []string{"\u212a\u0130", "x", "unheard", "\xff", w + "\u00fc", "Cafe\u0301", "\u6570\u636e", "\u7a0e\u52a1", "\u0431\u0430\u0437\u0430"})
		}
		b.WriteString(w)
		b.WriteString(pick(r, []string{" ", ", ", "-", "_", "\n"}))
	}
	return b.String()
}

// plainIndex makes a well-formed index of that many entries of 8 keywords, for
// benchmarks.
func plainIndex(entries int) (*loadout.Index, []string) {
	r := rand.New(rand.NewPCG(1, uint64(entries)))
	vocabulary := words(r, 5000)
	ix := &loadout.Index{Version: loadout.Version, Generated: "2026-01-01T00:00:00.000Z"}
	for i := range entries {
		e := loadout.Entry{
			ID: fmt.Sprintf("entry-%d", i), Path: fmt.Sprintf("packs/p/compiled/splits/entry-%d.md", i),
			Priority: loadout.PriorityDomain, Summary: "What entry says", Triggers: loadout.DefaultTriggers(),
			TokensEst: float64(100 + r.IntN(900)), Lines: 40,
		}
		for range 8 {
			e.Keywords = append(e.Keywords, pick(r, vocabulary))
		}
		if i%4 == 0 {
			e.Patterns = []string{pick(r, vocabulary) + "_" + pick(r, vocabulary)}
		}
		ix.Entries = append(ix.Entries, e)
	}
	ix.Budget = loadout.ComputeBudget(ix.Entries)
	return ix, vocabulary
}
