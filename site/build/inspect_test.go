package build

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/repo"
)

// faults are a repository with a fault for every rule of the site.
func faults() map[string]string {
	const guide = "---\nname: %s\ndescription: How to descale the harbor kettle. Use it for questions about care.\ntype: domain-reference\n" +
		"status: %s\nprofile: document-first\nmetadata:\n  primaryDocument: documents/main.md\n---\n# Guide\n\n![Evil](assets/evil.svg)\n"
	const entry = `{"id":"kettle-main-main","path":"rules/own.md","keywords":["k"],"patterns":[],"priority":"domain","summary":"S","triggers":{"task":true,"plan":true,"edit":false},"tokens_est":2,"lines":1}`
	return map[string]string{
		"packgen.yaml":     "site: {dates: true, skills: true, runs: true, report: usage/index.json}\nloadout: {project: rules/index.json}\nroles: [roles/*]\n",
		"roles/r/boot.yml": "briefs: {say: [gone.md]}\n", "roles/r/briefs/a.md": "A.\n",
		"usage/index.json":             `{"version":"1.0.0","generated":"2026-01-01","entries":[],"budget":{}}`,
		"usage/usage-log.jsonl":        "no JSON\n",
		"rules/index.json":             `{"version":"1.0.0","generated":"2026-01-01","entries":[` + entry + `],"budget":{}}`,
		"packs/kettle/KNOWLEDGE.md":    fmt.Sprintf(guide, "kettle", "ready"),
		"packs/kettle/assets/evil.svg": "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>",
		"packs/kettle/assets/cut.svg":  "<svg", "packs/kettle/assets/data.csv": "a\n", "packs/kettle/assets/tool.exe": "MZ",
		"packs/kettle/sources/p.png":         "x",
		"packs/kettle/documents/big.png":     strings.Repeat("x", pack.MaxFileSize+1),
		"packs/kettle/runs/eval-answers.txt": "The token is ghp_" + "R8vK2mQx7LpZ4tWc9NbY3sHd6FgJ1aUe5XkT.\n",
		"packs/kettle/documents/main.md": "---\nredirect_from: [/x, ../../out]\n---\n# Main\n\n![Evil](../assets/evil.svg) ![Cut](../assets/cut.svg) ![Data](../assets/data.csv) ![Source](../sources/p.png)\n" +
			"![Big](big.png) ![[evil.svg]] <img src=\"../assets/evil.svg\"> [drawing](../assets/evil.svg) [tool](../assets/tool.exe) [gone](gone.md) [[Nowhere]]\n",
		"packs/kettle/" + eval.RoutingPath: strings.Repeat(" ", pack.MaxFileSize+1),
		"packs/other/KNOWLEDGE.md":         fmt.Sprintf(guide, "other", "draft"),
		"packs/other/documents/main.md":    "# Main\n\n[Away](../../kettle/documents/main.md)\n",
	}
}

// elsewhere are the ids of rules that the site names, and that no such repository breaks.
var elsewhere = map[string]string{
	idSiteOversize:     "it takes 100 MiB: see TestScalesNameWhatIsLarge",
	"config-invalid":   "a build stops: see TestACheckReportsWhatStopsABuild",
	"pack-missing":     "the compile reports it",
	"view-hand-edited": "the compile reports it",
	"source-changed":   "the compile reports it",
	"source-stale":     "the compile reports it",
	"claim-conflict":   "the compile reports it",
	"claim-disputed":   "the compile reports it",
}

// What a build reports of files, a check of the same checkout reports, and the other way
// round. A new rule of the site needs a fault in the repository above.
func TestACheckReportsWhatABuildReports(t *testing.T) {
	reported := map[string]bool{}
	for name, rules := range map[string]string{"an index of another tool": "[1", "an index of rules": faults()["rules/index.json"]} {
		files := faults()
		files["rules/index.json"] = rules
		w := checkout(t, files)
		checked := checkFaults(t, w)
		b, err := buildFaults(t, w)
		if err != nil {
			t.Fatal(err)
		}
		built := b.Repository.Findings()
		for _, d := range built {
			if reported[d.ID] = true; !contains(checked, &d) {
				t.Errorf("%s: a build alone reports %s of %s: %s", name, d.ID, d.Place(), d.Message)
			}
		}
		for _, d := range checked {
			if d.ID != "text-untidy" && d.ID != "schema-invalid" && !contains(built, &d) {
				t.Errorf("%s: a check alone reports %s of %s: %s", name, d.ID, d.Place(), d.Message)
			}
		}
	}
	for _, id := range idsOfSite(t) {
		if elsewhere[id] == "" && !reported[id] {
			t.Errorf("no build of this test reports %s: add a fault to the repository, so that a check is seen to know the rule", id)
		}
	}
}

