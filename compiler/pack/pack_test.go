package pack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// entryText is the smallest KNOWLEDGE.md that gives no finding.
const entryText = "---\nname: p\ndescription: D\ntype: research-wiki\nstatus: ready\nprofile: wiki-first\n---\n# Guide\n"

// write fills a directory named p; a text that starts with "-> " is a link.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "p")
	oktest.Write(t, dir, files)
	return dir
}

// mustOpen opens a pack that is closed with the test.
func mustOpen(t *testing.T, dir string) (*Pack, []diag.Diagnostic) {
	t.Helper()
	p, found, err := Open(dir)
	oktest.Check(t, err)
	if p != nil {
		t.Cleanup(func() { p.Close() })
	}
	return p, found
}

// lines writes diagnostics as "path:line:col severity id message".
func lines(found []diag.Diagnostic) []string {
	var out []string
	for _, d := range found {
		out = append(out, fmt.Sprintf("%s %s %s %s", d.Place(), d.Severity, d.ID, d.Message))
	}
	return out
}

func paths(files []File) []string {
	var out []string
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

func file(path string, size int64) File { return File{path, store.Stat{Size: size}} }

func TestFilesAreListedInPathOrderWithoutDotNames(t *testing.T) {
	dir := write(t, map[string]string{
		"KNOWLEDGE.md": entryText, "wiki/a/b.md": "1", "wiki/a.md": "22", "wiki/a-b.md": "", "wiki/.hidden.md": "", ".git/config": "", "wiki/.x/y.md": "", "runs/compile-x.json": "{}",
	})
	p, found := mustOpen(t, dir)
	want := []File{file("KNOWLEDGE.md", int64(len(entryText))), file("runs/compile-x.json", 2), file("wiki/a-b.md", 0), file("wiki/a.md", 2), file("wiki/a/b.md", 1)}
	if diff := cmp.Diff(want, p.Files, cmpopts.IgnoreFields(store.Stat{}, "ModTime", "ChangeTime", "Inode")); diff != "" || len(found) > 0 {
		t.Errorf("%v\n%s", lines(found), diff)
	}
	if got := paths(p.List("wiki/a")); !slices.Equal(got, []string{"wiki/a/b.md"}) {
		t.Errorf("List: %v", got)
	}
	if got := p.List("wiki/"); len(got) != 3 {
		t.Errorf("List: %v", got)
	}
	if !p.Has("wiki/a.md") || p.Has("wiki/a") || p.Has("wiki/.hidden.md") || p.HasDir("wik") || !p.HasDir("wiki") {
		t.Error("Has or HasDir is wrong")
	}
	if string(p.EntryText[p.Guide:]) != "# Guide\n" {
		t.Errorf("guide is %q", p.EntryText[p.Guide:])
	}
	if sum, err := p.SHA256("wiki/a-b.md"); sum != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" || err != nil {
		t.Error(sum, err)
	}
}

