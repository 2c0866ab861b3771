package hook

import (
	"os"
	"path/filepath"
	"testing"
)

// Memories that an agent keeps for one project are for prompts in it: in its repository, in
// a directory below, in another work tree. Those of a store elsewhere are for all.
func TestMemoriesOfOtherProjectsStayThere(t *testing.T) {
	t.Parallel()
	home, work := t.TempDir(), t.TempDir()
	mine, tree := filepath.Join(work, "my_app"), filepath.Join(work, "tree")
	for _, dir := range []string{filepath.Join(mine, ".git"), filepath.Join(mine, "deep", "er"), filepath.Join(work, "plain", "sub"), tree} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(tree, ".git"), []byte("gitdir: "+filepath.Join(mine, ".git", "worktrees", "tree")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, ".claude", "projects") + string(filepath.Separator)
	own := dir + projectName(mine) + "/memory/a.md"
	plain := dir + projectName(filepath.Join(work, "plain")) + "/memory/a.md"
	for _, c := range []struct {
		cwd, path string
		want      bool
	}{
		{mine, own, false}, {filepath.Join(mine, "deep", "er"), own, false}, {tree, own, false}, {filepath.Join(work, "plain"), own, true}, {"", own, false},
		{filepath.Join(work, "plain"), plain, false}, {filepath.Join(work, "plain", "sub"), plain, true}, {mine, plain, true}, {mine, "/elsewhere/memory/a.md", false},
	} {
		p := &projects{dir: dir, cwd: c.cwd}
		if got := p.isOther(c.path); got != c.want {
			t.Errorf("in %s: isOther(%s) = %t", c.cwd, c.path, got)
		}
	}
	if got := projectName("/home/you/my_app.x é😀"); got != "-home-you-my-app-x----" {
		t.Errorf("the name is %s", got)
	}
}
