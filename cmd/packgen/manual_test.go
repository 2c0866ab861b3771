package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const manual = "../../packs/packgen-manual/documents"

func manualPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(manual, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// blocks returns the fenced blocks of a language, in order.
func blocks(page, language string) []string {
	var list []string
	for _, match := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(page, -1) {
		list = append(list, match[1])
	}
	return list
}

// sizes are figures that change with the assets and schemas of every site.
var sizes = regexp.MustCompile(`(?m)^(public|  created) +\d+ +[\d.]+ kB$`)

// Whoever follows "Getting started" sees what it shows.
func TestGettingStartedShowsWhatHappens(t *testing.T) {
	page := manualPage(t, "getting-started.md")
	dir := t.TempDir()
	files := blocks(page, "markdown")
	for i, name := range []string{"KNOWLEDGE.md", "documents/kettle.md", "sources/spec-sheet.md"} {
		full := filepath.Join(dir, "packs", "kettle", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(files[i]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	shown := map[string]string{}
	for _, block := range blocks(page, "console") {
		command, output, _ := strings.Cut(strings.TrimPrefix(block, "$ "), "\n")
		shown[command] = output
	}
	for _, test := range []struct {
		command string
		args    []string
		before  string // what make prints first
	}{
		{"make build", []string{"build"}, "packgen build\n"},
		{`packgen match "how often should I descale the kettle"`, []string{"match", "how often should I descale the kettle"}, ""},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"-C", dir}, test.args...), strings.NewReader(""), &stdout, &stderr); code != exitDone {
			t.Fatalf("%s: exit %d\n%s", test.command, code, &stderr)
		}
		want := sizes.ReplaceAllString(shown[test.command], "$1 …")
		if got := sizes.ReplaceAllString(test.before+stdout.String(), "$1 …"); got != want {
			t.Errorf("%s prints\n%s\nand the manual shows\n%s", test.command, got, want)
		}
	}
}

// The manual names every verb and every flag.
func TestManualNamesEveryVerbAndFlag(t *testing.T) {
	var all strings.Builder
	entries, err := os.ReadDir(manual)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all.WriteString(manualPage(t, e.Name()))
	}
	text := all.String()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			return
		}
		// A verb of a verb may stand in a list of them: `summary`, `dead`.
		if !strings.Contains(text, cmd.CommandPath()) && !strings.Contains(text, "`"+cmd.Name()+"`") {
			t.Errorf("no page of the manual names %q", cmd.CommandPath())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(text, "`--"+f.Name) {
				t.Errorf("no page of the manual names --%s of %q", f.Name, cmd.CommandPath())
			}
		})
		if cmd.Name() == "completion" {
			return // a verb for each shell, with flags of cobra's
		}
		for _, below := range cmd.Commands() {
			visit(below)
		}
	}
	visit(newRoot(&app{}))
}
