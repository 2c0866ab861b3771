package pack

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
)

func TestFind(t *testing.T) {
	named := func(name string) string { return strings.Replace(entryText, "name: p", "name: "+name, 1) }
	root := t.TempDir()
	oktest.Write(t, root, map[string]string{
		"packs/b/KNOWLEDGE.md":              named("b"),
		"packs/a/KNOWLEDGE.md":              named("a"),
		"packs/a/wiki/inner/KNOWLEDGE.md":   named("inner"),
		"packs/empty/README.md":             "",
		"packs/file.md":                     "",
		"packs/.hidden/KNOWLEDGE.md":        named("hidden"),
		"packs/linked":                      "-> a",
		"packs/away":                        "-> /",
		"deep/1/2/3/4/5/6/KNOWLEDGE.md":     named("six"),
		"deep/1/2/3/4/5/6b/7/KNOWLEDGE.md":  named("seven"),
		"deep/node_modules/x/KNOWLEDGE.md":  named("dependency"),
		"deep/build/x/KNOWLEDGE.md":         named("built"),
		"other/twin/KNOWLEDGE.md":           named("a"),
		"other/broken/KNOWLEDGE.md":         "nothing",
		"other/lower/knowledge.md":          named("lower"),
		"dir/KNOWLEDGE.md/is-a-dir/file.md": "",
		"all":                               "-> packs",
	})
	linked := "a symbolic link to a directory is not followed when looking for packs"
	for _, tt := range []struct {
		name     string
		patterns []string
		want     []string
		found    []string
	}{
		{"one level", []string{"packs/*"}, []string{"packs/a", "packs/b"}, []string{
			"packs/away warning pack-linked " + linked, `packs/empty warning pack-missing the directory matches "packs/*" but has no KNOWLEDGE.md`, "packs/linked warning pack-linked " + linked,
		}},
		{"alternatives, twice", []string{"packs/{b,a}", "./packs/a"}, []string{"packs/a", "packs/b"}, nil},
		{"any depth stops at six", []string{"deep/**"}, []string{"deep/1/2/3/4/5/6"}, nil},
		{"a skipped name that is named", []string{"deep/build/*"}, []string{"deep/build/x"}, nil},
		{"two of one name", []string{"packs/a", "other/*"}, []string{"other/broken", "other/twin"}, []string{
			`packs/a/KNOWLEDGE.md error pack-duplicate pack name "a" is taken by other/twin; the pack in packs/a is left out`,
			`other/lower warning pack-missing the directory matches "other/*" but has no KNOWLEDGE.md`,
		}},
		{"literal without KNOWLEDGE.md", []string{"packs/empty"}, []string{"packs/empty"}, nil},
		{"literal that is not there", []string{"packs/none"}, nil, []string{"packs/none error pack-missing the directory does not exist"}},
		{"literal file", []string{"packs/file.md"}, nil, []string{"packs/file.md error pack-missing this is not a directory"}},
		{"hidden when named", []string{"packs/.hidden"}, []string{"packs/.hidden"}, nil},
		{"below a link", []string{"all/*"}, nil, []string{"all warning pack-linked " + linked}},
		{"nothing", []string{"nowhere/*"}, nil, nil},
		{"KNOWLEDGE.md is a directory", []string{"dir/**"}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, found, err := Find(root, tt.patterns)
			oktest.Check(t, err)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("packs:\n%s", diff)
			}
			if diff := cmp.Diff(tt.found, lines(found)); diff != "" {
				t.Errorf("diagnostics:\n%s", diff)
			}
		})
	}
}

func TestFindSaysWhichFileIsMeant(t *testing.T) {
	root := write(t, map[string]string{"packs/a/Knowledge.md": entryText, "packs/b/KNOWLEGE.md": entryText, "packs/c/README.md": entryText})
	_, found, err := Find(root, []string{"packs/*"})
	oktest.Check(t, err)
	var hints []string
	for _, d := range found {
		hints = append(hints, d.Hint)
	}
	if diff := cmp.Diff([]string{"rename Knowledge.md to KNOWLEDGE.md", "rename KNOWLEGE.md to KNOWLEDGE.md", "add a KNOWLEDGE.md, or move the directory out of the packs"}, hints); diff != "" {
		t.Error(diff)
	}
}

func TestFindTakesTheRootItself(t *testing.T) {
	root := write(t, map[string]string{"KNOWLEDGE.md": entryText, "wiki/KNOWLEDGE.md": entryText})
	for _, pattern := range []string{".", "**"} {
		got, found, err := Find(root, []string{pattern})
		if err != nil || len(found) > 0 || !slices.Equal(got, []string{"."}) {
			t.Errorf("%s: %v, %v, %v", pattern, got, lines(found), err)
		}
	}
}

