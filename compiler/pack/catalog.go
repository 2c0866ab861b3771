package pack

import (
	"slices"

	"github.com/packgen/packgen/compiler/schema"
)

// CatalogEntry returns what a catalog says of the pack (agent-knowledge section
// 12.4): declared values of the named keys, no body. location is the path of
// its KNOWLEDGE.md as the consumer sees it, "" to leave it out.
func (p *Pack) CatalogEntry(location string) schema.CatalogEntry {
	k := &p.Meta
	e := schema.CatalogEntry{
		Name: k.Name, Description: k.Description, Type: k.Type, Status: k.Status,
		Profile: k.Profile, RuntimeMode: k.RuntimeMode, Version: k.Version, Language: k.Language,
		Trust: k.Trust, Grounding: k.Grounding, Scope: k.Scope, Compatibility: k.Compatibility,
		PrimaryDocument: k.PrimaryDocument, PrimaryOntology: k.PrimaryOntology, Location: location,
	}
	if k.ProducedBy != nil {
		made := schema.CatalogProducer(*k.ProducedBy)
		e.ProducedBy = &made
	}
	return e
}

// InCatalog reports whether a catalog shows the pack: it can be selected (name,
// description, type and status are set) and is not archived (sections 3.8 and
// 14.1).
func (p *Pack) InCatalog() bool {
	k := &p.Meta
	return k.Name != "" && k.Description != "" && k.Type != "" && slices.Contains(schema.PackStatuses(), k.Status) && k.Status != schema.Archived
}

// NewCatalog wraps entries, in the order given.
func NewCatalog(entries []schema.CatalogEntry) schema.Catalog {
	return schema.Catalog{SchemaVersion: 1, Packs: entries}
}
