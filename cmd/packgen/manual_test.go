package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

const manual = "../../packs/packgen-manual/documents"

// manualPages names the pages of the manual below its folder: tutorial.md,
// how-to/write-evals.md.
func manualPages(t *testing.T) []string {
	t.Helper()
	var pages []string
	err := fs.WalkDir(os.DirFS(manual), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(name, ".md") {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil || len(pages) == 0 {
		t.Fatalf("the manual has %d pages, %v", len(pages), err)
	}
	return pages
}

func manualPage(t *testing.T, name string) string {
	t.Helper()
	return string(oktest.Value(os.ReadFile(filepath.Join(manual, name)))(t))
}

// tableRow is a row of a Markdown table.
func tableRow(cells ...string) string {
	var b strings.Builder
	for _, cell := range cells {
		b.WriteString("| ")
		if cell != "" {
			b.WriteString(cell + " ")
		}
	}
	return b.String() + "|\n"
}

func writeText(t testing.TB, name, text string) {
	t.Helper()
	packgentest.WriteText(t, name, text)
}

// The manual names every verb and every flag.
func TestManualNamesEveryVerbAndFlag(t *testing.T) {
	var all strings.Builder
	for _, page := range manualPages(t) {
		all.WriteString(manualPage(t, page))
	}
	text := all.String()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			return
		}
		// A verb of a verb may be in a list of them: `summary`, `dead`.
		if !strings.Contains(text, cmd.CommandPath()) && !strings.Contains(text, "`"+cmd.Name()+"`") {
			t.Errorf("no page of the manual names %q", cmd.CommandPath())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(text, "`--"+f.Name) {
				t.Errorf("no page of the manual names --%s of %q", f.Name, cmd.CommandPath())
			}
		})
		if cmd.Name() == "completion" {
			return // a verb for each shell, with flags of cobra's
		}
		for _, below := range cmd.Commands() {
			visit(below)
		}
	}
	visit(newRoot(&app{}))
}
