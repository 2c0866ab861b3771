package site

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/article"
)

// linkTags is the action of the links of a page: it returns the digest of their opening
// tags. Where they lead follows from the article and from what pages link to each other
// by, so that the links of a page are not looked up again because another one has other
// text. Looking them up finds those that lead nowhere.
func (ps *packSite) linkTags(page *pageBuffer, n *node) (store.Digest, error) {
	s := ps.b.opts.Store
	space, facts := ps.linkSpace(), ps.res.PartSum(n.unit, contributorName)
	key := store.Key("links", compiler.Program(), n.path, string(space[:]), string(facts[:]))
	if tags, ok := s.Action(key); ok && len(tags) == 1 {
		return tags[0], nil
	}
	placeholders, err := ps.placeholders(n)
	if err != nil {
		return store.Digest{}, err
	}
	page.body.B = page.body.B[:0]
	l := linker{ps: ps, from: n, file: n.path, out: n.out}
	for _, h := range placeholders {
		l.open(&page.body, h)
		page.body.B = append(page.body.B, article.Mark)
	}
	tags := store.Sum(page.body.B)
	if !slices.ContainsFunc(placeholders, needsMore) {
		s.SetAction(key, store.Result{tags})
	}
	return tags, nil
}

// needsMore reports a placeholder that takes more to fill than names and places: the
// content of a picture or of another page, or what a compile has written.
func needsMore(h article.Placeholder) bool {
	if h.Kind == article.Picture || h.Kind == article.Embed {
		return true
	}
	target := strings.ToLower(h.Target)
	return packpath.IsDrawing(target) || strings.Contains(target, "compiled") || strings.Contains(target, "indexes") || strings.Contains(target, "runs")
}

// linkSpaceOf sums up all that links can lead to: the files of the pack, the names and
// places of its pages, its splits and views, the sources that are cited.
func (ps *packSite) linkSpaceOf() (sum store.Digest) {
	hash, w := sha256.New(), store.NewWriter(1<<16)
	flush := func() {
		hash.Write(w.Bytes())
		w.Reset()
	}
	w.Bool(ps.b.opts.PublishSources)
	for _, f := range ps.pack.Files {
		if !pack.LayerOf(f.Path).IsOutput() {
			w.Str(f.Path)
		}
	}
	for _, n := range ps.nodes {
		flush()
		w.Str(n.path)
		w.Str(n.unit.Title)
		w.Strs(n.unit.Aliases)
		w.Strs(n.unit.Addresses)
		w.Strs(n.unit.Targets)
		w.Uint(len(n.unit.Headings))
		for _, h := range n.unit.Headings {
			w.Str(h.ID)
		}
		w.Uint(len(n.page.splits))
		for _, i := range n.splits {
			w.Str(ps.splitAt(i).SectionID)
			w.Str(ps.splitAt(i).Path)
		}
	}
	flush()
	w.Strs(slices.Sorted(maps.Keys(ps.views)))
	w.Strs(slices.Sorted(maps.Keys(ps.withheld)))
	for _, name := range slices.Sorted(maps.Keys(ps.citing())) {
		w.Str(name)
		w.Uint(ps.sourceLength(name))
	}
	flush()
	hash.Sum(sum[:0])
	return sum
}
