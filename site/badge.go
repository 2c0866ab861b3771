package site

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// badgeColours are those of statuses; any other is grey.
var badgeColours = map[schema.Status]string{
	schema.Ready: "#17613f", schema.NeedsReview: "#7c4a03", schema.Stale: "#7c4a03", schema.Disputed: "#9b2318", schema.Failed: "#9b2318",
}

// badgeLetter is about the width of a letter of a badge, in pixels.
const badgeLetter = 7

// putBadge makes badge.svg: the status of the pack, how many of its claims cite a source,
// and the day of the last compile.
func putBadge(w *making) error {
	status := cmp.Or(w.facts.said.Card.Standing, w.facts.said.Card.Status, "no status")
	cited := 0
	for _, c := range w.ps.Result.SourceMap.Claims {
		if c.Source.Path != "" {
			cited++
		}
	}
	parts := []string{strings.ReplaceAll(status, "-", " "), strconv.Itoa(cited) + " of " + amount.Counted(len(w.ps.Result.SourceMap.Claims), "claim") + " cited"}
	if day := compileDay(path.Base(model.NewestRun(w.ps.Result))); day != "" {
		parts = append(parts, day)
	}
	text := strings.Join(parts, " · ")
	width := func(s string) int { return badgeLetter*len([]rune(s)) + 14 }
	left, right := width(w.ps.Name), width(text)
	escape := func(s string) string { return string(templates.AppendText(nil, strings.ReplaceAll(s, `"`, "'"))) }
	name := escape(w.ps.Name)
	text = escape(text)
	svg := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="20" role="img" aria-label="%s: %s"><title>%[2]s: %[3]s</title>`+
		`<rect width="%[1]d" height="20" rx="3" fill="#4d4a42"/><rect x="%[4]d" width="%[5]d" height="20" rx="3" fill="%[6]s"/>`+
		`<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">`+
		`<text x="%[7]d" y="14" textLength="%[8]d">%[2]s</text><text x="%[9]d" y="14" textLength="%[10]d">%[3]s</text></g></svg>`+"\n",
		left+right, name, text, left, right, cmp.Or(badgeColours[schema.Status(status)], "#4d5561"), left/2, left-14, left+right/2, right-14)
	return w.put(w.ps.Dir+"badge.svg", []byte(svg))
}

// compileDay returns the day of a run by the name of its record: "2026-06-01", or "".
func compileDay(name string) string {
	day, _, found := strings.Cut(strings.TrimPrefix(name, "compile-"), "T")
	if !found || len(day) != len("2026-06-01") {
		return ""
	}
	return day
}
