package boot

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
)

// bootDir boots a role directory and returns the text form and the diagnostics.
func bootDir(t testing.TB, dir string, open OpenOptions, opts Options) (string, *Result) {
	t.Helper()
	role := oktest.Value(Open(dir, open))(t)
	defer role.Close()
	return bootRole(t, role, opts)
}

func bootRole(t testing.TB, role *Role, opts Options) (string, *Result) {
	t.Helper()
	res := oktest.Value(role.Boot(context.Background(), opts))(t)
	var out strings.Builder
	if err := res.Render(&out); (err != nil) != res.Refused() {
		t.Fatalf("Render: %v beside %v", err, res.Diagnostics)
	}
	return out.String(), res
}

// mapRole makes a role from file contents.
func mapRole(t testing.TB, files map[string]string, open OpenOptions) *Role {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, content := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return oktest.Value(OpenFS(fsys, open))(t)
}

// find returns the diagnostics with an id.
func find(list []diag.Diagnostic, id string) []diag.Diagnostic {
	var found []diag.Diagnostic
	for _, d := range list {
		if d.ID == id {
			found = append(found, d)
		}
	}
	return found
}

func needLinks(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
}

func TestLinksInsideTheRepositoryAreFollowed(t *testing.T) {
	needLinks(t)
	repo := t.TempDir()
	oktest.Write(t, repo, map[string]string{
		"team/tone.md":            "tone\n",
		"team/more/x.md":          "x\n",
		"team/boot.yml":           "briefs: {say: ['**/*.md']}\n",
		"roles/r/boot.yml":        "-> ../../team/boot.yml",
		"roles/r/briefs/tone.md":  "-> ../../../team/tone.md",
		"roles/r/briefs/abs.md":   "-> " + filepath.Join(repo, "team", "tone.md"),
		"roles/r/briefs/more":     "-> ../../../team/more",
		"roles/r/briefs/gone.md":  "-> nowhere.md",
		"roles/r/briefs/loop.md":  "-> loop.md",
		"roles/r/briefs/again":    "-> .",
		"roles/r/briefs/.archive": "-> /",
		"roles/r/skills":          "-> ../../team/more",
		"agent/role":              "-> ../roles/r",
	})
	for _, dir := range []string{"roles/r", "agent/role"} {
		got, res := bootDir(t, filepath.Join(repo, dir), OpenOptions{Root: repo, Name: dir}, Options{})
		want := fmt.Sprintf(`<brief path="%[1]s/briefs/abs.md">
tone
</brief>

<brief path="%[1]s/briefs/more/x.md">
x
</brief>

<brief path="%[1]s/briefs/tone.md">
tone
</brief>

<skill path="%[1]s/skills/x.md">
x
</skill>
`, dir)
		if got != want {
			t.Errorf("boot of %s: %v\n%s", dir, res.Diagnostics, got)
		}
		if loops := find(res.Diagnostics, idLinkLoop); len(loops) != 1 || loops[0].Path != dir+"/briefs/again" {
			t.Errorf("loops: %v", loops)
		}
	}
}

