package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// plantedToken makes the text of a token that nobody has issued; n tells one from
// another. It is put together here, so that no scanner of this repository reports it.
func plantedToken(n int) string {
	return fmt.Sprintf("ghp_"+"R8vK2mQx7LpZ4tWc9NbY3sHd6FgJ1a%02dXkTe", n)
}

// plantedGuide is a KNOWLEDGE.md.
func plantedGuide(name, rest string) string {
	return "---\nname: " + name + "\ndescription: Pack of a test. Use it for tests.\ntype: domain-reference\nprofile: hybrid\nstatus: ready\n" +
		"metadata:\n  primaryDocument: documents/a.md\n" + rest + "---\n\n# " + name + "\n"
}

// plantedFiles are packs with a secret in every place that an author has. Each of them
// keeps one file from being shown, but for that of the pack "guide", which costs the pack.
func plantedFiles() map[string]string {
	n := 0
	secret := func() string { n++; return plantedToken(n) }
	files := map[string]string{
		"packgen.yaml":            "base_url: https://example.org/\nsite:\n  sources: true\n  runs: true\nloadout:\n  project: .claude/loadout/index.json\n",
		"packs/demo/KNOWLEDGE.md": plantedGuide("demo", ""),
		"packs/demo/documents/a.md": "# Sound\n\n## Care\n\n- Descale it. [source: sources/sound.md#L1]\n\nSee [text](text.md), [[Heading]], ![[embedded]] and ![[embedded#part]].\n\n" +
			"![[embedded]]\n\n![[embedded#part]]\n\n- From a bad source. [source: sources/bad.md#L2]\n",
		"packs/demo/sources/sound.md": "Descale it once a month.\n",
		"packs/demo/wiki/sound.md":    "# A sound page\n\n- Descale it. [source: sources/sound.md#L1]\n",
		"packs/guide/documents/a.md":  "# A\n\nText.\n",
		"packs/guide/KNOWLEDGE.md":    plantedGuide("guide", "") + "\n## Boundaries\n\n- Never say " + secret() + ".\n",
	}
	for name, text := range plantedPages() {
		files["packs/demo/"+name] = strings.ReplaceAll(text, "SECRET", secret())
	}
	return files
}

// plantedPages are files of a pack, by path, with SECRET wherever an author may write.
func plantedPages() map[string]string {
	return map[string]string{
		"documents/text.md":          "# Text\n\n## Sound section\n\nNothing here.\n\n## Bad section\n\nThe token is SECRET.\n",
		"documents/matter.md":        "---\nsummary: SECRET\naliases: [SECRET]\nkeywords: [SECRET]\n---\n# Matter\n\nText.\n",
		"documents/broken.md":        "---\ntitle: [SECRET\n---\n# Broken\n\nText.\n",
		"documents/heading.md":       "# Heading\n\n## Key SECRET {#key}\n\nText.\n",
		"documents/title.md":         "# SECRET\n\nText.\n",
		"documents/link.md":          "# Link\n\n[one](https://example.org/?token=SECRET) and ![alt SECRET](x.png \"SECRET\") and [[SECRET]] and <a name=\"SECRET\">x</a>\n",
		"documents/fence.md":         "# Fence\n\n```yaml title=\"SECRET\"\ntoken: SECRET\n```\n\n<details><summary>SECRET</summary>\n\nx\n\n</details>\n",
		"documents/table.md":         "# Table\n\n| a | b |\n|---|---|\n| SECRET | 1 |\n",
		"documents/note.md":          "# Note\n\nText.[^1]\n\n[^1]: SECRET\n\n> [!NOTE] SECRET\n> x\n",
		"documents/embedded.md":      "# Embedded\n\nSECRET\n\n## Part\n\nA part of a bad page.\n",
		"documents/claim.md":         "# Claim\n\n- The token is SECRET. [source: sources/sound.md#L1]\n- Another claim of a bad page. [source: sources/sound.md#L1]\n",
		"documents/data.csv":         "a,b\nSECRET,1\n",
		"documents/latin.txt":        "caf\xe9\nSECRET\n",
		"wiki/page.md":               "# Page\n\nLead of a bad page.\n\nSECRET\n",
		"wiki/open-questions/q.md":   "# Is it SECRET?\n\nWho knows.\n",
		"wiki/contradictions/c.md":   "# It is SECRET\n\n- Or not. [source: sources/sound.md#L1]\n",
		"sources/bad.md":             "One line.\nThe token is SECRET here.\n",
		"assets/x.svg":               "<svg xmlns=\"http://www.w3.org/2000/svg\"><text>SECRET</text></svg>\n",
		"assets/x.txt":               "SECRET\n",
		"compiled/voice.md":          "# Voice\n\nSECRET\n",
		"evals/discovery.train.json": `{"cases": [{"prompt": "use SECRET", "expected": "select"}]}`,
		"ontology/claims.json":       `{"claims": ["SECRET"]}`,
		"answers/questions.json":     `{"questions": [{"question": "SECRET"}]}`,
		"LICENSE":                    "Licence\n\nSECRET\n",
	}
}

