package schema

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/packgen/packgen/compiler/diag"
)

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

// Context is runs/context-<timestamp>.json: what a resolver chose for a query
// (agent-knowledge section 10), as it is read.
type Context struct {
	RunID          string           `json:"run_id" check:"required,nonempty"`
	Query          string           `json:"query" check:"required,nonempty"`
	Status         Status           `json:"status" check:"required" enum:"passed|needs-review|stale|disputed|failed"`
	Resolver       *ContextResolver `json:"resolver,omitempty"`
	ActivatedPacks []ContextPack    `json:"activated_packs" check:"required,nonempty"`
	Missing        []string         `json:"missing,omitempty"`
	TokenEstimate  int              `json:"token_estimate"`
	WrapperOrder   []string         `json:"wrapper_order,omitempty"` // pack names
}

// ContextResolver names the program that resolved.
type ContextResolver struct {
	Tool     string `json:"tool,omitempty"`
	Version  string `json:"version,omitempty"`
	Strategy string `json:"strategy,omitempty"`
}

// ContextPack is one activated pack.
type ContextPack struct {
	Name              string          `json:"name" check:"required,nonempty"`
	Activation        string          `json:"activation" check:"required" enum:"explicit|implicit|resolver-driven"`
	SelectedFiles     []string        `json:"selected_files" check:"required"`
	Status            Status          `json:"status,omitempty" enum:"draft|ready|needs-review|stale|disputed|archived"`
	Trust             string          `json:"trust,omitempty" enum:"unreviewed|user-confirmed|official|external"`
	Grounding         string          `json:"grounding,omitempty" enum:"none|recommended|required"`
	SourceAnchors     []string        `json:"source_anchors,omitempty"`
	Warnings          []RunWarning    `json:"warnings,omitempty"`
	Profile           string          `json:"profile,omitempty" enum:"document-first|wiki-first|hybrid"`
	RuntimeMode       string          `json:"runtime_mode,omitempty" enum:"data|persona"`
	SelectedDocuments []string        `json:"selected_documents,omitempty"`
	SelectedSplits    []string        `json:"selected_splits,omitempty"`
	WrapperOrder      int             `json:"wrapper_order"`
	BuilderSkill      *ContextBuilder `json:"builder_skill,omitempty"`
}

// ContextBuilder names the skill that built a pack.
type ContextBuilder struct {
	Name    string `json:"name" check:"required,nonempty"`
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest,omitempty"`
}

// DecodeContext reads a context resolution record (section 10), a closed object.
// Faults are a *DecodeError.
func DecodeContext(data []byte) (*Context, error) { return decode[Context](data) }

// LockName is the name of the lock file at the root of a repository.
const LockName = "packgen.lock"

// Limits on a lock file.
const (
	MaxLock       = 8 << 20 // bytes
	MaxLockedRefs = 10_000  // references
)

// LockVersion is the schema_version of a lock.
const LockVersion = 3

// Lock is packgen.lock: what each reference to a pack from elsewhere stands for,
// so that everybody who reads the same references reads the same bytes.
type Lock struct {
	SchemaVersion int         `json:"schema_version" check:"required" min:"3" max:"3"` // LockVersion
	References    []LockedRef `json:"references" check:"required"`                     // sorted by ref
}

// LockedRef is one reference with the pack it stands for. The tree hash is what
// identifies the pack; digest and run say where its bytes came from, so that they
// can be found again.
type LockedRef struct {
	Ref      string     `json:"ref" check:"required,nonempty"` // as written
	Pack     string     `json:"pack" check:"required,nonempty"`
	Version  string     `json:"version,omitempty"` // as the pack declares it
	Source   string     `json:"source" check:"required" enum:"dir|file|site|url|github|gitlab|oci"`
	Run      *LockedRun `json:"run,omitempty"`                     // the CI run that made it
	Digest   string     `json:"digest,omitempty" form:"digest"`    // of the archive that was read: "sha256:" and 64 hex digits
	OCI      string     `json:"oci,omitempty" form:"digest"`       // of the manifest in a registry, in the same form; absent elsewhere
	Format   string     `json:"format,omitempty"`                  // of that archive, such as "tar.gz" or "zip+tar"; "dir" for a directory
	Tree     string     `json:"tree" check:"required" form:"tree"` // "h1:" and the hash of the files in base64
	Manifest string     `json:"manifest,omitempty" form:"sha256"`  // of pack.json, which is not part of the tree; absent without one
	// Inspection is what was found in the files when the reference was locked; nil where
	// nobody has looked, as in a record of the cache.
	Inspection *LockedInspection `json:"inspection,omitempty"`
	// Signature is who signed it, where trust: in packgen.yaml asks for that; absent elsewhere.
	Signature *LockedSignature `json:"signature,omitempty"`
}