func TestLinksOutOfTheRepositoryAreRefusedByName(t *testing.T) {
	needLinks(t)
	outside, repo := t.TempDir(), t.TempDir()
	oktest.Write(t, outside, map[string]string{"secret.md": "secret\n", "boot.yml": "briefs: {say: []}\n", "role/briefs/a.md": "a\n"})
	for name, tt := range map[string]struct {
		link, target, dir, path string
	}{
		"brief":           {"r/briefs/x.md", "secret.md", "r", "r/briefs/x.md"},
		"folder":          {"r/briefs/x", ".", "r", "r/briefs/x"},
		"skill":           {"r/skills/x", "secret.md", "r", "r/skills/x"},
		"briefs itself":   {"r/briefs", ".", "r", "r/briefs"},
		"minified twin":   {"r/briefs/a.md.min", "secret.md", "r", "r/briefs/a.md.min"},
		"boot.yml":        {"r/boot.yml", "boot.yml", "r", "r/boot.yml"},
		"role directory":  {"r", "role", "r", "r"},
		"a longer prefix": {"r/briefs/y.md", "../" + filepath.Base(outside) + "/secret.md", "r", "r/briefs/y.md"},
	} {
		t.Run(name, func(t *testing.T) {
			repo := filepath.Join(repo, strings.ReplaceAll(name, " ", "-"))
			files := map[string]string{tt.link: "-> " + filepath.Join(outside, tt.target)}
			if tt.dir != tt.link && tt.link != "r/briefs" {
				files["r/briefs/a.md"] = "a\n"
			}
			oktest.Write(t, repo, files)
			open := OpenOptions{Root: repo, Name: tt.dir}
			got, res := bootDir(t, filepath.Join(repo, tt.dir), open, Options{})
			found := find(res.Diagnostics, idLinkOutside)
			if got != "" || len(found) != 1 || found[0].Severity != diag.Error || found[0].Path != tt.path ||
				!strings.Contains(found[0].Message, outside) || !strings.Contains(found[0].Hint, "--allow-root") {
				t.Errorf("output %q, diagnostics %v", got, res.Diagnostics)
			}
			open.AllowRoots = []string{outside}
			if _, res := bootDir(t, filepath.Join(repo, tt.dir), open, Options{}); len(find(res.Diagnostics, idLinkOutside)) > 0 {
				t.Errorf("refused although allowed: %v", res.Diagnostics)
			}
		})
	}
}

// What git keeps of a repository has passwords and tokens, and came with no checkout.
func TestLinksIntoGitAreRefused(t *testing.T) {
	needLinks(t)
	for link, dir := range map[string]string{
		"r/briefs/x.md -> ../../.git/config": "r", "r/briefs/x -> ../../.git": "r", "r/skills -> ../.git": "r", "r/boot.yml -> ../.git/config": "r",
		"r/briefs/x.md -> ../../sub/.git/config": "r", "r -> .git/role": "r", "r/briefs/a.md.min -> ../../.git/config": "r",
	} {
		repo := t.TempDir()
		name, to, _ := strings.Cut(link, " -> ")
		files := map[string]string{".git/config": "secret\n", "sub/.git/config": "secret\n", ".git/role/briefs/a.md": "secret\n", name: "-> " + to}
		if name != "r" {
			files["r/briefs/a.md"] = "a\n"
		}
		oktest.Write(t, repo, files)
		got, res := bootDir(t, filepath.Join(repo, dir), OpenOptions{Root: repo, Name: dir, AllowRoots: []string{repo}}, Options{})
		if found := find(res.Diagnostics, idLinkOutside); got != "" || len(found) != 1 || found[0].Path != name || !strings.Contains(found[0].Message, "which is for git alone") {
			t.Errorf("%s: output %q, diagnostics %v", link, got, res.Diagnostics)
		}
	}
}

func TestRoleOutsideTheRepositoryIsItsOwnRoot(t *testing.T) {
	role := t.TempDir()
	oktest.Write(t, role, map[string]string{"briefs/a.md": "a\n"})
	if got, res := bootDir(t, role, OpenOptions{Root: t.TempDir(), Name: "r"}, Options{}); !strings.Contains(got, `<brief path="r/briefs/a.md">`) {
		t.Errorf("output %q, diagnostics %v", got, res.Diagnostics)
	}
}

func TestOpenNeedsADirectory(t *testing.T) {
	dir := t.TempDir()
	oktest.Write(t, dir, map[string]string{"file": ""})
	for _, name := range []string{"none", "file"} {
		if _, err := Open(filepath.Join(dir, name), OpenOptions{}); err == nil || !strings.Contains(err.Error(), "open role") {
			t.Errorf("Open(%s) = %v", name, err)
		}
	}
}

func TestDanglingBootYmlIsNotAbsent(t *testing.T) {
	needLinks(t)
	dir := t.TempDir()
	oktest.Write(t, dir, map[string]string{"boot.yml": "-> nowhere", "briefs/a.md": "a\n"})
	if got, res := bootDir(t, dir, OpenOptions{}, Options{}); got != "" || !hasError(res.Diagnostics, "boot.yml is a link to nothing") {
		t.Errorf("output %q, diagnostics %v", got, res.Diagnostics)
	}
}

