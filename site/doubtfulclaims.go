package site

import (
	"strings"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/templates"
)

// maxAgainst is how many other claims the row of a disputed one names.
const maxAgainst = 3

// claimKey names a claim as the records of runs do: by the hash of its text and its source.
type claimKey struct {
	id     string
	source schema.ClaimSource
}

func keyOf(c *schema.Claim) claimKey {
	return claimKey{c.ClaimID[:min(len(c.ClaimID), claimIDLen)], c.Source}
}

// staleSinceOf returns for each stale claim the day of the run that first found it so, as
// far as the newest records know.
func (ps *packSite) staleSinceOf() map[claimKey]string {
	open, since := map[claimKey]bool{}, map[claimKey]string{}
	for i := range ps.res.SourceMap.Claims {
		if c := &ps.res.SourceMap.Claims[i]; c.Status == schema.Stale {
			open[keyOf(c)] = true
		}
	}
	runs := ps.res.Runs()
	for i, name := range runs[:min(len(runs), comparedRuns+1)] {
		if len(open) == 0 {
			return since
		}
		row, ok, err := ps.history.row(name, true)
		day := dayOfRun(row.ID)
		if err != nil || !ok || day == "" {
			break
		}
		stale := make(map[claimKey]bool, len(row.Stale))
		for _, c := range row.Stale {
			stale[claimKey{c.ID, compiler.SourceOf(c.Source)}] = true
		}
		for k := range open {
			if !stale[k] {
				delete(open, k)
			} else if since[k] = day; i == comparedRuns {
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
func (ps *packSite) disputesOf() map[int32][]int32 {
	claims := ps.res.SourceMap.Claims
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
		id := keyOf(c).id
		byText[id] = append(byText[id], int32(i))
		if c.Source.Anchor != "" {
			byPlace[c.Source] = append(byPlace[c.Source], int32(i))
		}
	}
	against := map[int32][]int32{}
	for _, i := range disputed {
		c := &claims[i]
		seen := map[[2]string]bool{{c.Document, c.Text}: true}
		for _, list := range [][]int32{byText[keyOf(c).id], byPlace[c.Source]} {
			for _, other := range list {
				what := [2]string{claims[other].Document, claims[other].Text}
				if seen[what] || ps.withheld[claims[other].Document] {
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

// against shows what a disputed claim is disputed with.
func against(ps *packSite, out string, i int32) []templates.Against {
	var list []templates.Against
	for _, other := range ps.disputes()[i] {
		c := &ps.res.SourceMap.Claims[other]
		a := templates.Against{Place: templates.Link{Text: c.Document}}
		if n := ps.byPath[c.Document]; n != nil {
			a.Place = templates.Link{URL: ps.section(out, n, c.SectionID), Text: n.name()}
		}
		if c.Text != ps.res.SourceMap.Claims[i].Text {
			a.Text = oneLine(c.Text, 240)
		}
		list = append(list, a)
	}
	return list
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
