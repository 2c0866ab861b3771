package eval

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/context/rank"
)

// The figures of the manual and the README are those of the frozen packs, so that
// an edit of the manual does not make them wrong.
func TestManualHasTheFiguresOfTheFrozenPacks(t *testing.T) {
	all, train, validation := askFrozen(t, contextOptions{})
	_, _, overlap := askFrozen(t, contextOptions{Scorer: rank.Overlap{}})
	_, _, inside := runFrozen(t, contextOptions{})
	s, v := summaryOf(all), summaryOf(validation)
	paraphrased := 0
	for _, r := range all {
		tally(&paraphrased, r.Case.Paraphrase)
	}
	f := figuresOf(validation)
	interval := func(f Figure) string {
		return fmt.Sprintf("%s (%s to %s)", share(f.Value), share(f.Low), share(f.High))
	}
	manual, readme := "../../packs/packgen-manual/documents/reference/measuring.md", "../../README.md"
	for _, want := range []struct{ file, text string }{
		{manual, fmt.Sprintf("%d in all, %d of them paraphrases, %d that the packs cannot answer", s.Cases, paraphrased, s.Unanswerable)},
		{manual, "| `bm25f`, train half " + figures(summaryOf(train))},
		{manual, "| `bm25f`, validation half " + figures(v)},
		{manual, "| `overlap`, validation half " + figures(summaryOf(overlap))},
		{manual, "| `bm25f`, validation half, inside its pack " + figures(summaryOf(inside))},
		{manual, fmt.Sprintf("recall %s, precision %s, %.0f (%.0f to %.0f) tokens, refused %s", interval(f[0]), interval(f[1]), f[2].Value, f[2].Low, f[2].High, interval(f[3]))},
		{manual, "| the four packs, whole | " + tokens(float64(wholeFrozen(t))) + " |"},
		{manual, "| what `packgen resolve` selects for a question, on average | " + tokens(v.Tokens) + " |"},
		{readme, fmt.Sprintf("Over the %d queries of the validation half", v.Cases)},
		{readme, fmt.Sprintf("recall is %s, precision %s, with %s tokens on average; of %d queries without an answer it refuses %d",
			share(v.Recall), share(v.Precision), tokens(v.Tokens), v.Unanswerable, v.Unanswerable-v.FalseAnswers)},
		{readme, fmt.Sprintf("recall is %s and precision %s when the pack is named", share(summaryOf(inside).Recall), share(summaryOf(inside).Precision))},
	} {
		text := oktest.Value(os.ReadFile(want.file))(t)
		if !strings.Contains(string(text), want.text) {
			t.Errorf("%s does not say %q", want.file, want.text)
		}
	}
}

// wholeFrozen returns the tokens of all splits and views of the frozen packs.
func wholeFrozen(t *testing.T) int {
	t.Helper()
	files := oktest.Value(frozenFiles())(t)
	sum := 0
	for _, name := range ownNames() {
		data := oktest.Value(fs.ReadFile(files[name], "compiled/index.json"))(t)
		var index struct {
			Tokens int `json:"total_token_estimate"`
		}
		if err := json.Unmarshal(data, &index); err != nil || index.Tokens == 0 {
			t.Fatalf("%s has %d tokens, %v", name, index.Tokens, err)
		}
		sum += index.Tokens
	}
	return sum
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
