package eval

import (
	"context"
	"fmt"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestHalvesFollowFromTheWordsOfAQuery(t *testing.T) {
	counts := map[Half]int{}
	for i := range 1000 {
		c := ContextCase{Query: fmt.Sprintf("query %d", i)}
		again := ContextCase{Query: c.Query, Budget: 7}
		if c.Half() != again.Half() {
			t.Fatalf("%q changes its half", c.Query)
		}
		counts[c.Half()]++
	}
	if counts[Train] < 400 || counts[Validation] < 400 {
		t.Errorf("halves of %v", counts)
	}
}

func TestFiguresHaveIntervalsAndAFloor(t *testing.T) {
	no := false
	var results []ContextResult
	for i := range 400 {
		r := ContextResult{Case: ContextCase{Query: fmt.Sprint(i), Required: []string{"a"}}, Tokens: 100, Matched: 2, Lost: []string{"a"}}
		if i%4 != 0 {
			r.Found, r.Lost, r.Hits = []string{"a"}, nil, 1
		}
		if i%10 == 0 {
			r = ContextResult{Case: ContextCase{Query: fmt.Sprint(i), Answerable: &no}, Tokens: 100, False: i%20 == 0}
		}
		results = append(results, r)
	}
	figures := figuresOf(results)
	for i, again := range figuresOf(results) {
		f := figures[i]
		if f != again {
			t.Errorf("%s: %+v, then %+v", f.Name, f, again)
		}
		if !(f.Low <= f.Value && f.Value <= f.High) || f.Name != "tokens" && !(f.High-f.Low > 0.01 && f.High-f.Low < 0.5) {
			t.Errorf("%s: %v is not between %v and %v", f.Name, f.Value, f.Low, f.High)
		}
	}
	if figures[3].Value != 0.5 || figures[2].Value != 100 || figures[2].Low != 100 {
		t.Errorf("figures %+v", figures)
	}
	if empty := figuresOf(nil); len(empty) != 4 || empty[0].Of != 0 {
		t.Errorf("figures of nothing: %+v", empty)
	}
	below := Least{Recall: 0.99, Precision: 0.1, Refused: 0.9}.Below(results)
	if len(below) != 2 || below[0].Name != "recall" || below[1].Name != "refused" || below[0].Least != 0.99 {
		t.Errorf("below %+v", below)
	}
	if list := (Least{Recall: 0.5, Refused: 0.5}).Unjudged(inHalf(results, Train)); len(list) != 2 || list[0].Name != "recall" || len((Least{Recall: 0.5}).Unjudged(results)) != 0 {
		t.Errorf("figures that no case gives: %+v", list)
	}
	if (Least{}).Below(results) != nil {
		t.Error("a suite that asks for nothing fails")
	}
}

func TestMissesOfTheValidationHalfAreNotShown(t *testing.T) {
	suite := &ContextSuite{}
	for i := range 40 {
		suite.Cases = append(suite.Cases, ContextCase{Query: fmt.Sprintf("zebra %d", i), Required: []string{"documents/k.md#descaling"}})
	}
	report := oktest.Value(runContext(context.Background(), descalingPack(), suite, contextOptions{Misses: true}))(t)
	for _, r := range report.Results {
		if shown := len(r.Misses) == 1; shown != (r.Case.Half() == Train) {
			t.Errorf("%q of the half %s: %v", r.Case.Query, r.Case.Half(), r.Misses)
		}
	}
}

func TestSuitesStateWhatTheyAskFor(t *testing.T) {
	suite, faults := ReadContextSuite("evals/context.yaml", []byte("least: {recall: 0.7, precision: 1, refused: 0}\ncases:\n  - {query: q, also: [x, y], required: [a]}\n"))
	if len(faults) > 0 || suite.Least != (Least{0.7, 1, 0}) || len(suite.Cases[0].Also) != 2 {
		t.Errorf("suite %+v, faults %v", suite, faults)
	}
	for _, bad := range []string{"1.2", "-1", "yes", ".nan"} {
		if _, faults := ReadContextSuite("x", []byte("least: {recall: "+bad+"}\ncases:\n  - {query: q, required: [a]}\n")); len(faults) != 1 {
			t.Errorf("recall %s: faults %v", bad, faults)
		}
	}
}
