package stem

import "testing"

func TestFormsOfAWordHaveOneStem(t *testing.T) {
	for _, words := range [][]string{{"compile", "compiled", "compiler", "compilation", "compiling"}, {"status", "statuses"}, {"query", "queries"}, {"publish", "published", "publisher"}, {"stop", "stopped"}} {
		want := string(Of([]byte(words[0])))
		for _, w := range words[1:] {
			if got := string(Of([]byte(w))); got != want {
				t.Errorf("%s has %q, %s has %q", words[0], want, w, got)
			}
		}
	}
	for _, w := range []string{"", "a", "is", "k9", "知识", "émile", "ment", "ing"} {
		if got := string(Of([]byte(w))); got != w {
			t.Errorf("%q becomes %q", w, got)
		}
	}
}
