package site

import (
	"encoding/json"
	"fmt"

	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/templates"
)

// indexFacts is what pages say about the loadout index. It is read from the
// published bytes, so that the pages and the index cannot disagree.
type indexFacts struct {
	Entries int
	Tokens  int
	Average int // of an entry that a task loads
	Sum     string
}

func readIndexFacts(text, binary []byte) (indexFacts, error) {
	var f indexFacts
	if len(text) == 0 {
		return f, nil
	}
	var index struct {
		Entries []struct {
			Tokens float64 `json:"tokens_est"`
		} `json:"entries"`
		Budget struct {
			Always   float64 `json:"always_loaded_est"`
			OnDemand float64 `json:"on_demand_total_est"`
			Average  float64 `json:"avg_task_load_est"`
		} `json:"budget"`
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return f, fmt.Errorf("read the loadout index: %w", err)
	}
	f.Entries = len(index.Entries)
	f.Tokens = int(index.Budget.Always + index.Budget.OnDemand)
	f.Average = int(index.Budget.Average)
	f.Sum = digest(binary)
	return f, nil
}

// addCatalog plans the start page and catalog.json.
func (b *build) addCatalog() {
	b.add(func() error {
		v := templates.Catalog{
			Frame: b.frame("index.html", b.opts.Title, b.opts.Description),
			Intro: b.opts.Description, Entries: b.index.Entries, Average: b.index.Average,
			HasMatch: b.index.Entries > 0,
			Files: []templates.Link{
				{URL: "llms.txt", Text: "llms.txt"}, {URL: "llms-full.txt", Text: "llms-full.txt"},
				{URL: "index.json", Text: "index.json"}, {URL: "catalog.json", Text: "catalog.json"},
			},
		}
		for _, ps := range b.packs {
			v.Tokens += ps.res.Index.TotalTokenEstimate
			v.Splits += len(ps.res.Index.Splits)
		}
		if len(b.packs) == 0 {
			v.Files = v.Files[:3]
		}
		for _, ps := range b.packs {
			v.Packs = append(v.Packs, ps.card())
			v.Warnings += ps.warnings()
		}
		for _, p := range b.roles {
			v.Roles = append(v.Roles, p.card())
		}
		return b.render("index.html", v)
	})
	if len(b.packs) > 0 {
		b.add(b.putCatalog)
	}
}

// card is a pack in the catalog.
func (ps *packSite) card() templates.Card {
	m := &ps.pack.Meta
	c := templates.Card{
		URL: ps.dir + "index.html", Name: ps.name, Description: m.Description, Type: m.Type,
		Profile: ps.res.Index.Profile, Status: m.Status, Trust: m.Trust, Grounding: m.Grounding, Version: m.Version,
		Splits: len(ps.res.Index.Splits), Pages: len(ps.nodes), Claims: len(ps.res.SourceMap.Claims),
		Tokens: ps.res.Index.TotalTokenEstimate, Warnings: ps.warnings(),
	}
	if ps.res.Index.RuntimeMode == "persona" {
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
		if m.Status == "archived" {
			continue
		}
		e := schema.CatalogEntry{
			Name: m.Name, Description: m.Description, Type: m.Type, Status: m.Status, Profile: m.Profile,
			RuntimeMode: m.RuntimeMode, Version: m.Version, Language: m.Language, Trust: m.Trust,
			Grounding: m.Grounding, Scope: m.Scope, Compatibility: m.Compatibility,
			PrimaryDocument: m.PrimaryDocument, PrimaryOntology: m.PrimaryOntology, Location: ps.dir + "KNOWLEDGE.md",
		}
		if p := m.ProducedBy; p != nil {
			e.ProducedBy = &schema.CatalogProducer{Kind: p.Kind, Name: p.Name, Version: p.Version, Digest: p.Digest}
		}
		c.Packs = append(c.Packs, e)
	}
	return b.putRecord("catalog.json", c)
}
