package loadout_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
)

// cutIndex is an index cut into lists, as the files of a site hold it: each list in packs
// of a few entries.
type cutIndex struct {
	ix    *loadout.Index
	lazy  int
	lists map[string][]byte // by key: packs, as an excerpt has them
	packs map[string]int    // by key: how many
}

const packSize = 7

func cutUp(ix *loadout.Index) *cutIndex {
	c := &cutIndex{ix: ix, lists: map[string][]byte{}, packs: map[string]int{}}
	for from := 0; from < len(ix.Entries); from += packSize {
		postings, last := map[string][]byte{}, map[string]int{}
		for i := from; i < min(from+packSize, len(ix.Entries)); i++ {
			e := &ix.Entries[i]
			if e.Priority != loadout.PriorityCore && e.Priority != loadout.PriorityManual && e.Fault < loadout.FaultKeywords {
				c.lazy++
			}
			loadout.Post(e, func(key string, posting []byte) {
				before, ok := last[key]
				if !ok {
					before = from - 1
				}
				postings[key] = append(loadout.AppendVarint(postings[key], i-before), posting...)
				last[key] = i
			})
		}
		for key, list := range postings {
			c.lists[key] = append(loadout.AppendVarint(loadout.AppendVarint(c.lists[key], from), len(list)), list...)
			c.packs[key]++
		}
	}
	return c
}

func appendText(dst []byte, text string) []byte {
	return append(loadout.AppendVarint(dst, len(text)), text...)
}

// excerpt is the excerpt with the lists of a task, and some entries at hand.
func (c *cutIndex) excerpt(keys []string, hand map[int]bool) []byte {
	slices.Sort(keys)
	keys = slices.Compact(keys)
	keys = slices.DeleteFunc(keys, func(k string) bool { return c.packs[k] == 0 })
	data := loadout.AppendExcerpt(nil, len(c.ix.Entries), c.lazy, c.ix.Tokenizer == loadout.Unicode, len(keys))
	for _, key := range keys {
		data = appendText(appendText(data, key), string(c.lists[key]))
	}
	data = loadout.AppendVarint(data, len(hand))
	for place := range c.ix.Entries {
		if edited, ok := hand[place]; ok {
			data = loadout.AppendVarint(data, place)
			data = loadout.AppendVarint(data, map[bool]int{true: 1}[edited])
			data = appendText(data, string(c.ix.Entries[place].JSON()))
		}
	}
	return data
}

// What an excerpt says of a task is what the whole index says, in every dialect, with
// other wordings, whether the entries are at hand, edited or neither.
func TestAnExcerptSaysWhatTheWholeIndexSays(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 1))
	included, near := 0, 0
	for round := range 120 {
		vocabulary := words(r, 2+r.IntN(40))
		ix := &loadout.Index{Version: loadout.Version}
		for i := range 1 + r.IntN(140) {
			e := hostileEntry(r, i, vocabulary)
			e.Summary = randomTask(r, vocabulary, r.IntN(4))
			e = loadout.DecodeEntry(e.JSON())
			ix.Entries = append(ix.Entries, e)
		}
		if round%3 == 0 {
			ix.SetTokenizer(loadout.Unicode)
		}
		c := cutUp(ix)
		for range 12 {
			task := randomTask(r, vocabulary, r.IntN(8))
			opts := loadout.MatchOptions{Dialect: loadout.Dialect(r.IntN(3))}
			if least := pick(r, []float64{-1, 0, 0.1, 0.3, 0.4, 1}); least != -1 {
				opts.MinScore = &least
			}
			for range r.IntN(3) {
				opts.Also = append(opts.Also, randomTask(r, vocabulary, r.IntN(5)))
			}
			want := oktest.Value(loadout.Detail(task, ix, opts))(t)
			keys := loadout.Keys(task, opts, ix.Tokenizer == loadout.Unicode)
			hand := map[int]bool{}
			for range r.IntN(5) { // entries that the lists would give as they are
				hand[r.IntN(len(ix.Entries))] = r.IntN(2) == 0
			}
			for place, edited := range hand {
				if e := &ix.Entries[place]; edited && e.Priority != loadout.PriorityCore && e.Priority != loadout.PriorityManual && e.Fault < loadout.FaultKeywords {
					c.lazy-- // counted by its own words
				}
			}
			x := oktest.Value(loadout.OpenExcerpt(string(c.excerpt(keys, hand))))(t)
			c.lazy = cutUp(ix).lazy
			got, err := x.Detail(task, opts)
			if err != nil {
				t.Fatalf("%q: %v", task, err)
			}
			compareBreakdowns(t, task, want, got, hand)
			for _, e := range want.Entries {
				if e.Included {
					included++
				} else {
					near++
				}
			}
		}
	}
	if included < 1000 || near < 1000 {
		t.Errorf("%d entries included, %d not: too few to say anything", included, near)
	}
}

func compareBreakdowns(t *testing.T, task string, want, got *loadout.Breakdown, hand map[int]bool) {
	t.Helper()
	if !slices.Equal(want.Words, got.Words) || want.Loads() != got.Loads() || len(want.Entries) != len(got.Entries) {
		t.Fatalf("%q:\n got %q, %+v, %d entries\nwant %q, %+v, %d entries", task, got.Words, got.Loads(), len(got.Entries), want.Words, want.Loads(), len(want.Entries))
	}
	for i := range want.Entries {
		w, g := &want.Entries[i], &got.Entries[i]
		if w.Score.Total != g.Score.Total || w.Included != g.Included || w.Mode != g.Mode || w.Wording != g.Wording || w.Score.Base != g.Score.Base {
			t.Fatalf("%q, entry %d (%s):\n got %+v\nwant %+v", task, i, w.Entry.ID, g, w)
		}
		if g.Entry.ID != "" && (g.Entry.ID != w.Entry.ID || !slices.Equal(g.MatchedKeywords, w.MatchedKeywords) || !slices.Equal(g.MissedKeywords, w.MissedKeywords)) {
			t.Fatalf("%q, entry %d:\n got %+v\nwant %+v", task, i, g, w)
		}
	}
	whole := string(loadout.AppendBreakdown(nil, got, 0, 0))
	if strings.Count(whole, `,"at":`) != len(got.Entries) {
		t.Errorf("%q: not every entry says its place: %s", task, whole)
	}
}

// An excerpt that is cut short or changed anywhere is an error or an answer, never a panic.
func TestADamagedExcerptIsRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 2))
	vocabulary := words(r, 12)
	ix := &loadout.Index{Version: loadout.Version}
	for i := range 30 {
		ix.Entries = append(ix.Entries, hostileEntry(r, i, vocabulary))
	}
	task := strings.Join(vocabulary, " ")
	opts := loadout.MatchOptions{Dialect: loadout.Weighted}
	data := cutUp(ix).excerpt(loadout.Keys(task, opts, false), map[int]bool{1: true, 2: false})
	for n := range data {
		var damaged *loadout.BinaryError
		if _, err := loadout.OpenExcerpt(string(data[:n])); !errors.As(err, &damaged) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
		for _, flip := range []byte{1, 0x40, 0x80} {
			changed := bytes.Clone(data)
			changed[n] ^= flip
			if x, err := loadout.OpenExcerpt(string(changed)); err == nil {
				_, _ = x.Detail(task, opts)
			}
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	ix, _ := plainIndex(20)
	f.Add(cutUp(ix).excerpt([]string{""}, map[int]bool{3: true}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if x, err := loadout.OpenExcerpt(string(data)); err == nil {
			_, _ = x.Detail("some words of a task", loadout.MatchOptions{Dialect: loadout.Weighted})
		}
	})
}
