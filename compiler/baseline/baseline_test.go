package baseline

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/schema"
)

// says makes sources of a map from anchors to texts.
func says(texts map[string]string) func(string) Cited {
	return func(source string) Cited {
		if text := texts[source]; text != "" {
			return Cited{Span: text, File: "file of " + text}
		}
		return Cited{}
	}
}

func TestALedgerFollowsFromTheOneBefore(t *testing.T) {
	k := Key{"clm-1", "s#L1"}
	for _, tt := range []struct {
		name    string
		before  *Ledger
		there   bool
		marked  bool
		text    string // what the source says; "" when it does not exist
		want    *mark  // of the claim
		removed *mark
	}{
		{"a new claim rests on what is there", &Ledger{}, true, false, "one", &mark{Span: "one"}, nil},
		{"a new claim without a source rests on nothing", &Ledger{}, true, false, "", nil, nil},
		{"the same text", known(k, mark{Span: "one"}), true, false, "one", &mark{Span: "one"}, nil},
		{"another text", known(k, mark{Span: "one"}), true, false, "two", &mark{Span: "one", Stale: true}, nil},
		{"a third text", known(k, mark{Span: "one", Stale: true}), true, false, "three", &mark{Span: "one", Stale: true}, nil},
		{"the first text again", known(k, mark{Span: "one", Stale: true}), true, false, "one", &mark{Span: "one"}, nil},
		{"a source that is gone", known(k, mark{Span: "one", Stale: true}), true, false, "", &mark{Span: "one"}, nil},
		{"marked confirmed", known(k, mark{Span: "one", Stale: true}), true, true, "two", &mark{Span: "two", Confirmed: true}, nil},
		{"marked confirmed already", known(k, mark{Span: "one", Confirmed: true}), true, true, "two", &mark{Span: "one", Confirmed: true, Stale: true}, nil},
		{"marked confirmed without a source", known(k, mark{Span: "one", Stale: true}), true, true, "", &mark{Span: "one"}, nil},
		{"no longer marked", known(k, mark{Span: "one", Confirmed: true}), true, false, "two", &mark{Span: "one", Stale: true}, nil},
		{"a file of the same hash", known(k, mark{File: "file of one"}), true, false, "one", &mark{Span: "one"}, nil},
		{"a file of another hash", known(k, mark{File: "file of one"}), true, false, "two", &mark{File: "file of one", Stale: true}, nil},
		{"deleted", known(k, mark{Span: "one"}), false, false, "one", nil, &mark{Span: "one"}},
		{"deleted when its source had changed", known(k, mark{Span: "one"}), false, false, "two", nil, &mark{Span: "one", Stale: true}},
		{"deleted for long", gone(k, mark{Span: "one"}), false, false, "one", nil, &mark{Span: "one"}},
		{"deleted for long, and its source has changed since", gone(k, mark{Span: "one"}), false, false, "two", nil, &mark{Span: "one"}},
		{"deleted for long and stale", gone(k, mark{Span: "one", Stale: true}), false, false, "one", nil, &mark{Span: "one", Stale: true}},
		{"back", gone(k, mark{Span: "one"}), true, false, "two", &mark{Span: "one", Stale: true}, nil},
	} {
		now := map[Key]Found{}
		if tt.there {
			now[k] = Found{Confirmed: tt.marked}
		}
		next := tt.before.Next(now, says(map[string]string{k.Source: tt.text}))
		got, ok := next.claims.find(k)
		if ok != (tt.want != nil) || ok && got != *tt.want || next.Stale(k) != (ok && got.Stale) {
			t.Errorf("%s: the claim rests on %+v, want %+v", tt.name, got, tt.want)
		}
		got, ok = next.removed.find(k)
		if ok != (tt.removed != nil) || ok && got != *tt.removed {
			t.Errorf("%s: removed is %+v, want %+v", tt.name, got, tt.removed)
		}
	}
}

func known(k Key, m mark) *Ledger { return &Ledger{claims: list{k.record(m)}} }
func gone(k Key, m mark) *Ledger  { return &Ledger{removed: list{k.record(m)}} }

