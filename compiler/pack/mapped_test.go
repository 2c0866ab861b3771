package pack

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/regularfile"
)

// tree writes files below a directory; a value "-> x" is a link to x.
func tree(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	oktest.Write(t, dir, files)
	return dir
}

const mappedGuide = "---\nname: p\ndescription: D.\ntype: domain-reference\nstatus: ready\nprofile: document-first\n---\n"

func TestMappedFoldersAreBelowDocuments(t *testing.T) {
	root := t.TempDir()
	tree(t, root, map[string]string{
		"packs/p/KNOWLEDGE.md": mappedGuide, "packs/p/documents/own.md": "own", "packs/p/documents/both.md": "pack",
		"docs/a.md": "a", "docs/both.md": "folder", "docs/sub/b #1%?.md": "b", "docs/x.mdx": "x", "docs/drafts/d.md": "d", "docs/pic.png": "p",
		"docs/node_modules/m.md": "m", "docs/.hidden.md": "h", "docs/out.md": "-> ../secret.md", "docs/in.md": "-> a.md", "secret.md": "s",
		"docs/dir": "-> sub", "docs/loop": "-> .",
		"more/a.md": "other",
	})
	p, found, err := Open(filepath.Join(root, "packs", "p"),
		Mapping{Dir: filepath.Join(root, "docs"), Exclude: []string{"drafts/**"}, MDX: true},
		Mapping{Dir: filepath.Join(root, "more"), Below: "more/here"})
	oktest.Check(t, err)
	defer p.Close()
	var got []string
	for _, f := range p.Files {
		data, err := p.ReadFile(f.Path)
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
		}
		dir, at := p.Locate(f.Path)
		rel, _ := filepath.Rel(root, filepath.Join(dir, at))
		if len(data) > 10 {
			data = nil
		}
		got = append(got, fmt.Sprintf("%s=%s@%s", f.Path, data, filepath.ToSlash(rel)))
	}
	want := []string{
		"KNOWLEDGE.md=@packs/p/KNOWLEDGE.md", "documents/a.md=a@docs/a.md", "documents/both.md=pack@packs/p/documents/both.md",
		"documents/dir/b #1%?.md=b@docs/sub/b #1%?.md", "documents/in.md=a@docs/a.md", "documents/more/here/a.md=other@more/a.md",
		"documents/own.md=own@packs/p/documents/own.md", "documents/pic.png=p@docs/pic.png", "documents/sub/b #1%?.md=b@docs/sub/b #1%?.md",
		"documents/x.mdx.md=x@docs/x.mdx",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var ids []string
	for _, d := range found {
		ids = append(ids, d.Place()+" "+d.ID)
	}
	for _, want := range []string{"documents/out.md symlink-escape", "documents/both.md mapping-invalid", "documents/loop symlink-loop"} {
		if !strings.Contains(strings.Join(ids, "\n"), want) {
			t.Errorf("%q is not among %q", want, ids)
		}
	}
}

