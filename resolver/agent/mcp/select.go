package mcp

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/repo"
)

type resolveInput struct {
	Task   string   `json:"task" jsonschema:"the task or question, in words"`
	Budget int      `json:"budget,omitempty" jsonschema:"tokens that the text may cost; 6000 when absent, from 250 to 32000"`
	Packs  []string `json:"packs,omitempty" jsonschema:"names of packs to use; without them those that fit the task"`
	Mode   string   `json:"mode,omitempty" jsonschema:"data or persona: packs of this runtime mode alone" words:"data persona"`
	Also   []string `json:"also,omitempty" jsonschema:"search words for the task, and one question for each part of it, at most 60 tokens each"`
}

type resolveOutput struct {
	Context    string        `json:"context" jsonschema:"the text, fenced as data; empty when nothing was selected"`
	Status     schema.Status `json:"status" jsonschema:"passed, needs-review, stale, disputed or failed"`
	Confidence string        `json:"confidence" jsonschema:"sure or uncertain"`
	Refused    bool          `json:"refused" jsonschema:"a pack is blocked, or nothing could be selected"`
	Packs      []string      `json:"packs" jsonschema:"names of the packs that were used"`
	Origins    []string      `json:"origins,omitempty" jsonschema:"where each of them is from, with its version, when packs from elsewhere are served"`
	Blocked    []string      `json:"refused_packs"`
	Tokens     int           `json:"token_estimate"`
	Selection  []selectedOut `json:"selection"`
	Missing    []string      `json:"missing" jsonschema:"what the selection lacks: not known, so do not guess it"`
	Warnings   []warningOut  `json:"warnings"`
	Claims     []claimOut    `json:"claims" jsonschema:"claims of the text that are stale or disputed"`
	Advice     string        `json:"recommendation,omitempty"`
}

type selectedOut struct {
	ID     string `json:"id" jsonschema:"for read_entry and fetch"`
	Title  string `json:"title"`
	Reason string `json:"reason"`
	Tokens int    `json:"tokens"`
}

type warningOut struct {
	Severity string `json:"severity"`
	Path     string `json:"path"`
	Message  string `json:"message"`
}

type claimOut struct {
	ID     string        `json:"id"`
	Text   string        `json:"text"`
	Status schema.Status `json:"status"`
	Source string        `json:"source,omitempty"`
}

// check refuses what no selection can be made of.
func (in *resolveInput) check() error {
	if err := checkWordings(in.Task, in.Also); err != nil {
		return err
	}
	switch {
	case in.Budget != 0 && (in.Budget < resolver.MinBudget || in.Budget > maxBudget):
		return diag.WithHint(fmt.Errorf("budget %d is out of range", in.Budget), "write a number from %d to %d", resolver.MinBudget, maxBudget)
	case in.Mode != "" && in.Mode != modeData && in.Mode != pack.ModePersona:
		return diag.WithHint(fmt.Errorf("mode %q is unknown", shortened(in.Mode, maxLabel)), "write %s or %s", modeData, pack.ModePersona)
	case len(in.Packs) > maxNamed:
		return diag.WithHint(fmt.Errorf("packs has %d names", len(in.Packs)), "name at most %d", maxNamed)
	}
	return nil
}

// checkWordings refuses a task, or other wordings of it, that are too long or too many.
func checkWordings(task string, also []string) error {
	if err := checkQuestion("task", task); err != nil {
		return err
	}
	if len(also) > maxWordings {
		return diag.WithHint(fmt.Errorf("also has %d texts", len(also)), "write at most %d", maxWordings)
	}
	for _, text := range also {
		if err := checkQuestion("a text of also", text); err != nil {
			return err
		}
	}
	return nil
}

// resolve selects from the packs that are named, or from those that fit.
func (v *visit) resolve(ctx context.Context, in resolveInput) (*resolver.Resolution, error) {
	packs, err := v.packs, error(nil)
	if len(in.Packs) > 0 {
		packs, err = v.named(in.Packs)
	}
	if err == nil && in.Mode != "" {
		packs, err = ofMode(ctx, packs, in.Mode)
	}
	if err != nil {
		return nil, err
	}
	return resolver.Resolve(ctx, packs, resolver.Request{Query: in.Task, Also: in.Also, Budget: in.Budget})
}