// A claim that is written otherwise, or on another place, keeps its mark until the text
// that it cites is the recorded one, or its author marks it confirmed.
func TestAClaimIsKnownByItsWords(t *testing.T) {
	was, is := Key{"clm-1", "s#L1"}, Key{"clm-2", "r#L1-L1"}
	for _, tt := range []struct {
		name    string
		mark    mark
		removed bool      // it had gone before
		texts   [2]string // of what it cited, and of what it cites
		marked  bool
		stays   bool // beside the new one
		want    mark
	}{
		{"the text moved", mark{Span: "one"}, false, [2]string{"", "one"}, false, false, mark{Span: "one"}},
		{"the text moved when it was stale", mark{Span: "one", Stale: true}, false, [2]string{"two", "one"}, false, false, mark{Span: "one"}},
		{"the source was renamed and changed", mark{Span: "one"}, false, [2]string{"", "two"}, false, false, mark{Span: "one", Stale: true}},
		{"the source changed, and the anchor is written otherwise", mark{Span: "one"}, false, [2]string{"two", "two"}, false, false, mark{Span: "one", Stale: true}},
		{"a stale claim gets another source", mark{Span: "one", Stale: true}, false, [2]string{"two", "three"}, false, true, mark{Span: "one", Stale: true}},
		{"a stale claim that had gone comes back elsewhere", mark{Span: "one", Stale: true}, true, [2]string{"two", "three"}, false, false, mark{Span: "one", Stale: true}},
		{"it has another source, and nothing was wrong with the old one", mark{Span: "one"}, false, [2]string{"one", "two"}, false, false, mark{Span: "one", Stale: true}},
		{"it has a further source, and nothing is wrong with the old one", mark{Span: "one"}, false, [2]string{"one", "two"}, false, true, mark{Span: "two"}},
		{"it had gone while nothing was wrong, and comes back elsewhere", mark{Span: "one"}, true, [2]string{"one", "two"}, false, false, mark{Span: "one", Stale: true}},
		{"it is marked confirmed", mark{Span: "one", Stale: true}, false, [2]string{"two", "two"}, true, false, mark{Span: "two", Confirmed: true}},
		{"it was marked confirmed before", mark{Span: "one", Confirmed: true}, false, [2]string{"", "two"}, true, false, mark{Span: "one", Confirmed: true, Stale: true}},
		{"it cites a place that does not exist", mark{Span: "one", Stale: true}, false, [2]string{"two", ""}, false, false, mark{Span: "one"}},
		{"only the file was known", mark{File: "file of one"}, false, [2]string{"", "one"}, false, false, mark{Span: "one"}},
	} {
		tt.mark.Words, tt.want.Words = "w", "w"
		l := known(was, tt.mark)
		if tt.removed {
			l = gone(was, tt.mark)
		}
		now := map[Key]Found{is: {Words: "w", Confirmed: tt.marked}}
		if tt.stays {
			now[was] = Found{Words: "w"}
		}
		next := l.Next(now, says(map[string]string{was.Source: tt.texts[0], is.Source: tt.texts[1]}))
		if got, _ := next.claims.find(is); got != tt.want {
			t.Errorf("%s: the claim rests on %+v, want %+v", tt.name, got, tt.want)
		}
		if len(next.removed) > 0 {
			t.Errorf("%s: the claim counts as removed: %+v", tt.name, next.removed)
		}
	}
}

// A record holds the whole ledger, in one order; one of version 1 holds none.
func TestARecordHoldsTheLedger(t *testing.T) {
	l := From(
		[]schema.RunClaim{{Claim: "clm-2", Source: "a", Span: "old"}, {Claim: "clm-2", Source: "a", Span: "x", Stale: true}, {Claim: "clm-1", Source: "b", File: "y"}, {Claim: "clm-1", Source: "a", Span: "z", Confirmed: true}},
		[]schema.RunClaim{{Claim: "clm-3", Source: "a", Span: "w"}},
	)
	claims, removed := l.Records()
	want := []schema.RunClaim{{Claim: "clm-1", Source: "a", Span: "z", Confirmed: true}, {Claim: "clm-1", Source: "b", File: "y"}, {Claim: "clm-2", Source: "a", Span: "x", Stale: true}}
	if diff := cmp.Diff(want, claims); diff != "" {
		t.Error(diff)
	}
	if empty, none := new(Ledger).Records(); empty == nil || none == nil {
		t.Error("a record without claims has no lists")
	}
	run := &schema.Run{HasLedger: true, Claims: claims, RemovedClaims: removed}
	if diff := cmp.Diff(l, Read(run), cmp.AllowUnexported(Ledger{})); diff != "" {
		t.Error(diff)
	}
	if run.HasLedger = false; Read(run) != nil {
		t.Error("a record of version 1 holds a ledger")
	}
}

// A claim of a run that kept nothing finer than files is one of those that exist, unless it
// is known.
func TestAnAssumedClaimIsOneOfThoseThatExist(t *testing.T) {
	l := From([]schema.RunClaim{{Claim: "clm-1", Source: "a", Span: "one"}}, []schema.RunClaim{{Claim: "clm-2", Source: "a", Span: "one", Stale: true}})
	for _, k := range []Key{{"clm-1", "a"}, {"clm-2", "a"}, {"clm-3", "a"}, {"clm-0", "a"}} {
		l.Assume(k, "file of one")
	}
	claims, removed := l.Records()
	want := []schema.RunClaim{{Claim: "clm-0", Source: "a", File: "file of one"}, {Claim: "clm-1", Source: "a", Span: "one"}, {Claim: "clm-3", Source: "a", File: "file of one"}}
	if diff := cmp.Diff(want, claims); diff != "" || len(removed) != 1 {
		t.Error(diff, removed)
	}
	next := l.Next(map[Key]Found{{"clm-0", "a"}: {}}, says(map[string]string{"a": "two"}))
	if !next.Stale(Key{"clm-0", "a"}) || len(next.removed) != 3 {
		t.Errorf("the ledger that follows is %+v", next)
	}
	sources := 0
	l.Sources(func(string) bool { sources++; return true })
	if sources != 4 {
		t.Errorf("%d sources", sources)
	}
}

