package page

import (
	"cmp"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// refBroken is the rule id of a link that leads nowhere. Compile reports them; the
// site reports links to files that exist and that it does not publish.
const refBroken = "ref-broken"

// linker writes the opening tags of the links on one page.
type linker struct {
	ps   *model.Pack
	from *model.Node // nil on pages that are not files of documents/ or wiki/
	file string      // the Markdown file that the link is in
	out  string      // the page
	deep bool        // in a page that another one embeds

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
		h.Target = cmp.Or(l.ps.Links.Table.Resolve(l.file, h.Target).Path, h.Target)
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
	found := ps.Links.Table.Resolve(l.file, h.Target)
	if n := ps.ByPath[found.Path]; n != nil {
		return l.anchor(n, h.Fragment)
	}
	name := strings.TrimSuffix(cmp.Or(found.Path, h.Target), "/")
	switch {
	case name == pack.EntryName, name == ".":
		return model.Relative(l.out, ps.Dir+"index.html"), ""
	case ps.HasFolder(name):
		return model.Relative(l.out, ps.Folders[name].Out), ""
	case ps.HasView(name):
		return model.Relative(l.out, ps.Dir+model.HTMLPath(name)), ""
	case ps.IsPublished(name):
		return model.Relative(l.out, ps.Dir+name), ""
	case ps.Pack.Has(name):
		return notHere, "Not published on this site"
	}
	return "", "No such file in this pack"
}

// anchor returns the URL of a page, with its fragment when the page has such an
// element. A wrong fragment makes the link a broken one: it would arrive at the
// top and say nothing.
func (l linker) anchor(n *model.Node, fragment string) (url, why string) {
	if n.Out != l.out || fragment == "" {
		url = model.Relative(l.out, n.Out)
	}
	if fragment == "" {
		return url, ""
	}
	id, ok := l.ps.FindID(n, fragment)
	switch {
	case !ok && strings.HasSuffix(n.Path, ".mdx.md") && n.Out != l.out: // a component may make the section
	case !ok:
		return "", "No such section on that page"
	case id != "":
		url += "#" + article.EscapeFragment(id)
	case url == "":
		url = model.Relative(l.out, n.Out)
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
		found, fragment, swapped := l.ps.Links.Table.Labelled(l.ps.Links.Names, l.file, h.Target, h.Fragment, label)
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
	url, lost := l.ps.SourceURL(l.out, h.Target, h.Fragment)
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
