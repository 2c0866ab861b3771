package site

import (
	"cmp"
	"fmt"
	"slices"

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
