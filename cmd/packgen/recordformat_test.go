package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/schema/schematest"
)

// Every record that builds and resolutions write fits the schema of the format, which is
// closed, whatever packgen knows of the run besides. So does what is published.
func TestRecordsFitTheSchemasOfTheFormat(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) { writeText(t, filepath.Join(dir, name), text) }
	day := 0
	run := func(args ...string) {
		t.Helper()
		day++
		at := fmt.Sprint(1780300800 + 86400*day)
		if code, _, stderr := runIn(t, map[string]string{"SOURCE_DATE_EPOCH": at}, append([]string{"-C", dir}, args...)...); code > exitFindings {
			t.Fatalf("packgen %v ended with %d:\n%s", args, code, stderr)
		}
	}
	oktest.Write(t, dir, repositoryOfRecords())
	run("build", "-q")
	write("packs/kettle/sources/s.md", "Yearly.\nOther.\n")
	run("build", "-q") // a claim is stale
	write("packs/kettle/documents/kettle.md", "---\nkeywords: [lime]\nsummary: How to descale.\n---\n# Kettle\n\n- It is red. [status: disputed]\n")
	run("build", "-q") // a claim has gone
	write("packs/large/wiki/page-007.md", "# Page\n\nAnother text.\n")
	run("compile", "--changed", "packs/large/wiki/page-007.md", "-q") // through a list
	run("build", "-q")
	run("resolve", "--write-run", "how do I descale the kettle")
	run("resolve", "--write-run", "--pack", "large", "what does page 7 say")

	checked := map[string]int{}
	for _, kind := range []struct{ prefix, schema string }{{"compile-", "compile-run"}, {"context-", "context-resolution"}} {
		is := schematest.Compile(t, filepath.FromSlash("../../testdata/format"), kind.schema)
		for _, place := range []string{"packs", "public/packs"} {
			list := oktest.Value(filepath.Glob(filepath.Join(dir, filepath.FromSlash(place), "*", "runs", kind.prefix+"*.json")))(t)
			for _, name := range list {
				data := oktest.Value(os.ReadFile(name))(t)
				if err := schematest.Validate(is, data); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				checked[place+" "+kind.schema]++
				ledger := filepath.Join(filepath.Dir(filepath.Dir(name)), filepath.FromSlash(schema.RunLedgerPath(filepath.Base(name))))
				if _, err := os.Stat(ledger); kind.prefix == "compile-" && err != nil {
					t.Error(err)
				}
			}
		}
	}
	if checked["packs compile-run"] != 5 || checked["packs context-resolution"] != 2 || checked["public/packs compile-run"] != 2 {
		t.Errorf("checked %v", checked)
	}
}

// repositoryOfRecords has a pack with claims and declared routing, and one that is large.
func repositoryOfRecords() map[string]string {
	const entry = "---\nname: %s\ndescription: How to use and descale the harbor %[1]s. Use it for questions about care.\ntype: domain-reference\nstatus: ready\nprofile: hybrid\ngrounding: required\nmetadata:\n  primaryDocument: documents/%[1]s.md\n  producedBy: {kind: agent-skill, name: scribe, version: \"1\"}\n---\n# %[1]s\n"
	files := map[string]string{
		"packgen.yaml":                     "site: {language: en}\n",
		"packs/kettle/KNOWLEDGE.md":        fmt.Sprintf(entry, "kettle"),
		"packs/kettle/documents/kettle.md": "---\nkeywords: [scale]\n---\n# Kettle\n\n- Descale monthly. [source: sources/s.md#L1]\n- It is red. [source: sources/s.md#L2]\n",
		"packs/kettle/sources/s.md":        "Monthly.\nRed.\n",
		"packs/large/KNOWLEDGE.md":         fmt.Sprintf(entry, "large"),
		"packs/large/documents/large.md":   "# Large\n\nMany pages.\n",
		"packs/large/sources/s.md":         "One.\n",
	}
	for i := range 150 {
		files[fmt.Sprintf("packs/large/wiki/page-%03d.md", i)] = fmt.Sprintf("# Page %d\n\n- It says %d. [source: sources/s.md#L1]\n\n## Part\n\n%s\n", i, i, strings.Repeat("More of it. ", 5))
	}
	return files
}
