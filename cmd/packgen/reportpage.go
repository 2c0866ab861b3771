package main

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/site"
)

// page is what a page shows of a report.
func (r *usageReport) page() *site.Report {
	p := &site.Report{
		Events: r.events, Skipped: r.skipped, Entries: r.entries, Estimated: r.estimated, Observed: r.breadth.ObservedAvg,
		Loads: r.usage, Dead: r.dead, Overlaps: r.overlaps, Misses: r.misses,
	}
	for i, n := range r.scores {
		if n > 0 {
			p.Scores = append(p.Scores, site.ReportScore{Label: scoreLabel(i), Count: n})
		}
	}
	for _, w := range r.words {
		p.Words = append(p.Words, site.ReportWord{Word: w.word, Prompts: w.prompts, Entry: w.near})
	}
	return p
}

// writeReportPage writes a report as a page that stands alone.
func (a *app) writeReportPage(name string, r *usageReport) error {
	cfg, err := a.LoadConfig()
	if err != nil {
		return err
	}
	language := cfg.Site.Language
	if language == "" {
		language = "en"
	}
	var page bytes.Buffer
	if err := site.WriteReport(&page, r.page(), cfg.Title, language); err != nil {
		return fmt.Errorf("make the page of the report: %w", err)
	}
	if err := atomicfile.Write(a.Path(name), page.Bytes()); err != nil {
		return diag.WithHint(fmt.Errorf("write %s: %w", name, err), "The file is as it was.")
	}
	return nil
}

// siteReport is the report that the site shows; nil when the configuration asks
// for none. A log that is not there is an empty one: a build elsewhere than where
// the hook runs has none.
func (b *buildRun) siteReport() (*site.Report, error) {
	name := b.cfg.Site.Report
	if name == "" {
		return nil, nil
	}
	index := b.app.Path(name)
	r := &usageReport{index: index, log: filepath.Join(filepath.Dir(index), "usage.jsonl")}
	var err error
	if r.events, r.skipped, err = (layers.Log{Path: r.log}).Read(); err != nil {
		return nil, err
	}
	ix, err := b.app.ReadIndex(index)
	if err == nil {
		err = r.analyze(ix)
	}
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("site.report: %w", err), "site.report in packgen.yaml names an index that packgen refresh or packgen memories index wrote.")
	}
	if r.skipped > 0 {
		b.repo.Add([]diag.Diagnostic{{
			ID: idUsageMalformed, Severity: diag.Warning, Path: b.app.Rel(r.log),
			Message: amount.Counted(r.skipped, "line") + " of the log could not be read as an event.", Hint: "the others are counted",
		}})
	}
	return r.page(), nil
}
