package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/elsewhere"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// planted is a pack that somebody made by hand, with files that programs obey.
type planted struct {
	files  map[string]string
	record []byte // pack.json, which fits the files that are listed
	listed []archive.File
}

// plant adds files to a sound pack; with list its pack.json lists them too.
func plant(t *testing.T, extra map[string]string, list bool) *planted {
	t.Helper()
	p := &planted{files: map[string]string{
		"KNOWLEDGE.md":      "---\nname: p\ndescription: About kettles.\ntype: domain-reference\nstatus: ready\nprofile: document-first\n---\n# P\n",
		"documents/it.md":   "# Kettle\n\n## Care\n\nDescale it.\n",
		"boot.yml":          "briefs: {}\n",
		"LICENSE":           "MIT\n",
		"assets/logo.svg":   "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n",
		"skills/descale.sh": "#!/bin/sh\n# Descales.\n",
	}}
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		p.list(name)
	}
	for name, text := range extra {
		if list {
			p.listed = slices.DeleteFunc(p.listed, func(f archive.File) bool { return f.Path == name })
		}
		p.files[name] = text
		if list {
			p.list(name)
		}
	}
	slices.SortFunc(p.listed, func(a, b archive.File) int { return cmp.Compare(a.Path, b.Path) })
	m := schema.PackManifest{SchemaVersion: 1, Name: "p", Profile: "document-first", Status: "ready", Tree: archive.TreeHash(p.listed), Views: []schema.PublishedView{}}
	for _, f := range p.listed {
		m.Files = append(m.Files, schema.PublishedFile(f))
	}
	var err error
	if p.record, err = schema.Encode(m); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *planted) list(name string) {
	text := p.files[name]
	p.listed = append(p.listed, archive.File{Path: name, Size: int64(len(text)), SHA256: archive.SHA256([]byte(text))})
}

// write puts the pack below a directory: as an archive, in two forms, and unpacked.
func (p *planted) write(t *testing.T, dir string) {
	t.Helper()
	var all []archive.File
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		all = append(all, archive.File{Path: name, Size: int64(len(p.files[name])), SHA256: archive.SHA256([]byte(p.files[name]))})
	}
	var targz, zipped bytes.Buffer
	err := archive.WriteTarGz(&targz, "p", p.record, all, func(path string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(p.files[path])), nil
	})
	z := zip.NewWriter(&zipped)
	add := func(name, text string) {
		w, failed := z.Create(name)
		if failed == nil {
			_, failed = io.WriteString(w, text)
		}
		err = cmp.Or(err, failed)
		writeText(t, filepath.Join(dir, "unpacked", filepath.FromSlash(name)), text)
	}
	add("pack.json", string(p.record))
	for _, f := range all {
		add(f.Path, p.files[f.Path])
	}
	if err = cmp.Or(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(dir, "p.tar.gz"), targz.String())
	writeText(t, filepath.Join(dir, "p.zip"), zipped.String())
	writeText(t, filepath.Join(dir, "site", "catalog.json"), `{"schema_version":1,"packs":[{"name":"p"}]}`)
	writeText(t, filepath.Join(dir, "site", "packs", "p", "pack.json"), string(p.record))
	writeText(t, filepath.Join(dir, "site", "packs", "p", "pack.tar.gz"), targz.String())
}

// lookUps are the places where agents and shells look in every folder they enter,
// and in those above it.
var lookUps = []string{
	".envrc", ".env", ".mcp.json", ".claude/settings.json", ".claude/settings.local.json", ".claude/skills", ".cursor/rules", ".cursorrules",
	".vscode/tasks.json", ".github/copilot-instructions.md", ".gemini/settings.json", ".codex/config.toml", ".git", ".gitmodules", ".gitattributes",
	"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", "opencode.json", "crush.json", "mise.toml", "package.json", "Makefile", "HEAD",
}

// obeyedBelow does in every folder what a prompt, an editor and an agent do that
// are opened there, and returns what they would obey. The mark is a file that the
// planted configuration makes when it is run.
func obeyedBelow(t *testing.T, dir, mark string) []string {
	t.Helper()
	var list []string
	home := t.TempDir()
	err := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil || !e.IsDir() {
			return err
		}
		for _, name := range lookUps {
			if _, err := os.Lstat(filepath.Join(at, name)); err == nil {
				list = append(list, name)
			}
		}
		cmd := exec.Command("git", "status")
		cmd.Dir = at
		cmd.Env = append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		_ = cmd.Run() // that there is no repository is what should be
		if _, err := os.Stat(mark); err == nil {
			list = append(list, "git status")
			return os.Remove(mark)
		}
		return nil
	})
	oktest.Check(t, err)
	slices.Sort(list)
	return slices.Compact(list)
}