func TestTenMegabyteBootYmlIsRefused(t *testing.T) {
	role := mapRole(t, map[string]string{"boot.yml": strings.Repeat("# x\n", 10<<18), "briefs/a.md": "a\n"}, OpenOptions{})
	if got, res := bootRole(t, role, Options{}); got != "" || !hasError(res.Diagnostics, "boot.yml is larger than") {
		t.Errorf("output %q, diagnostics %v", got, res.Diagnostics)
	}
}

func TestOrphanTwinsAreNamed(t *testing.T) {
	role := mapRole(t, map[string]string{"briefs/b.md.min": "", "briefs/x/a.md.min": "", "briefs/.archive/c.md.min": ""}, OpenOptions{})
	_, res := bootRole(t, role, Options{})
	want := `orphan .md.min file(s) detected without .md source: "briefs/b.md.min", "briefs/x/a.md.min"`
	if len(res.Diagnostics) != 1 || res.Diagnostics[0].Message != want {
		t.Errorf("diagnostics %v", res.Diagnostics)
	}
}

func TestErrorsComeInStages(t *testing.T) {
	files := map[string]string{"briefs/orphan.md.min": "", "boot.yml": ""}
	for _, tt := range []struct {
		yml  string
		opts Options
		want string
	}{
		{"a: [", Options{Usecases: []string{"x"}}, idYAML},
		{"briefs: 1\nalways: 2\n", Options{Usecases: []string{"x"}}, idModeMixed},
		{"briefs: 1\n", Options{Usecases: []string{"x"}}, idSchema},
		{"briefs: {say: ['[']}\n", Options{Usecases: []string{"x"}}, idGlob},
		{"briefs: {}\n", Options{Usecases: []string{"x"}}, IDUsecase},
		{"always: {}\n", Options{Usecases: []string{" ", ""}}, IDUsecase},
		{"always: {}\n", Options{Usecases: []string{}}, IDUsecase},
		{"briefs: {}\n", Options{}, idTwinOrphan},
	} {
		files["boot.yml"] = tt.yml
		_, res := bootRole(t, mapRole(t, files, OpenOptions{}), tt.opts)
		if len(res.Diagnostics) == 0 {
			t.Errorf("%q with %q: nothing is wrong", tt.yml, tt.opts.Usecases)
		}
		for _, d := range res.Diagnostics {
			if d.ID != tt.want {
				t.Errorf("%q with %q: %s, want %s", tt.yml, tt.opts.Usecases, line(d), tt.want)
			}
		}
	}
}

func TestPackLayoutTakesDocumentsAndPages(t *testing.T) {
	role := mapRole(t, map[string]string{
		"boot.yml":        "briefs: {say: [documents/a.md, 'wiki/**/*.md']}\n",
		"documents/a.md":  "a\n",
		"documents/b.md":  "b\n",
		"wiki/x/page.md":  "page\n",
		"briefs/never.md": "never\n",
		"KNOWLEDGE.md":    "---\n---\n",
	}, OpenOptions{Layout: PackLayout()})
	want := "<brief path=\"documents/a.md\">\na\n</brief>\n\n<brief path=\"wiki/x/page.md\">\npage\n</brief>\n\n<ref path=\"documents/b.md\"/>\n"
	if got, res := bootRole(t, role, Options{}); got != want {
		t.Errorf("%v\n%s", res.Diagnostics, got)
	}
}

func TestPrintedPrefixKeepsTheDirectoryAsGiven(t *testing.T) {
	for dir, want := range map[string]string{".": "", "./": "", "": "", "roles/r": "roles/r/", "./roles/r/": "roles/r/", "a/../b": "a/../b/", "/x": "/x/"} {
		if got := printedPrefix("", dir); got != want {
			t.Errorf("printedPrefix(%q) = %q, want %q", dir, got, want)
		}
	}
}
