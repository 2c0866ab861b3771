package eval

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

// InHalf returns the results of one half.
func InHalf(results []ContextResult, half Half) []ContextResult {
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
	for i, f := range Figures(InHalf(results, Validation)) {
		if f.Least = l.list()[i]; listed(f) {
			list = append(list, f)
		}
	}
	return list
}

// list is what is asked for, in the order of [Figures].
func (l Least) list() [4]float64 { return [4]float64{l.Recall, l.Precision, 0, l.Refused} }
