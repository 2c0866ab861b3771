package eval

import (
	"math/rand/v2"
	"slices"
)

// Figure is one figure of some cases, with the interval that it falls into for 19 of
// 20 resamples of them.
type Figure struct {
	Name      string  // recall, precision, tokens, refused
	Value     float64 // tokens, otherwise a share from 0 to 1
	Low, High float64
	Of        int     // cases that it is taken over; of none it says nothing
	Least     float64 // what was asked for, where it is below that
}

// Resampling: how many resamples are drawn, and the seeds of the generator, so that a
// figure has the same interval everywhere.
const (
	resamples = 1000
	seedHigh  = 0x9E3779B97F4A7C15
	seedLow   = 0xD1B54A32D192ED03
)

// Figures are recall, precision, tokens and the share of refused unanswerable queries,
// in this order.
func Figures(results []ContextResult) []Figure {
	s := Summarize(results)
	required, matched := 0, 0
	for i := range results {
		r := &results[i]
		tally(&required, r.Case.MayBeAnswered() && len(r.Case.Required) > 0)
		tally(&matched, r.Matched > 0 && len(r.Case.Required) > 0)
	}
	list := []Figure{{Name: "recall", Of: required}, {Name: "precision", Of: matched}, {Name: "tokens", Of: len(results)}, {Name: "refused", Of: s.Unanswerable}}
	if len(results) == 0 {
		return list
	}
	samples := make([][]float64, len(list))
	rng := rand.New(rand.NewPCG(seedHigh, seedLow))
	sample := make([]ContextResult, len(results))
	for range resamples {
		for i := range sample {
			sample[i] = results[rng.IntN(len(results))]
		}
		for i, value := range valuesOf(Summarize(sample)) {
			samples[i] = append(samples[i], value)
		}
	}
	for i, value := range valuesOf(s) {
		slices.Sort(samples[i])
		list[i].Value = value
		list[i].Low, list[i].High = samples[i][resamples/40], samples[i][resamples-1-resamples/40]
	}
	return list
}

// valuesOf are the values of Figures.
func valuesOf(s ContextSummary) [4]float64 {
	return [4]float64{s.Recall, s.Precision, s.Tokens, mean(float64(s.Unanswerable-s.FalseAnswers), s.Unanswerable)}
}
