package main

import (
	"fmt"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/resolver/workspace"
)

// tally is a number of files and their bytes in the envelope.
type tally struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// outputReport is what the envelope says about the site.
type outputReport struct {
	Dir       string         `json:"dir"`
	Written   bool           `json:"written"` // false in a dry run, and when a pack has errors
	Created   tally          `json:"created"`
	Updated   tally          `json:"updated"`
	Deleted   tally          `json:"deleted"`
	Unchanged tally          `json:"unchanged"`
	Changes   []outputChange `json:"changes"`
}

// outputChange is one file that was, or would be, written or deleted.
type outputChange struct {
	Path      string `json:"path"`
	Operation string `json:"operation"`
}

// indexReport is what the envelope says about the loadout index.
type indexReport struct {
	Entries      int     `json:"entries"`
	AlwaysLoaded float64 `json:"always_loaded_est"`
	OnDemand     float64 `json:"on_demand_total_est"`
}

// buildPrinter prints a build.
type buildPrinter struct {
	*buildRun
	app *app
}

// report prints what the build did and returns errFindings when the site was
// not written because of errors.
func (b buildPrinter) report() error {
	findings := b.repo.Findings()
	if b.app.json {
		b.app.printJSON(b.envelope(findings))
	} else {
		b.print(findings)
	}
	if b.failed() {
		return errFindings
	}
	return nil
}

// buildEnvelope is the JSON form of a build.
type buildEnvelope struct {
	envelope
	DryRun bool              `json:"dry_run"`
	Packs  []packReport      `json:"packs"`
	Index  *indexReport      `json:"index"` // null when it was not built
	Output outputReport      `json:"output"`
	Stages []workspace.Stage `json:"stages"`
}

func (b buildPrinter) envelope(findings []diag.Diagnostic) buildEnvelope {
	e := buildEnvelope{
		envelope: envelope{
			OK: diag.Count(findings, diag.Error) == 0, Status: b.repo.Status(), Command: "build",
			Findings: findingsOf(findings),
		},
		DryRun: b.flags.dryRun,
		Packs:  []packReport{},
		Output: b.output(),
		Index:  b.index,
		Stages: b.stages.Done,
	}
	if b.failed() {
		e.Status = "failed"
	}
	for _, m := range b.repo.Members {
		e.Packs = append(e.Packs, reportOf(m))
	}
	return e
}

// output sums up what happened to the site.
func (b buildPrinter) output() outputReport {
	s := b.summary
	out := outputReport{
		Dir: b.app.Rel(b.out), Written: b.written && !b.flags.dryRun,
		Created: tally(s.Created), Updated: tally(s.Updated), Deleted: tally(s.Deleted), Unchanged: tally(s.Unchanged),
		Changes: []outputChange{},
	}
	for _, c := range s.Paths {
		out.Changes = append(out.Changes, outputChange{c.Path, string(c.Change)})
	}
	return out
}

// print writes the build for a person: findings and times to standard error,
// the tables to standard output.
func (b buildPrinter) print(findings []diag.Diagnostic) {
	a := b.app
	a.printFindings(findings, b.repo.Dirs())
	if a.quiet {
		return
	}
	if b.flags.dryRun || a.verbose {
		a.printOutputs(b.repo, b.flags.dryRun)
		for _, c := range b.summary.Paths {
			fmt.Fprintf(a.stdout, "%-9s  %s/%s\n", c.Change, a.Rel(b.out), c.Path)
		}
	}
	packTable(b.repo).write(a.stdout)
	b.printLater()
	b.printSite()
	fmt.Fprintln(a.stderr, b.stages.Summary())
}

// printLater says which warnings the table does not count.
func (b buildPrinter) printLater() {
	later := diag.Count(b.repo.Faults, diag.Warning)
	for _, m := range b.repo.Members {
		later += diag.Count(m.Later, diag.Warning)
	}
	if later > 0 {
		fmt.Fprintf(b.app.stdout, "WARNINGS are those of the compile, as on the site; the index and the pages have %s more\n", amount.Grouped(later))
	}
}

// printSite says what became of the output directory.
func (b buildPrinter) printSite() {
	a, out := b.app, b.app.Rel(b.out)
	if !b.written {
		errors := diag.Count(b.repo.Findings(), diag.Error)
		fmt.Fprintf(a.stderr, "%s is left as it was: %s to mend\n", out, amount.Counted(errors, "error"))
		return
	}
	s := b.summary
	all := publish.Tally{
		Files: s.Created.Files + s.Updated.Files + s.Unchanged.Files,
		Bytes: s.Created.Bytes + s.Updated.Bytes + s.Unchanged.Bytes,
	}
	t := &table{right: map[int]bool{1: true, 2: true}}
	t.add("SITE", "FILES", "SIZE")
	t.add(out, amount.Grouped(all.Files), amount.Size(all.Bytes))
	for _, line := range []struct {
		name string
		publish.Tally
	}{
		{"created", s.Created}, {"updated", s.Updated}, {"deleted", s.Deleted}, {"unchanged", s.Unchanged},
	} {
		if line.Files > 0 {
			t.add("  "+line.name, amount.Grouped(line.Files), amount.Size(line.Bytes))
		}
	}
	fmt.Fprintln(a.stdout)
	t.write(a.stdout)
	fmt.Fprintf(a.stdout, "\nindex: %s, %s tokens on demand, %s always loaded\n",
		amount.Entries(b.index.Entries), amount.Grouped(int64(b.index.OnDemand)), amount.Grouped(int64(b.index.AlwaysLoaded)))
	if b.flags.dryRun {
		fmt.Fprintln(a.stdout, "dry run: nothing was written")
	}
}
