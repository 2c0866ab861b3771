package loadout

import "math"

// amount is a sum the way JavaScript adds: numbers add, and text, once met,
// turns the sum into text that the rest is written after. Only wrongly typed
// estimates do that; sums outside compatibility mode are plain numbers.
type amount struct {
	number float64
	text   string
	isText bool
}

// plus returns the sum of a and a value.
func (a amount) plus(v Value) amount {
	switch v.Kind() {
	case String, Array, Object:
		return amount{text: a.String() + v.Text(), isText: true}
	}
	if a.isText {
		return amount{text: a.text + v.Text(), isText: true}
	}
	return amount{number: a.number + v.toNumber()}
}

// add returns the sum of two amounts.
func (a amount) add(b amount) amount {
	if a.isText || b.isText {
		return amount{text: a.String() + b.String(), isText: true}
	}
	return amount{number: a.number + b.number}
}

// String converts the amount to text.
func (a amount) String() string {
	if a.isText {
		return a.text
	}
	if math.IsNaN(a.number) {
		return "NaN"
	}
	return string(AppendNumber(nil, a.number))
}

// float converts the amount to a number.
func (a amount) float() float64 {
	if a.isText {
		return textToNumber(a.text)
	}
	return a.number
}

// append appends the amount as JSON.
func (a amount) append(dst []byte) []byte {
	if a.isText {
		return AppendString(dst, a.text)
	}
	return AppendNumber(dst, a.number)
}

// amountOf returns a value as an amount.
func amountOf(v Value) amount {
	if v.Kind() == String {
		s, _ := v.Str()
		return amount{text: s, isText: true}
	}
	return amount{number: v.toNumber()}
}

// tokens returns the estimate of an entry as it is in its index.
func (e *Entry) tokens() Value {
	if e.Raw != "" {
		return e.Raw.Get("tokens_est")
	}
	return Value(AppendNumber(nil, e.TokensEst))
}

// tally sums the estimates of entries. In compatibility mode it adds the way
// JavaScript does, otherwise entries without a number count nothing.
type tally struct {
	sum    amount
	compat bool
}

func (t *tally) add(e *Entry) {
	switch {
	case t.compat:
		t.sum = t.sum.plus(e.tokens())
	case !math.IsNaN(e.TokensEst):
		t.sum.number += e.TokensEst
	}
}
