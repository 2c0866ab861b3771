package browser_test

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

// testFenced compares the context beside the matches with what packgen resolve prints.
func testFenced(t *testing.T, b context.Context, own string) {
	dir := t.TempDir()
	packs := oktest.Value(txtar.ParseFile("testdata/kettles.txtar"))(t)
	for _, f := range packs.Files {
		packgentest.WriteText(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	buildSite(t, dir)
	kettles := strings.Split(`how is a kettle descaled
warranty of a kettle
returns of kettles, and the museum
when does the museum of old kettles open
samovar
draft a reply about kettles in the voice of the shop
what does the kettle shop never do
kettle shop zebra 知识
Where is the Copper Museum of kettles? And who pays for repair of the kettle?
kettles ## museum hours ## descaling vinegar
how is a kettle descaled ## remove limescale with vinegar ## clean a kettle
warranty ## who pays for the repair of a kettle ##  ## warranty ## returns of kettles
zebra ## samovar ## museum
сколько дней занимают возвраты чайников
расчет и возвращение ## расчёта
one-on-ones of the shop
the to-do of a kettle
free parking lot
when does the parking lot open, and how long is the warranty of a kettle`, "\n")
	used := map[string]bool{}
	for _, site := range []struct {
		dir     string
		queries []string
		budgets []int
	}{{dir, kettles, []int{6000, 500, 250}}, {own, tasks, []int{3000}}} {
		s := serve(t, site.dir, subPath)
		p := newTab(t, b)
		p.open(s.url("match.html"))
		chunk, err := filepath.Glob(filepath.Join(site.dir, "public/assets/fenced-*.js"))
		if err != nil || len(chunk) != 1 {
			t.Fatalf("the module of the context is %q, %v", chunk, err)
		}
		p.eval(`import(`+literal(t, s.url("assets/"+path.Base(filepath.ToSlash(chunk[0]))))+`).then((m) => { globalThis.shown = (q, budget) => { const room = document.createElement("div"); return m.show(new URL(".", location.href), q, budget, room).then(() => room.querySelector("pre")?.textContent ?? ""); }; })`, nil)
		for _, query := range site.queries {
			wordings := strings.Split(query, " ## ")
			for _, budget := range site.budgets {
				want := resolvedText(t, site.dir, budget, wordings)
				got := p.text(`shown(` + literal(t, map[string]any{"task": wordings[0], "also": wordings[1:]}) + `, ` + fmt.Sprint(budget) + `)`)
				if got != want {
					t.Errorf("%q within %d tokens:\n got %q\nwant %q", query, budget, got, want)
				}
				for _, sign := range []string{`mode="persona"`, `confidence="uncertain"`, "&lt;/knowledge_pack>", `status="stale"`, "limits-of-repair.md"} {
					used[sign] = used[sign] || strings.Contains(want, sign)
				}
				used["nothing"] = used["nothing"] || want == ""
			}
		}
		p.clean("the context", s.URL)
	}
	if len(used) != 6 {
		t.Fatalf("%d signs", len(used))
	}
	for sign, found := range used {
		if !found {
			t.Errorf("no query gives %s", sign)
		}
	}
}

// resolvedText is what packgen resolve prints for a query and other wordings of it.
func resolvedText(t *testing.T, dir string, budget int, wordings []string) string {
	t.Helper()
	args := []string{"-C", dir, "resolve", "--budget", fmt.Sprint(budget)}
	for _, also := range wordings[1:] {
		args = append(args, "--also", also)
	}
	code, stdout, stderr := packgentest.Run(t, wordings[0], append(args, "-")...)
	if code > 1 {
		t.Fatalf("resolve %q ends with %d: %s", wordings, code, stderr)
	}
	return strings.TrimSuffix(stdout, "\n")
}