// LockedSignature is who signed a pack: an identity with who vouched for it, or a key.
type LockedSignature struct {
	Issuer  string `json:"issuer,omitempty"`            // of the identity, such as https://token.actions.githubusercontent.com
	Subject string `json:"subject,omitempty"`           // the identity
	Key     string `json:"key,omitempty" form:"digest"` // "sha256:" and the digest of the public key in its PKIX form
	Signed  string `json:"signed,omitempty"`            // when, as a log or a timestamp authority says: RFC 3339, in UTC
}

// LockedInspection is what a look at the text of a pack from elsewhere found:
// instructions to a model, invisible characters, secrets.
type LockedInspection struct {
	Findings []LockedFinding `json:"findings" check:"required"` // in the order of rule and severity, errors first; remarks are not among them
}

// LockedFinding counts the findings of one rule and severity.
type LockedFinding struct {
	Rule     string        `json:"rule" check:"required,nonempty"`
	Severity diag.Severity `json:"severity" check:"required" enum:"error|warning"`
	Count    int           `json:"count" check:"required" min:"1"`
	First    string        `json:"first" check:"required,nonempty"` // place of the first one: a path in the pack, and the line after a colon
}

// LockedRun is the CI run that made an archive.
type LockedRun struct {
	ID       int64  `json:"id" check:"required" min:"1"` // of the workflow run (GitHub) or pipeline (GitLab)
	Job      int64  `json:"job,omitempty" min:"0"`       // GitLab: of the job
	Branch   string `json:"branch,omitempty"`
	Workflow string `json:"workflow,omitempty"`
	Commit   string `json:"commit,omitempty"`
}

// DecodeLock reads a packgen.lock of at most [MaxLock] bytes, a closed object, in
// which no reference is twice. The order of the references does not matter.
// Faults are a *DecodeError.
func DecodeLock(data []byte) (*Lock, error) {
	l, err := decodeUpTo[Lock](data, MaxLock)
	if err != nil {
		return nil, err
	}
	fault := func(i int, format string, args ...any) error {
		return &DecodeError{Pointer: "/references/" + strconv.Itoa(i), Line: 1, Column: 1, Message: fmt.Sprintf(format, args...)}
	}
	if len(l.References) > MaxLockedRefs {
		return nil, fault(MaxLockedRefs, "more than %d references", MaxLockedRefs)
	}
	seen := make(map[string]bool, len(l.References))
	for i, r := range l.References {
		if seen[r.Ref] {
			return nil, fault(i, "the reference %q is listed twice", r.Ref)
		}
		seen[r.Ref] = true
	}
	return l, nil
}

// What a selection eval expects of a prompt, and what came of it (agent-knowledge
// section 11.1).
const (
	Select = "select" // the pack is selected
	Reject = "reject" // it is not
	Warn   = "warn"   // it is selected, and at least one warning is raised
)

// Suite is evals/discovery.train.json or evals/discovery.validation.json
// (section 11.1).
type Suite struct {
	PackName string      `json:"pack_name" check:"required,nonempty"`
	Cases    []SuiteCase `json:"cases" check:"required,nonempty"`
}

// SuiteCase is one prompt with what it should do.
type SuiteCase struct {
	ID               string   `json:"id" check:"required,nonempty"`
	Prompt           string   `json:"prompt" check:"required,nonempty"`
	Expected         string   `json:"expected" check:"required" enum:"select|reject|warn"`
	Reason           string   `json:"reason,omitempty"`
	ExpectedWarnings []string `json:"expected_warnings,omitempty"`
}

// oldSuite is evals/discovery.json as an older release of the standard has it.
type oldSuite struct {
	PackName string     `json:"pack_name" check:"required,nonempty"`
	Queries  []oldQuery `json:"queries" check:"required,nonempty"`
}

type oldQuery struct {
	Query        string `json:"query" check:"required,nonempty"`
	ShouldSelect bool   `json:"should_select" check:"required"`
}

// DecodeSuite reads a selection eval suite (section 11.1), a closed object. The
// older shape with queries is mapped: its cases are named q1, q2 and so on.
// Faults are a *DecodeError.
func DecodeSuite(data []byte) (*Suite, error) {
	if !slices.Contains(topMembers(data), "queries") {
		return decode[Suite](data)
	}
	old, err := decode[oldSuite](data)
	if err != nil {
		return nil, err
	}
	s := &Suite{PackName: old.PackName}
	for i, q := range old.Queries {
		c := SuiteCase{ID: fmt.Sprintf("q%d", i+1), Prompt: q.Query, Expected: Reject}
		if q.ShouldSelect {
			c.Expected = Select
		}
		s.Cases = append(s.Cases, c)
	}
	return s, nil
}