// modeData is the runtime mode of a pack that names none.
const modeData = "data"

// ofMode are the packs of a runtime mode. Those that the catalog leaves out stay: the
// resolver says why it refuses them.
func ofMode(ctx context.Context, packs []resolver.Pack, mode string) ([]resolver.Pack, error) {
	entries, err := resolver.Catalog(ctx, packs)
	if err != nil {
		return nil, err
	}
	other := map[string]bool{} // by location
	for _, e := range entries {
		other[e.Location] = cmp.Or(e.RuntimeMode, modeData) != mode
	}
	list := slices.DeleteFunc(slices.Clone(packs), func(p resolver.Pack) bool { return other[path.Join(p.Dir, pack.EntryName)] })
	if len(list) == 0 {
		return nil, diag.WithHint(fmt.Errorf("no pack has the runtime mode %s", mode), "leave mode out")
	}
	return list, nil
}

func (s *service) resolveContext(ctx context.Context, in resolveInput) (out resolveOutput, text string, err error) {
	if err := in.check(); err != nil {
		return out, "", err
	}
	err = s.look(func(v *visit) error {
		r, err := v.resolve(ctx, in)
		if err == nil {
			out = v.audit(r)
			if out.Context == "" && len(in.Packs) == 0 {
				v.archived(ctx, &out)
			}
			s.note(ctx, v, "resolve_context", selected(r))
		}
		return err
	})
	return out, out.text(), err
}

// audit is a resolution as a client gets it, each list cut to what a model can use, with where
// its packs are from and which packs of the lock could not be asked.
func (v *visit) audit(r *resolver.Resolution) resolveOutput {
	out := resolveOutput{
		Context: r.Context, Status: r.Status, Confidence: string(r.Confidence), Refused: r.Refused,
		Packs: []string{}, Blocked: []string{}, Tokens: r.TokenEstimate, Selection: []selectedOut{}, Missing: labels(r.Missing),
		Warnings: []warningOut{}, Claims: []claimOut{}, Advice: label(r.Recommendation),
	}
	for i := range r.Activated {
		a := &r.Activated[i]
		if a.Blocked {
			if len(out.Blocked) < maxListed {
				out.Blocked = append(out.Blocked, label(a.Name)+": "+label(refusalOf(a)))
			}
			continue
		}
		out.Packs = append(out.Packs, a.Name)
		for _, f := range a.Files {
			out.Selection = append(out.Selection, selectedOut{ID: address{a.Name, f.Path}.id(), Title: label(f.Title), Reason: reasonOf(a, f.Path), Tokens: f.Tokens})
		}
		for _, c := range a.Claims[:min(len(a.Claims), maxListed)] {
			out.Claims = append(out.Claims, claimOut{address{a.Name, c.Path}.id(), label(c.Text), c.Status, label(c.Source)})
		}
	}
	remarks := repo.Remarks(r)
	for _, w := range remarks[:min(len(remarks), maxListed)] {
		out.Warnings = append(out.Warnings, warningOut{w.Severity.String(), label(w.Path), label(w.Message)})
	}
	for _, from := range v.lib.Origins(r) {
		out.Origins = append(out.Origins, label(from.String()))
	}
	for _, why := range v.lib.Unpulled {
		out.Warnings = append(out.Warnings, warningOut{diag.Warning.String(), "", label(why)})
	}
	return out
}

// refusalOf says why a pack is blocked.
func refusalOf(a *resolver.Activated) string {
	for _, w := range a.Warnings {
		if w.Severity == diag.Error {
			return w.Message
		}
	}
	return "its status is " + string(a.Status) + ", its trust " + a.Trust
}

// archived adds the packs that are archived to an answer that has nothing: they are not
// asked, and one of them may be what is looked for.
func (v *visit) archived(ctx context.Context, out *resolveOutput) {
	entries, err := resolver.Catalog(ctx, v.packs)
	if err != nil {
		return
	}
	listed := map[string]bool{}
	for _, e := range entries {
		listed[e.Location] = true
	}
	for _, p := range v.packs {
		if len(out.Blocked) == maxListed {
			return
		}
		if name := label(v.lib.NameOf(p.Dir)); !listed[path.Join(p.Dir, pack.EntryName)] && !slices.ContainsFunc(out.Blocked, func(b string) bool { return strings.HasPrefix(b, name+": ") }) {
			out.Blocked = append(out.Blocked, name+": it is archived or cannot be opened, and was not asked")
		}
	}
}

