package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
)

// What is kept of a pack that is read in place must give the answers that its files give.
func TestAPackReadInPlaceAnswersFromWhatIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	oktest.Write(t, dir, map[string]string{
		"docs/README.md": "# Kettles\n\nAbout kettles.\n", "docs/care.md": "# Care\n\n## Descale\n\nUse citric acid.\n",
		"docs/draft.md": "---\ndraft: true\n---\n# Vinegar\n\nDescale with vinegar.\n",
	})
	run := func(args ...string) string {
		t.Helper()
		var out, stderr strings.Builder
		if code := runContext(context.Background(), append([]string{"-C", dir}, args...), strings.NewReader(""), &out, io.Writer(&stderr)); code != exitDone {
			t.Fatalf("%q: exit code %d\n%s", args, code, stderr.String())
		}
		return out.String()
	}
	kept := func() []string {
		t.Helper()
		list, err := filepath.Glob(filepath.Join(dir, ".packgen", "*", "*", "sections.bin"))
		more, err2 := filepath.Glob(filepath.Join(dir, ".packgen", "*", "sections.bin"))
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		return append(list, more...)
	}
	ask := func() string { return run("resolve", "--json", "descale with citric acid or vinegar") }
	run("init", "--from", "docs", "-q")
	rest(t, dir)
	first := ask()
	if len(kept()) != 1 {
		t.Fatalf("%d packs are kept", len(kept()))
	}
	if again := ask(); again != first {
		t.Errorf("from what is kept:\n%s\nfrom the files:\n%s", again, first)
	}
	for _, change := range []struct{ name, text string }{
		{"docs/care.md", "# Care\n\n## Descale\n\nUse citrix acid.\n"},
		{"docs/new.md", "# Vinegar\n\nDescale with vinegar.\n"},
		{"docs/draft.md", "# Vinegar\n\nDescale with vinegar, too.\n"},
	} {
		ask() // whatever can be kept is
		oktest.Write(t, dir, map[string]string{change.name: change.text})
		got := ask()
		for _, name := range kept() {
			oktest.Check(t, os.Remove(name))
		}
		if want := ask(); got != want {
			t.Errorf("%s changed:\n%s\nfrom the files:\n%s", change.name, got, want)
		}
		run("compile", "-q")
		rest(t, dir)
	}
}

// rest makes all files of a directory a minute older: the times of files that have just been
// written show nothing.
func rest(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chtimes(name, time.Time{}, info.ModTime().Add(-time.Minute))
	})
	oktest.Check(t, err)
}
