package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/color"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site/build"
)

type checkFlags struct {
	gate
	index, format, out   string
	records              []string
	schema               string
	fix, dryRun, explain bool
}

func newCheck(a *app) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check [pack...]",
		Short: "Find what is wrong in packs, indexes and roles",
		Long: `check applies every rule: to packs, to the loadout index that would be made of
them, to evals, and to the roles that packgen.yaml names. It compiles and makes the
pages in memory, reports what a build reports of them, and writes nothing into a
pack. With --index it checks one index file instead.

Findings go to standard error as text; the other formats are the output. --out
writes the report to a file, in the format that the file's name says unless
--format does, and leaves the text.

--explain RULE says what a finding of that rule means, why it matters and what to
do; --explain all lists the rules. Without a rule it lists what comments in files
and the rules of packgen.yaml switch off or change, where and why; packs limit it
to them.

--record FILE... checks JSON records against their schemas instead: runs of compile,
context, eval, lint and health, source maps, eval suites, packgen.lock. Which schema
is meant follows from the file name (compile-, context-, eval-discovery-, health-,
lint-, source-map, discovery.), otherwise from distinctive keys. A record that has
the name of one of ours and none of its keys was written by another tool; it is
reported and skipped. A run whose file has the name of another run is reported too.

--fix corrects what does not change what a pack says: byte-order marks, carriage
returns, line feeds at the end of a file, suppressions without effect.

The exit code is 1 when there is an error; --fail-on says otherwise.`,
		Example: `  packgen check
  packgen check handbook --fail-on warning
  packgen check --format github
  packgen check --out report.sarif
  packgen check --fix --dry-run
  packgen check --explain
  packgen check --explain secret-suspect
  packgen check --record packs/handbook/runs/*.json
  packgen check --index public/index.json`,
		ValidArgsFunction: a.completeChecked,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(f.normalise(a, cmd.Flags().Changed("format")), f.gate.check()); err != nil {
				return err
			}
			if cmd.Flags().Changed("record") {
				return a.runCheckRecord(cmd, f, args)
			}
			switch {
			case cmd.Flags().Changed("schema"):
				return diag.WithHint(errors.New("--schema is about records"), "name them with --record FILE")
			case f.explain:
				return a.runCheckExplain(cmd, f, args)
			case !cmd.Flags().Changed("index"):
				return a.runCheck(cmd.Context(), f, args)
			case len(args) > 0 || f.fix:
				return diag.WithHint(errors.New("check --index takes no packs and no --fix"), "run packgen build to write the index again")
			}
			return a.runCheckIndex(f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.index, "index", "", "check this index `FILE`, .json, instead of packs")
	flags.StringVar(&f.format, "format", "text", "the `FORM` of the report: "+strings.Join(check.Formats[:], ", "))
	flags.StringVar(&f.out, "out", "", "write the report to `FILE`")
	flags.StringArrayVar(&f.records, "record", nil, "check this JSON record `FILE`, and those that follow, instead of packs")
	flags.StringVar(&f.schema, "schema", "", "with --record: the `NAME` of the schema, instead of what the file suggests")
	flags.BoolVar(&a.all, "all", false, allUsage)
	f.gate.register(flags)
	flags.BoolVar(&f.fix, "fix", false, "fix what can be fixed safely")
	flags.BoolVar(&f.explain, "explain", false, "explain the rule that is named, all of them with all, or list what is switched off and changed, and why")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --fix or --out: say what would be written and write nothing")
	return cmd
}

// normalise chooses the format and checks the flags.
func (f *checkFlags) normalise(a *app, formatGiven bool) error {
	if err := oneOf("--format", f.format, check.Formats[:]...); err != nil {
		return err
	}
	if form := check.FormatOf(f.out); form != "" && !formatGiven {
		f.format = form
	}
	if a.json && f.out == "" {
		if formatGiven && f.format != "json" {
			return diag.WithHint(errors.New("--json and --format contradict each other"), "leave one of them out")
		}
		f.format = "json"
	}
	return nil
}

