package repo

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/regularfile"
)

// gitAt runs the git of the machine in a directory, with a configuration of nobody.
func gitAt(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// repositoryAt makes a repository with one commit of one file in a folder.
func repositoryAt(t *testing.T, dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("SKIPPED: needs git and a shell")
	}
	write(t, filepath.Join(dir, "docs", "a.md"), "a\n")
	gitAt(t, dir, "init", "-q", "-b", "main")
	gitAt(t, dir, "add", "-A")
	gitAt(t, dir, "commit", "-qm", "first")
}

func write(t *testing.T, name, text string) {
	t.Helper()
	oktest.Check(t, os.MkdirAll(filepath.Dir(name), 0o755))
	oktest.Check(t, os.WriteFile(name, []byte(text), 0o755))
}

// history asks git for what a build asks it for.
func history(dir string) (string, error) {
	w := &Repo{Paths: Paths{Dir: dir}}
	g, err := OpenGit(context.Background(), w.Paths.Dir)
	if err != nil {
		return "", err
	}
	if _, err := g.Run(context.Background(), "rev-parse", "--is-shallow-repository"); err != nil {
		return "", err
	}
	args := []string{"--format=", "--name-only"}
	if g.Below != "." {
		args = append(args, "--relative="+g.Below+"/")
	}
	out, err := g.Run(context.Background(), "log", args...)
	return strings.TrimSpace(string(out)), err
}

// A repository whose configuration, hooks and attributes name programs for whatever git runs
// one for is asked for its history, and none of them starts.
func TestGitStartsNoProgramOfARepository(t *testing.T) {
	dir := t.TempDir()
	repositoryAt(t, dir)
	mark := filepath.Join(t.TempDir(), "mark")
	evil := filepath.Join(dir, "evil")
	write(t, evil, "#!/bin/sh\necho \"$0 $*\" >>'"+mark+"'\nexit 1\n")
	write(t, filepath.Join(dir, ".gitattributes"), "* diff=x filter=x merge=x\n")
	gitAt(t, dir, "add", "-A")
	gitAt(t, dir, "commit", "-qm", "second")
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "reference-transaction", "pre-auto-gc", "post-checkout"} {
		write(t, filepath.Join(dir, ".git", "hooks", hook), "#!/bin/sh\ntouch '"+mark+"'\n")
	}
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "pager.log", "pager.rev-parse", "core.editor", "core.sshCommand", "core.gitProxy", "core.askPass", "core.alternateRefsCommand",
		"diff.external", "diff.x.command", "diff.x.textconv", "filter.x.clean", "filter.x.smudge", "filter.x.process", "merge.x.driver", "interactive.diffFilter",
		"gpg.program", "gpg.ssh.program", "gpg.x509.program", "credential.helper", "uploadpack.packObjectsHook", "remote.origin.uploadpack", "man.x.cmd", "browser.x.cmd",
	} {
		gitAt(t, dir, "config", key, evil)
	}
	for key, value := range map[string]string{
		"alias.log": "!" + evil, "alias.rev-parse": "!" + evil, "log.showSignature": "true", "core.hooksPath": dir, "gc.auto": "1", "core.attributesFile": filepath.Join(dir, ".gitattributes"),
		"core.repositoryformatversion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true", "remote.origin.url": ".",
	} {
		gitAt(t, dir, "config", key, value)
	}
	if got, err := history(dir); err != nil || !strings.Contains(got, "docs/a.md") {
		t.Errorf("the history is %q, error %v", got, err)
	}
	// A tree that is missing would be fetched from the remote repository.
	tree := gitAt(t, dir, "rev-parse", "HEAD^{tree}")
	oktest.Check(t, os.Remove(filepath.Join(dir, ".git", "objects", tree[:2], tree[2:])))
	if got, err := history(dir); err == nil {
		t.Errorf("without a tree the history is %q", got)
	}
	if text, err := os.ReadFile(mark); err == nil {
		t.Errorf("git has started programs: %s", text)
	}
}

