package compiler

import (
	"cmp"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// Result is what a compile made. It holds no bodies.
type Result struct {
	Pack      *pack.Pack
	Index     schema.Index     // compiled/index.json
	SourceMap schema.SourceMap // indexes/source-map.json
	Run       schema.Run       // the run, written or not
	// RunPath is the pack-relative path of the run record, in a dry run the one
	// that would be written; "" when nothing changed, so that no run is recorded.
	RunPath string
	// Recorded are the pack-relative paths of the compile runs that were there
	// before, newest first: those of the directory that outputs go to and of the
	// pack. They are listed after an interrupted run has been finished, so they can
	// be more than the pack held when it was opened.
	Recorded []string
	// SuggestedStatus is the pack status that the run proposes (section 6.11).
	// Compile never edits front matter, and never proposes "ready" by itself.
	SuggestedStatus schema.Status
	Counts          Counts
	// Reused says that the pack is as an earlier compile left it, and that its
	// result came from the store: Index, SourceMap, Units and Views are empty then,
	// and of the run only status and outputs are known.
	Reused bool
	// State is the key of everything that follows from the files of the pack as they
	// are after the compile, outputs included. It is unknown where outputs go to
	// another directory, nothing is remembered, or the next compile may find
	// something else.
	State store.Digest
	Units []UnitInfo        // compile order, then the Markdown files that are not a primary source, in path order
	Views map[string]string // texts of the generated views by path, for the site and the index
	// Diagnostics are sorted as section 6.11 says. They hold more than the run
	// record: line, column and hint, and findings that no gate of section 6.10
	// knows, such as broken links. Their severity is the one that Options.Policy
	// gives them.
	Diagnostics []diag.Diagnostic
	// Found is what was found before the policy changed it, in the same order.
	// Outputs follow from it: a file that somebody edited is one, reported or not.
	Found   []diag.Diagnostic
	Changed []policy.Change // what the policy changed
	// Comments are those that switch rules off, by file. Suppressed is what they
	// switched off; of a result from the store it is unknown.
	Comments   map[string][]lint.Suppression
	Suppressed []lint.Suppressed

	outputs      string  // those of the run where that names none, see packOutputs
	doubts       *Doubts // after Trim; otherwise they follow from SourceMap
	store        store.Store
	contributors []string
	recordSums   map[string]store.Digest // of the records that were there before, as far as known
}

// RecordSum returns the digest of a run record that was there before the compile; the
// unknown one when nobody has looked at it.
func (r *Result) RecordSum(path string) store.Digest { return r.recordSums[path] }

// Trim returns the result without what grows with the text of the pack, for who needs
// no more of it than counts, outputs and findings. It keeps nothing else alive: the
// paths of a result are parts of all that is known of the files.
func (r *Result) Trim() *Result {
	trimmed := r.withoutTexts()
	trimmed.RunPath, trimmed.Recorded = r.RunPath, r.Recorded
	trimmed.Run.RunID = r.Run.RunID
	trimmed.doubts = r.Doubts()
	trimmed.outputs = packOutputs(r.Outputs())
	return trimmed
}

// Again returns the result of a compile of a pack of which nothing has changed since,
// as a compile that finds that out returns it. The state must be known.
func (r *Result) Again() *Result {
	again := r.withoutTexts()
	again.Recorded = r.Runs()
	again.outputs = packOutputs(r.kept())
	return again
}

// Outputs lists the outputs of the run in path order. Of a pack that was not compiled
// again, and after Trim, Run has none.
func (r *Result) Outputs() []schema.RunOutput {
	if r.outputs == "" {
		return r.Run.Outputs
	}
	x, last := store.NewReader(r.outputs), ""
	list := make([]schema.RunOutput, 0, x.Count())
	for x.More() {
		path := last[:min(x.Uint(), len(last))] + x.Str()
		list = append(list, schema.RunOutput{Path: path, Operation: string(operations[x.Uint()%len(operations)])})
		last = path
	}
	return list
}

// kept lists the outputs that exist after the run, for a compile that finds them so.
func (r *Result) kept() []schema.RunOutput {
	list := slices.DeleteFunc(slices.Clone(r.Outputs()), func(o schema.RunOutput) bool { return o.Operation == string(publish.Deleted) })
	for i := range list {
		list[i].Operation = string(publish.Unchanged)
	}
	return list
}

// operations are those of outputs.
var operations = [...]publish.Change{publish.Unchanged, publish.Created, publish.Updated, publish.Deleted}

// packOutputs writes outputs so that those of hundreds of thousands of pages fill little
// memory.
func packOutputs(list []schema.RunOutput) string {
	w, last := store.NewWriter(32*len(list)), ""
	w.Uint(len(list))
	for _, o := range list {
		shared := 0
		for shared < min(len(last), len(o.Path)) && last[shared] == o.Path[shared] {
			shared++
		}
		w.Uint(shared)
		w.Str(o.Path[shared:])
		w.Uint(max(0, slices.Index(operations[:], publish.Change(o.Operation))))
		last = o.Path
	}
	return w.Text()
}

// withoutTexts returns what is known of a pack that is not compiled again.
func (r *Result) withoutTexts() *Result {
	return &Result{
		Pack: r.Pack, Reused: true, State: r.State, SuggestedStatus: r.SuggestedStatus, Counts: r.Counts, Views: map[string]string{},
		Run: schema.Run{Status: r.Run.Status, Trigger: r.Run.Trigger}, Diagnostics: r.Diagnostics, Found: r.Found, Changed: r.Changed,
		Comments: r.Comments, doubts: r.doubts,
	}
}

// Doubts are the claims of the pack that are stale or disputed; nil of a pack that was not
// compiled again, whose source map on disk has them.
func (r *Result) Doubts() *Doubts {
	if r.doubts != nil || r.SourceMap.Claims == nil {
		return r.doubts
	}
	return DoubtsOf(&r.SourceMap)
}

// UnitInfo is what is kept of a unit after its tree is gone.
type UnitInfo struct {
	Path     string        `keep:"-"`
	Title    string        // text of the first H1, otherwise the file stem
	Status   schema.Status // front matter status; "" when none
	SHA256   string        `keep:"-"` // of the bytes on disk, 64 lower-case hex digits
	Size     int64         // bytes on disk
	Comments int           // that its page does not show
	Visible  store.Digest  // of its text as a reader sees it, see [markdown.Visible]; unknown when nothing is hidden
	Headings []HeadingInfo
	Targets  []string // ids beside those of headings that links may point at
	Aliases  []string // other names of the page, from its front matter
	// Addresses are pack paths without ending at which another system shows the page.
	Addresses []string

	// Texts is the digest of the texts of all splits, one after another; each has
	// as many bytes as Sizes says, by path. A split that turned out to be a
	// path-collision is among them.
	Texts store.Digest `keep:"-"`
	Sizes []SplitSize  `keep:"-"`

	parts []store.Result `keep:"-"` // by contributor
}

// addTo adds the addresses of the page. One that another page has stays with that.
func (u *UnitInfo) addTo(places map[string]string) {
	for _, at := range u.Addresses {
		if places[at] == "" {
			places[at] = u.Path
		}
	}
}

// Places returns the pages of a result by their addresses in another system.
func (r *Result) Places() map[string]string {
	places := map[string]string{}
	for i := range r.Units {
		r.Units[i].addTo(places)
	}
	return places
}

// SplitSize is the size of a split in bytes.
type SplitSize struct {
	Path string
	Size int
}

// HeadingInfo is a heading without its offsets.
type HeadingInfo struct {
	Level    int // 1 to 6
	ID, Text string
}

// Counts sum up what a compile made.
type Counts struct {
	Views, Splits, Claims int
	Tokens                int // estimate over views and splits
	Comments              int // in documents, pages and guide, which only the archive shows
}

func countsOf(r *Result) Counts {
	return Counts{
		Views: len(r.Index.Views), Splits: len(r.Index.Splits), Claims: len(r.SourceMap.Claims), Tokens: r.Index.TotalTokenEstimate,
	}
}

// Doubtful says which views and splits are built on material that is not settled:
// "needs-review", "stale" or "disputed", the worst of them, by path. Whoever shows or
// loads one says so (agent-knowledge section 14.1). A split rests on its file and its claims,
// a list of facts on the files of its lines and the claims it took over, any other
// view on its files with all their claims. What was edited by hand needs a review.
func (r *Result) Doubtful() map[string]schema.Status {
	out := map[string]schema.Status{}
	add := func(path string, status schema.Status) {
		if status == schema.NeedsReview || status.Doubt() != "" {
			out[path] = schema.Worse(out[path], status)
		}
	}
	files, claims := map[string]schema.Status{}, map[string]schema.Status{}
	for i := range r.Units {
		u := &r.Units[i]
		files[u.Path] = cmp.Or(u.Doubt(), u.Status)
	}
	for i := range r.SourceMap.Claims {
		c := &r.SourceMap.Claims[i]
		if c.Status.Doubt() == "" {
			continue
		}
		claims[c.Document] = schema.Worse(claims[c.Document], c.Status)
		for _, path := range c.CompiledInto {
			if strings.HasPrefix(path, "compiled/") {
				add(path, c.Status)
			}
		}
	}
	for _, d := range r.Diagnostics {
		if d.ID == gateViewHandEdited {
			add(d.Path, schema.NeedsReview) // it may say what no page does
		}
	}
	for i := range r.Index.Splits {
		s := &r.Index.Splits[i]
		add(s.Path, files[s.Document])
	}
	for i := range r.Index.Views {
		v := &r.Index.Views[i]
		for _, name := range v.DerivedFrom {
			add(v.Path, files[name])
			if v.Kind != "facts" {
				add(v.Path, claims[name])
			}
		}
	}
	return out
}

// Doubt is "stale" or "disputed" for a file of that status, "disputed" for an
// open page of wiki/contradictions/ whatever it says, otherwise "".
func (u *UnitInfo) Doubt() schema.Status {
	if strings.HasPrefix(u.Path, wikiContradictions) && u.Status != schema.Ready {
		return schema.Disputed
	}
	return u.Status.Doubt()
}

// Doubts are the claims of a source map that are stale or disputed.
type Doubts struct {
	status    map[doubtful]schema.Status // the worse one
	documents map[string]bool
}

// doubtful is a text of a file, in whatever case and punctuation.
type doubtful struct{ document, text string }

// DoubtsOf collects the claims of a source map that are stale or disputed.
func DoubtsOf(m *schema.SourceMap) *Doubts {
	d := newDoubts()
	for i := range m.Claims {
		c := &m.Claims[i]
		d.add(c.Document, c.Text, c.Status)
	}
	return d
}

func newDoubts() *Doubts { return &Doubts{map[doubtful]schema.Status{}, map[string]bool{}} }

// add notes the status of a claim of a document when it is stale or disputed.
func (d *Doubts) add(document, text string, status schema.Status) {
	if status.Doubt() == "" {
		return
	}
	text = lint.FoldText(text)
	for _, document := range [2]string{document, ""} {
		at := doubtful{document, text}
		d.status[at] = schema.Worse(d.status[at], status)
		d.documents[document] = true
	}
}

// Of returns "stale" or "disputed" for a text that is such a claim of a file, of any
// file for "", and "" for any other.
func (d *Doubts) Of(document, text string) schema.Status {
	if len(d.status) == 0 {
		return ""
	}
	return d.status[doubtful{document, lint.FoldText(text)}]
}

// Any reports whether a file states such a claim, or any file for "".
func (d *Doubts) Any(document string) bool { return d.documents[document] }

// Mark returns a text of a file with a marker after each claim that is stale or disputed
// and does not say so itself.
func (d *Doubts) Mark(document string, text []byte) []byte {
	if !d.Any(document) {
		return text
	}
	return markdown.Parse(document, text).Marked(func(u *markdown.Unit) schema.Status { return d.Of(document, u.Text) })
}
