package exchange

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/token"
)

// manyPages is a pack of more pages than a skill can list itself, one of them called as a
// list would be.
func manyPages() map[string]string {
	files := map[string]string{
		"packs/p/KNOWLEDGE.md":              "---\nname: p\ndescription: Parts of a platform.\ntype: custom:x\nprofile: document-first\nstatus: ready\nmetadata:\n  primaryDocument: documents/contents-2.md\n---\n\n# P\n",
		"packs/p/documents/contents-2.md":   "# Contents of boxes\n\nA page, not a list.\n",
		"packs/p/documents/contents.md":     "# Contents\n\nA page too.\n",
		"packs/p/documents/a/contents-1.md": "# More contents\n\nAnd one below.\n",
	}
	for i, part := range []string{"gateway", "registry", "billing", "archive"} {
		for j := range 60 {
			files[fmt.Sprintf("packs/p/documents/%s-%02d.md", part, j)] = fmt.Sprintf("# The %s: step %d\n\nWhat the %s does in step %d of %d.\n", part, j, part, j, i)
		}
	}
	return files
}

// A long list is parted: each part says what is in it, every page is in one of them, and
// an import leaves the parts out.
func TestListsOfManyPagesAreParted(t *testing.T) {
	t.Parallel()
	w := repository(t, manyPages())
	for kind, guide := range map[Kind]string{Skills: "p/SKILL.md", AgentsMD: "knowledge/p/contents.md"} {
		files := exported(t, w, kind)
		text, dir := files[guide], strings.TrimSuffix(strings.TrimSuffix(guide, "SKILL.md"), "contents.md")
		if n := token.Estimate(text); n > maxListedTokens {
			t.Errorf("%s has %d tokens", guide, n)
		}
		for _, part := range []string{"gateway", "registry", "billing", "archive"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s does not say where %s is:\n%s", guide, part, text)
			}
		}
		listed := map[string]bool{}
		for name, body := range files {
			rest, ok := strings.CutPrefix(name, dir)
			if !ok || !listPath().MatchString(rest) {
				continue
			}
			if !strings.Contains(text, "("+rest+")") || strings.Count(body, "\n- ") > leastInList {
				t.Errorf("%s is not named in %s, or long", name, guide)
			}
			for line := range strings.Lines(body) {
				if _, dest, ok := strings.Cut(line, "]("); ok {
					dest, _, _ = strings.Cut(dest, ")")
					listed[dir+references+dest] = true
				}
			}
		}
		for name := range files {
			rest, ok := strings.CutPrefix(name, dir+references)
			if ok && !listPath().MatchString(references+rest) != listed[name] {
				t.Errorf("%s: listed %t", name, listed[name])
			}
		}
		if len(listed) != 243 {
			t.Errorf("%s lists %d pages", guide, len(listed))
		}
	}
	first := exported(t, w, Skills)
	bundle := map[string]string{}
	for name, text := range first {
		if strings.HasPrefix(name, "p/") {
			bundle["in/"+name] = text
		}
	}
	w2 := repository(t, bundle)
	done, err := Import(context.Background(), w2, ImportOptions{From: FromSkills, Dir: w2.Paths.Abs("in/p")})
	if err != nil || done.Failed() {
		t.Fatal(err, done)
	}
	oktest.Check(t, os.RemoveAll(w2.Paths.Abs("in")))
	second := exported(t, w2, Skills)
	delete(first, listFile)
	delete(second, listFile)
	if !maps.Equal(first, second) {
		t.Errorf("the second export has %d files, the first %d: %v", len(second), len(first), slices.Sorted(maps.Keys(second)))
	}
}

// A list gives the summary of a text that is not ready with its status: an agent may read no
// more than the list.
func TestListsSayWhatIsNotReady(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pack, page, want string }{
		{"ready", "draft", "draft"}, {"disputed", "ready", "disputed"}, {"draft", "", "draft"}, {"draft", "disputed", "disputed"}, {"needs-review", "", "needs-review"}, {"stale", "", "stale"},
	} {
		status := ""
		if c.page != "" {
			status = "status: " + c.page + "\n"
		}
		w := repository(t, map[string]string{
			"packs/p/KNOWLEDGE.md":    "---\nname: p\ndescription: The pack of kettles.\ntype: custom:x\nprofile: document-first\nstatus: " + c.pack + "\nmetadata:\n  primaryDocument: documents/k.md\n---\n\n# P\n",
			"packs/p/documents/k.md":  "---\n" + status + "paths: [packs/**]\n---\n\n# Kettles\n\nThe kettle holds one litre.\n",
			"packs/p/documents/k2.md": "---\n" + status + "---\n\n# Other kettles\n\nThe kettle holds one litre.\n",
		})
		for _, kind := range []Kind{AgentsMD, OKF, Skills} {
			lines := 0
			for name, text := range exported(t, w, kind) {
				for line := range strings.Lines(text) {
					about := strings.Contains(line, "](") && strings.Contains(line, "one litre")
					about = about || c.pack != "ready" && strings.Contains(line, "](") && strings.Contains(line, "pack of kettles")
					if about && !strings.Contains(line, "("+c.want+")") && !strings.Contains(line, "("+c.pack+")") {
						t.Errorf("%v: %s: %s states without a status: %s", c, kind, name, line)
					}
					if about {
						lines++
					}
				}
			}
			if lines == 0 {
				t.Errorf("%v: no list of %s has the page", c, kind)
			}
		}
	}
}

// Git changes line ends from one checkout to the next: that is nobody's edit, of what packgen
// wrote and of its block alike.
func TestAnExportInOtherLineEndsIsNotEdited(t *testing.T) {
	t.Parallel()
	w := repository(t, map[string]string{"packs/p/KNOWLEDGE.md": obeyedGuide, "packs/p/documents/a.md": "---\npaths: [packs/**]\n---\n\n# A\n\nText.\n"})
	for _, kind := range Kinds() {
		out := filepath.Join(t.TempDir(), "out")
		run := func() map[string]string {
			e, err := Run(context.Background(), w, Options{Kind: Kind(kind), Out: out})
			if err != nil || diag.Count(e.Findings, diag.Error) > 0 {
				t.Fatalf("%s: %+v, %v", kind, e, err)
			}
			return oktest.Read(t, out)
		}
		files := run()
		for name, text := range files {
			if files[name] = strings.ReplaceAll(text, "\n", "\r\n"); os.WriteFile(filepath.Join(out, name), []byte(files[name]), 0o666) != nil {
				t.Fatal(name)
			}
		}
		for name, text := range run() {
			if name != listFile && text != files[name] {
				t.Errorf("%s: %s is written again: %q", kind, name, text)
			}
		}
	}
}