func (a *app) runCheck(ctx context.Context, f checkFlags, names []string) error {
	if err := a.Load(); err != nil {
		return err
	}
	now, err := repo.RunTime(a.Getenv)
	if err != nil {
		return err
	}
	a.scope = diag.Printable(strings.Join(names, " "))
	o := check.RepositoryOptions{Now: now, Names: names, Fix: f.fix, DryRun: f.dryRun, Site: func(all *repo.Packs) (check.Site, error) {
		return build.Inspect(ctx, &a.Repo, all)
	}}
	c, err := check.Run(ctx, &a.Repo, o)
	if err != nil {
		return err
	}
	defer c.Close()
	return a.checked(c, f).emit()
}

// checkReport is the outcome of a check, for any format.
type checkReport struct {
	*app
	f checkFlags
	check.Outcome
	index       string // the checked index file; "" when packs were checked
	indexResult json.RawMessage
	summary     func() // prints the lines after the findings, as text
}

func (a *app) checked(c *check.Repository, f checkFlags) *checkReport {
	r := &checkReport{app: a, f: f, Outcome: check.OutcomeOf(c)}
	r.summary = r.printPacks
	return r
}

// emit prints or writes the report and returns the error that sets the exit code.
func (r *checkReport) emit() error {
	if r.f.out != "" {
		if err := r.writeOutput(); err != nil {
			return err
		}
	}
	r.noteLeftOut()
	shown := r.f.format
	switch {
	case r.json:
		shown = "json"
	case r.f.out != "":
		shown = "text"
	}
	switch {
	case shown != "text":
		text, err := r.inFormat(shown)
		if err != nil {
			return err
		}
		r.reported = true
		if _, err := r.stdout.Write(text); err != nil {
			return fmt.Errorf("print the report: %w", err)
		}
	default:
		if err := r.printText(); err != nil {
			return err
		}
	}
	if r.f.closed(r.Findings) {
		return errFindings
	}
	return nil
}

// noteLeftOut says which findings did not fit into a SARIF log.
func (r *checkReport) noteLeftOut() {
	if r.f.format != "sarif" || len(r.Findings) <= diag.MaxResults || r.quiet {
		return
	}
	_, kinds := diag.Share(r.Findings, diag.MaxResults)
	fmt.Fprintf(r.stderr, "note: a SARIF log holds %s findings; left out are %s\n", amount.Grouped(diag.MaxResults), diag.Left(kinds))
}

// printText prints the findings with their source lines, and the summary.
func (r *checkReport) printText() error {
	o := diag.RenderOptions{Path: r.place}
	if r.index == "" {
		o.Lines = r.lines()
	}
	if err := r.digest(r.Findings, o); err != nil {
		return fmt.Errorf("print the findings: %w", err)
	}
	if r.quiet {
		return nil
	}
	for _, f := range r.Fixes {
		what := strings.Join(f.What, ", ")
		switch {
		case f.Kept != "":
			fmt.Fprintf(r.stdout, "not fixed  %s: %s\n", diag.Printable(f.Path), f.Kept)
		case r.f.dryRun:
			fmt.Fprintf(r.stdout, "would fix  %s: %s\n", diag.Printable(f.Path), what)
		default:
			fmt.Fprintf(r.stdout, "fixed      %s: %s\n", diag.Printable(f.Path), what)
		}
	}
	r.summary()
	r.noteLineEnds()
	return nil
}

// noteLineEnds says that git may change the line ends of packs. Nothing is wrong yet.
func (r *checkReport) noteLineEnds() {
	for _, d := range r.Findings {
		if d.Path == ".gitattributes" && d.Severity == diag.Info && !r.verbose {
			fmt.Fprintf(r.stdout, "note: %s\n    fix: %s\n", d.Message, d.Hint)
		}
	}
}

