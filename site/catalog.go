package site

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/site/page"
	"github.com/packgen/packgen/templates"
)

// addCatalog plans the start page, further pages of its list where the packs are many,
// and catalog.json.
func (b *build) addCatalog() {
	if len(b.packs) > 0 {
		b.add(b.putCatalog)
	}
	if b.opens() {
		return // the start page comes when that of the pack is there
	}
	for at := 1; at <= page.PagesFor(len(b.packs)); at++ {
		b.add(func() error { return b.putStart(at) })
	}
}

// putStart puts the start page, or a further page of its list.
func (b *build) putStart(at int) error {
	name := page.Numbered("index", at)
	front := b.frames.Of(name, b.opts.Title, cmp.Or(b.opts.Description, "Knowledge packs: "+b.opts.Title))
	if at == 1 {
		front.Feed = b.opts.feed()
	} else {
		front.Title = fmt.Sprintf("Packs, page %d · %s", at, b.opts.Title)
	}
	if f := b.alone(); f != nil {
		front.Onward = article.EscapePath(f.dir) + "index.html" // a list of one
	}
	v := templates.Catalog{
		Frame: front,
		Intro: b.opts.Description, Entries: b.in.Index.Entries, Average: b.in.Index.Average,
		HasMatch: b.in.Index.Entries > 0, Total: len(b.packs), Pager: page.Pager("index", at, len(b.packs)),
		Files: []templates.Link{
			{URL: "llms.txt", Text: "llms.txt"}, {URL: "llms-full.txt", Text: "llms-full.txt"},
			{URL: "index.json", Text: "index.json"}, {URL: "catalog.json", Text: "catalog.json"},
		},
	}
	if b.in.Report != nil {
		v.Report = reportPage
	}
	if len(b.packs) == 0 {
		v.Files = v.Files[:3]
	}
	if b.in.Index.LeftOut {
		v.Files = slices.DeleteFunc(v.Files, func(l templates.Link) bool { return l.Text == "index.json" })
	}
	for _, ps := range b.packs {
		v.Tokens += ps.said.Card.Tokens
		v.Splits += ps.said.Card.Splits
		v.Warnings += ps.said.Card.Warnings
	}
	for _, ps := range page.Window(b.packs, at) {
		v.Packs = append(v.Packs, ps.said.Card)
	}
	if at == 1 {
		for _, p := range b.roles {
			v.Roles = append(v.Roles, p.card())
		}
	}
	return b.render(name, v)
}

// cardOf is a pack in the catalog.
func cardOf(ps *model.Pack) templates.Card {
	m := &ps.Pack.Meta
	c := templates.Card{
		URL: ps.Dir + "index.html", Name: ps.Name, Description: m.Description, Type: m.Type,
		Profile: ps.Result.Index.Profile, Status: string(m.Status), Trust: m.Trust, Grounding: m.Grounding, Version: m.Version,
		Splits: len(ps.Result.Index.Splits), Pages: len(ps.Nodes), Claims: len(ps.Result.SourceMap.Claims),
		Tokens: ps.Result.Index.TotalTokenEstimate, Warnings: diag.Count(ps.Result.Diagnostics, diag.Warning),
	}
	if doubt := ps.Result.Run.Status.Doubt(); doubt != m.Status {
		c.Standing = string(doubt)
	}
	if ps.Result.Index.RuntimeMode == "persona" {
		c.Mode = "persona"
	}
	return c
}

// putCatalog writes catalog.json: the fields of agent-knowledge section 12.4.
// Archived packs are not in a catalog.
func (b *build) putCatalog() error {
	c := schema.Catalog{SchemaVersion: 1}
	for _, ps := range b.packs {
		m := &ps.pack.Meta
		if m.Status == schema.Archived {
			continue
		}
		e := schema.CatalogEntry{
			Name: m.Name, Description: m.Description, Type: m.Type, Status: m.Status, Profile: m.Profile,
			RuntimeMode: m.RuntimeMode, Version: m.Version, Language: m.Language, Trust: m.Trust,
			Grounding: m.Grounding, Scope: m.Scope, Compatibility: m.Compatibility,
			PrimaryDocument: m.PrimaryDocument, PrimaryOntology: m.PrimaryOntology, Location: ps.dir + pack.EntryName,
			Standing: string(ps.said.Status.Doubt()),
		}
		if p := m.ProducedBy; p != nil {
			e.ProducedBy = &schema.CatalogProducer{Kind: p.Kind, Name: p.Name, Version: p.Version, Digest: p.Digest}
		}
		c.Packs = append(c.Packs, e)
	}
	return b.putRecord("catalog.json", c)
}

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
