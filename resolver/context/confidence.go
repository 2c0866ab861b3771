package context

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/context/rank"
)

// Confidence says whether a selection answers the query as a whole.
type Confidence string

// The two confidences. What an uncertain selection lacks is listed under missing.
const (
	Sure      Confidence = "sure"
	Uncertain Confidence = "uncertain"
)

// maxUnanswered is how much of a query without an answer is repeated under
// missing, in bytes.
const maxUnanswered = 400

// judge says how far what was kept of a pack answers the query, together with what was
// kept of those that were ranked with it and are of its kind. Words that say what the packs
// are about need not be in it.
func (c *choice) judge(list []*choice, about rank.WordSet) rank.Judgement {
	peers := slices.DeleteFunc(slices.Clone(list), func(o *choice) bool {
		return o.picker == nil || o.field != c.field || o.outdated != c.outdated || o.isPersona() != c.isPersona()
	})
	var selected []int
	for _, o := range peers {
		place := o.places()
		for _, k := range o.kept {
			if i := place(k.unit); i >= 0 && strings.HasPrefix(k.reason, reasonMatch) {
				selected = append(selected, o.at.From+i)
			}
		}
	}
	keep := func(i int) bool {
		return slices.ContainsFunc(peers, func(o *choice) bool { return o.at.Has(i) })
	}
	judged := make([]rank.Judgement, len(c.field.rankings))
	for i, r := range c.field.rankings {
		judged[i] = r.Judge(selected, keep)
	}
	j := rank.JudgeTogether(judged)
	known := func(word string) bool {
		return !slices.ContainsFunc(rank.Words(word), func(w string) bool { return !about[w] })
	}
	j.Names, j.Rare = slices.DeleteFunc(j.Names, known), slices.DeleteFunc(j.Rare, known)
	return j
}

// places returns a function that finds the place of a unit in the pool, -1 for any other.
func (p *picker) places() func(*unit) int {
	if p.snap != nil {
		return func(u *unit) int {
			if u.kind != split {
				return -1
			}
			return u.order - 1
		}
	}
	at := make(map[string]int, p.pool.len())
	for i, u := range all(p.pool) {
		at[u.path] = i
	}
	return func(u *unit) int {
		if i, ok := at[u.path]; ok {
			return i
		}
		return -1
	}
}

// confidenceOf is sure when one data pack answers the query. A persona is asked for its
// voice, not for facts: alone it is sure of that, unless nobody named it and the query has
// names or rare words that it does not hold. A pack is not sure of a text that its
// document does not hold, nor of any while it is not known which of its claims are stale.
func confidenceOf(list []*choice) Confidence {
	data, personas := false, false
	for _, c := range list {
		switch {
		case c.picker == nil:
		case c.outdated:
			data = true
		case c.isPersona() && (c.Activation != ResolverDriven || len(c.result.judgement.Names)+len(c.result.judgement.Rare) == 0):
			personas = true
		case c.result.judgement.Sure():
			return Sure
		default:
			data = true
		}
	}
	if personas && !data {
		return Sure
	}
	return Uncertain
}

// lacking lists what the data packs have no answer for. Where none is sure: names and
// rare words of the query that the selection does not hold, otherwise the query. Where one
// is: the parts of the query that it leaves open.
func lacking(list []*choice) []string {
	var judged []rank.Judgement
	for _, c := range list {
		if c.picker != nil && c.meta.EffectiveMode() != pack.ModePersona {
			judged = append(judged, c.result.judgement)
		}
	}
	sure := slices.ContainsFunc(judged, rank.Judgement.Sure)
	var lacking []string
	for _, j := range judged {
		switch {
		case sure && !j.Sure():
		case !sure && j.Score > 0 && len(j.Names)+len(j.Rare) > 0:
			lacking = append(append(lacking, j.Names...), j.Rare...)
		default:
			lacking = append(lacking, j.Without...)
		}
	}
	for i, phrase := range lacking {
		if len(phrase) > maxUnanswered {
			lacking[i] = strings.ToValidUTF8(phrase[:maxUnanswered], "") + "…"
		}
	}
	return lacking
}