func TestLinks(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		list  []string // beyond KNOWLEDGE.md
		found []string
	}{
		{"to a file inside", map[string]string{"wiki/a.md": "a", "documents/b.md": "-> ../wiki/a.md"}, []string{"documents/b.md", "wiki/a.md"}, nil},
		{"to a directory inside", map[string]string{"wiki/x/a.md": "a", "documents": "-> wiki/x"}, []string{"documents/a.md", "wiki/x/a.md"}, nil},
		{"through a link inside", map[string]string{"wiki/a.md": "a", "w": "-> wiki", "b.md": "-> w/a.md"}, []string{"b.md", "w/a.md", "wiki/a.md"}, nil},
		{"to the root directory", map[string]string{"documents": "-> /"}, nil, []string{"documents error symlink-escape the symbolic link leads out of the pack"}},
		{"to a file outside", map[string]string{"wiki/a.md": "-> ../../secret"}, nil, []string{"wiki/a.md error symlink-escape the symbolic link leads out of the pack"}},
		{"out and in again", map[string]string{"wiki/a.md": "-> ../../p/KNOWLEDGE.md"}, nil, []string{"wiki/a.md error symlink-escape the symbolic link leads out of the pack"}},
		{"out through a link inside", map[string]string{"up": "-> ..", "wiki/a.md": "-> ../up/secret"}, nil, []string{"up error symlink-escape the symbolic link leads out of the pack", "wiki/a.md error symlink-escape the symbolic link leads out of the pack"}},
		{"to itself", map[string]string{"a.md": "-> a.md"}, nil, []string{"a.md error symlink-loop the symbolic links lead in a circle"}},
		{"to each other", map[string]string{"a.md": "-> b.md", "b.md": "-> a.md"}, nil, []string{"a.md error symlink-loop the symbolic links lead in a circle", "b.md error symlink-loop the symbolic links lead in a circle"}},
		{"to where it stands", map[string]string{"wiki/self": "-> .", "wiki/a.md": ""}, []string{"wiki/a.md"}, []string{"wiki/self error symlink-loop the link leads to a directory that holds it"}},
		{"to the pack root", map[string]string{"wiki/loop": "-> .."}, nil, []string{"wiki/loop error symlink-loop the link leads to a directory that holds it"}},
		{"to a directory above", map[string]string{"wiki/a/b/loop": "-> ../../a", "wiki/a/x.md": ""}, []string{"wiki/a/x.md"}, []string{"wiki/a/b/loop error symlink-loop the link leads to a directory that holds it"}},
		{"to nothing", map[string]string{"a.md": "-> gone.md"}, nil, []string{"a.md warning symlink-broken the symbolic link leads to nothing"}},
		{"twice to a directory", map[string]string{"wiki/a.md": "", "x": "-> wiki", "y": "-> wiki"}, []string{"wiki/a.md", "x/a.md"}, []string{"y warning symlink-repeated another link leads to wiki already; this one is not followed"}},
		{"to outputs", map[string]string{"compiled/splits/a.md": "", "documents/x": "-> ../compiled", "sources/y.md": "-> ../compiled/splits/a.md", "z": "-> compiled"}, []string{"compiled/splits/a.md", "z/splits/a.md"}, []string{
			"documents/x error symlink-output the symbolic link leads to where compile writes: outputs would become inputs",
			"sources/y.md error symlink-output the symbolic link leads to where compile writes: outputs would become inputs",
		}},
		{"to hidden files", map[string]string{".git/config": "token", "wiki/.b/c.md": "", "wiki/g": "-> ../.git", "wiki/a.md": "-> .b/c.md"}, nil, []string{
			"wiki/a.md warning symlink-hidden the symbolic link leads to a hidden file or directory, which is not part of a pack",
			"wiki/g warning symlink-hidden the symbolic link leads to a hidden file or directory, which is not part of a pack",
		}},
		{"scripts as a link", map[string]string{"tools/a.sh": "", "scripts": "-> tools"}, []string{"tools/a.sh"}, []string{"scripts info scripts-present scripts/ is not part of a pack; it is ignored"}},
		{"where compile writes", map[string]string{"compiled": "-> ../../x", "indexes": "-> wiki", "runs": "-> runs", "wiki/a.md": ""}, []string{"wiki/a.md"}, []string{
			"compiled error symlink-escape the symbolic link is where compile writes, and compile follows none",
			"indexes error symlink-escape the symbolic link is where compile writes, and compile follows none",
			"runs error symlink-escape the symbolic link is where compile writes, and compile follows none",
		}},
		{"among the outputs", map[string]string{"compiled/index.json": "-> ../wiki/a.md", "compiled/splits/a": "-> ../../wiki", "compiled/mine.md": "-> ../wiki/a.md", "wiki/a.md": ""}, []string{"compiled/mine.md", "wiki/a.md"}, []string{
			"compiled/index.json error symlink-escape the symbolic link is where compile writes, and compile follows none",
			"compiled/splits/a error symlink-escape the symbolic link is where compile writes, and compile follows none",
		}},
		{"a file for a directory of outputs", map[string]string{"runs": "", "compiled/splits": ""}, nil, []string{
			"compiled/splits error output-blocked a file is where compile keeps its outputs",
			"runs error output-blocked a file is where compile keeps its outputs",
		}},
		{"to a device", map[string]string{"null": "-> /dev/null"}, nil, []string{"null error symlink-escape the symbolic link leads out of the pack"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.files["KNOWLEDGE.md"] = entryText
			dir := write(t, tt.files)
			oktest.Write(t, filepath.Dir(dir), map[string]string{"secret": "s"})
			p, found := mustOpen(t, dir)
			var got []string
			for _, f := range p.Files {
				if f.Path != EntryName {
					got = append(got, f.Path)
				}
				if _, err := p.ReadFile(f.Path); err != nil {
					t.Error(err)
				}
			}
			if diff := cmp.Diff(tt.list, got); diff != "" {
				t.Errorf("files:\n%s", diff)
			}
			if diff := cmp.Diff(tt.found, lines(found)); diff != "" {
				t.Errorf("diagnostics:\n%s", diff)
			}
		})
	}
}

