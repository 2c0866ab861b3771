package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/schema"
)

// DoubtOf is the worse of what a page and its claims are: "stale", "disputed" or "".
func DoubtOf(ps *Pack, n *Node) schema.Status {
	worst := n.Unit.Doubt()
	for _, i := range n.Claims {
		worst = schema.Worse(worst, ps.Result.SourceMap.Claims[i].Status)
	}
	return worst
}

// Doubt is what a view was built on that is stale or disputed.
type Doubt struct {
	Status schema.Status // the worse of the two, "" when there is none
	files  []string      // the files concerned, in compile order
}

// Named lists the files, the first few of them.
func (d *Doubt) Named() string {
	text := strings.Join(d.files[:min(len(d.files), maxDoubts)], ", ")
	if more := len(d.files) - maxDoubts; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// ViewDoubt looks at the files a view was derived from.
func ViewDoubt(ps *Pack, v *schema.View) Doubt {
	return DoubtIn(&ps.Result.SourceMap, v, func(name string) (schema.Status, []int32, bool) {
		n := ps.ByPath[name]
		if n == nil {
			return "", nil, false
		}
		return n.Unit.Doubt(), n.Claims, true
	})
}

// DoubtIn looks at the files a view was derived from: at the status each has, and
// at those of its claims; of a list of facts at those of the claims it took over.
// Whoever reads a view must not treat it as settled when what it was built on is
// not (agent-knowledge section 14.1). Lookup returns the status of a file and which
// claims of the source map are its own.
func DoubtIn(m *schema.SourceMap, v *schema.View, lookup func(name string) (status schema.Status, claims []int32, ok bool)) Doubt {
	var d Doubt
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
			d.Status = schema.Worse(d.Status, worst)
			d.files = append(d.files, name)
		}
	}
	return d
}

// maxDoubts is how many files the notice on a view names.
const maxDoubts = 5
