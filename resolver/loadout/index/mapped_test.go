package index

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
)

// What is said of pages that nobody can write keywords into is said once.
func TestUnroutablePagesOfMappedFoldersAreOneFinding(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"p/KNOWLEDGE.md":     "---\nname: p\ndescription: D.\ntype: domain-reference\nstatus: ready\nprofile: document-first\n---\n",
		"p/documents/own.md": "own", "docs/a.md": "a", "docs/b.md": "b", "docs/c.md": "c",
	} {
		at := filepath.Join(root, name)
		oktest.Check(t, os.MkdirAll(filepath.Dir(at), 0o777))
		oktest.Check(t, os.WriteFile(at, []byte(text), 0o666))
	}
	p, _, err := pack.Open(filepath.Join(root, "p"), pack.Mapping{Dir: filepath.Join(root, "docs")})
	oktest.Check(t, err)
	defer p.Close()
	found := func() (list []diag.Diagnostic) {
		for _, name := range []string{"own", "a", "b", "c"} {
			list = append(list, diag.Diagnostic{ID: idUnroutable, Severity: diag.Warning, Path: "documents/" + name + ".md", Message: name})
		}
		return list
	}
	for documents, want := range map[int]diag.Severity{30: diag.Info, 29: diag.Warning} {
		got := foldMapped(found(), p, documents)
		if len(got) != 2 || got[0].Message != "own" || got[0].Severity != diag.Warning || got[1].Message != "a; so do 2 more entries of mapped folders" || got[1].Severity != want {
			t.Errorf("of %d documents: %v", documents, got)
		}
	}
}