// Each of 30 directories holds two links to the next: 2^30 paths if all were
// followed.
func TestLinksCannotMakeTheListEndless(t *testing.T) {
	files := map[string]string{"KNOWLEDGE.md": entryText}
	for i := range 30 {
		files[fmt.Sprintf("d%02d/a", i)] = fmt.Sprintf("-> ../d%02d", i+1)
		files[fmt.Sprintf("d%02d/b", i)] = fmt.Sprintf("-> ../d%02d", i+1)
		files[fmt.Sprintf("d%02d/x.md", i)] = ""
	}
	files["d30/x.md"] = ""
	p, _ := mustOpen(t, write(t, files))
	if n := len(p.Files); n < 32 || n > 1000 {
		t.Errorf("%d files", n)
	}
}

func TestReadFileIsConfined(t *testing.T) {
	dir := write(t, map[string]string{"KNOWLEDGE.md": entryText, "out": "-> ..", ".x/y.md": "hidden", "wiki/a.md": "a", "big": ""})
	oktest.Write(t, filepath.Dir(dir), map[string]string{"secret": "s"})
	oktest.Check(t, os.Truncate(filepath.Join(dir, "big"), MaxFileSize+1))
	p, _ := mustOpen(t, dir)
	for path, want := range map[string]error{
		"../secret": packpath.ErrEscape, "/etc/passwd": packpath.ErrEscape, `..\secret`: packpath.ErrEscape, "a\x00b": packpath.ErrEscape, "": packpath.ErrUnclean,
		"out/secret": errEscape, "wiki": errNotRegular, "gone": fs.ErrNotExist, "big": ErrTooLarge,
	} {
		if _, err := p.ReadFile(path); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", path, err, want)
		}
	}
	// What a compile makes of a large pack is read again.
	oktest.Write(t, dir, map[string]string{"compiled/index.json": "", "indexes/source-map.json": "", "runs/compile-2026-01-01T00-00-00Z.json": ""})
	for _, name := range []string{"compiled/index.json", "indexes/source-map.json", "runs/compile-2026-01-01T00-00-00Z.json"} {
		oktest.Check(t, os.Truncate(filepath.Join(dir, name), MaxFileSize+1))
		if data, err := p.ReadFile(name); len(data) != MaxFileSize+1 || err != nil {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
	}
	oktest.Check(t, os.Truncate(filepath.Join(dir, "compiled/index.json"), maxRecordSize+1))
	if _, err := p.ReadFile("compiled/index.json"); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "1 GiB") {
		t.Errorf("a record beyond its limit: %v", err)
	}
	oktest.Write(t, dir, map[string]string{"later.md": "new"})
	if data, err := p.ReadFile("later.md"); string(data) != "new" || err != nil {
		t.Errorf("a file that came later: %q, %v", data, err)
	}
	if _, err := p.SHA256("big"); err != nil {
		t.Errorf("a large file has a digest: %v", err)
	}
}

func TestBrokenPacksAreNil(t *testing.T) {
	for _, tt := range []struct {
		name, text, want, hint string
	}{
		{"no entry", "", "KNOWLEDGE.md error metadata-invalid the pack has no KNOWLEDGE.md", "a pack is a directory"},
		{"unclosed", "---\nname: p\n", "KNOWLEDGE.md:1:1 error metadata-invalid front matter is not closed", "---"},
		{"none", "# Guide\n", "KNOWLEDGE.md:1:1 error metadata-invalid front matter is missing", "---"},
		{"not YAML", "---\nname: p\n  bad: [\n---\n", "metadata-invalid this is not valid YAML", ""},
		{"a list", "---\n- name\n---\n", "KNOWLEDGE.md:2:1 error metadata-invalid the value must be a map, not a list", ""},
		{"duplicate keys", "---\nname: p\nname: q\n---\n", "KNOWLEDGE.md:3:1 error metadata-invalid", ""},
		{"10 MB", "---\nname: " + strings.Repeat("x", 10<<20) + "\n---\n", "KNOWLEDGE.md:1:1 error metadata-invalid front matter is larger than 64 KiB", ""},
		{"not UTF-8", "---\nname: \xff\n---\n", "KNOWLEDGE.md:2:7 error encoding-invalid the byte 0xFF is not UTF-8", "UTF-8"},
		{"a NUL", "---\nname: \x00\n---\n", "KNOWLEDGE.md:2:7 error encoding-invalid the file holds a NUL byte", ""},
		{"a link out", "-> /etc/hostname", "KNOWLEDGE.md error symlink-escape", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"wiki/a.md": "a"}
			if tt.text != "" {
				files["KNOWLEDGE.md"] = tt.text
			}
			p, found := mustOpen(t, write(t, files))
			if p != nil || len(found) != 1 {
				t.Fatalf("pack %v, %v", p, lines(found))
			}
			if got := lines(found)[0]; !strings.Contains(got, tt.want) || found[0].Pack != "p" || !strings.Contains(found[0].Hint, tt.hint) {
				t.Errorf("got %s (pack %q, hint %q), want %s", got, found[0].Pack, found[0].Hint, tt.want)
			}
		})
	}
}

