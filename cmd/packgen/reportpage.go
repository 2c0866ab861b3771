package main

import (
	"bytes"
	"fmt"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/site"
)

// reportPage is what a page shows of a report.
func reportPage(r *usageReport) *site.Report {
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
	if err := site.WriteReport(&page, reportPage(r), cfg.Title, language); err != nil {
		return fmt.Errorf("make the page of the report: %w", err)
	}
	if err := atomicfile.Write(a.Path(name), page.Bytes()); err != nil {
		return diag.WithHint(fmt.Errorf("write %s: %w", name, err), "The file is as it was.")
	}
	return nil
}

// siteReport is the report that the site shows; nil when the configuration asks
// for none.
func (b *buildRun) siteReport() (*site.Report, error) {
	if b.cfg.Site.Report == "" {
		return nil, nil
	}
	r, err := readSiteReport(b.ws, b.ws.Path(b.cfg.Site.Report))
	if err != nil {
		return nil, err
	}
	b.repo.Add(malformedLines(b.ws.Rel(r.log), r.skipped))
	return reportPage(r), nil
}
