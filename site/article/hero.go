package article

import "github.com/packgen/packgen/compiler/diag"

// writeHero writes what a front page says in its front matter: its name, a sentence, its first
// links, and its features.
func writeHero(r *renderer) {
	p := r.doc.FrontPage()
	if p == nil {
		return
	}
	writeHeroText(r, "<p><strong>", p.Name, "</strong>\n")
	writeHeroText(r, "<p>", p.Text, "\n")
	writeHeroText(r, "<p>", p.Tagline, "\n")
	if len(p.Links) > 0 {
		r.Raw("<ul>\n")
		for _, l := range p.Links {
			r.Raw("<li>")
			writeHeroLink(r, l.Dest, l.Title)
			r.Raw("\n")
		}
		r.Raw("</ul>\n")
	}
	for _, part := range p.Parts {
		r.Raw("<p><strong>")
		writeHeroLink(r, part.Dest, part.Title)
		r.Raw("</strong><br>\n")
		writeHeroText(r, "", part.About, "\n")
	}
}

// writeHeroText writes a text, if it is not empty.
func writeHeroText(r *renderer, before, text, after string) {
	if text != "" {
		r.Raw(before)
		writeHeroHTML(r, text)
		r.Raw(after)
	}
}

// writeHeroLink writes a text, which is a link when it has an address.
func writeHeroLink(r *renderer, dest, text string) {
	if dest == "" || !openLink(r, cleanDest([]byte(dest)), "", 0) {
		writeHeroHTML(r, text)
		return
	}
	r.inLink = true
	writeHeroHTML(r, text)
	r.inLink = false
	r.Raw("</a>")
}

// writeHeroHTML writes a text in which both systems read HTML.
func writeHeroHTML(r *renderer, text string) {
	r.apart(func() { writeHTML(r, []byte(diag.Clip(text, maxValue)), func(int) int { return 0 }) })
}
