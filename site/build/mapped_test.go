package build

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	live "github.com/packgen/packgen/site/server"
)

// A pack that is taken over is opened again for its archive: with the folders that are
// mapped into it.
func TestAServeKeepsMappedFolders(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"packgen.yaml":           "documents:\n  - pack: packs/tea\n    from: docs\n",
		"packs/tea/KNOWLEDGE.md": "---\nname: tea\ndescription: How to make tea. Use for questions about pots.\ntype: domain-reference\nstatus: ready\nprofile: document-first\nmetadata:\n  primaryDocument: documents/pot.md\n---\n\n# Tea\n",
		"docs/pot.md":            "# Pot\n\nThe pot is new.\n",
	} {
		path := filepath.Join(dir, name)
		oktest.Check(t, os.MkdirAll(filepath.Dir(path), 0o777))
		oktest.Check(t, os.WriteFile(path, []byte(text), 0o666))
	}
	s := newRebuilds(t, dir)
	s.build(t, live.Change{})
	const page = "packs/tea/documents/pot.html"
	want, ok := s.files[page]
	if !ok {
		t.Fatalf("the first build has no %s", page)
	}
	s.asked = map[string]bool{"packs/tea/pack.tar.gz": true}
	s.build(t, live.Change{Asked: true})
	if s.files["packs/tea/pack.tar.gz"] == "" {
		t.Error("the archive was asked for and not made")
	}
	if s.files[page] != want {
		t.Errorf("%s changed though nothing did", page)
	}
}
