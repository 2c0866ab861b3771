package exchange

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/agent/rules"
	"github.com/packgen/packgen/resolver/repo"
)

// repository writes files below a new directory and returns the workspace there.
func repository(t *testing.T, files map[string]string) *repo.Repo {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		oktest.Check(t, os.MkdirAll(filepath.Dir(file), 0o755))
		oktest.Check(t, os.WriteFile(file, []byte(text), 0o644))
	}
	w := &repo.Repo{Paths: repo.Paths{Dir: dir, Start: dir}, Environment: func(string) string { return "" }}
	oktest.Check(t, w.Load())
	return w
}

// exported exports all packs and returns the files.
func exported(t *testing.T, w *repo.Repo, kind Kind) map[string]string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	e := oktest.Value(Run(context.Background(), w, Options{Kind: kind, Out: out}))(t)
	if diag.Count(e.Findings, diag.Error) > 0 {
		t.Fatalf("export %s: %+v", kind, e.Findings)
	}
	return oktest.Read(t, out)
}

var (
	lawNames = []string{"returns", "ship ping", "返品", "Возврат", "a", "a-b", "index", "log", "contents", "README", "übung (neu)", "x#y", "100%"}
	lawDirs  = []string{"", "a/", "a/b/", "how-to/", "手引き/", "wiki/"}
	statuses = []string{"", "", "ready", "draft", "stale", "disputed", "needs-review", "archived"}
)

// lawPack makes a pack of pages that are hard to carry.
func lawPack(seed uint64) map[string]string {
	rng := rand.New(rand.NewPCG(seed, 17))
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	files := map[string]string{}
	profile := pick([]string{"document-first", "hybrid"})
	var pages []string
	for range 2 + rng.IntN(9) {
		top := "documents/"
		if profile == "hybrid" && rng.IntN(3) == 0 {
			top = "wiki/"
		}
		name := "packs/p/" + top + pick(lawDirs) + pick(lawNames) + ".md"
		if _, ok := files[name]; !ok {
			files[name] = ""
			pages = append(pages, strings.TrimPrefix(name, "packs/p/"))
		}
	}
	files["packs/p/documents/first.md"] = ""
	pages = append(pages, "documents/first.md")
	files["packs/p/assets/plan.svg"], files["packs/p/documents/a/pic.png"] = "<svg/>", "png"
	files["packs/p/sources/notes.md"] = "# Notes\n\nIt holds one litre.\n\nIt is red.\n"
	for _, p := range pages {
		var b strings.Builder
		if s := pick(statuses); s != "" || rng.IntN(2) == 0 {
			b.WriteString("---\n")
			if s != "" {
				b.WriteString("status: " + s + "\n")
			}
			if rng.IntN(3) == 0 {
				b.WriteString("title: \"Titled: " + pick(lawNames) + "\"\nkeywords: [one, \"two, three\"]\n")
			}
			if rng.IntN(3) == 0 {
				b.WriteString("custom:\n  nested: [1, 2]\n  text: |\n    lines\n    of text\n")
			}
			b.WriteString("---\n\n")
		}
		fmt.Fprintf(&b, "# Page %s <b>\n\nThe first sentence of %d. And more.\n\n", pick(lawNames), rng.IntN(100))
		up := strings.Repeat("../", strings.Count(p, "/"))
		for range rng.IntN(8) {
			to := pick(pages)
			dest := strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "#", "%23", "100%", "100%25").Replace(up + to)
			switch rng.IntN(10) {
			case 0:
				fmt.Fprintf(&b, "See [that](%s#place) and [again](%s).\n\n", dest, dest)
			case 1:
				fmt.Fprintf(&b, "See [[%s]] or [[%s|named]] and [[nothing at all]].\n\n", strings.TrimSuffix(path.Base(to), ".md"), strings.TrimSuffix(to, ".md"))
			case 2:
				fmt.Fprintf(&b, "A [broken](%smissing.md) and an [outer](https://example.com/a.md) link.\n\n", up)
			case 3:
				fmt.Fprintf(&b, "![plan](%sassets/plan.svg) ![pic](<%sdocuments/a/pic.png>)\n\n", up, up)
			case 4:
				b.WriteString("- It holds one litre. [source: sources/notes.md#L3]\n- It is red [source: sources/notes.md#L5; sources/notes.md].\n\n")
			case 5:
				fmt.Fprintf(&b, "A [reference][r%d].\n\n[r%[1]d]: %s \"Title\"\n\n", rng.IntN(3), dest)
			case 6:
				fmt.Fprintf(&b, "```md\n[not a link](%s) [source: x]\n```\n\n", dest)
			case 7:
				fmt.Fprintf(&b, "In `%s` and `documents/none.md`. <a href=\"%s\">html</a>\n\n", to, dest)
			case 8:
				b.WriteString("<!-- packgen:begin -->\nA trap.\n<!-- packgen:end -->\n\n")
			default:
				fmt.Fprintf(&b, "## Heading [source: sources/notes.md]\n\nText of a folder [here](%sdocuments/a/).\n\n", up)
			}
		}
		text := b.String()
		if rng.IntN(4) == 0 {
			text = strings.TrimRight(text, "\n")
		}
		files["packs/p/"+p] = text
	}
	meta := ""
	if rng.IntN(2) == 0 {
		meta = "license: \"MIT: free\"\ncompatibility: any\nversion: 1.2.3\nmaintainers:\n  - One\n  - Two, Esq.\nupdated: 2026-05-20\nlanguage: en\n"
	}
	description := "What a <shop> must know: " + strings.Repeat("returns, ", 1+rng.IntN(150)) + "and more."
	if len(description) > 1024 {
		description = description[:1000]
	}
	files["packs/p/KNOWLEDGE.md"] = fmt.Sprintf("---\nname: p\ndescription: %s\ntype: domain-reference\nstatus: %s\nprofile: %s\n%sgrounding: recommended\nmetadata:\n  primaryDocument: %s\n  mine: {a: [1]}\n---\n\n# P\n\nSee [the first](documents/first.md).\n\n## Context map\n\n- First: `documents/first.md`\n- `%s`, `%s#place`\n\n<!-- packgen:begin -->\n", rules.Quoted(description), pick([]string{"ready", "stale", "draft", "needs-review", "disputed"}), profile, meta, rules.Quoted(pages[0]), pages[0], pages[rng.IntN(len(pages))])
	return files
}

