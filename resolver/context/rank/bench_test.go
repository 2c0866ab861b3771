package rank

import (
	"fmt"
	"testing"

	"github.com/packgen/packgen/compiler/pack/packtest"
)

// Ranking alone: 1,000 sections in memory.
func BenchmarkScore(b *testing.B) {
	const query = "How does the scheduler retry a stale queue, and what limits the cache?"
	text := ""
	for _, content := range packtest.Files(packtest.Options{Pages: 1}) {
		text = content
	}
	sections := make([]Section, 1000)
	for i := range sections {
		sections[i] = Section{Path: fmt.Sprint(i), Document: fmt.Sprint(i / 5), Title: "Section of the cache", Text: text[:min(len(text), 2400)]}
	}
	for _, scorer := range []Scorer{Overlap{}, BM25F{}} {
		b.Run(scorer.Name(), func(b *testing.B) {
			b.SetBytes(int64(len(sections) * len(sections[0].Text)))
			for b.Loop() {
				scorer.Score(query, sections).Ranked(nil)
			}
		})
	}
}
