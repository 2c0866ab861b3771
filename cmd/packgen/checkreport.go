package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/repo"
)

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
