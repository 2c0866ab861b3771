package site

import (
	"path"
	"strings"

	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// addSources plans a page for each source that claims rest on: its lines where sources are
// published, and the claims.
func (b *build) addSources(w *making) {
	for name, claims := range w.ps.Claims.Citing() {
		dir, stem := path.Split(strings.TrimSuffix(w.ps.SourcePage(name), ".html"))
		for at := 1; at <= pagesFor(len(claims)); at++ {
			w.plan(dir+numbered(stem, at), func(out string) (templates.View, error) {
				v := sourcePage(w.pages, out, name, window(claims, at))
				v.Total, v.Pager = len(claims), pager(stem, at, len(claims))
				if at == 1 {
					v.Lines = model.SourceLines(w.ps, name)
				}
				return v, nil
			})
		}
	}
}

// sourcePage is a page of a source and of some claims that rest on it.
func sourcePage(p *pageMaker, out, name string, claims []int32) templates.Source {
	base := path.Base(name)
	v := templates.Source{
		Frame: p.frame(out, base+" · "+p.ps.Name, "What "+p.ps.Name+" states on the word of "+base),
		Pack:  p.home(out), All: templates.Link{URL: model.Relative(out, p.ps.Dir+"claims.html"), Text: "claims"},
		Path: name, Rows: claimRows(p.ps, out, claims),
	}
	for i := range v.Rows {
		row := &v.Rows[i]
		row.ID = ""
		if fragment, ok := strings.CutPrefix(row.Source.Text, base+"#"); ok { // the title names the file
			row.Source.Text = "#" + fragment
		}
	}
	if p.ps.IsPublished(name) {
		v.Raw = model.Relative(out, p.ps.Dir+name)
	}
	return v
}