// No byte that a build writes or prints holds a secret that it has found: not of a page,
// its splits, the indexes, archives, records, lists, evidence, the store; not in a second
// build, and not where an earlier build has shown the same pages.
func TestNoOutputHoldsAPlantedSecret(t *testing.T) {
	dir := t.TempDir()
	write := func(files map[string]string, clean bool) {
		for name, text := range files {
			if clean {
				for n := range 40 {
					text = strings.ReplaceAll(text, plantedToken(n), "harmless")
				}
			}
			writeText(t, filepath.Join(dir, name), text)
		}
	}
	env := map[string]string{"SOURCE_DATE_EPOCH": "1772323200"}
	files := plantedFiles()
	build := func(args ...string) {
		t.Helper()
		code, stdout, stderr := runIn(t, env, append([]string{"-C", dir, "build", "-v", "--all"}, args...)...)
		if code != exitFindings {
			t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
		}
		checkPlanted(t, "standard output", []byte(stdout))
		checkPlanted(t, "standard error", []byte(stderr))
		checkPlantedTree(t, dir, files)
		for name, bad := range files {
			pack := strings.HasPrefix(name, "packs/demo/")
			if text := strings.ToLower(bad); pack && strings.Contains(text, "ghp_") && len(args) == 0 && !strings.Contains(stderr, name+":") {
				t.Errorf("no line names %s:\n%s", name, stderr)
			}
		}
		for _, name := range []string{"documents/a.html", "documents/a.md", "wiki/sound.html", "pack.tar.gz", "compiled/splits/a/care.md"} {
			if _, err := os.Stat(filepath.Join(dir, "public/packs/demo", name)); err != nil {
				t.Errorf("a sound file is not published: %v", err)
			}
		}
	}
	write(files, false)
	build()
	runIn(t, env, "-C", dir, "resolve", "what is known of care")
	build("--json")
	write(files, true)
	for range 2 {
		if code, stdout, stderr := runIn(t, env, "-C", dir, "build"); code != exitDone {
			t.Fatalf("without secrets: exit %d\n%s%s", code, stdout, stderr)
		}
	}
	write(files, false)
	build()
	build("--no-cache")
	build("--dry-run")
}

// checkPlanted looks for the secrets in what was written, in its other forms too.
func checkPlanted(t *testing.T, name string, data []byte) {
	t.Helper()
	text := strings.ToLower(string(data))
	for _, form := range []string{text, unescaped(text)} {
		for n := range 40 {
			for _, part := range []string{plantedToken(n), plantedToken(n)[12:32]} {
				if strings.Contains(form, strings.ToLower(part)) {
					t.Errorf("%s holds secret %d", name, n)
					return
				}
			}
		}
	}
}

// unescaped is a text without the escapes of URLs and HTML that a token may have in it.
func unescaped(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	return strings.NewReplacer("&#95;", "_", `\_`, "_", `\u005f`, "_").Replace(text)
}

// checkPlantedTree looks at all files below a directory but the given ones, and into
// archives.
func checkPlantedTree(t *testing.T, dir string, but map[string]string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, full)
		name := filepath.ToSlash(rel)
		if _, ours := but[name]; ours {
			return nil
		}
		data, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		checkPlanted(t, name, append(data, full...))
		if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			plain, err := io.ReadAll(z)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			checkPlanted(t, name+" unpacked", plain)
			for files := tar.NewReader(bytes.NewReader(plain)); ; {
				h, err := files.Next()
				if errors.Is(err, io.EOF) || err != nil {
					break
				}
				checkPlanted(t, name+" name", []byte(h.Name))
				if text, ours := but["packs/demo/"+strings.TrimPrefix(h.Name, "demo/")]; ours && strings.Contains(text, "ghp_") {
					t.Errorf("%s holds %s", name, h.Name)
				}
			}
		}
		return nil
	})
	oktest.Check(t, err)
}