// What only looks like a repository is not used: git uses the nearest .git, and only when that knows
// the directory it is in.
func TestGitUsesTheRepositoryThatPackgenFinds(t *testing.T) {
	top := regularfile.RealPath(t.TempDir())
	at := func(name string) string { return filepath.Join(top, filepath.FromSlash(name)) }
	repositoryAt(t, at("main"))
	repositoryAt(t, at("other"))
	write(t, at("other/docs/secret.md"), "s\n")
	gitAt(t, at("other"), "add", "-A")
	gitAt(t, at("other"), "commit", "-qm", "second")
	gitAt(t, at("main"), "worktree", "add", "-q", at("tree"))
	gitAt(t, at("main"), "submodule", "--quiet", "add", at("other"), "sub")
	gitAt(t, at("main"), "clone", "-q", "--bare", at("other"), "docs/bare")
	gitAt(t, at("main"), "clone", "-q", "--bare", at("other"), at("plain"))
	write(t, at("pointed/.git"), "gitdir: "+at("other/.git"))
	write(t, at("tied/.git"), "gitdir: "+at("main/.git/worktrees/tree"))
	gitAt(t, at("main"), "clone", "-q", at("main"), at("common"))
	write(t, at("common/.git/commondir"), at("other/.git"))
	gitAt(t, at("main"), "clone", "-q", "--bare", at("other"), at("broken"))
	write(t, at("broken/.git/HEAD"), "nothing")
	oktest.Check(t, os.MkdirAll(at("linked"), 0o755))
	oktest.Check(t, os.Symlink(at("other/.git"), at("linked/.git")))
	t.Setenv("GIT_DIR", at("other/.git"))
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "safe.bareRepository")
	t.Setenv("GIT_CONFIG_VALUE_0", "all")
	for dir, want := range map[string]string{
		"main": "docs/a.md", "main/docs": "a.md", "main/docs/bare": "", "tree": "docs/a.md", "tree/docs": "a.md", "main/sub": "docs/secret.md docs/a.md", "main/sub/docs": "secret.md a.md",
		"plain": "error", "pointed": "error", "tied": "error", "common": "error", "linked": "error", "broken": "error", "broken/refs": "error",
	} {
		got, err := history(at(dir))
		got = strings.Join(strings.Fields(got), " ")
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %q, error %v, want %q", dir, got, err, want)
		}
	}
}

// Of the user's variables of git those stay that name his own configuration.
func TestGitEnvironment(t *testing.T) {
	own := []string{
		"HOME=/home/me", "XDG_CONFIG_HOME=config", "GIT_CONFIG_GLOBAL=/home/me/git", "GIT_CONFIG_SYSTEM=system", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		"GIT_DIR=x", "GIT_WORK_TREE=x", "GIT_SSH_COMMAND=x", "GIT_EXTERNAL_DIFF=x", "GIT_PAGER=x", "GIT_EXEC_PATH=x", "GIT_ALLOW_PROTOCOL=file", "GIT_CONFIG_PARAMETERS=x", "GIT_TRACE=/x", "LANG=C",
	}
	want := []string{
		"HOME=/home/me", "GIT_CONFIG_GLOBAL=/home/me/git", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "LANG=C",
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(filepath.FromSlash("/a/b")),
	}
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the paths of the test are those of Unix")
	}
	if got := gitEnvironment(own, filepath.FromSlash("/a/b")); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Only commands that start nothing are given to git.
func TestGitIsGivenNoOtherCommand(t *testing.T) {
	for _, verb := range []string{"fetch", "status", "diff", "checkout", "-c", ""} {
		if out, err := (&Git{}).Run(context.Background(), verb); err == nil || !strings.Contains(err.Error(), "does not run") {
			t.Errorf("git %s: %q, error %v", verb, out, err)
		}
	}
}
