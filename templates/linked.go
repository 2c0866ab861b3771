package templates

// Backlink is a page that links to another one, and the sentence that does, or "".
type Backlink struct {
	Link
	Said string
}

// linked writes pages that link to another one.
func (m *Markup) linked(rows []Backlink) {
	m.Raw("<ul>")
	for _, l := range rows {
		m.Put("<li><a%[href]>%s</a>", l.URL, l.Text)
		if l.Said != "" {
			m.Put("<p>%s", l.Said)
		}
	}
	m.Raw("</ul>")
}
