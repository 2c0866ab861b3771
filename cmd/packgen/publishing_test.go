package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever follows "From nothing to a published site" sees what it shows.
func TestChapterOnPublishingShowsWhatHappens(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip(err)
	}
	page := manualPage(t, "publishing.md")
	dir := t.TempDir()
	masked := func(text string) string { return sizes.ReplaceAllString(text, "$1 …") }
	commands := 0
	for _, block := range blocks(page, "console") {
		if strings.Contains(block, "--format github") {
			guide := filepath.Join(dir, guidePage)
			text, err := os.ReadFile(guide)
			if err != nil {
				t.Fatal(err)
			}
			before, after, found := strings.Cut(string(text), "\n\nThe status stands")
			if !found {
				t.Fatalf("the guide is\n%s", text)
			}
			writeText(t, guide, before+"\n- Every page has one owner.\n\nThe status stands"+after)
			if code := run([]string{"-C", dir, "compile", "-q"}, strings.NewReader(""), &bytes.Buffer{}, os.Stderr); code != exitDone {
				t.Fatalf("compile: exit %d", code)
			}
		}
		for part := range strings.SplitSeq(strings.TrimPrefix(block, "$ "), "\n$ ") {
			command, want, _ := strings.Cut(part, "\n")
			if where, ok := strings.CutPrefix(command, "cd "); ok {
				dir = filepath.Join(dir, where)
				continue
			}
			commands++
			cmd := exec.Command("bash", "-c", command)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "NO_COLOR=1", "MAKEFLAGS=", "MAKELEVEL=0")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s: %v\n%s", command, err, &stderr)
			}
			if got := masked(string(out)); got != masked(want) {
				t.Errorf("%s prints\n%s\nand the manual shows\n%s", command, got, masked(want))
			}
		}
	}
	if commands != 4 {
		t.Errorf("%d commands are shown", commands)
	}
	workflow, err := os.ReadFile(filepath.Join(dir, ".github/workflows/pages.yml"))
	if err != nil || blocks(page, "yaml")[0] != string(workflow) {
		t.Errorf("init writes the workflow\n%s\n%v", workflow, err)
	}
}
