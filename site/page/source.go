package page

import (
	"path"
	"strings"

	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// Source is a page of a source and of some claims that rest on it.
func Source(p *Pages, out, name string, claims []int32) templates.Source {
	base := path.Base(name)
	v := templates.Source{
		Frame: p.frame(out, base+" · "+p.Model.Name, "What "+p.Model.Name+" states on the word of "+base),
		Pack:  p.home(out), All: templates.Link{URL: model.Relative(out, p.Model.Dir+"claims.html"), Text: "claims"},
		Path: name, Rows: claimRows(p.Model, out, claims),
	}
	for i := range v.Rows {
		row := &v.Rows[i]
		row.ID = ""
		if fragment, ok := strings.CutPrefix(row.Source.Text, base+"#"); ok { // the title names the file
			row.Source.Text = "#" + fragment
		}
	}
	if p.Model.IsPublished(name) {
		v.Raw = model.Relative(out, p.Model.Dir+name)
	}
	return v
}