// Export, import, export: the second export has the bytes of the first.
func TestExportImportExportGivesTheSameBytes(t *testing.T) {
	for _, kind := range []Kind{Skills, OKF} {
		for seed := range uint64(10) {
			t.Run(fmt.Sprintf("%s/%d", kind, seed), func(t *testing.T) {
				w := repository(t, lawPack(seed))
				first := exported(t, w, kind)
				bundle := map[string]string{}
				for name, text := range first {
					if rest, ok := strings.CutPrefix(name, "p/"); ok {
						bundle["in/p/"+rest] = text
					}
				}
				if len(bundle) < 2 {
					t.Fatalf("the export has only %v", slices.Sorted(maps.Keys(first)))
				}
				w2 := repository(t, bundle)
				from := "in/p"
				if seed%2 == 1 {
					from = "in" // the folder of an export, with a folder for each pack
				}
				done, err := Import(context.Background(), w2, ImportOptions{From: From(kind), Dir: w2.Paths.Abs(from)})
				if err != nil || done.Failed() {
					t.Fatal(err, done)
				}
				oktest.Check(t, os.RemoveAll(w2.Paths.Abs("in")))
				second := exported(t, w2, kind)
				delete(first, listFile)
				delete(second, listFile)
				if diff := cmp.Diff(first, second); diff != "" {
					t.Errorf("the second export differs (-first +second):\n%s", diff)
				}
			})
		}
	}
}

// A folder of bundles gives a pack for each, with findings that name its folder; one
// file beside them, and it is a bundle itself.
func TestAFolderOfBundlesGivesAPackForEach(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"in/a/index.md": "---\nokf_version: \"0.2\"\n---\n\n* [X](x.md)\n", "in/a/x.md": "---\ntype: page\n---\n# X\n\nText of x.\n",
		"in/b/index.md": "---\nokf_version: \"0.2\"\n---\n\nProse that no list has.\n", "in/b/y.md": "---\ntype: page\n---\n# Y\n\nText of y.\n",
	}
	w := repository(t, files)
	done, err := Import(context.Background(), w, ImportOptions{From: FromOKF, Dir: w.Paths.Abs("in")})
	if err != nil || done.Failed() || !slices.Equal(done.Packs, []string{"packs/a", "packs/b"}) {
		t.Fatalf("%+v, %v", done, err)
	}
	if len(done.Findings) != 1 || done.Findings[0].Path != "b/index.md" {
		t.Errorf("%+v", done.Findings)
	}
	w = repository(t, files)
	if done, err = Import(context.Background(), w, ImportOptions{From: FromOKF, Dir: w.Paths.Abs("in"), Name: "one"}); err != nil || !done.Failed() {
		t.Errorf("one name for two bundles gives %+v, %v", done, err)
	}
	files["in/z.md"] = "---\ntype: page\n---\n# Z\n"
	w = repository(t, files)
	if done, err = Import(context.Background(), w, ImportOptions{From: FromOKF, Dir: w.Paths.Abs("in")}); err != nil || len(done.Packs) != 1 {
		t.Errorf("a page beside them gives %+v, %v", done, err)
	}
}

// A skill that was made elsewhere: a link to its own text leads to the guide, and one to
// what the pack has not stays as it is, rather than to become an address of nothing.
func TestLinksToNothingBecomeNoAddress(t *testing.T) {
	t.Parallel()
	w := repository(t, map[string]string{
		"in/pdf/SKILL.md":            "---\nname: pdf\ndescription: Use for PDFs.\n---\n\n# PDF\n\nRun [fill](scripts/fill.py), read [forms](references/forms.md) and [gone](references/gone.md).\n",
		"in/pdf/references/forms.md": "# Forms\n\nBack to [the skill](../SKILL.md#pdf) and [fill](../scripts/fill.py).\n",
		"in/pdf/scripts/fill.py":     "print(1)\n",
	})
	done, err := Import(context.Background(), w, ImportOptions{From: FromSkills, Dir: w.Paths.Abs("in")})
	if err != nil || done.Failed() {
		t.Fatal(err, done)
	}
	for name, text := range exported(t, w, Skills) {
		if strings.Contains(text, "knowledge://pdf/S") || strings.Contains(text, "knowledge://pdf/scripts") || strings.Contains(text, "gone.md)") && strings.Contains(text, "knowledge://pdf/references") {
			t.Errorf("%s has an address of nothing:\n%s", name, text)
		}
		if strings.HasSuffix(name, "forms.md") && !strings.Contains(text, "[the skill](../SKILL.md#pdf)") {
			t.Errorf("%s does not lead back:\n%s", name, text)
		}
	}
}
