package eval

import (
	"math/rand/v2"
	"slices"
)

import "crypto/sha256"

// Half is one of the two halves of a suite. Settings may be chosen by the train half;
// the validation half only judges them.
type Half uint8

// The halves.
const (
	Train Half = iota
	Validation
)

// String names a half.
func (h Half) String() string {
	if h == Train {
		return "train"
	}
	return "validation"
}

// Half is that of a case. It follows from the words of the query, so that a case keeps
// its half when others come and go.
func (c *ContextCase) Half() Half { return Half(sha256.Sum256([]byte(c.Query))[0] & 1) }

// inHalf returns the results of one half.
func inHalf(results []ContextResult, half Half) []ContextResult {
	var list []ContextResult
	for i := range results {
		if results[i].Case.Half() == half {
			list = append(list, results[i])
		}
	}
	return list
}

// Below lists the figures of the validation half that stay below what a suite asks
// for.
func (l Least) Below(results []ContextResult) []Figure {
	return l.figures(results, func(f Figure) bool { return f.Of > 0 && f.Value < f.Least })
}

// Unjudged lists the figures that a suite asks for and that no case of the validation
// half gives.
func (l Least) Unjudged(results []ContextResult) []Figure {
	return l.figures(results, func(f Figure) bool { return f.Of == 0 && f.Least > 0 })
}

// figures lists those figures of the validation half that are to be listed; none for a
// suite that asks for nothing.
func (l Least) figures(results []ContextResult, listed func(Figure) bool) (list []Figure) {
	if l == (Least{}) {
		return nil
	}
	for i, f := range figuresOf(inHalf(results, Validation)) {
		if f.Least = l.list()[i]; listed(f) {
			list = append(list, f)
		}
	}
	return list
}

// list is what is asked for, in the order of [figuresOf].
func (l Least) list() [4]float64 { return [4]float64{l.Recall, l.Precision, 0, l.Refused} }

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

// figuresOf are recall, precision, tokens and the share of refused unanswerable queries,
// in this order.
func figuresOf(results []ContextResult) []Figure {
	s := summaryOf(results)
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
		for i, value := range valuesOf(summaryOf(sample)) {
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

// valuesOf are the values of figuresOf.
func valuesOf(s ContextSummary) [4]float64 {
	return [4]float64{s.Recall, s.Precision, s.Tokens, mean(float64(s.Unanswerable-s.FalseAnswers), s.Unanswerable)}
}