func (r *checkReport) printPacks() {
	t := &columns.Table{Right: map[int]bool{4: true, 5: true, 6: true, 7: true}}
	t.Add("PACK", "STATUS", "SUGGESTED", "RUN", "HEALTH", "ERRORS", "WARNINGS", "SUPPRESSED")
	for _, p := range r.Packs {
		t.Add(diag.Printable(p.Pack), diag.Printable(string(p.PackStatus)), diag.Printable(string(p.SuggestedStatus)), string(p.Status),
			check.WorstDimension(p.Dimensions), amount.Grouped(p.Errors), amount.Grouped(p.Warnings), amount.Grouped(p.Suppressed))
	}
	t.Write(r.stdout)
	fmt.Fprintf(r.stdout, "%s, %s, %s\n", amount.Counted(diag.Count(r.Findings, diag.Error), "error"),
		amount.Counted(diag.Count(r.Findings, diag.Warning), "warning"), r.remarks())
	r.printDrafts(r.Findings, r.Dirs)
}

// place returns the path of a finding from the repository root.
func (r *checkReport) place(d diag.Diagnostic) string { return check.PlaceIn(r.Dirs)(d) }

// maxShown is the size limit of files whose lines are shown, in bytes.
const maxShown = 8 << 20

// lines reads the lines that findings point to.
func (r *checkReport) lines() diag.Lines {
	return diag.NewLines(func(d diag.Diagnostic) ([]byte, error) {
		root, err := regularfile.Root(r.Paths.Dir)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		name := r.place(d)
		if filepath.IsAbs(name) {
			return atomicfile.Read(name, maxShown)
		}
		return repo.ReadIn(root, filepath.FromSlash(name), maxShown)
	})
}

