package schema

// Index is compiled/index.json: the manifest of a pack's views and splits
// (agent-knowledge section 6.7). It carries no time, so rebuilding it gives the
// same bytes.
type Index struct {
	SchemaVersion      int     `json:"schema_version"` // 1
	Pack               string  `json:"pack"`
	Profile            string  `json:"profile"`
	RuntimeMode        string  `json:"runtime_mode"`
	PrimaryDocument    string  `json:"primary_document,omitempty"`
	Views              []View  `json:"views"`
	Splits             []Split `json:"splits"`
	TotalTokenEstimate int     `json:"total_token_estimate"`
}

// View is a top-level Markdown file of compiled/.
type View struct {
	Path          string   `json:"path"`
	Kind          string   `json:"kind"` // briefing, facts, boundaries, or the file stem
	TokenEstimate int      `json:"token_estimate"`
	SHA256        string   `json:"sha256"`       // 64 lower-case hex digits
	DerivedFrom   []string `json:"derived_from"` // empty for a hand-made view
}

// Split is one file below compiled/splits/.
type Split struct {
	ID            string   `json:"id"`    // path without compiled/splits/ and .md
	Order         int      `json:"order"` // 1-based over the whole pack
	Title         string   `json:"title"`
	Document      string   `json:"document"` // the document or wiki page it was cut from
	SectionID     string   `json:"section_id"`
	Path          string   `json:"path"`
	TokenEstimate int      `json:"token_estimate"`
	SHA256        string   `json:"sha256"`
	SourceAnchors []string `json:"source_anchors"` // anchor strings, first occurrence order
}

// SourceMap is indexes/source-map.json (section 8).
type SourceMap struct {
	Claims           []Claim   `json:"claims"`
	DocumentSections []Section `json:"document_sections"`
}

// Claim ties one statement to one source.
type Claim struct {
	ClaimID      string      `json:"claim_id"` // "clm-" and 12 hex digits
	Text         string      `json:"text"`
	Status       string      `json:"status"` // one of ClaimStatuses
	Source       ClaimSource `json:"source"`
	CompiledInto []string    `json:"compiled_into"`
	Document     string      `json:"document"`
	SectionID    string      `json:"section_id"`
}

// ClaimSource names the place a claim rests on. Path is "" when there is none.
type ClaimSource struct {
	Path   string `json:"path"`
	Anchor string `json:"anchor,omitempty"` // fragment without "#"
}

// Section is one section of a document, or one whole wiki page.
type Section struct {
	Document      string   `json:"document"`
	SectionID     string   `json:"section_id"`
	Title         string   `json:"title"`
	SourceAnchors []string `json:"source_anchors"`
	CompiledInto  []string `json:"compiled_into"`
}

// Run is runs/compile-<timestamp>.json (section 9).
type Run struct {
	RunID           string          `json:"run_id"`
	Trigger         string          `json:"trigger"` // ingest, source-change, manual, scheduled, migration
	Status          string          `json:"status"`  // passed, needs-review, stale, disputed, failed
	Compiler        RunCompiler     `json:"compiler"`
	Inputs          []RunInput      `json:"inputs"`
	Outputs         []RunOutput     `json:"outputs"`
	Diagnostics     []RunDiagnostic `json:"diagnostics"`
	Review          RunReview       `json:"review"`
	Profile         string          `json:"profile,omitempty"`
	RuntimeMode     string          `json:"runtime_mode,omitempty"`
	PrimaryDocument string          `json:"primary_document,omitempty"`
	BuilderSkill    *RunBuilder     `json:"builder_skill,omitempty"`
	Documents       []RunDocument   `json:"documents"`
	Chapters        []RunChapter    `json:"chapters"`
}

// RunCompiler names the program that made a run.
type RunCompiler struct {
	Tool    string `json:"tool,omitempty"`
	Version string `json:"version,omitempty"`
	Model   string `json:"model,omitempty"`
}

// RunInput is a file that a run read.
type RunInput struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256,omitempty"`
}

// RunOutput is a file that a run owns or keeps.
type RunOutput struct {
	Path      string `json:"path"`
	Operation string `json:"operation"` // created, updated, deleted, unchanged
}

// RunDiagnostic is a finding; its message starts with the rule id in brackets.
type RunDiagnostic struct {
	Severity string `json:"severity"`
	Path     string `json:"path"`
	Message  string `json:"message"`
}

// RunReview says whether a person should look.
type RunReview struct {
	Required bool   `json:"required"`
	Reason   string `json:"reason,omitempty"`
}

// RunBuilder copies metadata.producedBy when its kind is a skill.
type RunBuilder struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest,omitempty"`
	Source  string `json:"source,omitempty"`
}

// RunDocument is a Markdown file under documents/.
type RunDocument struct {
	Path   string `json:"path"`
	Role   string `json:"role,omitempty"`   // primary, supporting, export
	Status string `json:"status,omitempty"` // as its front matter says
	SHA256 string `json:"sha256,omitempty"`
}

// RunChapter is one split with how well it is covered by sources.
type RunChapter struct {
	ID            string   `json:"id"`
	Title         string   `json:"title"`
	Document      string   `json:"document,omitempty"`
	Path          string   `json:"path,omitempty"`
	Coverage      string   `json:"coverage"` // full, partial, missing, conflict
	Tokens        int      `json:"tokens"`
	SourceAnchors []string `json:"source_anchors"`
}
