package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Whoever follows "From a long CLAUDE.md to a routed one" sees what it shows.
func TestChapterOnClaudeFilesShowsWhatHappens(t *testing.T) {
	page := manualPage(t, "from-claude-md.md")
	texts := regexp.MustCompile("(?ms)^````markdown\n(.*?)^````$").FindAllStringSubmatch(page, -1)
	if len(texts) != 4 {
		t.Fatalf("%d files are shown", len(texts))
	}
	dir := t.TempDir()
	t.Setenv("HOME", filepath.Join(dir, "home"))
	for i, name := range map[int]string{0: "CLAUDE.md", 2: "memory/MEMORY.md", 3: "memory/descaling.md"} {
		writeText(t, filepath.Join(dir, filepath.FromSlash(name)), texts[i][1])
	}
	writeText(t, filepath.Join(dir, "memory", "thermostat.md"), "# Thermostat sensor\n\nIt drifts.\n")
	commands := 0
	for _, block := range blocks(page, "console") {
		command, want, _ := strings.Cut(strings.TrimPrefix(block, "$ packgen "), "\n")
		commands++
		args := strings.Fields(command)
		if before, prompt, quoted := strings.Cut(command, " '"); quoted {
			args = append(strings.Fields(before), strings.TrimSuffix(prompt, "'"))
		}
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"-C", dir}, args...), strings.NewReader(""), &stdout, &stderr); code != exitDone {
			t.Fatalf("%s: exit %d\n%s", command, code, &stderr)
		}
		if got := strings.ReplaceAll(stdout.String(), dir, "/home/you/kettle"); got != want {
			t.Errorf("%s prints\n%s\nand the manual shows\n%s", command, got, want)
		}
	}
	if commands != 7 {
		t.Errorf("%d commands are shown", commands)
	}
	after, err := os.ReadFile(filepath.Join(dir, "CLAUDE.md"))
	if err != nil || string(after) != texts[1][1] {
		t.Errorf("CLAUDE.md becomes\n%s\n%v", after, err)
	}
}

func writeText(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