// inFormat renders the report in a format.
func (r *checkReport) inFormat(format string) ([]byte, error) {
	var b bytes.Buffer
	if format == "json" {
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(r.envelope()); err != nil {
			return nil, fmt.Errorf("render the report: %w", err)
		}
		return diag.EscapeJSON(b.Bytes()), nil
	}
	o := diag.FormatOptions{Path: r.place, Rules: rulebook.Text, All: "packgen check --all"}
	o.Fails = func(d diag.Diagnostic) bool { return r.f.closed([]diag.Diagnostic{d}) }
	if r.index == "" {
		o.Lines = r.lines()
	}
	if err := check.Render(&b, format, r.Findings, o); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// envelope returns the report as JSON. With one pack it is a health record too
// (agent-knowledge section 16).
func (r *checkReport) envelope() any {
	head := envelope{OK: true, Status: schema.Passed, Command: "check", Findings: findingsOf(r.Findings)}
	switch {
	case diag.Count(r.Findings, diag.Error) > 0:
		head.OK, head.Status = false, schema.Failed
	case diag.Count(r.Findings, diag.Warning) > 0:
		head.Status = schema.NeedsReview
	}
	if r.index != "" {
		return struct {
			envelope
			Index  string          `json:"index"`
			Result json.RawMessage `json:"result"`
		}{head, r.index, r.indexResult}
	}
	out := struct {
		envelope
		Packs      []check.CheckedPack `json:"packs"`
		Dimensions *schema.Dimensions  `json:"dimensions,omitempty"`
		DryRun     bool                `json:"dry_run"`
		Fixed      []check.FixedFile   `json:"fixed"`
	}{envelope: head, Packs: append([]check.CheckedPack{}, r.Packs...), DryRun: r.f.dryRun, Fixed: append([]check.FixedFile{}, r.Fixes...)}
	if len(r.Packs) == 1 {
		out.Pack, out.Dimensions = r.Packs[0].Pack, r.Packs[0].Dimensions
	}
	return out
}

// remarks counts the findings of severity info, and says how those that were not printed are
// seen.
func (r *checkReport) remarks() string {
	n := diag.Count(r.Findings, diag.Info)
	text := amount.Counted(n, "remark")
	if n > 0 && !r.verbose {
		text += " (show with -v)"
	}
	return text
}

// runCheckExplain explains one rule, or lists what is switched off or changed.
func (a *app) runCheckExplain(cmd *cobra.Command, f checkFlags, args []string) error {
	for _, other := range [...]string{"index", "out", "fix", "fail-on", "dry-run"} {
		if cmd.Flags().Changed(other) {
			return diag.WithHint(fmt.Errorf("--explain and --%s contradict each other", other), "leave one of them out")
		}
	}
	if f.format != "text" && f.format != "json" {
		return diag.WithHint(fmt.Errorf("--explain has no format %s", f.format), "write text or json")
	}
	if len(args) == 1 && args[0] == allRules {
		a.listRules()
		return nil
	}
	if len(args) == 1 {
		if _, ok := rulebook.Find(ruleArgument(args[0])); ok {
			return a.explainRule(args[0])
		}
	}
	if err := a.Load(); err != nil {
		return err
	}
	list, err := check.Decisions(cmd.Context(), &a.Repo, args)
	if err != nil {
		return explainUnknown(err, args)
	}
	if f.format == "json" {
		a.printJSON(struct {
			envelope
			Decisions []decisionJSON `json:"decisions"`
		}{envelopeOf("check", nil), decisionsOf(list)})
		return nil
	}
	a.printDecisions(list)
	return nil
}

// ruleArgument returns a rule id without the brackets that findings print around it.
func ruleArgument(id string) string { return strings.TrimSuffix(strings.TrimPrefix(id, "["), "]") }

// explainUnknown adds what is known of rules to the error about a name that is neither a rule nor
// a pack.
func explainUnknown(err error, args []string) error {
	if len(args) != 1 || strings.ContainsAny(args[0], "/\\") {
		return err
	}
	if diag.HintOf(err) == "" {
		return err
	}
	hint := cmp.Or(rulebook.Nearest(args[0]), "run packgen check --explain all for the rules")
	return diag.WithHint(fmt.Errorf("no rule and %w", diag.WithoutHint(err)), "%s", hint)
}

// decisionJSON is a decision in the envelope.
type decisionJSON struct {
	At       string    `json:"at"`
	Rule     string    `json:"rule"`
	Severity string    `json:"severity"` // after the decision
	Reason   string    `json:"reason"`
	Findings []finding `json:"findings"` // with their severity before it, and paths from the repository root
}

func decisionsOf(list []check.Decision) []decisionJSON {
	out := []decisionJSON{}
	for _, d := range list {
		out = append(out, decisionJSON{d.At, d.Rule, d.To.String(), d.Reason, findingsOf(d.Findings)})
	}
	return out
}

// shownPlaces is the number of places listed for a decision without --all.
const shownPlaces = 5

func (a *app) printDecisions(list []check.Decision) {
	if len(list) == 0 {
		fmt.Fprintln(a.stdout, "nothing is switched off or changed")
		return
	}
	p := a.painterFor(a.stdout)
	for _, d := range list {
		fmt.Fprintf(a.stdout, "%s: %s is %s: %s\n", diag.Printable(d.At), p.Bold(d.Rule), d.To, diag.Printable(d.Reason))
		shown := d.Findings
		if !a.all && len(shown) > shownPlaces {
			shown = shown[:shownPlaces]
		}
		for _, f := range shown {
			fmt.Fprintf(a.stdout, "    %s: %s\n", diag.Printable(f.Place()), f.Severity)
		}
		switch more := len(d.Findings) - len(shown); {
		case len(d.Findings) == 0:
			fmt.Fprintln(a.stdout, "    covers nothing")
		case more > 0:
			fmt.Fprintf(a.stdout, "    %s more; --all lists them\n", amount.Grouped(more))
		}
	}
}

// runCheckRecord checks the record of the flag and those that a shell expanded into
// arguments.
func (a *app) runCheckRecord(cmd *cobra.Command, f checkFlags, args []string) error {
	for _, other := range [...]string{"index", "out", "fix", "explain", "dry-run", "all"} {
		if cmd.Flags().Changed(other) {
			return diag.WithHint(fmt.Errorf("--record and --%s contradict each other", other), "leave one of them out")
		}
	}
	if f.format != "text" && f.format != "json" {
		return diag.WithHint(fmt.Errorf("--record has no format %s", f.format), "write text or json")
	}
	if cmd.Flags().Changed("schema") {
		if err := oneOf("--schema", f.schema, schema.Kinds()...); err != nil {
			return err
		}
	}
	a.json = f.format == "json"
	for i, name := range args {
		args[i] = a.Paths.Given(name) // flag values are resolved already
	}
	return a.checkRecords(append(slices.Clone(f.records), args...), schema.Kind(f.schema), f.gate)
}

// newValidateRun returns check --record under its former name.
func newValidateRun(a *app) *cobra.Command {
	var kind string
	var strict bool
	cmd := &cobra.Command{
		Use: "validate-run FILE...",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return diag.WithHint(errors.New("validate-run needs a file"), "try packgen check --record packs/handbook/runs/*.json")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			g := gate{gateWords[0]}
			if strict {
				g.failOn = diag.Warning.String()
			}
			if cmd.Flags().Changed("schema") {
				if err := oneOf("--schema", kind, schema.Kinds()...); err != nil {
					return err
				}
			}
			for i, name := range args {
				args[i] = a.Paths.Given(name)
			}
			return a.checkRecords(args, schema.Kind(kind), g)
		},
	}
	cmd.Flags().StringVar(&kind, "schema", "", "the `NAME` of the schema, instead of what the file suggests")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 1 for what is only reported too")
	return cmd
}

