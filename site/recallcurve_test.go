package site

import (
	"math"
	"testing"

	"github.com/packgen/packgen/site/page"
)

func TestPackPageDrawsRetrievalWhereThereIsSome(t *testing.T) {
	m := generateWith(t, Options{}, both(), func(in *Input) {
		in.Retrieval = map[string]page.Retrieval{"kettle": {Queries: 24, Curve: []page.RecallAt{
			{Budget: 250, Recall: 0, Precision: 0}, {Budget: 1000, Recall: 0.5, Precision: 0.25}, {Budget: 6000, Recall: 1, Precision: 0.2}, {Budget: 8000, Recall: 7, Precision: 0}, {Budget: 9000, Recall: math.NaN(), Precision: 0},
		}}}
	})
	const page = "packs/kettle/index.html"
	m.has(page, `over 24 queries of <code>evals/context.yaml</code>`)
	m.has(page, `<polyline points="50,144 150,84 250,24 350,24 450,144"/>`)
	m.has(page, `1,000 tokens: recall 0.50, precision 0.25`)
	m.has(page, `0.50 at 1,000 tokens;`)
	m.hasNot(page, `style=`)
	m.hasNot("packs/shore/index.html", "class=curve")
	m.has(page, `1.00 at 8,000 tokens; 0.00 at 9,000 tokens;`)
	m.has(page, `<svg class="curve" viewBox="0 0 500 172" role="img"`)
	m.crawl()
}
