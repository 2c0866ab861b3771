package compiler

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/schema"
)

// bracketed is what looks like an anchor or a marker: a word and a value in brackets.
var bracketed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[[ \t]*([A-Za-z]{3,12})([ \t]*[:=][ \t]*|[ \t]+)([^\[\]\n]{1,200})\]`)
})

// maxBracketed is how much of a claim is searched for misspelt anchors, in bytes.
const maxBracketed = 4096

// misspelt returns what was meant as a source or a status in a claim without either, such as
// [sources: sources/a.md], and how to write it; "" where there is no such thing.
func misspelt(doc *markdown.Document, u *markdown.Unit) (written, right string) {
	text := doc.Text[u.Start:min(u.End, u.Start+maxBracketed, len(doc.Text))]
	for _, m := range bracketed().FindAllSubmatch(text, 8) {
		word, value := strings.ToLower(string(m[1])), strings.TrimSpace(string(m[3]))
		keyword := nearest.Within(word, []string{"source", "status"}, 2)
		switch {
		case word == "src" || word == "ref" || word == "cite":
			keyword = "source"
		case keyword == "":
			continue
		}
		isPath := strings.HasPrefix(value, "sources/") || strings.HasPrefix(value, "documents/") || strings.HasPrefix(value, "wiki/")
		isStatus := len(strings.Fields(value)) == 1
		if !bytes.ContainsAny(m[2], ":=") {
			isStatus = slices.Contains(schema.ClaimStatuses(), schema.Status(value))
		}
		if keyword == "source" && isPath || keyword == "status" && isStatus {
			return diag.Clip(string(m[0]), 60), fmt.Sprintf("[%s: %s]", keyword, value)
		}
	}
	return "", ""
}
