package templates

// write makes the page of a document, a wiki page or a view.
func (v Document) write(m *markup) {
	m.head(&v.Frame)
	m.raw("<div class=doc>\n<main id=s.main>\n")
	v.crumbs(m)
	v.meta(m)
	for _, n := range v.Notices {
		m.notice(n)
	}
	v.contents(m)
	m.raw("<article class=prose")
	if v.Splits != "" {
		m.attr("data-splits", v.Splits)
	}
	m.raw(">")
	if v.Heading != "" {
		m.raw("<h1>")
		m.text(v.Heading)
		m.raw("</h1>\n")
	}
	m.b = append(m.b, v.Body...) // escaped by the site's renderer
	m.raw("</article>\n")
	v.care(m)
	v.backlinks(m)
	v.turn(m)
	m.raw("</main>\n")
	v.branch(m)
	m.raw("</div>\n")
	m.foot(&v.Frame)
}

func (v *Document) crumbs(m *markup) {
	m.raw("<nav class=crumbs aria-label=Breadcrumb>")
	m.link(v.Pack.URL, v.Pack.Text)
	for _, l := range v.Trail {
		if l.URL != "" {
			m.link(l.URL, l.Text)
			continue
		}
		m.raw("<span>")
		m.text(l.Text)
		m.raw("</span>")
	}
	m.raw("</nav>\n")
}

// meta is the line of facts below the breadcrumb.
func (v *Document) meta(m *markup) {
	m.raw("<p class=meta>")
	if v.Status != "" {
		m.badge(v.Status)
		m.raw(" ")
	}
	m.raw("<span>")
	m.text(v.Kind)
	m.raw("</span>")
	if v.Tokens != 0 {
		m.raw("<span>")
		m.text(Count(v.Tokens))
		m.raw(" tokens</span>")
	}
	if v.Claims != 0 {
		m.link(v.ClaimURL, label(v.Claims, "claim"))
	}
	if v.Split.URL != "" {
		m.link(v.Split.URL, v.Split.Text)
	}
	if v.Markdown != "" {
		m.raw(`<a rel=alternate type="text/markdown"`)
		m.url("href", v.Markdown)
		m.raw(`>Markdown</a><button type=button class="quiet copy">Copy Markdown</button>`)
	}
	m.raw("</p>\n")
}

func (v *Document) contents(m *markup) {
	if len(v.Contents) == 0 {
		return
	}
	m.raw("<details class=toc><summary>On this page</summary><ul>")
	for _, h := range v.Contents {
		m.raw("<li")
		if h.Sub {
			m.raw(" class=sub")
		}
		m.raw("><a")
		m.attr("href", "#"+h.ID)
		m.raw(">")
		m.text(h.Text)
		m.raw("</a>")
	}
	m.raw("</ul></details>\n")
}

// care lists the claims that are not confirmed.
func (v *Document) care(m *markup) {
	if len(v.Care) == 0 {
		return
	}
	m.raw("<section class=care aria-labelledby=s.care><h2 id=s.care class=label>Claims to handle with care</h2><ul>")
	for _, c := range v.Care {
		m.raw("<li>")
		m.badge(c.Status)
		m.raw(" ")
		m.text(c.Text)
		m.raw("\n")
	}
	m.raw("</ul>")
	if v.MoreCare != 0 {
		m.raw("<p class=more>")
		m.link(v.ClaimURL, label(v.MoreCare, "more claim"))
		m.raw("</p>")
	}
	m.raw("</section>\n")
}

func (v *Document) backlinks(m *markup) {
	if len(v.Back) == 0 {
		return
	}
	m.raw("<section class=back><h2 class=label>Linked from</h2><ul>")
	for _, l := range v.Back {
		m.raw("<li>")
		m.link(l.URL, l.Text)
	}
	m.raw("</ul>")
	if v.MoreBack != 0 {
		m.raw("<p class=more>and ")
		m.text(label(v.MoreBack, "more page"))
		m.raw("</p>")
	}
	m.raw("</section>\n")
}

// turn leads to the page before and the page after.
func (v *Document) turn(m *markup) {
	if v.Prev.URL == "" && v.Next.URL == "" {
		return
	}
	step := func(rel string, l Link) {
		if l.URL == "" {
			return
		}
		m.raw("<a")
		m.attr("rel", rel)
		m.url("href", l.URL)
		m.raw(">")
		m.text(l.Text)
		m.raw("</a>")
	}
	m.raw("<nav class=turn aria-label=Turn>")
	step("prev", v.Prev)
	step("next", v.Next)
	m.raw("</nav>\n")
}

// branch is the folder that the page is in.
func (v *Document) branch(m *markup) {
	if v.Branch.All.URL == "" {
		return
	}
	m.raw("<nav class=side aria-label=Folder>")
	for _, l := range v.Branch.Up {
		m.raw("<p class=up>")
		m.place(l)
		m.raw("</p>")
	}
	m.raw("<ul>")
	for _, p := range v.Branch.Pages {
		m.raw("<li>")
		if p.Here {
			m.raw("<b>")
			m.text(p.Text)
			m.raw("</b>")
			continue
		}
		m.link(p.URL, p.Text)
	}
	m.raw("</ul><p class=more>")
	m.link(v.Branch.All.URL, v.Branch.All.Text)
	m.raw("</p></nav>\n")
}
