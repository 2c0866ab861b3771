package hook

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// Memories that an agent keeps for one project are for prompts in it: in its repository, in
// a directory below, in another work tree. Those of a store elsewhere are for all.
func TestMemoriesOfOtherProjectsStayThere(t *testing.T) {
	t.Parallel()
	home, work := t.TempDir(), t.TempDir()
	mine, tree := filepath.Join(work, "my_app"), filepath.Join(work, "tree")
	for _, dir := range []string{filepath.Join(mine, ".git"), filepath.Join(mine, "deep", "er"), filepath.Join(work, "plain", "sub"), tree} {
		oktest.Check(t, os.MkdirAll(dir, 0o755))
	}
	admin := filepath.Join(mine, ".git", "worktrees", "tree")
	putAll(t, map[string]string{
		filepath.Join(tree, ".git"): "gitdir: " + admin + "\n", filepath.Join(admin, "commondir"): "../..\n", filepath.Join(admin, "gitdir"): filepath.Join(tree, ".git") + "\n",
	})
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
		p := &projects{dirs: []string{dir}, cwd: c.cwd}
		if got := p.isOther(c.path); got != c.want {
			t.Errorf("in %s: isOther(%s) = %t", c.cwd, c.path, got)
		}
	}
	if got := projectName("/home/you/my_app.x é😀"); got != "-home-you-my-app-x----" {
		t.Errorf("the name is %s", got)
	}
}

// putAll writes files with their directories.
func putAll(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		put(t, text, name)
	}
}

// A .git that leads into the repository of somebody else does not make a directory a part of
// it: that repository has to name the directory, too.
func TestAGitFileHasToBeAnswered(t *testing.T) {
	t.Parallel()
	top := oktest.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	at := func(name string) string { return filepath.Join(top, filepath.FromSlash(name)) }
	putAll(t, map[string]string{
		at("main/.git/HEAD"): "", at("main/.git/worktrees/tree/commondir"): "../..\n", at("main/.git/worktrees/tree/gitdir"): at("tree/.git") + "\n",
		at("tree/.git"): "gitdir: " + at("main/.git/worktrees/tree") + "\n",
		// With worktree.useRelativePaths.
		at("main/.git/worktrees/near/commondir"): "../..\n", at("main/.git/worktrees/near/gitdir"): "../../../../near/.git\n", at("near/.git"): "gitdir: ../main/.git/worktrees/near\n",
		// A submodule, and one that is checked out in part.
		at("main/.git/modules/sub/config"): "[core]\n\tbare = false\n\tworktree = ../../../sub\n", at("main/sub/.git"): "gitdir: ../.git/modules/sub\n",
		at("main/.git/modules/part/config"): "[core]\n", at("main/.git/modules/part/config.worktree"): "[Core] WorkTree = \"../../../part\" ; here\n", at("main/part/.git"): "gitdir: ../.git/modules/part\n",
		// Of a bare repository.
		at("bare.git/worktrees/out/commondir"): "../..\n", at("bare.git/worktrees/out/gitdir"): at("out/.git"), at("out/.git"): "gitdir: " + at("bare.git/worktrees/out"),

		at("evil/tree/.git"):    "gitdir: " + at("main/.git/worktrees/tree") + "\n",
		at("evil/main/.git"):    "gitdir: " + at("main/.git") + "\n",
		at("evil/sub/.git"):     "gitdir: " + at("main/.git/modules/sub") + "\n",
		at("evil/dots/.git"):    "gitdir: " + at("main") + "/.git/worktrees/../../../evil/dots/admin\n",
		at("evil/missing/.git"): "gitdir: " + at("main/.git/worktrees/missing") + "\n",
		at("evil/broken/.git"):  "gitdir " + at("main/.git/worktrees/tree") + "\n",
		// A directory of its own that names the repository of somebody else.
		at("evil/dots/admin/commondir"): at("main/.git"), at("evil/dots/admin/gitdir"): at("evil/dots/.git"),
		at("evil/common/.git/commondir"): at("main/.git"), at("evil/common/.git/HEAD"): "",
		at("evil/inside/.git"): "gitdir: part/.git/worktrees/x", at("evil/inside/part/.git/worktrees/x/commondir"): "../..", at("evil/inside/part/.git/worktrees/x/gitdir"): "../../../../.git",
	})
	for link, to := range map[string]string{"evil/link/.git": "main/.git", "evil/worktrees/.git": "main/.git/worktrees/tree"} {
		oktest.Check(t, os.MkdirAll(filepath.Dir(at(link)), 0o755))
		if err := os.Symlink(at(to), at(link)); err != nil {
			t.Skipf("SKIPPED: no links: %v", err)
		}
	}
	for dir, want := range map[string][3]string{ // the directory of git, that of the objects, the project
		"main": {"main/.git", "main/.git", "main"}, "tree": {"main/.git/worktrees/tree", "main/.git", "main"}, "near": {"main/.git/worktrees/near", "main/.git", "main"},
		"main/sub": {"main/.git/modules/sub", "main/.git/modules/sub", "main/sub"}, "main/part": {"main/.git/modules/part", "main/.git/modules/part", "main/part"},
		"out": {"bare.git/worktrees/out", "bare.git", "out"},

		"evil/tree": {"", "", "evil/tree"}, "evil/main": {"", "", "evil/main"}, "evil/sub": {"", "", "evil/sub"}, "evil/dots": {"", "", "evil/dots"}, "evil/missing": {"", "", "evil/missing"},
		"evil/broken": {"", "", "evil/broken"}, "evil/common": {"", "", "evil/common"}, "evil/link": {"", "", "evil/link"}, "evil/worktrees": {"", "", "evil/worktrees"},
		"evil/inside": {"evil/inside/part/.git/worktrees/x", "evil/inside/part/.git", "evil/inside"},
	} {
		own, common := GitDir(at(dir))
		got := [3]string{own, common, gitRoot(at(dir))}
		for i := range want {
			if want[i] != "" {
				want[i] = at(want[i])
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
