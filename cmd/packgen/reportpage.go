package main

import (
	"bytes"
	"fmt"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/usage"
	"github.com/packgen/packgen/site"
	"github.com/packgen/packgen/site/build"
)

// writeReportPage writes a report as a self-contained page.
func (a *app) writeReportPage(name string, r *usage.Report) error {
	cfg, err := a.LoadConfig()
	if err != nil {
		return err
	}
	language := cfg.Site.Language
	if language == "" {
		language = "en"
	}
	var page bytes.Buffer
	if err := site.WriteReport(&page, build.ReportPage(r), cfg.Title, language); err != nil {
		return fmt.Errorf("make the page of the report: %w", err)
	}
	if err := atomicfile.Write(a.Path(name), page.Bytes()); err != nil {
		return diag.WithHint(fmt.Errorf("write %s: %w", name, err), "run again; the file was not changed")
	}
	return nil
}
