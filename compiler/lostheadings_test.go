package compiler

import (
	"fmt"
	"strings"
	"testing"
)

// A translated page with the contents of the original has a broken link in each line:
// the first few are reported, and how many more there are.
func TestManyLinksToHeadingsThatDoNotExistAreCounted(t *testing.T) {
	for n, want := range map[int]int{1: 1, 6: 6, 7: 3, 60: 3} {
		var list strings.Builder
		list.WriteString("# T\n\n")
		for i := range n {
			fmt.Fprintf(&list, "- [%d](#part-%d-of-the-original)\n", i, i*i*7919)
		}
		got := lost(t, tree{"d.md": list.String(), "e.md": "# E\n\n[x](d.md#gone)\n"})
		in, last := 0, ""
		for _, d := range got {
			if strings.HasPrefix(d, "d.md:") {
				in++
				if strings.Contains(d, " more links") {
					last = d
				}
			}
		}
		if in != want {
			t.Errorf("%d broken links give %d findings, want %d", n, in, want)
		}
		if more := fmt.Sprintf("; %d more links lead from this file to headings that do not exist there", n-3); n > 6 && !strings.HasSuffix(last, more) {
			t.Errorf("the last of %d links: %s", n, last)
		}
	}
}

// MkDocs gives code blocks ids; links to them lead somewhere.
func TestACodeBlockWithAnIDCanBeLinkedTo(t *testing.T) {
	sameStrings(t, "findings", lost(t, tree{"d.md": "See [it](#sample) and [no](#other).\n\n> ``` { .sh .no-copy #sample }\n> x\n> ```\n\n```js {2,4} title=\"#other\"\ny\n```\n"}),
		[]string{`d.md:1:23 the link "#other" leads to no heading`})
}
