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
	claims, removed map[Key]mark
}

// Read returns the ledger that a run record holds; nil for a record of version 1,
// which holds none.
func Read(run *schema.Run) *Ledger {
	if run.SchemaVersion < 2 {
		return nil
	}
	return &Ledger{claims: marks(run.Claims), removed: marks(run.RemovedClaims)}
}

func marks(list []schema.RunClaim) map[Key]mark {
	m := make(map[Key]mark, len(list))
	for _, c := range list {
		m[Key{c.Claim, c.Source}] = mark{Span: c.Span, File: c.File, Confirmed: c.Confirmed, Stale: c.Stale}
	}
	return m
}

// Assume gives a claim that the ledger does not know the hash that its source had
// as a whole. It is for runs that kept nothing finer.
func (l *Ledger) Assume(k Key, file string) {
	if _, known := l.find(k); known {
		return
	}
	if l.claims == nil {
		l.claims = map[Key]mark{}
	}
	l.claims[k] = mark{File: file}
}

// Stale reports whether the text that a claim cites is another one than when it was
// made.
func (l *Ledger) Stale(k Key) bool { return l.claims[k].Stale }

// find looks for a claim among those that exist and those that have gone.
func (l *Ledger) find(k Key) (mark, bool) {
	m, ok := l.claims[k]
	if !ok {
		m, ok = l.removed[k]
	}
	return m, ok
}

// Next returns the ledger of a run that follows: now holds the claims that it finds,
// true for those of which some occurrence is marked confirmed; cited says what an
// anchor points at.
func (l *Ledger) Next(now map[Key]bool, cited func(source string) Cited) *Ledger {
	next := &Ledger{claims: make(map[Key]mark, len(now)), removed: map[Key]mark{}}
	for k, confirmed := range now {
		next.enter(l, k, confirmed, cited(k.Source))
	}
	for k, m := range l.claims {
		if _, there := now[k]; !there {
			next.removed[k] = m.seen(cited(k.Source))
		}
	}
	// What was stale when it went is stale should it come back. Any other claim is
	// named once.
	for k, m := range l.removed {
		if _, there := now[k]; !there && m.Stale {
			next.removed[k] = m
		}
	}
	return next
}

// enter adds a claim, with what an earlier ledger knows of it.
func (l *Ledger) enter(last *Ledger, k Key, confirmed bool, c Cited) {
	m, known := last.find(k)
	switch {
	case c.Span == "" && !known:
		return // there is nothing that it could rest on
	case c.Span == "":
		// What does not exist cannot be confirmed: the old mark counts when it is back.
		m.Stale = false
	case !known, confirmed && !m.Confirmed:
		m = mark{Span: c.Span, Confirmed: confirmed}
	default:
		m = m.seen(c)
		m.Confirmed = confirmed
	}
	l.claims[k] = m
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
	for _, m := range []map[Key]mark{l.claims, l.removed} {
		for k := range m {
			if !yield(k.Source) {
				return
			}
		}
	}
}

// Records returns the ledger as a run record holds it, ordered by claim and source.
func (l *Ledger) Records() (claims, removed []schema.RunClaim) {
	return records(l.claims), records(l.removed)
}

func records(m map[Key]mark) []schema.RunClaim {
	list := make([]schema.RunClaim, 0, len(m))
	for k, mark := range m {
		list = append(list, schema.RunClaim{
			Claim: k.Claim, Source: k.Source, Span: mark.Span, File: mark.File, Confirmed: mark.Confirmed, Stale: mark.Stale,
		})
	}
	slices.SortFunc(list, func(a, b schema.RunClaim) int {
		return cmp.Or(strings.Compare(a.Claim, b.Claim), strings.Compare(a.Source, b.Source))
	})
	return list
}

// From returns the ledger that Records gave.
func From(claims, removed []schema.RunClaim) *Ledger {
	return &Ledger{claims: marks(claims), removed: marks(removed)}
}
