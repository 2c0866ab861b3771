package article

import "github.com/packgen/packgen/compiler/diag"

// hero writes what a front page says in its front matter: its name, a sentence, its first
// links, and its features.
func (r *renderer) hero() {
	p := r.doc.FrontPage()
	if p == nil {
		return
	}
	r.heroText("<p><strong>", p.Name, "</strong>\n")
	r.heroText("<p>", p.Text, "\n")
	r.heroText("<p>", p.Tagline, "\n")
	if len(p.Links) > 0 {
		r.Raw("<ul>\n")
		for _, l := range p.Links {
			r.Raw("<li>")
			r.heroLink(l.Dest, l.Title)
			r.Raw("\n")
		}
		r.Raw("</ul>\n")
	}
	for _, part := range p.Parts {
		r.Raw("<p><strong>")
		r.heroLink(part.Dest, part.Title)
		r.Raw("</strong><br>\n")
		r.heroText("", part.About, "\n")
	}
}

// heroText writes a text, if it is not empty.
func (r *renderer) heroText(before, text, after string) {
	if text != "" {
		r.Raw(before)
		r.heroHTML(text)
		r.Raw(after)
	}
}

// heroLink writes a text, which is a link when it has an address.
func (r *renderer) heroLink(dest, text string) {
	if dest == "" || !r.openLink(cleanDest([]byte(dest)), "", 0) {
		r.heroHTML(text)
		return
	}
	r.inLink = true
	r.heroHTML(text)
	r.inLink = false
	r.Raw("</a>")
}

// heroHTML writes a text in which both systems read HTML.
func (r *renderer) heroHTML(text string) {
	r.apart(func() { r.html([]byte(diag.Clip(text, maxValue)), func(int) int { return 0 }, r.base) })
}
