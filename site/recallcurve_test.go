package site

import (
	"math"
	"testing"
)

func TestPackPageDrawsRetrievalWhereThereIsSome(t *testing.T) {
	m := generateWith(t, Options{}, both(), func(in *Input) {
		in.Retrieval = map[string]Retrieval{"kettle": {Queries: 24, Curve: []RecallAt{
			{250, 0, 0}, {1000, 0.5, 0.25}, {6000, 1, 0.2}, {8000, 7, 0}, {9000, math.NaN(), 0},
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
