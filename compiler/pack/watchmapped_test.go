package pack

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/regularfile"
)

func TestAMappedFolderHoldsUntilAnythingInItChanges(t *testing.T) {
	changes := map[string]func(dir string) error{
		"":                   func(string) error { return nil },
		"a page":             func(dir string) error { return os.WriteFile(filepath.Join(dir, "a.md"), []byte("# B\n"), 0o600) },
		"a draft":            func(dir string) error { return os.WriteFile(filepath.Join(dir, "draft.md"), []byte("# B\n"), 0o600) },
		"a new page":         func(dir string) error { return os.WriteFile(filepath.Join(dir, "sub", "new.md"), nil, 0o600) },
		"a page that went":   func(dir string) error { return os.Remove(filepath.Join(dir, "sub", "b.md")) },
		"a page of a name":   func(dir string) error { return os.Rename(filepath.Join(dir, "a.md"), filepath.Join(dir, "c.md")) },
		"a new folder":       func(dir string) error { return os.Mkdir(filepath.Join(dir, "sub", "more"), 0o700) },
		"a link":             func(dir string) error { return os.Symlink("a.md", filepath.Join(dir, "l.md")) },
		"a folder that went": func(dir string) error { return os.RemoveAll(filepath.Join(dir, "sub")) },
		"a file as a page": func(dir string) error {
			name := filepath.Join(dir, "a.md")
			if err := os.Remove(name); err != nil {
				return err
			}
			return os.Symlink("draft.md", name)
		},
	}
	for name, change := range changes {
		top := t.TempDir()
		for path, text := range map[string]string{
			"packs/p/KNOWLEDGE.md": "---\nname: p\ndescription: d\n---\n", "docs/a.md": "# A\n", "docs/sub/b.md": "# B\n",
			"docs/draft.md": "---\ndraft: true\n---\n# D\n", "docs/x.mdx": "# X\n", "docs/node_modules/n.md": "n", "docs/.hidden/h.md": "h",
		} {
			file := filepath.Join(top, filepath.FromSlash(path))
			oktest.Check(t, os.MkdirAll(filepath.Dir(file), 0o700))
			oktest.Check(t, os.WriteFile(file, []byte(text), 0o600))
		}
		docs := filepath.Join(top, "docs")
		root := oktest.Value(regularfile.Root(docs))(t)
		defer root.Close()
		m := Mapping{Dir: docs, MDX: true, FS: regularfile.FS(root)}
		p, _, err := Open(filepath.Join(top, "packs", "p"), m)
		oktest.Check(t, err)
		defer p.Close()
		list, ok := p.WatchMapped()
		if !ok || len(list) != 1 {
			t.Fatalf("%d folders are watched, %t", len(list), ok)
		}
		own := slices.DeleteFunc(slices.Clone(p.Files), func(f File) bool { return p.IsMapped(f.Path) })
		again := p.Recall(own, list, []Mapping{m})
		if !slices.Equal(again.Files, p.Files) {
			t.Errorf("recalled %v, listed %v", again.Files, p.Files)
		}
		if text, err := again.ReadFile("documents/x.mdx.md"); err != nil || string(text) != "# X\n" {
			t.Errorf("a recalled page: %q, %v", text, err)
		}
		if again.Has("documents/draft.md") {
			t.Error("a draft is recalled as a page")
		}
		oktest.Check(t, change(docs))
		if holds := list[0].Holds(&m); holds != (name == "") {
			t.Errorf("%q changed: holds %t", name, holds)
		}
		other := m
		other.Exclude = []string{"sub"}
		if list[0].Holds(&other) {
			t.Error("it holds for a folder that is mapped in another way")
		}
	}
}

func TestAMappedFolderWithALinkIsNotWatched(t *testing.T) {
	top := t.TempDir()
	docs := filepath.Join(top, "docs")
	for _, dir := range []string{docs, filepath.Join(top, "packs", "p")} {
		oktest.Check(t, os.MkdirAll(dir, 0o700))
	}
	for name, text := range map[string]string{filepath.Join(docs, "a.md"): "# A\n", filepath.Join(top, "packs", "p", EntryName): "---\nname: p\ndescription: d\n---\n"} {
		oktest.Check(t, os.WriteFile(name, []byte(text), 0o600))
	}
	oktest.Check(t, os.Symlink("a.md", filepath.Join(docs, "l.md")))
	p, _, err := Open(filepath.Join(top, "packs", "p"), Mapping{Dir: docs})
	oktest.Check(t, err)
	defer p.Close()
	if _, ok := p.WatchMapped(); ok {
		t.Error("a folder with a link is watched")
	}
}
