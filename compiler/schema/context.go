package schema

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
