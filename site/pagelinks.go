package site

import (
	"cmp"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/templates"
)

// refBroken is the rule id of a link that leads nowhere. Compile reports them; the
// site reports links to files that exist and that it does not publish.
const refBroken = "ref-broken"

// linker writes the opening tags of the links on one page.
type linker struct {
	ps   *packSite
	from *node  // nil on pages that are not files of documents/ or wiki/
	file string // the Markdown file that the link is in
	out  string // the page
	deep bool   // in a page that another one embeds

	report func(list ...diag.Diagnostic) // takes what is wrong with a link
}

// open writes what takes the place of a placeholder.
func (l linker) open(w *templates.Markup, h article.Placeholder) {
	switch h.Kind {
	case article.Wiki:
		l.wiki(w, h)
	case article.Source:
		l.source(w, h)
	case article.Picture:
		h.Target = cmp.Or(l.ps.table.Resolve(l.file, h.Target).Path, h.Target)
		l.image(w, h)
	case article.Embed:
		l.embed(w, h)
	default:
		l.page(w, h)
	}
}

func (l linker) page(w *templates.Markup, h article.Placeholder) {
	url, why := l.target(h)
	if url == notHere {
		l.refused(h, "link")
	}
	openTag(w, url, why)
}

// openTag writes the opening tag of a link, or of one that leads nowhere.
func openTag(w *templates.Markup, url, why string) {
	switch {
	case why == "":
		w.Put("<a%[href]>", url)
	case url == notHere:
		w.Put("<a class=off%[title]>", why)
	default:
		w.Put("<a class=lost%[title]>", why)
	}
}

// notHere stands for the URL of a file that exists but is not published.
const notHere = "-"

// target returns the URL of a pack path seen from the page, or says why there
// is none.
func (l linker) target(h article.Placeholder) (url, why string) {
	ps := l.ps
	found := ps.table.Resolve(l.file, h.Target)
	if n := ps.byPath[found.Path]; n != nil {
		return l.anchor(n, h.Fragment)
	}
	name := strings.TrimSuffix(cmp.Or(found.Path, h.Target), "/")
	switch {
	case name == pack.EntryName, name == ".":
		return relative(l.out, ps.dir+"index.html"), ""
	case ps.hasFolder(name):
		return relative(l.out, ps.folders[name].out), ""
	case ps.view(name):
		return relative(l.out, ps.dir+htmlPath(name)), ""
	case ps.isPublished(name):
		return relative(l.out, ps.dir+name), ""
	case ps.pack.Has(name):
		return notHere, "Not published on this site"
	}
	return "", "No such file in this pack"
}

// hasFolder reports a folder with pages in it, or below it.
func (ps *packSite) hasFolder(name string) bool {
	return ps.folders[name] != nil
}

// anchor returns the URL of a page, with its fragment when the page has such an
// element. A wrong fragment makes the link a broken one: it would arrive at the
// top and say nothing.
func (l linker) anchor(n *node, fragment string) (url, why string) {
	if n.out != l.out || fragment == "" {
		url = relative(l.out, n.out)
	}
	if fragment == "" {
		return url, ""
	}
	id, ok := l.ps.fragment(n, fragment)
	switch {
	case !ok && strings.HasSuffix(n.path, ".mdx.md") && n.out != l.out: // a component may make the section
	case !ok:
		return "", "No such section on that page"
	case id != "":
		url += "#" + article.EscapeFragment(id)
	case url == "":
		url = relative(l.out, n.out)
	}
	return url, ""
}

// wiki writes the opening tag of [[…]], and the label of one that has a label.
func (l linker) wiki(w *templates.Markup, h article.Placeholder) {
	url, why := "", "No page of that name in this pack"
	switch n := l.from; {
	case h.Target == "" && n != nil:
		url, why = l.anchor(n, h.Fragment)
	case h.Target != "":
		label := h.Alt
		if h.Kind != article.Wiki {
			label = "" // it is about what is embedded
		}
		found, fragment, swapped := l.ps.table.Labelled(l.ps.names, l.file, h.Target, h.Fragment, label)
		if swapped {
			h.Alt = h.Target
		}
		if found.Path != "" {
			h.Target, h.Fragment = found.Path, fragment
			url, why = l.target(h)
		}
	}
	openTag(w, url, why)
	if h.Kind == article.Wiki {
		w.Literal([]byte(article.EmojiText(h.Alt)))
	}
}

// source writes the chip of a source anchor.
func (l linker) source(w *templates.Markup, h article.Placeholder) {
	url, lost := l.ps.sourceURL(l.out, h.Target, h.Fragment)
	if lost != "" {
		w.Raw(`<a class="src lost"`)
	} else {
		w.Raw(`<a class=src`)
	}
	switch {
	case url != "":
		w.Attr("href", url)
	case lost != "":
		w.Attr("title", lost)
	case strings.Count(h.Target, "/") > 1:
		w.Attr("title", h.Target) // the chip shows the file's name alone
	}
	w.Raw(">")
}

// sourceURL returns the URL of what an anchor names: a page of the pack, a
// file of sources/ where these are published, or else the page of the claims that rest on
// it. Lost says why it cannot exist.
func (ps *packSite) sourceURL(from, target, fragment string) (url, lost string) {
	if n := ps.byPath[target]; n != nil {
		url := relative(from, n.out)
		if id, ok := ps.fragment(n, fragment); ok && id != "" {
			url += "#" + article.EscapeFragment(id)
		}
		return url, ""
	}
	switch {
	case ps.isPublished(target):
		if url := ps.atSource(from, schema.ClaimSource{Path: target, Anchor: fragment}); url != "" {
			return url, ""
		}
		return relative(from, ps.dir+target), ""
	case target == "":
		return "", "Not an anchor to a file of this pack"
	case !ps.pack.Has(target):
		return "", "No such source in this pack"
	}
	return ps.atSource(from, schema.ClaimSource{Path: target, Anchor: fragment}), ""
}
