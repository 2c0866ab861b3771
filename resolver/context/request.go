package context

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
)

// Activation says how a pack came into use (agent-knowledge section 12.5).
type Activation string

// The ways of activation. A pack without one may be activated by the resolver,
// when its catalog entry fits the query.
const (
	Explicit       Activation = "explicit"        // the user or client named it
	Implicit       Activation = "implicit"        // the request clearly matches it
	ResolverDriven Activation = "resolver-driven" // ranked by the resolver
)

// Scope says where a pack was found; earlier ones take precedence (section
// 12.2). The zero value is the workspace.
type Scope uint8

// The scopes of section 12.1.
const (
	Workspace Scope = iota
	User
	Organisation
	BuiltIn
)

// Pack is a pack that a request may draw on.
type Pack struct {
	FS         fs.FS      // required: the pack root. Symbolic links are followed inside it only
	Dir        string     // the directory as the caller names it, for messages
	Activation Activation // "" leaves it to the resolver
	Scope      Scope      // where it was found
	MaxTrust   string     // caps the declared trust, such as "external" for a pack from elsewhere; "" does not
	Unapproved bool       // from elsewhere and not yet approved: naming it is not enough
	Own        bool       // of the repository that the caller works in: trusted as the repository is
	// Mappings are the folders that lie elsewhere and are read as documents of the pack.
	Mappings []pack.Mapping
	// Views are statuses of views by path, as they were worked out where the pack's
	// sources are available; the worse of them and what is seen here counts.
	Views map[string]schema.Status
	// Known returns the SHA-256 of a file, as hex digits, when its size and times say that
	// nobody touched it since it was hashed; "" otherwise. It may be nil.
	Known func(f pack.File) string
	// Cache keeps what is counted in its sections; nil keeps nothing.
	Cache  Cache
	Always []string // documents and pages, by path, that are selected whole before any ranking: what its boot.yml says
}

// Limits of a request.
const (
	DefaultBudget = 6000 // tokens (section 13.8)
	MinBudget     = 250  // tokens; smaller budgets are raised to it
	maxActivated  = 3    // packs that the resolver activates by itself
)

// Request is a query with what the caller allows. Only Query is usual; the zero
// value of everything else is the default.
type Request struct {
	Query          string
	Also           []string        // other wordings and parts of the query; each is ranked alone
	Budget         int             // tokens; 0 is DefaultBudget, others below MinBudget are raised to it
	Scorer         rank.Scorer     // nil is rank.BM25F
	Require        []string        // phrases that the selection must hold, otherwise they are missing (section 13.9)
	Allow          []schema.Status // pack statuses "draft" and "archived" that may be used without being ready (section 14.1)
	Confirm        []schema.Status // "disputed": disputed packs are used; "personas": several persona packs are
	AllowUntrusted bool            // uses untrusted packs (section 12.6)
	FullWrapper    bool            // adds attributes and warnings to the wrappers (section 13.10)
	NoContext      bool            // leaves the fenced text out
	Strict         bool            // refuses an uncertain selection: no text is given
}

// wordings are the query and those of its other wordings that have a word to look for,
// each once.
func (r *Request) wordings() []string {
	list := []string{r.Query}
	for _, text := range r.Also {
		if len(rank.Words(text)) > 0 && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// Warning is a remark on a selection.
type Warning struct {
	Severity diag.Severity `json:"severity"`
	Path     string        `json:"path"`
	Message  string        `json:"message"`
}

// String names a warning for people.
func (w Warning) String() string { return fmt.Sprintf("%s: %s: %s", w.Severity, w.Path, w.Message) }

// Selected is a file with the reason why it was taken.
type Selected struct {
	Path   string `json:"path"`   // a file, or documents/x.md#section
	Reason string `json:"reason"` // match:<score>, boundary, view, context-map, persona:<class>, boot, default, escalate
	// InsteadOf is the compiled file whose place it takes, because that is gone or not
	// what compile wrote; "" otherwise.
	InsteadOf string `json:"instead_of,omitempty"`
}

// Claim is a claim of the selection that is stale or disputed. Its text bears the
// status as a marker.
type Claim struct {
	Path   string        `json:"path"` // of the selected file
	Text   string        `json:"text"`
	Status schema.Status `json:"status"`           // stale, disputed
	Source string        `json:"source,omitempty"` // anchor string of what it rests on
}

// Resolution is what a request gave. Its JSON is that of agent-knowledge
// section 13.9, keys in this order. With several packs, paths are prefixed
// "<pack>:".
type Resolution struct {
	OK                bool          `json:"ok"`     // nothing blocked, something selected, no entry of severity error
	Status            schema.Status `json:"status"` // passed, needs-review, stale, disputed, failed
	Command           string        `json:"command"`
	Pack              string        `json:"pack,omitempty"`
	Packs             []string      `json:"packs,omitempty"` // takes the place of Pack when there are several, in wrapper order
	DryRun            bool          `json:"dry_run"`
	Query             string        `json:"query"`
	SelectedDocuments []string      `json:"selected_documents"`
	SelectedFiles     []string      `json:"selected_files"`
	SourceAnchors     []string      `json:"source_anchors"`
	Warnings          []Warning     `json:"warnings"`
	CompileWarnings   []Warning     `json:"compile_warnings"`
	TokenEstimate     int           `json:"token_estimate"` // sum over the files
	Selection         []Selected    `json:"selection"`
	Claims            []Claim       `json:"claims,omitempty"` // those that are stale or disputed, in the order of the text
	Confidence        Confidence    `json:"confidence"`       // whether the selection answers the query as a whole
	Missing           []string      `json:"missing,omitempty"`
	Recommendation    string        `json:"recommendation,omitempty"`
	Context           string        `json:"context,omitempty"` // the wrappers, without a final line end

	// Refused is true when a pack was blocked by status or trust, or nothing
	// could be selected: exit code 1 (section 17.3).
	Refused  bool `json:"-"`
	Withheld bool `json:"-"` // refused by Strict alone
	// Activated are the packs in wrapper order, with paths of their own.
	Activated []Activated `json:"-"`
}

// Activated is what was selected from one pack. Its paths have no prefix.
type Activated struct {
	Name, Dir         string
	Activation        Activation
	Status            schema.Status // as declared
	Trust             string        // as declared
	Grounding         string        // as declared
	Profile, Mode     string        // effective
	Blocked           bool          // by status or trust; nothing was read
	SelectedDocuments []string
	SelectedSplits    []string
	Selection         []Selected
	Claims            []Claim
	SourceAnchors     []string
	Warnings          []Warning
	CompileWarnings   []Warning
	TokenEstimate     int
	Files             []File // what the wrapper holds

	builder   *pack.Producer // metadata.producedBy
	judgement rank.Judgement // of the files
}

// File is one selected text.
type File struct {
	Path     string   // as in the selection
	Document string   // the document or page it comes from; "" for a view
	Sections []string // ids of the sections in it; none of a view
	Title    string
	Text     string // as on disk with markers after doubtful claims, or cut to the budget; not yet escaped
	Tokens   int

	InsteadOf string // see Selected

	Status schema.Status // of the document or page, which the wrapper says when it is not ready
}