// checkRecords checks each file, named from the repository root. An empty kind is inferred
// from the file.
func (a *app) checkRecords(names []string, kind schema.Kind, g gate) error {
	files, findings, err := check.ValidateFiles(&a.Repo, names, kind)
	if err != nil {
		return err
	}
	if a.json {
		out := struct {
			envelope
			Schema schema.Kind           `json:"schema,omitempty"` // only when there is one file
			Files  []check.ValidatedFile `json:"files"`
		}{envelope: envelope{OK: true, Status: schema.Passed, Command: "check", Findings: findingsOf(findings)}, Files: files}
		if len(findings) > 0 {
			out.Status = schema.NeedsReview
		}
		if diag.Count(findings, diag.Error) > 0 {
			out.OK, out.Status = false, schema.Failed
		}
		if len(files) == 1 {
			out.Schema = files[0].Schema
		}
		a.printJSON(out)
	} else {
		a.printFindings(findings, nil)
		if !a.quiet {
			t := &columns.Table{}
			t.Add("FILE", "SCHEMA", "STATUS")
			for _, f := range files {
				t.Add(diag.Printable(f.Path), string(f.Schema), f.Status)
			}
			t.Write(a.stdout)
		}
	}
	if g.closed(findings) {
		return errFindings
	}
	return nil
}

// allRules is the argument of --explain that means every rule.
const allRules = "all"

type ruleJSON struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Severity string `json:"severity"`
	Means    string `json:"means"`
	Why      string `json:"why"`
	Fix      string `json:"fix"`
	Where    string `json:"where"`
	Suppress string `json:"suppress"`
}

func ruleOf(r rulebook.Rule) ruleJSON {
	return ruleJSON{r.ID, r.Title, r.Severity.String(), r.Means, r.Why, r.Fix, r.Where, r.Suppress.String()}
}

func (a *app) printRules(rules []rulebook.Rule) {
	list := make([]ruleJSON, len(rules))
	for i, r := range rules {
		list[i] = ruleOf(r)
	}
	a.printJSON(struct {
		envelope
		Rules []ruleJSON `json:"rules"`
	}{envelopeOf("check", nil), list})
}

func (a *app) listRules() {
	if a.json {
		a.printRules(rulebook.All())
		return
	}
	t := &columns.Table{}
	t.Add("RULE", "SEVERITY", "REPORTS")
	for _, r := range rulebook.All() {
		t.Add(r.ID, r.Severity.String(), r.Title)
	}
	t.Write(a.stdout)
}

