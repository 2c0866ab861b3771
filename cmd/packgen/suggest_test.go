package main

import (
	"regexp"
	"testing"
)

func TestHintsForWordsOfOtherToolsNameVerbsThatExist(t *testing.T) {
	t.Parallel()
	verbs := map[string]bool{}
	for _, c := range newRoot(&app{}).Commands() {
		verbs[c.Name()] = true
	}
	named := regexp.MustCompile(`packgen ([a-z-]+)`)
	for word, hint := range meanings() {
		if verbs[word] {
			t.Errorf("%q is a verb: no hint is needed", word)
		}
		found := named.FindAllStringSubmatch(hint, -1)
		if len(found) == 0 {
			t.Errorf("the hint for %q names no verb", word)
		}
		for _, m := range found {
			if !verbs[m[1]] {
				t.Errorf("the hint for %q names %q, which is not a verb", word, m[1])
			}
		}
	}
}
