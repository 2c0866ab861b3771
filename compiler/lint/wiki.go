package lint

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/prose"
	"github.com/packgen/packgen/compiler/schema"
)

// isCatalogue reports the two pages that list others and are not pages of their
// own (agent-knowledge section 6.4).
func isCatalogue(name string) bool { return name == "wiki/index.md" || name == "wiki/log.md" }

// isEntry reports a wiki page about one thing: not the catalogue, nor a record of
// a source, a contradiction or a question.
func (p *page) isEntry() bool {
	if !strings.HasPrefix(p.path, "wiki/") || isCatalogue(p.path) || p.status == schema.Archived {
		return false
	}
	dir, _, _ := strings.Cut(strings.TrimPrefix(p.path, "wiki/"), "/")
	return dir != "sources" && dir != "contradictions" && dir != "open-questions"
}

// keys returns the names a page is known by.
func (p *page) keys() []string {
	keys := []string{pageKey(p.title)}
	for _, a := range p.aliases {
		keys = append(keys, pageKey(a))
	}
	return keys
}

// namePages notes the names of all pages.
func (r *run) namePages() {
	r.names = map[string]*page{}
	for _, p := range r.pages {
		for _, key := range append(p.keys(), pageKey(path.Base(p.path)), pageKey(p.path), pageKey(strings.TrimPrefix(p.path, "wiki/"))) {
			if other, taken := r.names[key]; taken && other != p {
				r.names[key] = nil
				continue
			}
			r.names[key] = p
		}
	}
}

// named reports whether one or more pages have a name.
func (r *run) named(key string) bool {
	_, ok := r.names[key]
	return ok
}

// checkPages checks the links between pages.
func (r *run) checkPages() {
	r.checkOrphans()
	r.checkDuplicates()
	r.checkConcepts()
}

// checkOrphans reports wiki pages that no other file leads to.
func (r *run) checkOrphans() {
	for _, p := range slices.Concat([]*page{r.guide}, r.views, r.pages) {
		if strings.HasPrefix(p.path, "compiled/") && r.generated[p.path] {
			continue
		}
		for _, l := range p.links {
			if to := r.target(l); to != nil && to != p {
				to.inbound++
				p.outbound++
			}
		}
	}
	var orphans []*page
	pages := 0
	for _, p := range r.pages {
		if !strings.HasPrefix(p.path, "wiki/") || isCatalogue(p.path) || p.status == schema.Archived {
			continue
		}
		if pages++; p.inbound == 0 {
			orphans = append(orphans, p)
		}
	}
	if n := len(orphans); n == pages && n > fewPages {
		r.raise(idPageOrphan, pack.EntryName, 0, 0, fmt.Sprintf("none of the %d wiki pages is linked to by a path inside the pack", n),
			"list the pages in wiki/index.md, with relative links")
		return
	}
	for _, p := range orphans {
		r.raise(idPageOrphan, p.path, p.line, p.column, fmt.Sprintf("no page links to %q", quoted(p.title)),
			"link to it from wiki/index.md or a page it belongs to")
	}
}

// fewPages is how many pages a wiki may have that links nowhere before one
// finding stands for all.
const fewPages = 10

// checkDuplicates reports pages that are known by a name of an earlier page.
func (r *run) checkDuplicates() {
	first := map[string]*page{}
	for _, p := range r.pages {
		if !p.isEntry() {
			continue
		}
		for _, key := range p.keys() {
			other := first[key]
			if other == nil {
				first[key] = p
				continue
			}
			if other != p {
				r.raise(idEntityDuplicate, p.path, p.line, p.column, fmt.Sprintf("the page has the name %q, as %s has", key, other.path),
					"merge the pages, or give them names that tell them apart")
				break
			}
		}
	}
}

// How many pages must link to a term, or set it in bold, before it is missed.
const (
	manyLinks = 3
	manyBold  = 5
)