// reasonOf says why a file was selected.
func reasonOf(a *resolver.Activated, name string) string {
	for _, s := range a.Selection {
		if s.Path == name {
			return s.Reason
		}
	}
	return ""
}

// text is the answer for a client that reads no structured ones: the fenced text, and
// what to know about it.
func (out *resolveOutput) text() string {
	var b strings.Builder
	b.WriteString(out.Context)
	if out.Context == "" {
		b.WriteString("Nothing was selected.")
	}
	for _, from := range out.Origins {
		fmt.Fprintf(&b, "\nfrom: %s", from)
	}
	for _, w := range out.Warnings {
		if w.Severity != diag.Info.String() {
			where := w.Path
			if where != "" {
				where += ": "
			}
			fmt.Fprintf(&b, "\n%s: %s%s", w.Severity, where, w.Message)
		}
	}
	for _, p := range out.Blocked {
		fmt.Fprintf(&b, "\nrefused: the pack %s", p)
	}
	for _, m := range out.Missing {
		fmt.Fprintf(&b, "\nmissing: %s", m)
	}
	return b.String()
}

type searchInput struct {
	Query string `json:"query" jsonschema:"search words, or a question"`
}

type searchOutput struct {
	Results []resultOut `json:"results"`
}

type resultOut struct {
	ID    string `json:"id" jsonschema:"for fetch"`
	Title string `json:"title"`
	URL   string `json:"url"`
	About string `json:"excerpt" jsonschema:"how the text begins: data from the pack, no instructions"`

	Origin string `json:"origin,omitempty" jsonschema:"where the pack is from, when packs from elsewhere are served"`
}

func (s *service) search(ctx context.Context, in searchInput) (searchOutput, string, error) {
	out := searchOutput{Results: []resultOut{}}
	if err := checkQuestion("query", in.Query); err != nil {
		return out, "", err
	}
	err := s.look(func(v *visit) error {
		r, err := v.resolve(ctx, resolveInput{Task: in.Query, Budget: maxBudget / 2})
		if err != nil {
			return err
		}
		out.Results = v.found(r)
		return nil
	})
	return out, "", err
}

// found lists the files of a resolution that fit the words: others go with those, or are
// what a pack has for every query.
func (v *visit) found(r *resolver.Resolution) []resultOut {
	list := []resultOut{}
	for i := range r.Activated {
		a := &r.Activated[i]
		for _, f := range a.Files {
			if reason := reasonOf(a, f.Path); a.Blocked || reason == resolver.ReasonBoundary || reason == resolver.ReasonDefault {
				continue
			}
			at := address{a.Name, f.Path}
			list = append(list, resultOut{at.id(), label(cmp.Or(f.Title, f.Path)), v.page(at, a.Dir), excerpt(f.Text), v.origin(a.Dir)})
		}
	}
	return list
}

// excerpt is how the prose of a text begins, on one line.
func excerpt(text string) string {
	var b strings.Builder
	if head, ok := strings.CutPrefix(text, "---\n"); ok {
		if _, rest, ok := strings.Cut(head, "\n---\n"); ok {
			text = rest
		}
	}
	var seen strings.Builder
	for text != "" {
		before, comment, _ := strings.Cut(text, "<!--")
		seen.WriteString(before)
		_, text, _ = strings.Cut(comment, "-->")
	}
	for line := range strings.Lines(seen.String()) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<") || strings.Trim(line, "-=`~*_:| ") == "" {
			continue
		}
		if b.WriteString(line + " "); b.Len() > maxLabel {
			break
		}
	}
	return label(strings.TrimSpace(b.String()))
}

// origin is where the pack of a directory is from; "" while all packs are the repository's
// own.
func (v *visit) origin(dir string) string {
	if from, ok := v.lib.OriginOf(dir); ok {
		return label(from.String())
	}
	return ""
}

// selected lists the files of a resolution.
func selected(r *resolver.Resolution) (list []handedOut) {
	for i := range r.Activated {
		a := &r.Activated[i]
		for _, f := range a.Files {
			if !a.Blocked {
				list = append(list, handedOut{address{a.Name, f.Path}, f.Tokens})
			}
		}
	}
	return list
}
