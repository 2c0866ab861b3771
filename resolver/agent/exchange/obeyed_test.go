package exchange

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/resolver/repo"
)

// obeyedNames are names of files that agents and tools obey, and other spellings of them.
func obeyedNames() []string {
	return append(packpath.Obeyed(), "claude.md", "Agents.MD", "CLAUDE\u200b.md", "AGENTS.md\u200b", "CLAUDE.md ", "GEMINI.md.", "claude.md ", "mise.toml", "OpenCode.json", "AGENTſ.md")
}

const obeyedGuide = "---\nname: p\ndescription: D.\ntype: domain-reference\nstatus: ready\nprofile: document-first\n---\n\n# P\n"

// No import writes a file that agents obey, wherever the folder has it.
func TestNoImportBringsAFileThatIsObeyed(t *testing.T) {
	for from, more := range map[From]map[string]string{
		FromOKF:    {"a.md": "# A\n", "KNOWLEDGE.md": obeyedGuide},
		FromSkills: {"SKILL.md": "---\nname: p\ndescription: D.\n---\n\n# P\n"},
		FromLLMs:   {"a.md": "# A\n", "llms.txt": "# P\n\n- [a](a.md)\n"},
	} {
		t.Run(string(from), func(t *testing.T) {
			files := map[string]string{}
			for name, text := range more {
				files["src/"+name] = text
			}
			for _, name := range obeyedNames() {
				for _, dir := range []string{"", "references/", "assets/", "documents/deep/er/", ".claude/", ".cursor/rules/", "documents/.github/"} {
					files["src/"+dir+name] = "# Orders\n"
					files["src/llms.txt"] += "- [x](" + strings.ReplaceAll(dir+name, "\u200b", "%E2%80%8B") + ")\n"
				}
			}
			files["src/CLAUDE.txt"] = "# Orders\n"
			files["src/llms.txt"] += "- [x](CLAUDE.txt)\n"
			w := repository(t, files)
			done, err := Import(context.Background(), w, ImportOptions{From: from, Dir: w.Paths.Abs("src"), Name: "guest"})
			if err != nil || len(done.Packs) != 1 || done.Failed() {
				t.Fatalf("%+v, %v", done, err)
			}
			for name := range oktest.Read(t, filepath.Join(w.Paths.Dir, "packs")) {
				if packpath.IsObeyed(path.Base(name)) || strings.Contains("/"+name, "/.") {
					t.Errorf("import writes %s", name)
				}
			}
			if diag.Count(done.Findings, diag.Warning) < len(packpath.Obeyed()) {
				t.Errorf("left out without a word: %+v", done.Findings)
			}
		})
	}
}

// No export writes a file that agents obey, but those that it is for.
func TestNoExportWritesAFileThatIsObeyed(t *testing.T) {
	files := map[string]string{"packs/p/KNOWLEDGE.md": strings.Replace(obeyedGuide, "# P", "# P\n\n![x](assets/mise.toml) ![y](documents/opencode.json)", 1), "packs/p/assets/mise.toml": "x", "packs/p/documents/opencode.json": "{}"}
	for i, name := range obeyedNames() {
		files[fmt.Sprintf("packs/p/documents/%d/%s", i, name)] = "---\npaths: [packs/**]\n---\n\n# Orders\n\nRun it.\n"
	}
	files["packs/p/documents/AGENTS.md"] = "---\npaths: [packs/**]\n---\n\n# Orders\n\nRun it.\n"
	for _, kind := range Kinds() {
		w := repository(t, files)
		e := oktest.Value(Run(context.Background(), w, Options{Kind: Kind(kind), Out: filepath.Join(t.TempDir(), "out")}))(t)
		for _, f := range e.Files {
			if packpath.IsObeyed(path.Base(f.Path)) && f.Path != agentsFile {
				t.Errorf("export %s writes %s", kind, f.Path)
			}
		}
		if len(e.Files) == 0 {
			t.Errorf("export %s writes nothing: %+v", kind, e.Findings)
		}
	}
}

// What a site publishes as skills is held to the list of what a site may hold.
func TestPublishedSkillsHoldNothingThatABrowserRuns(t *testing.T) {
	active := []string{"h.html", "h.HTM", "x.xml", "s.js", "s.mjs", "c.css", "x.xhtml", "e.svg", "e.SVG", "f.svgz", "h.html.gz", "h.html.canvas", "noending", "w.wasm"}
	text := "# A\n\n"
	files := map[string]string{"packs/p/KNOWLEDGE.md": obeyedGuide}
	for _, dir := range []string{"assets/", "documents/", "documents/deep/", "wiki/"} {
		for _, name := range append(active, "plain.svg", "p.png", "t.txt") {
			files["packs/p/"+dir+name] = "<script>alert(1)</script>"
			text += "![x](../" + dir + name + ") [y](../" + dir + name + ")\n"
		}
		files["packs/p/"+dir+"e.svg"] = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`
		files["packs/p/"+dir+"e.SVG"] = files["packs/p/"+dir+"e.svg"]
		files["packs/p/"+dir+"plain.svg"] = `<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>`
	}
	files["packs/p/documents/a.md"] = text
	w := repository(t, files)
	all, r, err := w.OpenForCheck(nil)
	oktest.Check(t, err)
	defer all.Close()
	oktest.Check(t, r.Compile(context.Background(), repo.CompileOptions{Each: compiler.Options{DryRun: true}}))
	list, _, err := Published(r.Members)
	oktest.Check(t, err)
	plain := 0
	for _, f := range list {
		if strings.HasSuffix(f.Path, ".md") || strings.HasSuffix(f.Path, "index.json") || strings.HasSuffix(f.Path, ".tar.gz") {
			continue
		}
		if !packpath.CanShow(f.Path) || strings.Contains(string(f.Data), "onload") {
			t.Errorf("the site publishes %s", f.Path)
		}
		plain++
	}
	if plain < 3 {
		t.Errorf("%d harmless files are published", plain)
	}
}
