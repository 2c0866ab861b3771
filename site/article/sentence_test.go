package article

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/markdown"
)

func TestSentencesAreThoseAroundTheirLinks(t *testing.T) {
	long := strings.Repeat("many words ", 40)
	for text, want := range map[string]string{
		"One. See [the *big* valve](b.md) first. Three.": "See the big valve first.",
		"See [b](b.md).":        "See b.",
		"[b](b.md)":             "",
		"- [b](b.md)\n- Other.": "",
		"- Item before.\n- Turn [b](b.md) off at 1.5 bar, e.g. today.\n- Last": "Turn b off at 1.5 bar, e.g.",
		"| Part | Where |\n| --- | --- |\n| x | in [b](b.md) only |":           "in b only",
		"# Head\n\nText & <x> [b](b.md) \"said\".":                             "Text & <x> b \"said\".",
		"It holds 1 l. [source: sources/s.md#L1] See [b](b.md) too.":           "See b too.",
		"先看这里。再看[b](b.md)吧。完了。":                                                "再看b吧。",
		"![pic](p.png) and [b](b.md) here":                                     "and b here",
		"Twice [b](b.md) one. Twice [b](b.md) two.":                            "Twice b one.",
		long + "[b](b.md) " + long:                                             "… " + strings.Repeat("many words ", 7) + "b " + strings.Repeat("many words ", 7) + "…",
	} {
		a := Render(markdown.Parse("documents/a.md", []byte(text+"\n")), nil, Options{})
		targets, _ := a.Sentences()
		if got, found := targets["documents/b.md"]; !found || got != want {
			t.Errorf("%.60q gives %q, want %q", text, got, want)
		}
	}
	a := Render(markdown.Parse("documents/a.md", []byte("One. As [[Page]] and [[Other|the other one]] say.\n")), nil, Options{})
	_, wiki := a.Sentences()
	for _, name := range []string{"Page", "Other|the other one"} {
		if got := wiki[name]; got != "As Page and the other one say." {
			t.Errorf("the sentence of %s is %q", name, got)
		}
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("One. See [b](b.md) [[c|d]] ![[e]] `x` <b>y</b>. 三。")
	f.Add("[[a|<b>]] <details><summary>[x](y.md)</summary>\n\n[source: sources/s.md]")
	f.Fuzz(func(t *testing.T, text string) {
		a := Render(markdown.Parse("documents/a.md", []byte(text)), nil, Options{})
		targets, wiki := a.Sentences()
		for _, list := range []map[string]string{targets, wiki} {
			for name, said := range list {
				if strings.ContainsRune(said, 0) || len([]rune(said)) > maxSentence+4 {
					t.Errorf("the sentence of %q is %q", name, said)
				}
			}
		}
	})
}
