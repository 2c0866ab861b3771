package site

import (
	"fmt"
	"testing"

	"github.com/packgen/packgen/compiler/schema"
)

// A pack of more files than pack.json lists has its pages and no archive; it does not
// stop the site.
func TestPackOfTooManyFilesIsPublishedWithoutAnArchive(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes 100,000 files")
	}
	many := files{
		"KNOWLEDGE.md":      entry("kettle", "document-first", "metadata:\n  primaryDocument: documents/main.md\n"),
		"documents/main.md": "# Main\n\nText.\n",
	}
	for i := range schema.MaxPackFiles {
		many[fmt.Sprintf("assets/%06d.txt", i)] = ""
	}
	m := generate(t, Options{}, map[string]files{"kettle": many})
	for _, name := range []string{"packs/kettle/pack.json", "packs/kettle/pack.tar.gz"} {
		if _, ok := m.files[name]; ok {
			t.Errorf("%s is published", name)
		}
	}
	m.has("packs/kettle/documents/main.html", "Text.")
	m.hasNot("packs/kettle/index.html", "pack.tar.gz")
	if len(m.out.Diagnostics) != 1 || m.out.Diagnostics[0].ID != tooLarge {
		t.Errorf("findings are %v", m.out.Diagnostics)
	}
}