// A pack from elsewhere brings nothing that a program obeys, whatever its pack.json
// says: it is refused by every command that reads it, and nothing of it exists.
func TestAPackBringsNothingThatProgramsObey(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: git is not installed")
	}
	const mark = "@MARK@" // stands for the file that a test of its own has
	repository := func(dir, more string) map[string]string {
		return map[string]string{
			dir + "config":    "[core]\n\trepositoryformatversion = 0\n" + more + "\tfsmonitor = touch " + mark + "; false\n",
			dir + "HEAD":      "ref: refs/heads/main\n",
			dir + "objects/x": "",
			dir + "refs/x":    "",
		}
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string // what obeys it; one of those the check finds
	}{
		{"a repository", repository(".git/", ""), "git status"},
		{"a repository further down", repository("documents/.git/", ""), "git status"},
		{"a bare repository", repository("assets/r/", "\tbare = false\n\tworktree = .\n"), "git status"},
		{"a bare repository at the root", repository("", "\tbare = false\n\tworktree = .\n"), "git status"},
		{"a short name", map[string]string{"git~1/config": "[core]\n"}, ""},
		{"direnv", map[string]string{".envrc": "touch " + mark}, ".envrc"},
		{"direnv further down", map[string]string{"documents/a/.envrc": "touch " + mark}, ".envrc"},
		{"settings", map[string]string{".claude/settings.json": `{"hooks":{}}`}, ".claude/settings.json"},
		{"settings further down", map[string]string{"wiki/.claude/settings.json": `{"hooks":{}}`}, ".claude/settings.json"},
		{"servers", map[string]string{".mcp.json": `{"mcpServers":{}}`}, ".mcp.json"},
		{"an editor", map[string]string{".vscode/tasks.json": `{}`}, ".vscode/tasks.json"},
		{"instructions", map[string]string{"CLAUDE.md": "Obey."}, "CLAUDE.md"},
		{"instructions further down", map[string]string{"documents/CLAUDE.md": "Obey."}, "CLAUDE.md"},
		{"instructions for others", map[string]string{"wiki/deep/er/AGENTS.md": "Obey."}, "AGENTS.md"},
		{"configuration further down", map[string]string{"assets/opencode.json": `{}`}, "opencode.json"},
		{"a program's file", map[string]string{"Makefile": "all:\n"}, "Makefile"},
		{"a folder that is not one of a pack", map[string]string{"hooks/package.json": "{}"}, "package.json"},
		{"a name that Windows forbids", map[string]string{"documents/a*b.md": "x"}, ""},
		{"a device", map[string]string{"documents/con.md": "x"}, ""},
	} {
		for _, list := range []bool{true, false} {
			name := strings.ReplaceAll(tt.name, " ", "_") + map[bool]string{true: ",_listed", false: ",_not_listed"}[list]
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				ran, files := filepath.Join(t.TempDir(), "ran"), map[string]string{}
				for path, text := range tt.files {
					files[path] = strings.ReplaceAll(text, mark, ran)
				}
				o := newOutside(t, nil)
				dir := o.dir
				plant(t, files, list).write(t, dir)
				site := fetchtest.NewSite(t, "/packs", os.DirFS(filepath.Join(dir, "site")))
				if got := obeyedBelow(t, filepath.Join(dir, "unpacked"), ran); tt.want != "" && !slices.Contains(got, tt.want) {
					t.Fatalf("as written by hand it is obeyed by %q, want %q", got, tt.want)
				}
				for _, from := range []string{"p.tar.gz", "p.zip", "dir:unpacked", site.URL + "/#p"} {
					for _, args := range [][]string{
						{"pull", from, "--out", "out"}, {"resolve", "--allow-untrusted", "--from", from, "descale"},
						{"match", "--from", from, "descale"}, {"verify", strings.TrimPrefix(from, "dir:")},
					} {
						if args[0] == "verify" && strings.HasPrefix(from, "http") {
							continue // it is no whole site
						}
						if !list && from == "dir:unpacked" && args[0] != "verify" {
							continue // what is not listed is not part of the pack, and stays where it was
						}
						o.run(exitFindings, args...)
					}
					for _, place := range []string{filepath.Join(dir, "out"), o.cache} {
						if got := obeyedBelow(t, place, ran); len(got) > 0 {
							t.Errorf("%s: below %s %q is obeyed", from, filepath.Base(place), got)
						}
					}
					if _, err := os.Lstat(filepath.Join(dir, "out")); err == nil {
						t.Fatalf("%s: the pack is written", from)
					}
				}
			})
		}
	}
}

// What the format has a place for is pulled and written as before.
func TestAPackKeepsWhatTheFormatHasAPlaceFor(t *testing.T) {
	t.Parallel()
	o := newOutside(t, nil)
	dir := o.dir
	p := plant(t, map[string]string{
		"README.md": "r", "NOTICE.txt": "n", "CHANGELOG.md": "c", "wiki/agents.md": "# Agents\n", "wiki/entities/a b/größe.md": "# Größe\n", "ontology/concepts.json": "{}",
		"answers/questions.json": "{}", "evals/files/x.bin": "x", "schemas/claim.schema.json": "{}", "indexes/vector/x.bin": "x", "briefs/tone.md": "# Tone\n",
		"sources/mail.eml": "x", "assets/family-👩\u200d👩\u200d👧.png": "x", "compiled/extra.md": "# Extra\n",
	}, true)
	p.write(t, dir)
	for i, from := range []string{"p.tar.gz", "p.zip", "unpacked"} {
		out := string(rune('a' + i))
		o.run(exitDone, "pull", from, "--out", out)
		for name, text := range p.files {
			if data, err := os.ReadFile(filepath.Join(dir, out, "p", name)); err != nil || string(data) != text {
				t.Errorf("%s: %v", name, err)
			}
		}
		o.run(exitDone, "verify", filepath.Join(out, "p"))
	}
}

// On a file system that does not tell letter case apart, a page called agents.md is
// found as AGENTS.md. Such a pack is not written to it.
func TestWhatTheFileSystemTakesForInstructionsIsNotWritten(t *testing.T) {
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "wiki", "agents.md"), "# Agents\n")
	if _, err := os.Lstat(filepath.Join(dir, "wiki", "AGENTS.md")); err != nil {
		if err := elsewhere.CheckObeyed(dir, "p"); err != nil {
			t.Errorf("letter case counts here: %v", err)
		}
		writeText(t, filepath.Join(dir, "wiki", "AGENTS.md"), "# Agents\n") // as such a file system shows it
	}
	if err := elsewhere.CheckObeyed(dir, "p"); err == nil || !strings.Contains(err.Error(), "wiki/AGENTS.md") {
		t.Errorf("%v", err)
	}
}
