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

// Found is what a run finds of a claim.
type Found struct {
	Words     string // hash of its words, in whatever case and punctuation
	Confirmed bool   // some occurrence is marked confirmed
}

// mark is what a claim rested on when it was made.
type mark struct {
	Words     string // of the claim, see Found
	Span      string // SHA-256 of the cited text, hex digits
	File      string // of the whole source, where the span is not known
	Confirmed bool   // its author has marked it [status: confirmed]
	Stale     bool   // the cited text is another one now
}

// Cited is what an anchor points at now, in SHA-256 as hex digits: the text, and the
// whole of its file. Zero where there is nothing.
type Cited struct {
	Span, File string
	Same       func(sum string) bool // whether the text is the one with another sum, for all that a reader sees; nil where it is not
}

// is reports whether the text has a SHA-256.
func (c Cited) is(sum string) bool { return c.Span == sum || c.Same != nil && c.Same(sum) }

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
	return markOf(&l[at]), true
}

func markOf(c *schema.RunClaim) mark {
	return mark{Words: c.Words, Span: c.Span, File: c.File, Confirmed: c.Confirmed, Stale: c.Stale}
}

// record is a claim with its mark as a run record holds it.
func (k Key) record(m mark) schema.RunClaim {
	return schema.RunClaim{Claim: k.Claim, Words: m.Words, Source: k.Source, Span: m.Span, File: m.File, Confirmed: m.Confirmed, Stale: m.Stale}
}

