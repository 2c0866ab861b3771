package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/boot"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// Rule ids of this package.
const (
	idOutdated  = "outputs-outdated"
	idUntidy    = "text-untidy"
	idUnreached = "entry-unreached"
	idSchema    = "schema-invalid"
)

// options steer the check of a pack. The zero value is ready to use.
type options struct {
	Opened []diag.Diagnostic // what opening the pack reported
	OutDir string            // where its compiled outputs are; "" is the pack itself
	Now    time.Time         // time of the compile in memory; zero is the clock
	Policy policy.Local      // changes the severity of findings
	// Contribute and Store are those of compiler.Options. The store should know
	// nothing yet: the rules look at every file.
	Contribute []compiler.Contributor
	Store      store.Store
	// Pages makes the pages of the compiled pack; nil makes none. Site is what they depend
	// on besides the pack.
	Pages func(ctx context.Context, r *compiler.Result) (Pages, error)
	Site  string
}

// Result is what a check of one pack found.
type Result struct {
	Compiled *compiler.Result // of a compile that wrote nothing
	Health   []lint.Dimension
	// Diagnostics are all findings about the pack, sorted, without those that a
	// comment in a file suppresses.
	Diagnostics     []diag.Diagnostic
	Suppressed      []lint.Suppressed
	Changed         []policy.Change // what the policy changed
	untidy          []string        // the files of all findings text-untidy
	SuggestedStatus schema.Status   // the pack status that the findings call for
	Pages           Pages           // what they are on a site
}

