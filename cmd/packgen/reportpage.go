package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
)

// checkPageName returns an error unless --out names a page, or nothing.
func checkPageName(name string) error {
	if ext := strings.ToLower(filepath.Ext(name)); name == "" || ext == ".html" || ext == ".htm" {
		return nil
	}
	return diag.WithHint(fmt.Errorf("--out %s: the name of a page ends in .html", name), "write a name such as --out report.html")
}

// writePage writes a page that stands alone, which write makes for a title and a language.
func (a *app) writePage(name string, write func(w io.Writer, title, language string) error) error {
	if err := a.Load(); err != nil {
		return err
	}
	language := a.Config.Site.Language
	if language == "" {
		language = "en"
	}
	var page bytes.Buffer
	if err := write(&page, a.Config.Title, language); err != nil {
		return fmt.Errorf("make the page %s: %w", name, err)
	}
	if err := atomicfile.Write(a.Paths.Abs(name), page.Bytes()); err != nil {
		return diag.WithHint(fmt.Errorf("write %s: %w", name, err), "run again; the file was not changed")
	}
	return nil
}