func TestPicturesOfGitBookAreFound(t *testing.T) {
	root := tree(t, t.TempDir(), map[string]string{
		"packs/p/KNOWLEDGE.md": mappedGuide, "packs/p/documents/.gitbook/assets/own.png": "o",
		"docs/a.md": "a", "docs/.gitbook/assets/b c.png": "b", "docs/.gitbook/includes/d.md": "d", "docs/sub/.gitbook/assets/e.png": "e",
		"docs/_gitbook/assets/f.png": "f", "docs/.gitbook/assets/.hidden": "h", "docs/.git/g.md": "g",
	})
	p, _, err := Open(filepath.Join(root, "packs", "p"), Mapping{Dir: filepath.Join(root, "docs")})
	oktest.Check(t, err)
	defer p.Close()
	var got []string
	for _, f := range p.List("documents") {
		data, err := p.ReadFile(f.Path)
		if err != nil {
			t.Error(err)
		}
		got = append(got, f.Path+"="+string(data))
	}
	want := []string{"documents/_gitbook/assets/b c.png=b", "documents/a.md=a", "documents/sub/_gitbook/assets/e.png=e"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFilesThatAgentsObeyAreNotMapped(t *testing.T) {
	root := tree(t, t.TempDir(), map[string]string{
		"packs/p/KNOWLEDGE.md": mappedGuide, "docs/a.md": "a", "docs/AGENTS.md": "x", "docs/deep/CLAUDE.md": "x", "docs/deep/claude.md": "a page", "docs/GEMINI.md": "x",
	})
	p, found, err := Open(filepath.Join(root, "packs", "p"), Mapping{Dir: filepath.Join(root, "docs"), Exclude: []string{"GEMINI.md"}})
	oktest.Check(t, err)
	defer p.Close()
	var got []string
	for _, f := range p.List("documents") {
		got = append(got, f.Path)
	}
	for _, d := range found {
		if d.ID == idMapped {
			got = append(got, d.ID+" "+d.Severity.String()+" "+d.Path)
		}
	}
	slices.Sort(got)
	want := []string{"documents/a.md", "documents/deep/claude.md", "mapping-invalid warning documents/AGENTS.md", "mapping-invalid warning documents/deep/CLAUDE.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDraftsOfMappedFoldersAreLeftOut(t *testing.T) {
	root := tree(t, t.TempDir(), map[string]string{
		"packs/p/KNOWLEDGE.md": mappedGuide, "packs/p/documents/own.md": "---\ndraft: true\n---\nown",
		"docs/a.md": "a", "docs/d.md": "---\ndraft: true\n---\nd", "docs/sub/index.md": "---\npublished: false\n---\nd",
		"docs/x.mdx": "---\ndraft: true\n---\nd", "docs/_drafts/e.md": "e", "docs/out/f.md": "f", "docs/d.png": "---\ndraft: true\n---\nd",
	})
	mapping := Mapping{Dir: filepath.Join(root, "docs"), MDX: true, Exclude: []string{"out/**"}}
	p, found, err := Open(filepath.Join(root, "packs", "p"), mapping)
	oktest.Check(t, err)
	defer p.Close()
	var got []string
	for _, f := range p.List("documents") {
		got = append(got, f.Path)
	}
	if diff := cmp.Diff([]string{"documents/a.md", "documents/d.png", "documents/own.md"}, got); diff != "" {
		t.Error(diff)
	}
	if i := slices.IndexFunc(found, func(d diag.Diagnostic) bool { return d.ID == IDDraft }); i < 0 || found[i].Message != "4 drafts are left out: _drafts/e.md, d.md, sub/index.md, x.mdx.md" {
		t.Errorf("%v", found)
	}
	for name, want := range map[string]string{
		"documents/d.md": DraftLeftOut, "documents/d": DraftLeftOut, "documents/sub": DraftLeftOut, "documents/x": DraftLeftOut,
		"documents/out/f.md": ConfigLeftOut, "documents/out/g.md": ConfigLeftOut, "documents/out": ConfigLeftOut, "documents/a.md": "", "documents/absent.md": "", "wiki/d.md": "",
	} {
		if why := p.WhyLeftOut(name); why != want {
			t.Errorf("%s: %q, want %q", name, why, want)
		}
	}
	if !p.HasDraft("X") || !p.HasDraft("sub/index") || p.HasDraft("a") {
		t.Error("names of drafts")
	}
	mapping.Drafts = true
	all, found, err := Open(filepath.Join(root, "packs", "p"), mapping)
	if err != nil || slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.ID == IDDraft }) || len(all.List("documents")) != 7 {
		t.Errorf("with drafts: %v, %v", found, err)
	}
	all.Close()
}

func TestFoldersThatCannotBeMapped(t *testing.T) {
	root := t.TempDir()
	tree(t, root, map[string]string{
		"packs/p/KNOWLEDGE.md": mappedGuide, "packs/p/documents/own.md": "own", "packs/q/KNOWLEDGE.md": mappedGuide,
		"packs/q/documents/x.md": "x", "file.md": "f", "readme.md": "r",
	})
	for dir, want := range map[string]string{
		"packs/p/documents": "lies in the pack itself", "packs/p": "lies in the pack itself", "packs/q/documents": "lies in another pack",
		"nowhere": "does not exist", "file.md": "cannot be read", "/": "root of the file system",
	} {
		full := filepath.Join(root, dir)
		if dir == "/" {
			full = "/"
		}
		p, found, err := Open(filepath.Join(root, "packs", "p"), Mapping{Dir: full})
		if err != nil || p == nil || !p.Has("documents/own.md") {
			t.Fatalf("%s: %v", dir, err)
		}
		p.Close()
		if len(found) == 0 || found[0].ID != idMapped || !strings.Contains(found[0].Message, want) {
			t.Errorf("%s: %v, want %q", dir, found, want)
		}
	}
	// The root of the repository holds the pack; its outputs are not documents.
	p, _, err := Open(filepath.Join(root, "packs", "p"), Mapping{Dir: root, Include: []string{"**/*.md"}})
	oktest.Check(t, err)
	defer p.Close()
	if !p.Has("documents/readme.md") || p.Has("documents/packs/p/KNOWLEDGE.md") {
		t.Errorf("%v", p.Files)
	}
}

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
