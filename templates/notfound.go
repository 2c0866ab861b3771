package templates

// NotFound is the page that a server shows for an unknown address.
type NotFound struct {
	Frame
	Lost Inline // ours: what the page carries in itself, as it does Look, since it may not find the files of the site
}

func (NotFound) page() string { return "notfound" }

func (v NotFound) write(m *Markup) {
	scripts := v.Script
	v.First, v.Script = Inline{Sum: v.Lost.Sum}, nil // it loads the scripts
	m.head(&v.Frame)
	m.Raw("<main id=s.main class=\"wide lost\">\n<h1>No such page</h1>\n<p class=lede>It may have been renamed or taken out of its pack.</p>\n")
	m.Put("<p><a class=button%[href]>All packs</a> <a class=\"button quiet guess\"%[href]>Search</a></p>\n<div class=near></div>\n</main>\n", v.Root+"index.html", v.Root+"search.html")
	m.foot(&v.Frame)
	if len(v.Lost.Text) > 0 {
		m.Raw("<script")
		m.Attr("data-load", joined(v.Root, scripts))
		m.carried(v.Lost)
	}
}
