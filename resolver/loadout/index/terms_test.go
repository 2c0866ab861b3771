package index_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
)

// tea is a pack in Chinese.
func tea(language string) files {
	return files{
		"KNOWLEDGE.md":       knowledge("tea", "ready", "language: "+language),
		"documents/chaye.md": "# 茶叶\n\n## 绿茶\n\n绿茶要用八十度的水。绿茶不能久泡。\n\n## Café culture\n\nLe café à l'été.\n",
	}
}

// buildUnicode is build with the Unicode tokenizer asked for.
func buildUnicode(t *testing.T, packs ...files) *loadout.Index {
	t.Helper()
	b := index.NewBuilder(nil)
	b.UseUnicode()
	ix, faults := finish(t, b, compilePacks(t, b, packs...), index.Options{})
	for _, d := range faults {
		t.Errorf("%s: %s", d.ID, d.Message)
	}
	return ix
}

func TestPacksInOtherLanguagesAreFoundByTheirOwnWords(t *testing.T) {
	ix := buildUnicode(t, tea("zh-CN"))
	if ix.Tokenizer != loadout.Unicode {
		t.Fatalf("tokenizer %q", ix.Tokenizer)
	}
	for task, want := range map[string]string{
		"绿茶怎么泡":              "tea-chaye-",
		"the CAFÉ in summer": "tea-chaye-caf-culture-",
	} {
		results := oktest.Value(loadout.Match(task, ix, loadout.MatchOptions{}))(t)
		if len(results) == 0 || !strings.HasPrefix(results[0].Entry.ID, want) {
			t.Errorf("%s: %d results, want %s first", task, len(results), want)
		}
	}
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if e.Priority != loadout.PriorityDomain || len(e.Keywords) == 0 {
			t.Errorf("%s: %s, keywords %v", e.ID, e.Priority, e.Keywords)
		}
		for _, k := range e.Keywords {
			if !loadout.Unicode.Reachable(k) {
				t.Errorf("%s: no task can hit %q", e.ID, k)
			}
		}
	}
}

func TestDeclaredWordsOfOtherScriptsAreKept(t *testing.T) {
	pack := tea("zh")
	pack["KNOWLEDGE.md"] = knowledge("tea", "ready", "language: zh", "metadata:\n  loadout:\n    tea:\n      keywords: [茶, 茶叶, node.js]")
	ix := buildUnicode(t, pack)
	if got := entry(t, ix, "tea").Keywords; !slices.Equal(got, []string{"茶", "茶叶", "node.js"}) {
		t.Errorf("keywords %v", got)
	}
}

// Where nothing needs it, the index is what it is without the option.
func TestEnglishPacksKeepThePlainTokenizer(t *testing.T) {
	plain, _ := build(t, kettle)
	asked := buildUnicode(t, kettle)
	if got, want := string(loadout.AppendIndex(nil, asked)), string(loadout.AppendIndex(nil, plain)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for _, language := range []string{"en", "en-GB", "EN", `""`} {
		if ix := buildUnicodeQuietly(t, tea(language)); ix.Tokenizer != "" {
			t.Errorf("language %s: tokenizer %q", language, ix.Tokenizer)
		}
	}
}

func buildUnicodeQuietly(t *testing.T, packs ...files) *loadout.Index {
	t.Helper()
	b := index.NewBuilder(nil)
	b.UseUnicode()
	ix, _ := finish(t, b, compilePacks(t, b, packs...), index.Options{})
	return ix
}