// checkPack checks one pack: it compiles it in memory, applies the rules to the files
// as they pass by, and looks at what a compile would change and at the evals. The
// error is for what cannot be read, and for a context that ended.
func checkPack(ctx context.Context, p *pack.Pack, o options) (*Result, error) {
	checker := lint.NewChecker(p)
	compiled, err := compiler.Compile(ctx, p, compiler.Options{
		DryRun: true, Now: o.Now, Opened: o.Opened, OutDir: o.OutDir, Policy: o.Policy, Contribute: o.Contribute, Store: o.Store,
		Visit: func(u *compiler.Unit) error {
			checker.Add(u.Doc)
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	found := slices.Clone(compiled.Found)
	for _, s := range compiled.Suppressed {
		found = append(found, s.Diagnostic) // the report takes them out again, and sees which comments are of use
	}
	var pages Pages
	for _, step := range []func() ([]diag.Diagnostic, error){
		func() ([]diag.Diagnostic, error) { return outdated(compiled), nil },
		func() ([]diag.Diagnostic, error) { return untidyFiles(p) },
		func() ([]diag.Diagnostic, error) { return evals(p) },
		func() ([]diag.Diagnostic, error) { return records(p, compiled) },
		func() ([]diag.Diagnostic, error) { return layers(p) },
		func() ([]diag.Diagnostic, error) { return leftOut(compiled), nil },
		func() (_ []diag.Diagnostic, err error) {
			if o.Pages != nil {
				pages, err = o.Pages(ctx, compiled)
			}
			return pages.Found, err
		},
	} {
		list, err := step()
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	report, err := checker.Report(ctx, lint.Compiled{
		Diagnostics: found, SourceMap: &compiled.SourceMap, Index: &compiled.Index, Run: &compiled.Run, Policy: o.Policy,
	})
	if err != nil {
		return nil, err
	}
	kept, untidy := foldUntidy(report.Diagnostics)
	return &Result{
		Compiled: compiled, Health: report.Health, Diagnostics: kept, untidy: untidy,
		Suppressed: report.Suppressed, Changed: report.Changed, SuggestedStatus: report.SuggestedStatus, Pages: pages,
	}, nil
}

// fewOf names the first of some things and counts the rest.
func fewOf(list []string, between, more string) string {
	const named = 3
	text := strings.Join(list[:min(named, len(list))], between)
	if n := len(list) - named; n > 0 {
		text += fmt.Sprintf("%s%d more", more, n)
	}
	return text
}

// outdated reports compiled files that do not follow their sources. A pack that
// was never compiled has none.
func outdated(r *compiler.Result) []diag.Diagnostic {
	at := pack.IndexPath
	switch {
	case r.Pack.Has(at):
	case r.Pack.Has(pack.SourceMapPath):
		at = pack.SourceMapPath // by hand, or the rest was deleted
	default:
		return nil
	}
	var paths []string
	for _, o := range r.Outputs() {
		if o.Operation != "unchanged" {
			paths = append(paths, o.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return []diag.Diagnostic{{
		ID: idOutdated, Severity: diag.Warning, Pack: r.Pack.Meta.Name, Path: at,
		Message: "compile would change " + fewOf(paths, ", ", " and "), Hint: "run packgen compile, and commit what it writes",
	}}
}

// leftOut reports the files that the pack would be published without.
func leftOut(r *compiler.Result) []diag.Diagnostic {
	_, found := archive.Published(r.Pack, archive.PublishOptions{Run: r.RunPath, Index: &r.Index})
	return found
}

// evals reads the suites and goldens of a pack and reports those that cannot be
// used.
func evals(p *pack.Pack) ([]diag.Diagnostic, error) {
	var list []diag.Diagnostic
	for _, f := range p.List("evals") {
		base := path.Base(f.Path)
		suite := path.Dir(f.Path) == "evals" && strings.HasPrefix(base, "discovery.") && strings.HasSuffix(base, ".json")
		readable := suite || f.Path == eval.RoutingPath || f.Path == eval.ContextPath
		if !readable {
			continue
		}
		data, err := p.ReadFile(f.Path)
		if errors.Is(err, pack.ErrTooLarge) {
			list = append(list, diag.Diagnostic{ID: idSchema, Severity: diag.Error, Path: f.Path, Message: tooLarge(f.Path)})
			continue
		}
		if err != nil {
			list = append(list, diag.Diagnostic{ID: idSchema, Severity: diag.Error, Path: f.Path, Message: fmt.Sprintf("the file cannot be read: %v", err)})
			continue
		}
		var faults []diag.Diagnostic
		switch {
		case suite:
			faults = suiteFaults(p, f.Path, data)
		case f.Path == eval.RoutingPath:
			_, faults = eval.ReadRouting(f.Path, data)
		default:
			_, faults = eval.ReadContextSuite(f.Path, data)
		}
		list = append(list, faults...)
	}
	for i := range list {
		list[i].Pack = p.Meta.Name
	}
	return list, nil
}

// suiteFaults reports what is wrong with a selection suite.
func suiteFaults(p *pack.Pack, name string, data []byte) []diag.Diagnostic {
	suite, err := schema.DecodeSuite(data)
	if err != nil {
		return []diag.Diagnostic{eval.SchemaFault(name, err)}
	}
	var list []diag.Diagnostic
	if suite.PackName != p.Meta.Name {
		list = append(list, diag.Diagnostic{
			ID: idSchema, Severity: diag.Warning, Path: name,
			Message: fmt.Sprintf("the suite is for a pack named %q", suite.PackName),
			Hint:    fmt.Sprintf("write %q as pack_name", p.Meta.Name),
		})
	}
	seen := map[string]bool{}
	for _, c := range suite.Cases {
		if seen[c.ID] {
			list = append(list, diag.Diagnostic{
				ID: idSchema, Severity: diag.Warning, Path: name,
				Message: fmt.Sprintf("two cases have the id %q", c.ID), Hint: "give each case an id of its own",
			})
		}
		seen[c.ID] = true
	}
	return list
}

// namedDimension is a dimension of a record, where it is kept.
type namedDimension struct {
	name string
	at   **schema.Dimension
}

func dimensionsIn(d *schema.Dimensions) []namedDimension {
	return []namedDimension{
		{"consistency", &d.Consistency}, {"completeness", &d.Completeness}, {"coverage", &d.Coverage}, {"islands", &d.Islands},
		{"freshness", &d.Freshness}, {"traceability", &d.Traceability}, {"security", &d.Security},
	}
}

// dimensionsOf puts the health of a pack into the form of its record.
func dimensionsOf(health []lint.Dimension) *schema.Dimensions {
	out := &schema.Dimensions{}
	for _, each := range dimensionsIn(out) {
		for _, d := range health {
			if d.Name == each.name {
				*each.at = &schema.Dimension{Score: d.Score, Checked: d.Checked, Failed: d.Failed}
			}
		}
	}
	return out
}

// WorstDimension names the lowest score of a pack's health.
func WorstDimension(d *schema.Dimensions) string {
	if d == nil {
		return "-"
	}
	name, score := "", 1.0
	for _, each := range dimensionsIn(d) {
		if at := *each.at; at != nil && at.Score < score {
			name, score = each.name, at.Score
		}
	}
	if name == "" {
		return "1"
	}
	return fmt.Sprintf("%s %.2f", name, score)
}

// Site makes what a build makes of packs and keeps nothing of it, so that a check reports
// what a build reports.
type Site interface {
	// Key sums up what the pages depend on besides their pack.
	Key() string
	// Contributor takes part in the compile of each pack.
	Contributor() compiler.Contributor
	// Pack makes the pages of a compiled pack.
	Pack(ctx context.Context, m *repo.Member) (Pages, error)
	// Rest makes what is not about the pages of one pack, after all packs.
	Rest(ctx context.Context, builder *index.Builder, pages []Pages) ([]diag.Diagnostic, error)
	Close()
}

// Pages are what a site has of one pack.
type Pages struct {
	Found []diag.Diagnostic `json:"-" keep:"-"`
	Bytes int64
	Large []publish.PathSize // files that some hosts refuse
}

// restOfSite makes what a site has besides the pages of packs.
func (c *Repository) restOfSite(ctx context.Context, builder *index.Builder) error {
	if c.site == nil {
		return nil
	}
	var pages []Pages
	for _, m := range c.Chosen.Members {
		if r := c.Checked[m]; r != nil {
			pages = append(pages, r.Pages)
		}
	}
	found, err := c.site.Rest(ctx, builder, pages)
	if err != nil {
		return fmt.Errorf("check the site: %w", err)
	}
	c.Faults = append(c.Faults, found...)
	return nil
}

// oversizeIndex reports an index that is too large to be read again, or nearly.
func oversizeIndex(ix *loadout.Index) []diag.Diagnostic {
	s := index.Sizes{Entries: len(ix.Entries), Text: int64(len(indexjson.Write(ix)))}
	s.LeftOut = s.Entries > indexjson.MaxEntries || s.Text > indexjson.MaxIndex
	return index.Oversize(s)
}

// checkRole looks for secrets in the briefs and skills of a role, and for
// instruction-like text in its Markdown, whether a boot says them or not: what is
// referred to is read too (agent-knowledge section 6.10). Suppressions in a
// brief apply, and are judged, as in a page. What is wrong with the boot itself is reported by
// [boot.Check]. What comments of the files suppress comes beside the findings.
func checkRole(ctx context.Context, role *boot.Role) (list []diag.Diagnostic, suppressed []lint.Suppressed, err error) {
	err = role.Visit(ctx, func(path, shown string, content []byte) error {
		text, ok := frontmatter.Decode(content)
		if !ok {
			text = bytes.ToValidUTF8(content, []byte("\ufffd")) // as a boot prints it
		}
		scanned := lint.Scan(path, text)
		for _, s := range scanned.Suppressed {
			s.Path = shown
			suppressed = append(suppressed, s)
		}
		found := scanned.Diagnostics
		if strings.HasSuffix(path, ".md") {
			_, faults := lint.Suppressions(path, text)
			found = append(found, faults...)
		}
		for _, d := range found {
			d.Path = shown
			list = append(list, d)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	diag.Sort(list)
	return list, suppressed, nil
}
