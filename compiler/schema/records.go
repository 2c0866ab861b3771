package schema

import "github.com/packgen/packgen/compiler/diag"

// Index is compiled/index.json: the manifest of a pack's views and splits
// (agent-knowledge section 6.7). It carries no time, so rebuilding it gives the
// same bytes.
type Index struct {
	SchemaVersion      int     `json:"schema_version" check:"required" min:"1" max:"1"` // 1
	Pack               string  `json:"pack" check:"required,nonempty"`
	Profile            string  `json:"profile" check:"required" enum:"document-first|wiki-first|hybrid"`
	RuntimeMode        string  `json:"runtime_mode" check:"required" enum:"data|persona"`
	PrimaryDocument    string  `json:"primary_document,omitempty"`
	Views              []View  `json:"views" check:"required"`
	Splits             []Split `json:"splits" check:"required"`
	TotalTokenEstimate int     `json:"total_token_estimate" check:"required" min:"0"`
}

// View is a top-level Markdown file of compiled/.
type View struct {
	Path          string   `json:"path" check:"required,nonempty"`
	Kind          string   `json:"kind" check:"required,nonempty"` // briefing, facts, boundaries, or the file stem
	TokenEstimate int      `json:"token_estimate" check:"required" min:"0"`
	SHA256        string   `json:"sha256" check:"required" form:"sha256"` // 64 lower-case hex digits
	DerivedFrom   []string `json:"derived_from" check:"required"`         // empty for a hand-made view
}

// Split is one file below compiled/splits/.
type Split struct {
	ID            string   `json:"id" check:"required,nonempty"`   // path without compiled/splits/ and .md
	Order         int      `json:"order" check:"required" min:"1"` // 1-based over the whole pack
	Title         string   `json:"title" check:"required,nonempty"`
	Document      string   `json:"document" check:"required,nonempty"`   // the document or wiki page it was cut from
	SectionID     string   `json:"section_id" check:"required,nonempty"` // of its first section
	Sections      []string `json:"sections,omitempty"`                   // ids of all of them when it holds several
	Path          string   `json:"path" check:"required,nonempty"`
	TokenEstimate int      `json:"token_estimate" check:"required" min:"0"`
	SHA256        string   `json:"sha256" check:"required" form:"sha256"`
	SourceAnchors []string `json:"source_anchors" check:"required"` // anchor strings, first occurrence order
}

// SourceMap is indexes/source-map.json (section 8).
type SourceMap struct {
	Claims           []Claim   `json:"claims" check:"required"`
	DocumentSections []Section `json:"document_sections"`
}

// Claim ties one statement to one source.
type Claim struct {
	ClaimID      string      `json:"claim_id" check:"required,nonempty"` // "clm-" and 12 hex digits
	Text         string      `json:"text" check:"required,nonempty"`
	Status       Status      `json:"status" check:"required" enum:"confirmed|inferred|disputed|stale|missing|source-required"` // section 3.5
	Source       ClaimSource `json:"source" check:"required"`
	CompiledInto []string    `json:"compiled_into"`
	Document     string      `json:"document"`
	SectionID    string      `json:"section_id"`
}

// ClaimSource names the place a claim rests on. Path is "" when there is none.
type ClaimSource struct {
	Path   string `json:"path" check:"required"`
	Anchor string `json:"anchor,omitempty"` // fragment without "#"
}

// Section is one section of a document, or one whole wiki page.
type Section struct {
	Document      string   `json:"document" check:"required"`
	SectionID     string   `json:"section_id" check:"required,nonempty"`
	Title         string   `json:"title" check:"required,nonempty"`
	SourceAnchors []string `json:"source_anchors"`
	CompiledInto  []string `json:"compiled_into"`
}