// Read returns the ledger that a run record holds; nil for a record of
// another tool, which holds none.
func Read(run *schema.Run) *Ledger {
	if !run.HasLedger {
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

// TakeLost takes out those claims of which the ledger does not say what they rested on, and
// says which of them are stale.
func (l *Ledger) TakeLost(now map[Key]Found) map[Key]bool {
	lost := map[Key]bool{}
	for i := range l.claims {
		k := Key{l.claims[i].Claim, l.claims[i].Source}
		if _, there := now[k]; there && isLost(&l.claims[i]) {
			lost[k] = l.claims[i].Stale
		}
	}
	if len(lost) > 0 {
		l.claims = slices.DeleteFunc(slices.Clone(l.claims), func(c schema.RunClaim) bool {
			_, taken := lost[Key{c.Claim, c.Source}]
			return taken
		})
	}
	return lost
}

// Unknown lists the claims of which the ledger knows nothing, neither by id and anchor nor
// by their words.
func (l *Ledger) Unknown(now map[Key]Found) []Key {
	var keys []Key
	earlier := l.earlier(now)
	for k, f := range now {
		if _, known := l.find(k); !known && len(earlier[f.Words]) == 0 {
			keys = append(keys, k)
		}
	}
	return keys
}

// IsLost reports whether the ledger does not say what a claim rested on.
func (l *Ledger) IsLost(k Key) bool {
	m, known := l.claims.find(k)
	return known && m.isLost()
}

func isLost(c *schema.RunClaim) bool { return c.Span == "" && c.File == "" }

// With returns those claims of a ledger that have some words.
func (l *Ledger) With(words map[string]bool) []schema.RunClaim {
	var found []schema.RunClaim
	for _, those := range []list{l.claims, l.removed} {
		for i := range those {
			if words[those[i].Words] && !isLost(&those[i]) {
				found = append(found, those[i])
			}
		}
	}
	return found
}

// Add adds claims that other records hold, in place of what the ledger says of them.
func (l *Ledger) Add(claims []schema.RunClaim) {
	l.claims = ordered(append(slices.Clip(l.claims), claims...))
}

// Next returns the ledger of a run that follows: now holds the claims that it finds;
// cited says what an anchor points at.
func (l *Ledger) Next(now map[Key]Found, cited func(source string) Cited) *Ledger {
	found, removed := make(list, 0, len(now)), list{}
	earlier := l.earlier(now)
	settled := map[string]bool{} // words of claims that have taken over or replaced all earlier marks
	for k, f := range now {
		before, known := l.find(k)
		if !known {
			settled[f.Words] = true
			before, known = inherit(earlier[f.Words], cited(k.Source), now, cited)
		}
		if f.Confirmed && !before.Confirmed {
			settled[f.Words] = true
		}
		if m, rests := next(before, known, f, cited(k.Source)); rests {
			found = append(found, k.record(m))
		}
	}
	delete(settled, "") // of records that knew no words
	for _, c := range l.all() {
		k := Key{c.Claim, c.Source}
		if _, there := now[k]; !there && !settled[c.Words] {
			removed = append(removed, k.record(markOf(&c).seen(cited(k.Source))))
		}
	}
	removed = append(removed, l.stillRemoved(now, settled, maxRemoved-len(removed))...)
	slices.SortFunc(found, compare)
	return &Ledger{claims: found, removed: ordered(removed)}
}

// maxRemoved is how many claims that have gone a ledger keeps, beside those that were stale
// or lost.
const maxRemoved = 10_000

// stillRemoved lists the claims that had gone before and have not come back: all that were
// stale or lost when they went, and so many of the others. Should one come back, it rests on
// what it rested on.
func (l *Ledger) stillRemoved(now map[Key]Found, settled map[string]bool, room int) list {
	var still list
	for _, c := range l.removed {
		if _, there := now[Key{c.Claim, c.Source}]; there || settled[c.Words] {
			continue
		}
		doubtful := c.Stale || isLost(&c)
		if !doubtful {
			room--
		}
		if doubtful || room >= 0 {
			still = append(still, c)
		}
	}
	return still
}

// earlier returns what the ledger holds of claims with the words of those that it does not
// know: the same claims, written otherwise or on another place.
func (l *Ledger) earlier(now map[Key]Found) map[string][]schema.RunClaim {
	by := map[string][]schema.RunClaim{}
	for k, f := range now {
		if _, known := l.find(k); !known && f.Words != "" {
			by[f.Words] = nil
		}
	}
	if len(by) == 0 {
		return by
	}
	for _, those := range []list{l.all(), l.removed} {
		for i := range those {
			if same, wanted := by[those[i].Words]; wanted {
				by[those[i].Words] = append(same, those[i])
			}
		}
	}
	return by
}

// inherit returns the mark of a claim that the ledger does not know by its id and anchor,
// but by its words: that of the text which it still cites, otherwise that of the text which it
// cited, since the same words on another text are not yet confirmed. It is false where the
// claim is a new one, or is still made on its old source, with which nothing is wrong, and
// was given a further one.
func inherit(earlier []schema.RunClaim, c Cited, now map[Key]Found, cited func(source string) Cited) (m mark, known bool) {
	for i := range earlier {
		before := markOf(&earlier[i])
		if c.Span != "" && !before.isLost() && !before.seen(c).Stale {
			return before, true
		}
		if known {
			continue
		}
		_, stays := now[Key{earlier[i].Claim, earlier[i].Source}]
		then := cited(earlier[i].Source)
		if !stays || then.Span == "" || before.Stale || before.isLost() || before.seen(then).Stale {
			m, known = before, true
		}
	}
	return m, known
}

// next returns the mark in the ledger that follows of a claim whose mark was before; false
// for a claim that has nothing that it could rest on.
func next(before mark, known bool, f Found, c Cited) (m mark, rests bool) {
	m = before
	switch {
	case c.Span == "" && !known:
		return mark{}, false
	case c.Span == "":
		// What does not exist cannot be confirmed: the old mark counts when it is back.
		m.Stale = m.Stale && m.isLost()
	case !known, f.Confirmed && !m.Confirmed:
		m = mark{Span: c.Span, Confirmed: f.Confirmed}
	default:
		m = m.seen(c)
		m.Confirmed = f.Confirmed
	}
	m.Words = f.Words
	return m, true
}

// isLost reports a mark that does not say what the claim rested on.
func (m mark) isLost() bool { return m.Span == "" && m.File == "" }

// seen compares a mark with what is cited now. A source that is gone says nothing, and
// neither does a mark that is lost.
func (m mark) seen(c Cited) mark {
	switch {
	case c.Span == "", m.isLost():
	case m.Span != "":
		m.Stale = !c.is(m.Span)
	case m.File == c.File:
		m = mark{Words: m.Words, Span: c.Span, Confirmed: m.Confirmed} // known more finely from now on
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