func (a *app) explainRule(id string) error {
	id = ruleArgument(id)
	r, ok := rulebook.Find(id)
	if !ok {
		err := fmt.Errorf("no rule %q", id)
		if near := nearest.Name(id, rulebook.IDs()); near != "" {
			return diag.WithHint(err, "did you mean %s?", near)
		}
		return diag.WithHint(err, "run packgen check --explain all for a list of the rules")
	}
	if a.json {
		a.printRules([]rulebook.Rule{r})
		return nil
	}
	p := a.painterFor(a.stdout)
	fmt.Fprintf(a.stdout, "%s  %s\n%s\n\n", p.Bold(r.ID), severityWord(p, r.Severity), r.Title)
	for _, part := range [...]struct{ head, text string }{
		{"Means", r.Means}, {"Why", r.Why}, {"Fix", r.Fix}, {"Where", r.Where}, {"Switch off", r.Suppress.String()},
	} {
		fmt.Fprintf(a.stdout, "%s\n", p.Bold(part.head))
		for _, line := range columns.Wrapped(part.text, 76) {
			fmt.Fprintf(a.stdout, "    %s\n", line)
		}
	}
	if r.Suppress != rulebook.Never {
		fmt.Fprintf(a.stdout, "    <!-- packgen-disable-next-line %s: the reason -->\n", r.ID)
	}
	if r.Suppress == rulebook.Anywhere {
		fmt.Fprintf(a.stdout, "    <!-- packgen-disable %s: the reason -->, from there to the end of the file\n", r.ID)
	}
	if r.Severity != diag.Error || r.Milder {
		what := "off, or another severity, under rules: in packgen.yaml"
		if r.Milder {
			what += "; its errors stay errors"
		}
		fmt.Fprintf(a.stdout, "    %s\n", what)
	}
	return nil
}

func severityWord(p color.Painter, s diag.Severity) string {
	if s == diag.Error {
		return p.Red(s.String())
	}
	return p.Dim(s.String())
}

// newValidateIndex returns check --index under its former name.
func newValidateIndex(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "validate INDEX",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return diag.WithHint(errors.New("validate needs one index"), "try packgen check --index public/index.json")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return a.runCheckIndex(checkFlags{gate: gate{gateWords[0]}, index: args[0], format: "text"})
		},
	}
}

func (a *app) runCheckIndex(f checkFlags) error {
	name := f.index
	a.scope = diag.Printable("--index " + name)
	text, err := atomicfile.Read(a.Paths.Abs(name), indexjson.MaxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return diag.Absent("index", name, "run packgen build to write one")
	}
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	if err := a.Load(); err != nil {
		return err
	}
	ix, err := indexfile.ReadBeside(a.Paths.Abs(name), text)
	if err != nil {
		return repo.ReadIndexError(name, err)
	}
	findings, _ := a.Config.Policy().Apply(check.IndexFindings(a.Paths.Rel(a.Paths.Abs(name)), text, check.Issues(ix)), repo.PathOf)
	report := &checkReport{
		app: a, f: f, index: a.Paths.Rel(a.Paths.Abs(name)), indexResult: validation(loadout.Validate(ix)), Outcome: check.Outcome{Findings: findings},
	}
	report.summary = func() {
		fmt.Fprintf(a.stdout, "%s: %s, %s, %s\n", diag.Printable(name), amount.Entries(len(ix.Entries)),
			amount.Counted(diag.Count(report.Findings, diag.Error), "error"), amount.Counted(diag.Count(report.Findings, diag.Warning), "warning"))
	}
	return report.emit()
}

// validation returns the outcome in the JSON shape of the format (loadout section 17).
func validation(issues []loadout.Issue) []byte {
	errors := 0
	for i := range issues {
		if issues[i].Severity == loadout.SeverityError {
			errors++
		}
	}
	var o indexjson.Object
	o.Bool("valid", errors == 0).Number("errors", float64(errors)).Number("warnings", float64(len(issues)-errors))
	return o.Value("issues", loadout.AppendIssues(nil, issues)).JSON()
}