// EvalRun is runs/eval-discovery-<timestamp>.json (section 11.2).
type EvalRun struct {
	Suite    string       `json:"suite"` // path of the suite, relative to the pack root
	PackName string       `json:"pack_name" check:"required,nonempty"`
	Results  []EvalResult `json:"results" check:"required"`
	Summary  EvalSummary  `json:"summary" check:"required"`

	// Read from an older form, never written.
	DescriptionHash string  `json:"description_hash,omitempty"`
	RunsPerQuery    int     `json:"runs_per_query,omitempty"`
	Threshold       float64 `json:"threshold,omitempty"`
}

// EvalResult is what came of one case.
type EvalResult struct {
	ID       string `json:"id" check:"required,nonempty"`
	Expected string `json:"expected" check:"required" enum:"select|reject|warn"`
	Actual   string `json:"actual" check:"required" enum:"select|reject|warn"`
	Passed   bool   `json:"passed" check:"required"`
}

// EvalSummary counts the results of a suite (sections 11.2 and 11.3). A ratio of
// nothing is nil and written as null.
type EvalSummary struct {
	Passed          int      `json:"passed" min:"0"`
	Failed          int      `json:"failed" min:"0"`
	Total           int      `json:"total" min:"0"`
	PassRate        *float64 `json:"pass_rate" check:"null" min:"0" max:"1"`
	Precision       *float64 `json:"precision" check:"null" min:"0" max:"1"`
	Recall          *float64 `json:"recall" check:"null" min:"0" max:"1"`
	FalsePositives  int      `json:"false_positives" min:"0"`
	FalseNegatives  int      `json:"false_negatives" min:"0"`
	WarningAccuracy *float64 `json:"warning_accuracy" check:"null" min:"0" max:"1"`

	// Read from an older form, never written.
	TruePositive  int `json:"true_positive,omitempty" min:"0"`
	FalseNegative int `json:"false_negative,omitempty" min:"0"`
	TrueNegative  int `json:"true_negative,omitempty" min:"0"`
	FalsePositive int `json:"false_positive,omitempty" min:"0"`
}

// decodeEvalRun reads the record of a selection eval (section 11.2), a closed
// object. Faults are a *DecodeError.
func decodeEvalRun(data []byte) (*EvalRun, error) { return decode[EvalRun](data) }

// lint is runs/lint-<date>.json: the envelope of a command that checks (sections
// 15 and 17.2). Commands add keys of their own, so the record is open.
type lint struct {
	OK       bool           `json:"ok" check:"required"` // no finding of severity error
	Status   Status         `json:"status" check:"required" enum:"passed|needs-review|stale|disputed|failed"`
	Command  string         `json:"command" check:"required,nonempty"`
	Pack     string         `json:"pack,omitempty"`
	Findings []diag.Finding `json:"findings" check:"required"`

	_ struct{} `check:"open"` // commands add keys of their own
}

// health is runs/health-<date>.json: the envelope and a score for each dimension
// (section 16). It is open, as every envelope is.
type health struct {
	OK         bool           `json:"ok" check:"required"`
	Status     Status         `json:"status" check:"required" enum:"passed|needs-review|stale|disputed|failed"`
	Command    string         `json:"command" check:"required,nonempty"`
	Pack       string         `json:"pack,omitempty"`
	Findings   []diag.Finding `json:"findings" check:"required"`
	Dimensions Dimensions     `json:"dimensions" check:"required"`

	_ struct{} `check:"open"` // commands add keys of their own
}

// Dimensions are the scores of a pack's health, in the order of section 16. One
// that was not measured is absent.
type Dimensions struct {
	Consistency  *Dimension `json:"consistency,omitempty"`
	Completeness *Dimension `json:"completeness,omitempty"`
	Coverage     *Dimension `json:"coverage,omitempty"`
	Islands      *Dimension `json:"islands,omitempty"`
	Freshness    *Dimension `json:"freshness,omitempty"`
	Traceability *Dimension `json:"traceability,omitempty"`
	Security     *Dimension `json:"security,omitempty"`
}

// Dimension is one score: the share of what was checked that did not fail.
type Dimension struct {
	Score   float64 `json:"score" check:"required" min:"0" max:"1"`
	Checked int     `json:"checked" check:"required" min:"0"`
	Failed  int     `json:"failed" check:"required" min:"0"`
}

// decodeLint reads a lint report. Faults are a *DecodeError.
func decodeLint(data []byte) (*lint, error) { return decode[lint](data) }

// decodeHealth reads a health report. Faults are a *DecodeError.
func decodeHealth(data []byte) (*health, error) { return decode[health](data) }
