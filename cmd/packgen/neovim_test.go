package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

// An editor that people use shows findings, completes, follows and renames, set up as
// editors/README.md says and started somewhere else than in the repository.
func TestInstallNeovimHelpsToWriteAPack(t *testing.T) {
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		packgentest.Lacks(t, "neovim", "the language server is shown with the scripted client alone")
	}
	t.Parallel()
	root, home := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"packgen.yaml":                     "title: Kettles\n",
		"packs/kettle/KNOWLEDGE.md":        "---\nname: kettle\ndescription: The kettle.\ntype: domain-reference\nprofile: hybrid\nstatus: ready\nmetadata:\n  primaryDocument: documents/kettle.md\n---\n\n# Kettle\n",
		"packs/kettle/documents/kettle.md": "# Kettle\n\n## Daily care\n\nRinse it.\n",
		"packs/kettle/documents/safety.md": "# Safety\n",
		"packs/kettle/wiki/descaling.md":   "# Descaling\n\nBack to [[kettle#daily-care]].\n",
	} {
		writeText(t, filepath.Join(root, name), text)
	}
	setup := filepath.Join(home, "setup.lua")
	writeText(t, setup, neovimSetup(t, nvim))
	script := oktest.Value(filepath.Abs("testdata/neovim.lua"))(t)
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", script)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home,
		"ROOT="+root, "SETUP="+setup, "PATH="+filepath.Dir(program(t))+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	got := strings.ReplaceAll(string(out), "\r", "")
	for _, want := range []string{"finding 5 ref-broken\n", "completion descaling\n", "hover ## Daily care\n", "definition kettle.md 3\n", "rename See [care](kettle.md#care-every-day).\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("Neovim does not show %q", want)
		}
	}
	if err != nil || t.Failed() {
		t.Fatalf("%v\n%s", err, got)
	}
	for name, want := range map[string]string{"documents/kettle.md": "## Care, every day\n", "documents/safety.md": "kettle.md#care-every-day", "wiki/descaling.md": "[[kettle#care-every-day]]"} {
		if text, err := os.ReadFile(filepath.Join(root, "packs/kettle", name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// neovimSetup is the snippet of editors/README.md for the installed Neovim.
func neovimSetup(t *testing.T, nvim string) string {
	t.Helper()
	version := oktest.Value(exec.Command(nvim, "--version").Output())(t)
	text := oktest.Value(os.ReadFile("../../editors/README.md"))(t)
	snippets := packgentest.Blocks(string(text), "lua")
	if len(snippets) != 2 {
		t.Fatalf("editors/README.md has %d snippets for Neovim", len(snippets))
	}
	if regexp.MustCompile(`^NVIM v0\.([0-9]|10)\.`).Match(version) {
		return snippets[1]
	}
	return snippets[0]
}
