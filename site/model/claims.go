package model

import (
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