// checkConcepts reports terms that many wiki pages use and none explains.
func (r *run) checkConcepts() {
	type use struct {
		pages, last int
		at          *page
		first       reference
	}
	uses := map[string]*use{}
	var order []string
	count := func(i int, p *page, key string, l reference) {
		u := uses[key]
		if u == nil {
			u = &use{last: -1, at: p, first: l}
			uses[key] = u
			order = append(order, key)
		}
		if u.last != i {
			u.pages++
			u.last = i
		}
	}
	for i, p := range r.pages {
		if !strings.HasPrefix(p.path, "wiki/") {
			continue
		}
		for _, l := range p.links {
			switch {
			case l.kind == wikiLink && !r.named(l.target), l.kind == markdownLink && strings.HasPrefix(l.target, "wiki/") && strings.HasSuffix(l.target, ".md") && !r.exists(l.target):
				count(i, p, "l"+l.target, l)
			}
		}
		for _, l := range p.terms {
			if !r.named(l.target) {
				count(i, p, "b"+l.target, l)
			}
		}
	}
	for _, key := range order {
		u := uses[key]
		if least := map[byte]int{'l': manyLinks, 'b': manyBold}[key[0]]; u.pages < least {
			continue
		}
		how := "link to"
		if key[0] == 'b' {
			how = "set in bold"
		}
		r.raise(idConceptMissing, u.at.path, u.first.line, u.first.column, fmt.Sprintf("%d pages %s %q, which has no page", u.pages, how, quoted(u.first.written)),
			"write a page for it, or add it to the aliases of one")
	}
}

// titleNode is a node of the tree of page titles, word by word.
type titleNode struct {
	next   map[string]*titleNode
	page   *page  // whose title ends here
	exact  string // for a title of one word: how it must be written
	banned bool   // two pages have this title
}

// Limits of the search for mentions.
const (
	maxTitleWords = 8  // longer titles are not looked for
	leastTitle    = 5  // letters of a title of one word
	maxMentions   = 10 // findings of one page
)

// titles builds the tree of the titles that are looked for.
func (r *run) titles() *titleNode {
	root := &titleNode{}
	for _, p := range r.pages {
		if !p.isEntry() || !p.titled {
			continue
		}
		words := strings.Fields(FoldText(p.title))
		if len(words) == 0 || len(words) > maxTitleWords || len(words) == 1 && (len(words[0]) < leastTitle || p.title == strings.ToLower(p.title)) {
			continue
		}
		at := root
		for _, w := range words {
			if at.next == nil {
				at.next = map[string]*titleNode{}
			}
			if at.next[w] == nil {
				at.next[w] = &titleNode{}
			}
			at = at.next[w]
		}
		at.banned = at.page != nil
		at.page = p
		if len(words) == 1 {
			at.exact = p.title
		}
	}
	return root
}

// findMentions reads the wiki pages again, since all titles are known only now,
// and reports those that name another page without any link to it.
func (r *run) findMentions(ctx context.Context) error {
	root := r.titles()
	for _, p := range r.pages {
		if !p.isEntry() || root.next == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		text, ok, err := readText(r.pack, p.path)
		if err != nil {
			return err
		}
		if ok && len(text) == p.size {
			r.mentions(p, text, root)
		}
		p.linked = nil
	}
	return nil
}

// mentions reports the first mention of each title in one page.
func (r *run) mentions(p *page, text []byte, root *titleNode) {
	done := map[*page]bool{p: true}
	for _, l := range p.links {
		if to := r.target(l); to != nil {
			done[to] = true
		}
	}
	p.linked = sortSpans(p.linked)
	at := placer{text: text, line: 1}
	found := 0
	for i := prose.FrontMatterEnd(text); i < len(text) && found < maxMentions; {
		if s, ok := p.linked.Find(i); ok {
			i = s.End
			continue
		}
		if !startsWord(text, i) {
			i++
			continue
		}
		to, end := longestTitle(text, i, root)
		if to == nil {
			i = wordRunEnd(text, i)
			continue
		}
		if !done[to] {
			done[to] = true
			found++
			line, column := at.place(i)
			r.raise(idCrossrefMissing, p.path, line, column, fmt.Sprintf("the page names %q and does not link to %s", quoted(to.title), to.path), "make the first mention a link")
		}
		i = end
	}
}