// What keeps a build from making a site is an error of a check.
func TestACheckReportsWhatStopsABuild(t *testing.T) {
	for name, change := range map[string]map[string]string{
		"a style sheet":      {"packgen.yaml": "site: {css: own.css}\n", "own.css": "@import \"gone.css\";\n"},
		"the usage report":   {"packgen.yaml": "site: {report: usage/index.json}\n", "usage/index.json": "{"},
		"the output":         {"packgen.yaml": "out: packs/kettle/public\n"},
		"the second index":   {"packgen.yaml": "loadout: {project: packs/kettle/index.json}\n"},
		"the output, a file": {"packgen.yaml": "out: own.css\n", "own.css": "x"},
	} {
		files := faults()
		maps.Copy(files, change)
		w := checkout(t, files)
		checked := checkFaults(t, w)
		_, err := buildFaults(t, w)
		if err == nil {
			t.Errorf("%s: a build reports no error", name)
		} else if !slices.ContainsFunc(checked, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && d.Message == err.Error() }) {
			t.Errorf("%s: a check does not report %v", name, err)
		}
	}
}

// A file of a site that hosts refuse is named, and an archive is made where it may be one.
func TestScalesNameWhatIsLarge(t *testing.T) {
	for source, want := range map[int64]int64{hostFile: 0, hostFile + 1: hostFile + 1} {
		s := scales{Target: publish.Nowhere, source: source}
		oktest.Value(s.PutFrom(publish.File{Path: "packs/a/" + archive.ArchiveName, Content: func(w io.Writer) error {
			for left := hostFile + 1; left > 0; left -= 1 << 20 {
				if _, err := w.Write(make([]byte, min(left, 1<<20))); err != nil {
					return err
				}
			}
			return nil
		}}))(t)
		oktest.Value(s.Put("index.html", []byte("text")))(t)
		if s.bytes != want+4 || len(s.large) > 0 != (want > 0) {
			t.Errorf("%d bytes of files: the site has %d, and %v are large", source, s.bytes, s.large)
		}
	}
}

func contains(list []diag.Diagnostic, d *diag.Diagnostic) bool {
	return slices.ContainsFunc(list, func(o diag.Diagnostic) bool {
		return o.ID == d.ID && o.Severity == d.Severity && o.Place() == d.Place() && o.Message == d.Message
	})
}

// checkout is a workspace with those files and nothing that was made of them.
func checkout(t *testing.T, files map[string]string) *repo.Repo {
	t.Helper()
	w := &repo.Repo{Environment: func(string) string { return "" }, Paths: repo.Paths{Dir: t.TempDir()}}
	w.Paths.Start = w.Paths.Dir
	for name, text := range files {
		oktest.Check(t, os.MkdirAll(filepath.Dir(w.Paths.Abs(name)), 0o777))
		oktest.Check(t, os.WriteFile(w.Paths.Abs(name), []byte(text), 0o666))
	}
	return w
}

func checkFaults(t *testing.T, w *repo.Repo) []diag.Diagnostic {
	t.Helper()
	ctx := context.Background()
	oktest.Check(t, w.Load())
	var found []diag.Diagnostic
	for range 2 { // what is remembered is the same
		c := oktest.Value(check.Run(ctx, w, check.RepositoryOptions{Site: func(all *repo.Packs) (check.Site, error) {
			return Inspect(ctx, w, all)
		}}))(t)
		before := found
		found = check.OutcomeOf(c).Findings
		c.Close()
		if before != nil && !slices.Equal(before, found) {
			t.Errorf("a second check reports something else:\n%v\n%v", before, found)
		}
	}
	return found
}

func buildFaults(t *testing.T, w *repo.Repo) (*Run, error) {
	t.Helper()
	oktest.Check(t, os.RemoveAll(w.Paths.Abs(repo.StateName)))
	b, err := Prepare(context.Background(), w, Options{})
	if err != nil {
		return nil, err
	}
	t.Cleanup(b.Close)
	return b, b.Do(context.Background())
}

// idsOfSite are the ids of rules that the code of the site names.
func idsOfSite(t *testing.T) (ids []string) {
	t.Helper()
	for _, dir := range []string{"..", "."} {
		for _, name := range oktest.Value(filepath.Glob(filepath.Join(dir, "*.go")))(t) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			ast.Inspect(oktest.Value(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t), func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					if text, _ := strconv.Unquote(l.Value); slices.Contains(rulebook.IDs(), text) {
						ids = append(ids, text)
					}
				}
				return true
			})
		}
	}
	return ids
}
