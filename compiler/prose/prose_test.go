package prose

import (
	"fmt"
	"strings"
	"testing"
)

func TestWordsAreThoseOfOneSentence(t *testing.T) {
	for text, want := range map[string]string{
		"One TWO three":     "one two three",
		"don't stop":        "don't stop",
		"naïve a_b c3":      "naïve a_b c3",
		"one **two**\n> or": "one two or",
		"one. Two":          "one",
		"one\n\ntwo":        "one",
		"v1.2 is":           "v1 2 is",
		"请one":              "one",
		"one 请two":          "one two",
		"a" + strings.Repeat(" ", maxGap+1) + "b": "a",
		strings.Repeat("a", MaxWord+1):            "",
	} {
		var got []string
		for at := 0; ; {
			word, next := NextWord([]byte(text), at)
			if word == "" {
				break
			}
			got = append(got, word)
			at = next
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestThePreviousWordIsOneOfTheSameClause(t *testing.T) {
	for text, want := range map[string]string{
		"do not ":   "not",
		"Do *NOT* ": "not",
		"end. ":     "",
		"but, ":     "",
		"one\n\n":   "",
		"":          "",
		"don't ":    "don't",
	} {
		if got, _ := PreviousWord([]byte(text), len(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestWhereATextQuotes(t *testing.T) {
	for text, want := range map[string]string{
		"say X here":                           "",
		"`X`":                                  "code quoted",
		"``a ` X``":                            "code quoted",
		"`a X":                                 "",
		"```\nX\n```":                          "code quoted",
		"~~~\nX":                               "code quoted",
		"> X":                                  "quoted",
		"he said \"X\"":                        "quoted",
		"he said “X”":                          "quoted",
		"it's X, isn't":                        "",
		"\"one\n\nX\"":                         "",
		"---\nk: \"X\"\n---\n":                 "",
		"<!-- X -->":                           "hidden",
		"<!-- X":                               "hidden",
		"`<!-- X -->`":                         "code quoted",
		"\\<!-- X -->":                         "",
		"'" + strings.Repeat("a ", 999) + "X'": "",
	} {
		q := ReadQuoting([]byte(text))
		at := strings.Index(text, "X")
		var got []string
		for _, c := range []struct {
			name string
			is   bool
		}{{"code", q.Code.Holds(at, at+1)}, {"quoted", q.Quoted(at, at+1)}, {"hidden", q.Hidden(at, at+1)}} {
			if c.is {
				got = append(got, c.name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%.40q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzReadQuoting(f *testing.F) {
	f.Add("---\na: b\n---\n> `x` \"y\" <!-- z -->\n```\n")
	f.Fuzz(func(t *testing.T, text string) {
		q := ReadQuoting([]byte(text))
		for name, list := range map[string]Spans{"marks": q.marks, "blocks": q.blocks, "comments": q.Comments} {
			last := 0
			for _, s := range list {
				if s.Start < last || s.End < s.Start || s.End > len(text) {
					t.Errorf("%s: %s", name, fmt.Sprint(list))
				}
				last = s.End
			}
		}
	})
}

// A fence may open after the bullet of a list item; read as text, its end would open one.
func TestAFenceOpensAfterABullet(t *testing.T) {
	for _, text := range []string{"- ```\n  code\n  ```\ntext\n", "1. ~~~\n   code\n   ~~~\ntext\n", "> * ```\n>   code\n>   ```\ntext\n"} {
		q := ReadQuoting([]byte(text))
		if at := strings.Index(text, "text"); len(q.Fences) != 1 || q.Fences[0].Start != 0 || q.Fences[0].End != at {
			t.Errorf("%q: fences %v, want one up to %d", text, q.Fences, at)
		}
	}
	for _, text := range []string{"-```\nx\n", "1.```\nx\n", "- text ```\nx\n"} {
		if q := ReadQuoting([]byte(text)); len(q.Fences) > 0 {
			t.Errorf("%q: fences %v", text, q.Fences)
		}
	}
}
