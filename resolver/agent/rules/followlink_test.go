package rules

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// A split writes the file that a link leads to, and only one of the repository.
func TestASplitFollowsALinkWithinTheRepository(t *testing.T) {
	dir, away := t.TempDir(), filepath.Join(t.TempDir(), "away.md")
	for _, name := range []string{filepath.Join(dir, "AGENTS.md"), away} {
		oktest.Check(t, os.WriteFile(name, []byte("# A\n"), 0o666))
	}
	root := oktest.Value(os.OpenRoot(dir))(t)
	defer root.Close()
	for to, want := range map[string]string{"AGENTS.md": "AGENTS.md", away: "", "none.md": "", ".": ""} {
		_ = os.Remove(filepath.Join(dir, "CLAUDE.md"))
		if err := os.Symlink(to, filepath.Join(dir, "CLAUDE.md")); err != nil {
			t.Skip(err)
		}
		r, out := &Report{FilePath: "CLAUDE.md"}, &Output{Main: File{Path: "CLAUDE.md"}}
		err := r.followLink(root, out)
		if (err == nil) != (want != "") || err == nil && (r.FilePath != want || out.Main.Path != want) {
			t.Errorf("a link to %s: %s, %s, %v", to, r.FilePath, out.Main.Path, err)
		}
	}
}
