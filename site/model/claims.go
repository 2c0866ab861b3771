package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/schema"
)

// maxAgainst is how many other claims the row of a disputed one names.
const maxAgainst = 3

// ClaimKey names a claim as the records of runs do: by the hash of its text and its source.
type ClaimKey struct {
	id     string
	source schema.ClaimSource
}

// KeyOf returns the key of a claim.
func KeyOf(c *schema.Claim) ClaimKey {
	return ClaimKey{c.ClaimID[:min(len(c.ClaimID), claimIDLen)], c.Source}
}

// staleSinceOf returns for each stale claim the day of the run that first found it so, as
// far as the newest records know.
func staleSinceOf(ps *Pack) map[ClaimKey]string {
	open, since := map[ClaimKey]bool{}, map[ClaimKey]string{}
	for i := range ps.Result.SourceMap.Claims {
		if c := &ps.Result.SourceMap.Claims[i]; c.Status == schema.Stale {
			open[KeyOf(c)] = true
		}
	}
	runs := ps.Result.Runs()
	for i, name := range runs[:min(len(runs), ComparedRuns+1)] {
		if len(open) == 0 {
			return since
		}
		row, ok, err := ps.History.Run(name, true)
		day := dayOfRun(row.Row.ID)
		if err != nil || !ok || day == "" {
			break
		}
		stale := make(map[ClaimKey]bool, len(row.Row.Stale))
		for _, c := range row.Row.Stale {
			stale[ClaimKey{c.ID, compiler.SourceOf(c.Source)}] = true
		}
		for k := range open {
			if !stale[k] {
				delete(open, k)
			} else if since[k] = day; i == ComparedRuns {
				since[k] += " or before"
			}
		}
	}
	return since
}

// dayOfRun returns the day of a run, of its id; "" when the id is another tool's.
func dayOfRun(run string) string {
	day, _, _ := strings.Cut(strings.TrimPrefix(run, "compile-"), "T")
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return ""
	}
	return day
}

// disputesOf returns for each disputed claim the others that say the same on another page,
// or rest on the same lines: what it is disputed with.
func disputesOf(ps *Pack) map[int32][]int32 {
	claims := ps.Result.SourceMap.Claims
	var disputed []int32
	for i := range claims {
		if claims[i].Status == schema.Disputed {
			disputed = append(disputed, int32(i))
		}
	}
	if len(disputed) == 0 {
		return nil
	}
	byText, byPlace := map[string][]int32{}, map[schema.ClaimSource][]int32{}
	for i := range claims {
		c := &claims[i]
		id := KeyOf(c).id
		byText[id] = append(byText[id], int32(i))
		if c.Source.Anchor != "" {
			byPlace[c.Source] = append(byPlace[c.Source], int32(i))
		}
	}
	against := map[int32][]int32{}
	for _, i := range disputed {
		c := &claims[i]
		seen := map[[2]string]bool{{c.Document, c.Text}: true}
		for _, list := range [][]int32{byText[KeyOf(c).id], byPlace[c.Source]} {
			for _, other := range list {
				what := [2]string{claims[other].Document, claims[other].Text}
				if seen[what] || ps.Outputs.Withheld[claims[other].Document] {
					continue
				}
				if seen[what] = true; len(against[i]) == maxAgainst {
					break
				}
				against[i] = append(against[i], other)
			}
		}
	}
	return against
}

// titlesOfClaims returns the titles of the sections that state claims.
func titlesOfClaims(m *schema.SourceMap) map[[2]string]string {
	titles := map[[2]string]string{}
	for _, c := range m.Claims {
		titles[[2]string{c.Document, c.SectionID}] = ""
	}
	for _, s := range m.DocumentSections {
		if k := [2]string{s.Document, s.SectionID}; s.SectionID != "" {
			if _, states := titles[k]; states {
				titles[k] = s.Title
			}
		}
	}
	return titles
}

// claimIDLen is the length of the id of a claim without a number.
const claimIDLen = len("clm-") + 12

// ClaimOf returns the place of a claim in the source map, by its id without a number.
func ClaimOf(ps *Pack, id string) (int32, bool) {
	i, ok := ps.Claims.ids()[id]
	return i, ok
}

func claimIDsOf(ps *Pack) map[string]int32 {
	ids := make(map[string]int32, len(ps.Result.SourceMap.Claims))
	for i, c := range ps.Result.SourceMap.Claims {
		id := c.ClaimID[:min(len(c.ClaimID), claimIDLen)]
		if _, known := ids[id]; !known {
			ids[id] = int32(i)
		}
	}
	return ids
}

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