// Whatever comes and goes: as long as a claim is the same and nobody confirms it, it is
// stale exactly when its source says something else than when it was first made; and a
// run in which nothing changes finds the same claims.
func TestNoHistoryLaundersAClaim(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 8))
	texts, first, l := map[string]string{}, map[Key]string{}, &Ledger{}
	stale := 0
	for step := range 2000 {
		for i := range 3 {
			source := fmt.Sprint("s", i)
			if random.IntN(3) == 0 {
				texts[source] = fmt.Sprint("text ", random.IntN(3))
			}
		}
		now := map[Key]Found{}
		for i := range 6 {
			if k := (Key{fmt.Sprint("clm-", i), fmt.Sprint("s", i%3)}); random.IntN(4) > 0 && texts[k.Source] != "" {
				now[k] = Found{}
			}
		}
		before := l
		l = l.Next(now, says(texts))
		for k := range now {
			m, _ := l.claims.find(k)
			if m.Span != first[k] { // it is new
				if _, known := before.find(k); known {
					t.Fatalf("step %d: %v rests on %q, and was made on %q", step, k, m.Span, first[k])
				}
				first[k] = m.Span
			}
			if m.Stale != (texts[k.Source] != first[k]) {
				t.Fatalf("step %d: %v is stale: %v, made on %q, and its source says %q", step, k, m.Stale, first[k], texts[k.Source])
			}
			if m.Stale {
				stale++
			}
		}
		if diff := cmp.Diff(l.claims, l.Next(now, says(texts)).claims); diff != "" {
			t.Fatalf("step %d: once more (-want +got):\n%s", step, diff)
		}
	}
	if stale == 0 {
		t.Error("nothing was ever stale")
	}
}

// A claim of which a record does not say what it rested on is taken out with the word on its
// staleness, is no answer to the question which claims have some words, and is known again
// where another record says it.
func TestWhatAClaimRestedOnCanBeLostAndFound(t *testing.T) {
	lost, kept, goes := Key{"clm-1", "a"}, Key{"clm-2", "a"}, Key{"clm-3", "a"}
	l := From([]schema.RunClaim{
		{Claim: "clm-1", Words: "w1", Source: "a", Stale: true},
		{Claim: "clm-2", Words: "w2", Source: "a", Span: "one"},
		{Claim: "clm-3", Words: "w3", Source: "a"},
	}, []schema.RunClaim{{Claim: "clm-4", Words: "w4", Source: "a", Span: "one"}})
	now := map[Key]Found{lost: {Words: "w1"}, kept: {Words: "w2"}, {"clm-5", "a"}: {Words: "w5"}, {"clm-6", "a"}: {Words: "w4"}}
	if !l.IsLost(lost) || !l.IsLost(goes) || l.IsLost(kept) || l.IsLost(Key{"clm-9", "a"}) {
		t.Error("the lost claims are other ones")
	}
	if diff := cmp.Diff([]Key{{"clm-5", "a"}}, l.Unknown(now)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[Key]bool{lost: true}, l.TakeLost(now)); diff != "" {
		t.Error(diff)
	}
	if l.IsLost(lost) || !l.IsLost(goes) {
		t.Error("a claim that is taken out is still there, or one that is not found has gone")
	}
	if again := l.TakeLost(now); len(again) != 0 {
		t.Errorf("%v are taken twice", again)
	}
	with := l.With(map[string]bool{"w1": true, "w2": true, "w3": true, "w4": true})
	want := []schema.RunClaim{{Claim: "clm-2", Words: "w2", Source: "a", Span: "one"}, {Claim: "clm-4", Words: "w4", Source: "a", Span: "one"}}
	if diff := cmp.Diff(want, with); diff != "" {
		t.Error(diff)
	}
	l.Add([]schema.RunClaim{{Claim: "clm-1", Words: "w1", Source: "a", Span: "found"}, {Claim: "clm-2", Words: "w2", Source: "a", Span: "other"}})
	claims, _ := l.Records()
	if len(claims) != 3 || claims[0].Span != "found" || claims[1].Span != "other" {
		t.Errorf("the records are %+v", claims)
	}
}
