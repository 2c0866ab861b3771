package site

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/templates"
)

// putClaims is the action of a page that lists claims: around is the page without them,
// and fill adds their rows to it. A large pack has hundreds of such pages, of which an
// edit changes a few. When the key is known and the file is untouched, nothing is done.
func (ps *packSite) putClaims(out string, around any, claims []int32, fill func(rows []templates.ClaimRow) templates.View) error {
	key, s := ps.claimsKey(out, around, claims), ps.b.opts.Store
	if made, ok := s.Action(key); ok && key.Known() && len(made) == 1 && ps.keep(out, made[0]) {
		ps.b.pages.Add(1)
		return nil
	}
	rows := make([]templates.ClaimRow, len(claims))
	for i, at := range claims {
		rows[i] = ps.claimRow(out, at)
	}
	if err := ps.render(out, fill(rows)); err != nil {
		return err
	}
	if kept, ok := ps.b.sink.Sum(out); ok && key.Known() {
		s.SetAction(key, store.Result{kept.Sum})
	}
	return nil
}

// claimsKey returns the key of a page that lists claims: the unknown one where a row shows
// what it does not cover.
func (ps *packSite) claimsKey(out string, around any, claims []int32) store.Digest {
	text, err := json.Marshal(around)
	space, evidence := ps.linkSpace(), ps.evidence()
	if err != nil || !evidence.Known() {
		return store.Digest{}
	}
	w := store.NewWriter(256 * len(claims))
	for _, i := range claims {
		c := &ps.res.SourceMap.Claims[i]
		if packpath.IsDrawing(c.Source.Path) {
			return store.Digest{} // what is in it decides whether it is published
		}
		for _, field := range [...]string{c.ClaimID, c.Text, string(c.Status), c.Document, c.SectionID, c.Source.Path, c.Source.Anchor} {
			w.Str(field)
		}
		n := ps.byPath[c.Document]
		if w.Bool(n != nil); n != nil {
			w.Str(n.name())
			w.Bool(n.claims[0] == i)
		}
		w.Str(ps.spanOf(c))
		w.Str(ps.staleSince()[keyOf(c)])
		w.Str(ps.sectionTitles[[2]string{c.Document, c.SectionID}])
		for _, other := range ps.disputes()[i] {
			c := &ps.res.SourceMap.Claims[other]
			for _, field := range [...]string{c.Document, c.SectionID, c.Text} {
				w.Str(field)
			}
			if n := ps.byPath[c.Document]; n != nil {
				w.Str(n.name())
			}
		}
		w.Str("")
	}
	return store.Key("claims", compiler.Program(), out, string(space[:]), string(evidence[:]), string(text), w.Text())
}

// evidenceOf sums up what the rows of claims show of sources.
func (ps *packSite) evidenceOf() store.Digest {
	sums := make(map[string]string, len(ps.citing()))
	for _, in := range ps.res.Run.Inputs {
		if _, cited := ps.citing()[in.Path]; cited {
			sums[in.Path] = in.SHA256
		}
	}
	w := store.NewWriter(1 << 10)
	w.Bool(ps.b.opts.Excerpts)
	w.Str(ps.pack.Meta.License)
	for _, name := range slices.Sorted(maps.Keys(ps.citing())) {
		if sums[name] == "" {
			return store.Digest{}
		}
		w.Str(name)
		w.Str(sums[name])
	}
	return store.Sum(w.Bytes())
}
