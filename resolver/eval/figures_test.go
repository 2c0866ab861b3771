package eval

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/packgen/packgen/resolver/context/rank"
)

// The figures of the manual and the README are those of the frozen packs, so that
// an edit of the manual does not make them wrong.
func TestManualHasTheFiguresOfTheFrozenPacks(t *testing.T) {
	all, calibrated, heldOut := runFrozen(t, ContextOptions{})
	overlap, _, _ := runFrozen(t, ContextOptions{Scorer: rank.Overlap{}})
	s, o := summarize(all), summarize(overlap)
	paraphrased := 0
	for _, r := range all {
		tally(&paraphrased, r.Case.Paraphrase)
	}
	manual, readme := "../../packs/packgen-manual/documents/measuring.md", "../../README.md"
	for _, want := range []struct{ file, text string }{
		{manual, fmt.Sprintf("%d in all, %d of them paraphrases, %d that the packs cannot answer", s.Cases, paraphrased, s.Unanswerable)},
		{manual, "| `bm25f` " + figures(s)},
		{manual, "| `overlap` " + figures(o)},
		{manual, fmt.Sprintf("recall is %s on the first half and %s on the second", share(summarize(calibrated).Recall), share(summarize(heldOut).Recall))},
		{readme, fmt.Sprintf("Of %d queries", s.Cases)},
		{readme, fmt.Sprintf("finds %s of the sections that they need, in %s tokens on average", share(s.Recall), tokens(s.Tokens))},
	} {
		text, err := os.ReadFile(want.file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want.text) {
			t.Errorf("%s does not say %q", want.file, want.text)
		}
	}
}

// figures writes a row of the manual's table.
func figures(s ContextSummary) string {
	return fmt.Sprintf("| %s | %s | %s | %s | %d of %d |",
		share(s.Recall), share(s.ParaphraseRecall), share(s.Precision), tokens(s.Tokens), s.FalseAnswers, s.Unanswerable)
}

func share(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.2f", x), "0") }

func tokens(x float64) string {
	n := int(x + 0.5)
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
