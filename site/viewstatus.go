package site

import (
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/templates"
)

// doubt is what a view was built on that is stale or disputed.
type doubt struct {
	status schema.Status // the worse of the two, "" when there is none
	files  []string      // the files concerned, in compile order
}

// named lists the files, the first few of them.
func (d *doubt) named() string {
	text := strings.Join(d.files[:min(len(d.files), maxDoubts)], ", ")
	if more := len(d.files) - maxDoubts; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// doubtOfView looks at the files a view was derived from.
func doubtOfView(ps *packSite, v *schema.View) doubt {
	return doubtsOf(&ps.res.SourceMap, v, func(name string) (schema.Status, []int32, bool) {
		n := ps.byPath[name]
		if n == nil {
			return "", nil, false
		}
		return n.unit.Doubt(), n.claims, true
	})
}

// doubtsOf looks at the files a view was derived from: at the status each has, and
// at those of its claims; of a list of facts at those of the claims it took over.
// Whoever reads a view must not treat it as settled when what it was built on is
// not (agent-knowledge section 14.1). Lookup returns the status of a file and which
// claims of the source map are its own.
func doubtsOf(m *schema.SourceMap, v *schema.View, lookup func(name string) (status schema.Status, claims []int32, ok bool)) doubt {
	var d doubt
	for _, name := range v.DerivedFrom {
		status, claims, ok := lookup(name)
		if !ok {
			continue
		}
		worst := status.Doubt()
		for _, i := range claims {
			c := &m.Claims[i]
			if v.Kind != "facts" || slices.Contains(c.CompiledInto, v.Path) {
				worst = schema.Worse(worst, c.Status)
			}
		}
		if worst != "" {
			d.status = schema.Worse(d.status, worst)
			d.files = append(d.files, name)
		}
	}
	return d
}

// maxDoubts is how many files the notice on a view names.
const maxDoubts = 5

// viewNotices are the warnings at the head of a view: what it was built on, then
// the status of the pack.
func viewNotices(ps *packSite, v *schema.View, out string) []templates.Notice {
	var list []templates.Notice
	if d := doubtOfView(ps, v); d.status != "" {
		list = append(list, templates.Notice{
			Kind: string(d.status), Title: "Built on " + string(d.status) + " material.", Text: "See " + d.named() + ".",
			URL: relative(out, ps.dir+"claims.html"), More: "Claims of the pack",
		})
	}
	status := ps.pack.Meta.Status
	if m, ok := meaningOf(status); ok {
		list = append(list, templates.Notice{
			Kind: string(status), Title: "The pack " + ps.name + " " + m.pack, Text: m.text,
			URL: relative(out, ps.dir+"index.html"), More: "About the pack",
		})
	}
	return list
}