func TestFindRefusesPatterns(t *testing.T) {
	for _, pattern := range []string{"../packs/*", "/packs/*", "packs/[", "a/../../b/*"} {
		if _, _, err := Find(t.TempDir(), []string{pattern}); err == nil || !strings.Contains(err.Error(), pattern) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	if _, _, err := Find(filepath.Join(t.TempDir(), "gone"), nil); err == nil {
		t.Error("a root that is not there")
	}
}

func TestFindStopsAtItsLimit(t *testing.T) {
	root := t.TempDir()
	files := map[string]string{}
	for i := range 5 {
		files[fmt.Sprintf("packs/%d/x", i)] = ""
	}
	oktest.Write(t, root, files)
	f := &finder{fsys: nil, seen: maxFindDirs}
	s := &search{finder: f, pattern: "**", deep: true}
	for range 2 {
		oktest.Check(t, s.walk("packs", 0))
	}
	if len(f.found.list) != 1 || f.found.list[0].ID != "discovery-limit" || f.found.list[0].Severity != diag.Warning {
		t.Error(lines(f.found.list))
	}
}

// Names that are one on some system are listed apart, and one warning names both.
func TestNamesThatAreAlike(t *testing.T) {
	const composed, decomposed = "caf\u00e9.md", "cafe\u0301.md"
	for _, tt := range []struct {
		name  string
		files []string
		want  []string // listed
		found []string // parts of the findings
	}{
		{"case", []string{"documents/Tea.md", "documents/tea.md"}, []string{"documents/Tea.md", "documents/tea-2.md"}, []string{`"documents/Tea.md" and "documents/tea.md"`}},
		{"Unicode form", []string{"documents/" + decomposed, "documents/" + composed}, []string{"documents/" + decomposed, "documents/" + strings.Replace(composed, ".", "-2.", 1)}, []string{`.md" (NFD, decomposed) and "documents/café.md" (NFC, composed) are`}},
		{"three", []string{"wiki/A.md", "wiki/a.md", "wiki/a-2.md"}, []string{"wiki/A.md", "wiki/a-2.md", "wiki/a-3.md"}, []string{`"wiki/A.md" and "wiki/a.md"`}},
		{"folders with one file each", []string{"documents/Img/a.png", "documents/img/b.png"}, []string{"documents/Img/a.png", "documents/img-2/b.png"}, []string{`"documents/Img" and "documents/img"`}},
		{"files of such folders", []string{"documents/Img/a.png", "documents/img/a.png", "documents/img/b.png"}, []string{"documents/Img/a.png", "documents/img-2/a.png", "documents/img-2/b.png"}, []string{`"documents/Img" and`, `"documents/Img/a.png" and "documents/img/a.png"`}},
		{"a file and a folder", []string{"documents/A/b.md", "documents/a"}, []string{"documents/A/b.md", "documents/a-2"}, []string{`"documents/A" and "documents/a"`}},
		{"none", []string{"documents/a.md", "documents/b/a.md", "wiki/a.md"}, []string{"documents/a.md", "documents/b/a.md", "wiki/a.md"}, nil},
		{"sources are cited by their paths", []string{"sources/S.md", "sources/s.md"}, []string{"sources/S.md", "sources/s.md"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{EntryName: {Data: []byte("---\nname: p\ndescription: d\ntype: domain-reference\nstatus: ready\nprofile: hybrid\n---\n# P\n")}}
			for _, name := range tt.files {
				fsys[name] = &fstest.MapFile{Data: []byte(name)}
			}
			p, found, err := OpenFS(fsys, "p")
			if err != nil || p == nil {
				t.Fatal(err, found)
			}
			var listed, messages []string
			read := map[string]bool{}
			for _, f := range p.Files {
				if f.Path == EntryName {
					continue
				}
				listed = append(listed, f.Path)
				data, err := p.ReadFile(f.Path)
				if err != nil {
					t.Error(err)
				}
				read[string(data)] = true
			}
			for _, d := range found {
				if d.ID == idAlike {
					messages = append(messages, d.Message)
				}
			}
			if diff := cmp.Diff(tt.want, listed); diff != "" {
				t.Errorf("listed (-want +got):\n%s", diff)
			}
			for i, name := range p.AsListed(tt.files) { // what a context map writes leads to each
				if data, err := p.ReadFile(name); err != nil || string(data) != tt.files[i] {
					t.Errorf("%s is listed as %s: %q, %v", tt.files[i], name, data, err)
				}
			}
			if got := p.AsListed([]string{tt.files[0] + "#place"}); got[0] != tt.files[0]+"#place" {
				t.Errorf("with a place: %q", got)
			}
			for _, name := range tt.files {
				if !read[name] {
					t.Errorf("%s is not read", name)
				}
			}
			if len(messages) != len(tt.found) {
				t.Fatalf("found %q", messages)
			}
			for i, part := range tt.found {
				if !strings.Contains(messages[i], part) {
					t.Errorf("found %q, want %q", messages[i], part)
				}
			}
		})
	}
}
