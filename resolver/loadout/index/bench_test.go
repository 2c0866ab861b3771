package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// BenchmarkVisit measures what the index takes of one page of about 6 KB that
// is cut into five splits.
func BenchmarkVisit(b *testing.B) {
	var page strings.Builder
	page.WriteString("# Kettle\n\n")
	starts := []int{}
	for part := range 5 {
		starts = append(starts, page.Len())
		fmt.Fprintf(&page, "## Part %d\n\n", part)
		for line := range 12 {
			fmt.Fprintf(&page, "- The *kettle* number k%d holds %d litres of **boiling** water, and its `lid` closes on [warranty](w%d.md).\n", line, line, line)
		}
		page.WriteByte('\n')
	}
	starts = append(starts, page.Len())
	u := &compiler.Unit{
		Pack: &pack.Pack{Meta: pack.Knowledge{Name: "kettle"}},
		Doc:  markdown.Parse("wiki/kettle.md", []byte(page.String())),
	}
	for i := range starts[1:] {
		u.Splits = append(u.Splits, compiler.SplitText{
			Split: schema.Split{ID: fmt.Sprintf("wiki/kettle/part-%d", i), Title: fmt.Sprintf("Part %d", i)},
			Start: starts[i], End: starts[i+1], Text: page.String()[starts[i]:starts[i+1]],
		})
	}
	b.SetBytes(int64(page.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if len(unitFacts(u, "")) == 0 {
			b.Fatal("no facts")
		}
	}
}
