package schema

// Catalog lists packs for a consumer that chooses among them (agent-knowledge
// section 12.4). Bodies never enter it. Where no pack is found no catalog is
// written at all.
type Catalog struct {
	SchemaVersion int            `json:"schema_version" check:"required" min:"1" max:"1"` // 1
	Packs         []CatalogEntry `json:"packs" check:"required,nonempty"`
}

// CatalogEntry is one pack: declared values, nested fields of KNOWLEDGE.md flattened,
// and what its newest compile run says against them.
type CatalogEntry struct {
	Name            string           `json:"name" check:"required,nonempty"`
	Description     string           `json:"description" check:"required,nonempty"`
	Type            string           `json:"type" check:"required,nonempty"`
	Status          Status           `json:"status" check:"required" enum:"draft|ready|needs-review|stale|disputed|archived"`
	Standing        string           `json:"standing,omitempty" enum:"stale|disputed"` // of the newest compile run, when it is either
	Profile         string           `json:"profile,omitempty" enum:"document-first|wiki-first|hybrid"`
	RuntimeMode     string           `json:"runtime_mode,omitempty" enum:"data|persona"`
	Version         string           `json:"version,omitempty"`
	Language        string           `json:"language,omitempty"`
	Trust           string           `json:"trust,omitempty" enum:"unreviewed|user-confirmed|official|external"`
	Grounding       string           `json:"grounding,omitempty" enum:"none|recommended|required"`
	Scope           string           `json:"scope,omitempty"`
	Compatibility   string           `json:"compatibility,omitempty"`
	PrimaryDocument string           `json:"primary_document,omitempty"`
	ProducedBy      *CatalogProducer `json:"produced_by,omitempty"`
	PrimaryOntology string           `json:"primary_ontology,omitempty"`
	Location        string           `json:"location,omitempty"` // path of KNOWLEDGE.md
}

// CatalogProducer is metadata.producedBy (section 3.6).
type CatalogProducer struct {
	Kind    string `json:"kind,omitempty"`
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest,omitempty"`
}
