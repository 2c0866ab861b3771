package build

import (
	"compress/gzip"
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/site/search"
	live "github.com/packgen/packgen/site/server"
)

// A serve shows what a build publishes: while a pack is broken the others change, and its
// pages stay with a notice; a page with a secret goes; afterwards all is as it was.
func TestABadPackDoesNotFreezeAServe(t *testing.T) {
	dir := smallPacks(t)
	s := newRebuilds(t, dir)
	build := func(paths ...string) live.Built {
		t.Helper()
		s.begin()
		built, err := s.Build(context.Background(), live.Change{Paths: paths}, &s.content)
		if err != nil || built.Failed {
			t.Fatalf("failed: %t, %v", built.Failed, err)
		}
		s.files = s.next
		return built
	}
	build()
	first := maps.Clone(s.files)
	const notice = "Not up to date."
	guide, page := filepath.Join(dir, "packs", "pack-1", "KNOWLEDGE.md"), pagesOf(t, dir, "pack-0")[0]
	sound := oktest.Value(os.ReadFile(guide))(t)
	text := oktest.Value(os.ReadFile(page))(t)
	rel, _ := filepath.Rel(dir, page)
	html := strings.TrimSuffix(filepath.ToSlash(rel), ".md") + ".html"

	write(t, guide, "---\nname: [\n---\n")
	appendTo(t, page, "\nA sentence that comes later.\n")
	built := build(guide, page)
	if !slices.ContainsFunc(built.Findings, func(f live.Finding) bool {
		return f.Severity == diag.Error && strings.HasSuffix(f.Path, "pack-1/KNOWLEDGE.md")
	}) {
		t.Errorf("no finding names the broken pack: %+v", built.Findings)
	}
	if !strings.Contains(s.files[html], "A sentence that comes later") {
		t.Error("a page of a sound pack does not change while another pack is broken")
	}
	if !strings.Contains(s.files["index.html"], notice) {
		t.Error("the start page does not say that a pack is broken")
	}
	for name := range first {
		if kept := strings.HasPrefix(name, "packs/pack-1/"); !kept || !strings.HasSuffix(name, ".html") {
			if kept && s.files[name] != first[name] {
				t.Errorf("%s is not kept as it was", name)
			}
			continue
		}
		if n := strings.Count(s.files[name], notice); n != 1 {
			t.Errorf("%s has %d notices", name, n)
		}
	}
	broken := maps.Clone(s.files)
	s.read = nil
	build(guide)
	if !maps.Equal(s.files, broken) {
		t.Error("another build of a broken pack changes the site")
	}
	for _, name := range s.read {
		if strings.HasSuffix(name, ".md") && strings.Contains(name, "/compiled/") {
			t.Errorf("%s is read to make the search of a kept pack again", name)
		}
	}
	s.asked = map[string]bool{"index.json": true, "index.bin": true, search.RootPath: true}
	build(guide)
	for name, part := range map[string]string{"index.json": `"pack-1-`, "index.bin": "pack-1-", search.RootPath: "pack-1"} {
		if !strings.Contains(unpacked(t, s.files[name]), part) {
			t.Errorf("%s has nothing of a pack that is kept, when somebody asks for it then", name)
		}
	}
	s.asked = nil

	write(t, page, string(text)+"\nThe token is ghp_"+"R8vK2mQx7LpZ4tWc9NbY3sHd6FgJ1aUe5XkT.\n")
	build(page)
	for name, content := range s.previews {
		if strings.Contains(content, "R8vK2mQx7LpZ4tWc9NbY3sHd6FgJ1aUe5XkT") {
			t.Errorf("%s is shown before the build is done, with a secret", name)
		}
	}
	for name, content := range s.files {
		if strings.Contains(content, "R8vK2mQx7LpZ4tWc9NbY3sHd6FgJ1aUe5XkT") || name == html {
			t.Errorf("%s is there, though it or its page holds a secret", name)
		}
	}
	if s.files["packs/pack-0/index.html"] == "" {
		t.Error("a secret takes more than its page")
	}

	write(t, guide, string(sound))
	write(t, page, string(text))
	build(guide, page)
	fresh := newRebuilds(t, dir)
	fresh.build(t, live.Change{})
	for name, want := range fresh.files {
		if s.files[name] != want {
			t.Errorf("%s is not as a new serve shows it", name)
		}
	}
	if len(s.files) != len(fresh.files) {
		t.Errorf("there are %d files, a new serve has %d", len(s.files), len(fresh.files))
	}
}

// unpacked is the text of a file that may be packed.
func unpacked(t *testing.T, text string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		return text
	}
	return string(oktest.Value(io.ReadAll(r))(t))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	oktest.Check(t, os.WriteFile(path, []byte(text), 0o666))
}
