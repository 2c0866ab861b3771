package baseline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/schema"
)

// Key names a claim: what it says, and the place that it names as its source.
type Key struct {
	Claim  string // claim id without a number: "clm-" and 12 hex digits
	Source string // anchor string, "<path>#<fragment>" or "<path>"
}

// mark is what a claim rested on when it was made.
type mark struct {
	Span      string // SHA-256 of the cited text, hex digits
	File      string // of the whole source, where the span is not known
	Confirmed bool   // its author has marked it [status: confirmed]
	Stale     bool   // the cited text is another one now
}

// Cited is what an anchor points at now, in SHA-256 as hex digits: the text, and the
// whole of its file. Zero where there is nothing.
type Cited struct{ Span, File string }

// Ledger holds the marks of the claims that a run found, and of those that had gone.
// The zero value knows no claim.
type Ledger struct {
	claims, removed list
	assumed         map[Key]mark // further claims
}

// list is claims ordered by claim and source, each once: of a large pack there are some
// hundred thousand, and a map of them takes twice the room.
type list []schema.RunClaim

func compare(a, b schema.RunClaim) int {
	return cmp.Or(strings.Compare(a.Claim, b.Claim), strings.Compare(a.Source, b.Source))
}

// ordered puts claims in order. Of two that are the same the last one counts. It leaves the
// claims as they are.
func ordered(claims []schema.RunClaim) list {
	inOrder := true
	for i := 1; i < len(claims) && inOrder; i++ {
		inOrder = compare(claims[i-1], claims[i]) < 0
	}
	if inOrder {
		return claims
	}
	sorted := slices.Clone(claims)
	slices.SortStableFunc(sorted, compare)
	kept := sorted[:0]
	for i, c := range sorted {
		if i+1 == len(sorted) || compare(c, sorted[i+1]) != 0 {
			kept = append(kept, c)
		}
	}
	return kept
}

// find returns the mark of a claim.
func (l list) find(k Key) (m mark, ok bool) {
	at, ok := slices.BinarySearchFunc(l, schema.RunClaim{Claim: k.Claim, Source: k.Source}, compare)
	if !ok {
		return mark{}, false
	}
	return mark{Span: l[at].Span, File: l[at].File, Confirmed: l[at].Confirmed, Stale: l[at].Stale}, true
}

// record is a claim with its mark as a run record holds it.
func (k Key) record(m mark) schema.RunClaim {
	return schema.RunClaim{Claim: k.Claim, Source: k.Source, Span: m.Span, File: m.File, Confirmed: m.Confirmed, Stale: m.Stale}
}

// Read returns the ledger that a run record holds; nil for a record of version 1,
// which holds none.
func Read(run *schema.Run) *Ledger {
	if run.SchemaVersion < 2 {
		return nil
	}
	return From(run.Claims, run.RemovedClaims)
}

// Assume gives a claim that the ledger does not know the hash that its source had
// as a whole. It is for runs that kept nothing finer.
func (l *Ledger) Assume(k Key, file string) {
	if _, known := l.find(k); known {
		return
	}
	if l.assumed == nil {
		l.assumed = map[Key]mark{}
	}
	l.assumed[k] = mark{File: file}
}

// Stale reports whether the text that a claim cites is another one than when it was
// made.
func (l *Ledger) Stale(k Key) bool {
	m, _ := l.claims.find(k) // none that is assumed is stale
	return m.Stale
}

// find looks for a claim among those that exist and those that have gone.
func (l *Ledger) find(k Key) (mark, bool) {
	if m, ok := l.claims.find(k); ok {
		return m, true
	}
	if m, ok := l.assumed[k]; ok {
		return m, true
	}
	return l.removed.find(k)
}

// all are the claims that exist.
func (l *Ledger) all() list {
	if len(l.assumed) == 0 {
		return l.claims
	}
	all := slices.Clone(l.claims)
	for k, m := range l.assumed {
		all = append(all, k.record(m))
	}
	return ordered(all)
}

// Next returns the ledger of a run that follows: now holds the claims that it finds,
// true for those of which some occurrence is marked confirmed; cited says what an
// anchor points at.
func (l *Ledger) Next(now map[Key]bool, cited func(source string) Cited) *Ledger {
	found, removed := make(list, 0, len(now)), list{}
	for k, confirmed := range now {
		if m, rests := l.next(k, confirmed, cited(k.Source)); rests {
			found = append(found, k.record(m))
		}
	}
	for _, c := range l.all() {
		k := Key{c.Claim, c.Source}
		if _, there := now[k]; !there {
			m := mark{Span: c.Span, File: c.File, Confirmed: c.Confirmed, Stale: c.Stale}
			removed = append(removed, k.record(m.seen(cited(k.Source))))
		}
	}
	// What was stale when it went is stale should it come back. Any other claim is
	// named once.
	for _, c := range l.removed {
		if _, there := now[Key{c.Claim, c.Source}]; !there && c.Stale {
			removed = append(removed, c)
		}
	}
	slices.SortFunc(found, compare)
	return &Ledger{claims: found, removed: ordered(removed)}
}

// next returns the mark of a claim in the ledger that follows; false for a claim that has
// nothing that it could rest on.
func (l *Ledger) next(k Key, confirmed bool, c Cited) (m mark, rests bool) {
	m, known := l.find(k)
	switch {
	case c.Span == "" && !known:
		return mark{}, false
	case c.Span == "":
		// What does not exist cannot be confirmed: the old mark counts when it is back.
		m.Stale = false
	case !known, confirmed && !m.Confirmed:
		m = mark{Span: c.Span, Confirmed: confirmed}
	default:
		m = m.seen(c)
		m.Confirmed = confirmed
	}
	return m, true
}

// seen compares a mark with what is cited now. A source that is gone says nothing.
func (m mark) seen(c Cited) mark {
	switch {
	case c.Span == "":
	case m.Span != "":
		m.Stale = m.Span != c.Span
	case m.File == c.File:
		m = mark{Span: c.Span, Confirmed: m.Confirmed} // known more finely from now on
	default:
		m.Stale = true
	}
	return m
}

// Sources lists the anchors of the claims that a ledger knows, in no order.
func (l *Ledger) Sources(yield func(source string) bool) {
	for _, those := range []list{l.all(), l.removed} {
		for i := range those {
			if !yield(those[i].Source) {
				return
			}
		}
	}
}

// Records returns the ledger as a run record holds it, ordered by claim and source. The
// lists are those of the ledger: they are not to be changed.
func (l *Ledger) Records() (claims, removed []schema.RunClaim) {
	return orEmpty(l.all()), orEmpty(l.removed)
}

// orEmpty returns a list that is not nil.
func orEmpty(l list) list {
	if l == nil {
		return list{}
	}
	return l
}

// From returns the ledger that Records gave, which is not to be changed from then on.
func From(claims, removed []schema.RunClaim) *Ledger {
	return &Ledger{claims: ordered(claims), removed: ordered(removed)}
}