func TestEntryInOtherLettersIsNamed(t *testing.T) {
	_, found := mustOpen(t, write(t, map[string]string{"Knowledge.md": entryText}))
	if len(found) != 1 || !strings.Contains(found[0].Hint, "rename Knowledge.md") {
		t.Errorf("%+v", found)
	}
}

func TestEntryThatIsADirectoryOrTooLarge(t *testing.T) {
	p, found := mustOpen(t, write(t, map[string]string{"KNOWLEDGE.md/x": ""}))
	if p != nil || len(found) != 1 || found[0].ID != metadataInvalid {
		t.Errorf("directory: %v", lines(found))
	}
	dir := write(t, map[string]string{"KNOWLEDGE.md": ""})
	oktest.Check(t, os.Truncate(filepath.Join(dir, "KNOWLEDGE.md"), MaxFileSize+1))
	p, found = mustOpen(t, dir)
	if p != nil || len(found) != 1 || !strings.Contains(found[0].Message, "larger than 64 MiB") {
		t.Errorf("large: %v", lines(found))
	}
}

func TestDirectoryThatIsNoneIsAnError(t *testing.T) {
	dir := write(t, map[string]string{"file": ""})
	for _, name := range []string{filepath.Join(dir, "gone"), filepath.Join(dir, "file")} {
		if p, _, err := Open(name); err == nil || p != nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestScriptsAreIgnoredAndReported(t *testing.T) {
	p, found := mustOpen(t, write(t, map[string]string{"KNOWLEDGE.md": entryText, "scripts/run.sh": "rm", "wiki/scripts/a.md": ""}))
	if got := paths(p.Files); !slices.Equal(got, []string{"KNOWLEDGE.md", "wiki/scripts/a.md"}) {
		t.Error(got)
	}
	if len(found) != 1 || found[0].ID != "scripts-present" || found[0].Severity != diag.Info {
		t.Error(lines(found))
	}
}

func TestNamesThatAreNoPackPathsAreReported(t *testing.T) {
	_, found := mustOpen(t, write(t, map[string]string{"KNOWLEDGE.md": entryText, `wiki/a\b.md`: "", "wiki/a\nb.md": ""}))
	if len(found) != 2 || found[0].ID != "path-escape" || found[0].Path != "wiki" || found[1].ID != "path-escape" {
		t.Error(lines(found))
	}
}

func TestByteOrderMarkAndCRLF(t *testing.T) {
	p, found := mustOpen(t, write(t, map[string]string{"KNOWLEDGE.md": "\ufeff" + strings.ReplaceAll(entryText, "\n", "\r\n")}))
	if len(found) > 0 || p.Meta.Name != "p" || string(p.EntryText) != entryText || !bytes.HasPrefix(p.Entry, []byte("\ufeff")) {
		t.Errorf("%v %q", lines(found), p.EntryText)
	}
}

func TestOpenFS(t *testing.T) {
	fsys := fstest.MapFS{
		"KNOWLEDGE.md": {Data: []byte(entryText)},
		"wiki/a.md":    {Data: []byte("a")},
		"wiki/b.md":    {Data: []byte("a.md"), Mode: fs.ModeSymlink},
		"wiki/c.md":    {Data: []byte("../../x"), Mode: fs.ModeSymlink},
	}
	p, found, err := OpenFS(fsys, "archive/q/")
	oktest.Check(t, err)
	want := []string{"wiki/c.md error symlink-escape the symbolic link leads out of the pack", `KNOWLEDGE.md:2:7 warning name-mismatch name "p" differs from the directory "q"`}
	if diff := cmp.Diff(want, lines(found)); diff != "" {
		t.Error(diff)
	}
	if got := paths(p.Files); !slices.Equal(got, []string{"KNOWLEDGE.md", "wiki/a.md", "wiki/b.md"}) {
		t.Error(got)
	}
	if data, err := p.ReadFile("wiki/b.md"); string(data) != "a" || err != nil {
		t.Error(string(data), err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func FuzzOpenFS(f *testing.F) {
	f.Add([]byte(entryText), "wiki/a.md", "../x")
	f.Add([]byte("---\nname: [a]\nruntime: 1\nmetadata:\n  producedBy: {kind: x}\n  primaryDocument: ../y\nmaintainers: 3\n---\n"), "documents/x", "documents")
	f.Fuzz(func(t *testing.T, entry []byte, name, to string) {
		fsys := fstest.MapFS{EntryName: {Data: entry}}
		if fs.ValidPath(name) && name != EntryName && !strings.HasPrefix(name, EntryName+"/") && name != "." {
			fsys[name] = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink}
		}
		p, found, err := OpenFS(fsys, "p")
		if err != nil {
			return
		}
		if p == nil && diag.Count(found, diag.Error) == 0 {
			t.Error("no pack and no error")
		}
		if p != nil && (p.Guide > len(p.EntryText) || !slices.Contains(profiles(), p.Meta.EffectiveProfile())) {
			t.Errorf("guide at %d of %d", p.Guide, len(p.EntryText))
		}
	})
}

func TestRecordsAtTheRootAreNoPartOfAPack(t *testing.T) {
	fsys := fstest.MapFS{
		"KNOWLEDGE.md": {Data: []byte("---\nname: p\ndescription: D\ntype: custom:x\nstatus: ready\n---\n")},
		"pack.json":    {Data: []byte("{}")}, "pack.tar.gz": {Data: []byte("x")},
		"assets/pack.json": {Data: []byte("{}")},
	}
	p, _, err := OpenFS(fsys, "p")
	oktest.Check(t, err)
	var got []string
	for _, f := range p.Files {
		got = append(got, f.Path)
	}
	if want := []string{"KNOWLEDGE.md", "assets/pack.json"}; !slices.Equal(got, want) {
		t.Errorf("files are %v, want %v", got, want)
	}
}

func TestLeftOutIsASourceThatPackJSONDoesNotList(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	manifest := func(name string, files ...string) []byte {
		m := schema.PackManifest{
			SchemaVersion: 1, Name: name, Profile: "hybrid", Status: "ready",
			Tree: "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", Views: []schema.PublishedView{},
		}
		for _, f := range files {
			m.Files = append(m.Files, schema.PublishedFile{Path: f, SHA256: digest})
		}
		return oktest.Value(json.Marshal(m))(t)
	}
	for _, tt := range []struct {
		name   string
		record []byte // pack.json; nil when there is none
		path   string
		want   bool
	}{
		{"an archive without it", manifest("p", "KNOWLEDGE.md"), "sources/a.md", true},
		{"the whole folder", manifest("p", "KNOWLEDGE.md"), "sources/", true},
		{"listed, and lost since", manifest("p", "KNOWLEDGE.md", "sources/a.md"), "sources/a.md", false},
		{"there", manifest("p", "KNOWLEDGE.md"), "sources/there.md", false},
		{"another folder", manifest("p", "KNOWLEDGE.md"), "documents/a.md", false},
		{"a name that only begins so", manifest("p", "KNOWLEDGE.md"), "sources.md", false},
		{"not from an archive", nil, "sources/a.md", false},
		{"a pack.json of another program", []byte(`{"name":"p"}`), "sources/a.md", false},
		{"of another pack", manifest("q", "KNOWLEDGE.md"), "sources/a.md", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{"KNOWLEDGE.md": {Data: []byte("---\nname: p\ndescription: D\ntype: custom:x\nstatus: ready\n---\n")}}
			if tt.path == "sources/there.md" {
				fsys[tt.path] = &fstest.MapFile{}
			}
			if tt.record != nil {
				fsys["pack.json"] = &fstest.MapFile{Data: tt.record}
			}
			p, _, err := OpenFS(fsys, "p")
			oktest.Check(t, err)
			if got := p.LeftOut(tt.path); got != tt.want {
				t.Errorf("LeftOut(%s) = %v", tt.path, got)
			}
		})
	}
}
