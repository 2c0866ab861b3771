package context

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/context/rank"
)

// leastPart is how many tokens must be left for a part of a file to be worth taking.
const leastPart = 60

// bestPart returns what fits a number of tokens of a file that does not: those of
// its leaf sections that fit the query best, in the order of the text; where not one
// of them fits, the start of the best. It is "" when too little is left.
func (p *picker) bestPart(u *unit, room int) string {
	if room < leastPart {
		return ""
	}
	leaves := leavesOf(u)
	hits := p.scorer.Score(strings.Join(p.asked, "\n"), leaves).Ranked(nil)
	order := make([]int, len(hits))
	for i, h := range hits {
		order[i] = h.Section
	}
	if len(order) == 0 {
		order = []int{0}
	}
	var kept []int
	left := room
	for _, i := range order {
		if tokens := token.Estimate(leaves[i].Text); tokens <= left {
			left -= tokens
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return cutText(leaves[order[0]].Text, room)
	}
	slices.Sort(kept)
	var b strings.Builder
	for _, i := range kept {
		b.WriteString(leaves[i].Text)
	}
	return b.String()
}

// leavesOf cuts a text at all of its headings. A heading with nothing of its own
// below it, or only tags such as an anchor, stays with the first section that it covers.
func leavesOf(u *unit) []rank.Section {
	starts := []int{0}
	decoded, ok := frontmatter.Decode([]byte(u.text))
	if ok && len(decoded) == len(u.text) {
		bare := 0 // where the run of headings without text begins
		for i, h := range markdown.Parse(u.path, decoded).Headings {
			if i == 0 || !onlyTags(u.text[bare:h.Start]) {
				starts = append(starts, h.Start)
			}
			bare = h.End
		}
	}
	starts = append(slices.Compact(starts), len(u.text))
	leaves := make([]rank.Section, len(starts)-1)
	for i := range leaves {
		text := u.text[starts[i]:starts[i+1]]
		line, _, _ := strings.Cut(text, "\n")
		leaves[i] = rank.Section{Path: u.path, Title: strings.TrimLeft(line, "# "), Text: text}
	}
	return leaves
}

// onlyTags reports a text of tags and blanks.
func onlyTags(text string) bool {
	for {
		before, tag, ok := strings.Cut(text, "<")
		if strings.TrimSpace(before) != "" {
			return false
		}
		if !ok {
			return true
		}
		if _, text, ok = strings.Cut(tag, ">"); !ok {
			return false
		}
	}
}
