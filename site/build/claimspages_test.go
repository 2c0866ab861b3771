package build

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
	live "github.com/packgen/packgen/site/server"
)

// Pages that list claims are those of a new serve whatever has changed.
func TestPagesOfClaimsShowWhatChanges(t *testing.T) {
	for name, config := range map[string]string{"published": "site:\n  sources: true\n", "kept": "{}\n"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			oktest.Check(t, packtest.Write(filepath.Join(dir, "packs", "tall"), packtest.Options{Name: "tall", Pages: 45}))
			oktest.Check(t, os.WriteFile(filepath.Join(dir, "packgen.yaml"), []byte(config), 0o666))
			pages := pagesOf(t, dir, "tall")
			first, last := pages[0], pages[len(pages)-1]
			source := filepath.Join(dir, "packs", "tall", "sources", "measurements.md")
			old := newRebuilds(t, dir)
			old.build(t, live.Change{})
			if _, ok := old.files["packs/tall/claims-2.html"]; !ok {
				t.Fatal("the pack has one page of claims")
			}
			edit := func(path, pattern, with string) {
				data := oktest.Value(os.ReadFile(path))(t)
				at := regexp.MustCompile(pattern).FindIndex(data)
				if at == nil {
					t.Fatalf("%s does not match %q", path, pattern)
				}
				data = append(append(data[:at[0]:at[0]], with...), data[at[1]:]...)
				oktest.Check(t, os.WriteFile(path, data, 0o666))
			}
			for i, step := range []struct {
				what, path, pattern, with string
			}{
				{"text without a claim", last, `\z`, "\nA sentence.\n"},
				{"a claim of the last page", last, `(?m)^- The `, "- Tomorrow the "},
				{"a claim", first, `(?m)^- The `, "- Tomorrow the "},
				{"a source", source, `\n[^\n#]+\n`, "\nAnother line entirely.\n"},
				{"a source gets longer", source, `\z`, "\nOne line more.\n"},
				{"a heading", first, `(?m)^# .*$`, "# Another heading"},
				{"a section", first, `(?m)^## .*$`, "## Another section"},
				{"a licence", filepath.Join(dir, "packs", "tall", "KNOWLEDGE.md"), `(?m)^type: `, "license: MIT\ntype: "},
			} {
				edit(step.path, step.pattern, step.with)
				old.build(t, live.Change{Paths: []string{step.path}})
				fresh := newRebuilds(t, dir)
				fresh.build(t, live.Change{})
				for name, want := range fresh.files {
					if old.files[name] != want {
						t.Errorf("%d, %s: %s is not as a new serve shows it", i, step.what, name)
					}
				}
				if n, want := listed(old.files), listed(fresh.files); n != want {
					t.Errorf("%d, %s: %s pages of claims, want %s", i, step.what, n, want)
				}
			}
		})
	}
}

// listed counts the pages that list claims.
func listed(files map[string]string) string {
	claims, cited := 0, 0
	for name := range files {
		switch {
		case strings.HasPrefix(name, "packs/tall/claims"):
			claims++
		case strings.HasPrefix(name, "packs/tall/cited/"):
			cited++
		}
	}
	return fmt.Sprint(claims, " and ", cited)
}