// Run is runs/compile-<timestamp>.json (section 9) together with its ledger, which holds
// what is marked so.
type Run struct {
	RunID           string          `json:"run_id" check:"required,nonempty"`
	Trigger         string          `json:"trigger" check:"required" enum:"ingest|source-change|manual|scheduled|migration"` // ingest, source-change, manual, scheduled, migration
	Status          Status          `json:"status" check:"required" enum:"passed|needs-review|stale|disputed|failed"`        // passed, needs-review, stale, disputed, failed
	Compiler        RunCompiler     `json:"compiler"`
	Inputs          []RunInput      `json:"inputs" check:"required"`
	Outputs         []RunOutput     `json:"outputs" check:"required"`
	Diagnostics     []RunDiagnostic `json:"diagnostics"`
	Review          RunReview       `json:"review"`
	Profile         string          `json:"profile,omitempty" enum:"document-first|wiki-first|hybrid"`
	RuntimeMode     string          `json:"runtime_mode,omitempty" enum:"data|persona"`
	PrimaryDocument string          `json:"primary_document,omitempty"`
	BuilderSkill    *RunBuilder     `json:"builder_skill,omitempty"`
	Documents       []RunDocument   `json:"documents"`
	Chapters        []RunChapter    `json:"chapters"`

	// In the ledger.
	HasLedger       bool       `json:"-"` // there is one; records of other tools have none
	IndexSHA256     string     `json:"-"` // of compiled/index.json after the run
	SourceMapSHA256 string     `json:"-"` // of indexes/source-map.json after the run
	Claims          []RunClaim `json:"-"` // by claim and source
	RemovedClaims   []RunClaim `json:"-"` // those that an earlier run found and this one did not

	// Read from other tools' records, never written.
	QualityIssues      []string `json:"quality_issues,omitempty"`
	InterviewQuestions []string `json:"interview_questions,omitempty"`
}

// RunCompiler names the program that made a run.
type RunCompiler struct {
	Tool    string `json:"tool,omitempty"`
	Version string `json:"version,omitempty"`
	Model   string `json:"model,omitempty"`
}

// RunInput is a file that a run read.
type RunInput struct {
	Path   string `json:"path" check:"required"`
	SHA256 string `json:"sha256,omitempty"`
}

// RunOutput is a file that a run owns or keeps.
type RunOutput struct {
	Path      string `json:"path" check:"required"`
	Operation string `json:"operation" check:"required" enum:"created|updated|deleted|unchanged"` // created, updated, deleted, unchanged
}

// RunDiagnostic is a finding; its message starts with the rule id in brackets.
type RunDiagnostic struct {
	Severity diag.Severity `json:"severity" check:"required" enum:"info|warning|error"`
	Path     string        `json:"path" check:"required"`
	Message  string        `json:"message" check:"required"`
}

// RunReview says whether a person should look.
type RunReview struct {
	Required bool   `json:"required"`
	Reason   string `json:"reason,omitempty"`
}

// RunBuilder copies metadata.producedBy when its kind is a skill.
type RunBuilder struct {
	Name    string `json:"name" check:"required,nonempty"`
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest,omitempty"`
	Source  string `json:"source,omitempty"`
}

// RunDocument is a Markdown file under documents/.
type RunDocument struct {
	Path   string `json:"path" check:"required"`
	Role   string `json:"role,omitempty" enum:"primary|supporting|export"`                          // primary, supporting, export
	Status Status `json:"status,omitempty" enum:"draft|ready|needs-review|stale|disputed|archived"` // as its front matter says
	SHA256 string `json:"sha256,omitempty"`
}

// RunClaim says what a claim rested on when it was made. At most one of Span and File
// exists; neither where the records that said it are lost.
type RunClaim struct {
	Claim     string `json:"claim" check:"required,nonempty"`  // claim id without a number: the hash of the text
	Words     string `json:"words,omitempty"`                  // 12 hex digits of the hash of its words, in whatever case and punctuation
	Source    string `json:"source" check:"required,nonempty"` // anchor string
	Span      string `json:"span,omitempty" form:"sha256"`     // SHA-256 of the cited text
	File      string `json:"file,omitempty" form:"sha256"`     // of the whole source, where an older record knew no more
	Confirmed bool   `json:"confirmed,omitempty"`              // marked [status: confirmed]
	Stale     bool   `json:"stale,omitempty"`                  // the cited text is another one since
}

// RunChapter is one split with how well it is covered by sources.
type RunChapter struct {
	ID            string   `json:"id" check:"required,nonempty"`
	Title         string   `json:"title" check:"required,nonempty"`
	Document      string   `json:"document,omitempty"`
	Path          string   `json:"path,omitempty"`
	Coverage      string   `json:"coverage" check:"required" enum:"full|partial|missing|conflict"` // full, partial, missing, conflict
	Tokens        int      `json:"tokens"`
	SourceAnchors []string `json:"source_anchors"`
	Routing       string   `json:"-"` // in the ledger: SHA-256 of what the author declares for its entry; "" when that is nothing, or was not recorded yet

	Warnings []RunWarning `json:"warnings,omitempty"` // read from other tools' records, never written
}

// RunWarning is a remark on one chapter.
type RunWarning struct {
	Severity diag.Severity `json:"severity" check:"required" enum:"info|warning|error"`
	Message  string        `json:"message" check:"required"`
	Path     string        `json:"path,omitempty"`
}
