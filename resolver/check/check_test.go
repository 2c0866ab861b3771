package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
)

const guide = `---
name: kettle
description: How to use and descale the harbor kettle. Use it for questions about care.
type: domain-reference
status: ready
profile: document-first
grounding: required
metadata:
  compile: {join: 0}
  primaryDocument: documents/kettle.md
---
# Kettle

- Care: ` + "`documents/kettle.md`" + `
`

const document = "# Kettle\n\n## Care\n\n- Descale monthly. [source: sources/s.md#L1]\n"

// write puts files into a pack directory called kettle and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "kettle")
	all := map[string]string{"KNOWLEDGE.md": guide, "documents/kettle.md": document, "sources/s.md": "Descale it every month.\n"}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		file := filepath.Join(dir, filepath.FromSlash(name))
		oktest.Check(t, os.MkdirAll(filepath.Dir(file), 0o777))
		oktest.Check(t, os.WriteFile(file, []byte(text), 0o666))
	}
	return dir
}

func open(t *testing.T, dir string) *pack.Pack {
	t.Helper()
	p, faults, err := pack.Open(dir)
	if err != nil || p == nil {
		t.Fatal(err, faults)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

var clock = time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)

func compile(t *testing.T, dir string) {
	t.Helper()
	if _, err := compiler.Compile(context.Background(), open(t, dir), compiler.Options{Now: clock}); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, dir string) *Result {
	t.Helper()
	return oktest.Value(checkPack(context.Background(), open(t, dir), options{Now: clock}))(t)
}

// ids lists the findings as "id path".
func ids(list []diag.Diagnostic) []string {
	var out []string
	for _, d := range list {
		out = append(out, d.ID+" "+d.Path)
	}
	return out
}

func TestACheckWritesNothing(t *testing.T) {
	dir := write(t, nil)
	before := oktest.Read(t, dir)
	r := check(t, dir)
	if len(r.Diagnostics) > 0 {
		t.Errorf("a good pack: %v", ids(r.Diagnostics))
	}
	if len(r.Health) == 0 || r.SuggestedStatus != "ready" {
		t.Errorf("health %v, suggested %q", r.Health, r.SuggestedStatus)
	}
	if diff := cmp.Diff(before, oktest.Read(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestOutputsThatDoNotFollowTheirSourcesAreReported(t *testing.T) {
	dir := write(t, nil)
	compile(t, dir)
	if got := ids(check(t, dir).Diagnostics); len(got) > 0 {
		t.Errorf("just compiled: %v", got)
	}
	more := document + "\n## Noise\n\n- It is quiet. [source: sources/s.md#L1]\n"
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "documents", "kettle.md"), []byte(more), 0o666))
	r := check(t, dir)
	if got := ids(r.Diagnostics); !slices.Equal(got, []string{"outputs-outdated compiled/index.json"}) {
		t.Fatalf("after an edit: %v", got)
	}
	if m := r.Diagnostics[0].Message; !strings.Contains(m, "compiled/splits/kettle/noise.md") {
		t.Errorf("message %q", m)
	}
}

func TestEvalsThatCannotBeReadAreReported(t *testing.T) {
	dir := write(t, map[string]string{
		"evals/discovery.train.json":      `{"pack_name":"kettle","cases":[{"id":"a","prompt":"p","expected":"perhaps"}]}`,
		"evals/discovery.validation.json": `{"pack_name":"teapot","cases":[{"id":"a","prompt":"p","expected":"select"},{"id":"a","prompt":"q","expected":"reject"}]}`,
		"evals/discovery.json":            `{"pack_name":"kettle","queries":[{"query":"q","should_select":true}]}`,
		"evals/routing.yaml":              "tasks: [{task: a, may: b}]\n",
		"evals/context.yaml":              "cases: 5\n",
		"evals/notes.json":                "not read",
	})
	got := ids(check(t, dir).Diagnostics)
	want := []string{
		"schema-invalid evals/context.yaml", "schema-invalid evals/discovery.train.json", "schema-invalid evals/routing.yaml",
		"schema-invalid evals/discovery.validation.json", "schema-invalid evals/discovery.validation.json",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSuppressedFindingsAreCounted(t *testing.T) {
	dir := write(t, map[string]string{
		"documents/kettle.md": document + "\n<!-- packgen-disable-next-line claim-unsourced: known to everybody -->\n- It is blue.\n",
	})
	r := check(t, dir)
	if len(r.Diagnostics) > 0 || len(r.Suppressed) != 1 {
		t.Errorf("%v, suppressed %v", ids(r.Diagnostics), r.Suppressed)
	}
}

// untidy is a document with every fault that can be fixed, and ones that cannot.
const untidy = "\xEF\xBB\xBF# Kettle\r\n\r\n## Care\r\n\r\n- Descale monthly. [source: sources/s.md#L1]\r\n\r\n" +
	"<!-- packgen-disable-next-line ref-broken: it was broken once -->\r\n[guide](kettle.md)\r\n\r\n" +
	"Two lines\r\n<!-- packgen-disable-next-line ref-broken: between them -->\r\nof text.\r\n\r\n\r\n"

const mended = "# Kettle\n\n## Care\n\n- Descale monthly. [source: sources/s.md#L1]\n\n" +
	"[guide](kettle.md)\n\n" +
	"Two lines\n<!-- packgen-disable-next-line ref-broken: between them -->\nof text.\n"

func TestFixCorrectsWhatChangesNothing(t *testing.T) {
	dir := write(t, map[string]string{"documents/kettle.md": untidy, "KNOWLEDGE.md": strings.TrimSuffix(guide, "\n"), "sources/s.md": "Descale it every month.\r\n"})
	before := check(t, dir)
	p := open(t, dir)
	want := []Fixed{
		{Path: "KNOWLEDGE.md", What: []string{"no line feed at its end"}},
		{Path: "documents/kettle.md", What: []string{"a byte-order mark", "carriage returns", "empty lines at its end", "suppressions without effect"}},
	}
	files := oktest.Read(t, dir)
	for _, dryRun := range []bool{true, false} {
		got := oktest.Value(fix(p, before, dryRun))(t)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("dry run %v: %s", dryRun, diff)
		}
		if diff := cmp.Diff(files, oktest.Read(t, dir)); dryRun && diff != "" {
			t.Error(diff)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "documents", "kettle.md"))
	if err != nil || string(data) != mended {
		t.Errorf("%v:\n%q", err, data)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "sources", "s.md")); !strings.Contains(string(data), "\r") {
		t.Error("a source was mended")
	}
	after := check(t, dir)
	if diff := cmp.Diff(before.Compiled.SourceMap, after.Compiled.SourceMap); diff != "" {
		t.Errorf("the claims changed: %s", diff)
	}
	if again, err := fix(open(t, dir), after, false); err != nil || len(again) > 0 {
		t.Errorf("a second time: %v, %v", again, err)
	}
}

func TestFixWritesLinksAsTheFilesAreNamed(t *testing.T) {
	text := document + "\nSee [a](SETUP.md#one), [b](set%20up.html \"t\"), <a href='setup.md'>c</a>, [SETUP.md](SETUP.md) and [d][e].\n\n[e]: SETUP.md\n"
	dir := write(t, map[string]string{"documents/kettle.md": text, "documents/Setup.md": "# Setup\n\n## One\n", "documents/set up.md": "# Up\n"})
	if _, err := fix(open(t, dir), check(t, dir), false); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "documents", "kettle.md"))
	want := document + "\nSee [a](Setup.md#one), [b](set%20up.md \"t\"), <a href='Setup.md'>c</a>, [SETUP.md](Setup.md) and [d][e].\n\n[e]: Setup.md\n"
	if err != nil || string(data) != want {
		t.Errorf("%v\n got %q\nwant %q", err, data, want)
	}
}

// A definition may be far from its use, and before it.
func TestFixWritesDefinitionsOfLinks(t *testing.T) {
	far := strings.Repeat("Words of the page.\n\n", 400)
	text := "[before]: SETUP.md\n[other]: SETUP.md.txt\n\n" + document + "\nSee [a][after] and [b][before].\n\n" + far + "[after]: <SETUP.md#one> \"Title\"\n"
	dir := write(t, map[string]string{"documents/kettle.md": text, "documents/Setup.md": "# Setup\n\n## One\n"})
	if _, err := fix(open(t, dir), check(t, dir), false); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "documents", "kettle.md"))
	want := strings.NewReplacer("[before]: SETUP.md", "[before]: Setup.md", "<SETUP.md#one>", "<Setup.md#one>").Replace(text)
	if err != nil || string(data) != want {
		t.Errorf("%v\n got %q\nwant %q", err, strings.ReplaceAll(string(data), far, "…"), strings.ReplaceAll(want, far, "…"))
	}
}

// An edit would make the next compile believe that the claims were reviewed.
func TestFixLeavesFilesWithStaleClaims(t *testing.T) {
	silenced := "<!-- packgen-disable source-changed, claim-stale, source-stale: later -->\n" + document
	dir := write(t, map[string]string{"documents/kettle.md": strings.ReplaceAll(silenced, "\n", "\r\n")})
	compile(t, dir)
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "sources", "s.md"), []byte("Never descale it.\n"), 0o666))
	r := check(t, dir)
	got, err := fix(open(t, dir), r, false)
	if err != nil || len(got) != 1 || got[0].Kept == "" {
		t.Errorf("%+v, %v", got, err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "documents", "kettle.md")); !strings.Contains(string(data), "\r") {
		t.Error("it was mended")
	}
}

// Without the comment the code would be part of the list.
func TestFixLeavesACommentThatPartsTwoThings(t *testing.T) {
	dir := write(t, map[string]string{
		"documents/kettle.md": document + "\n- a\n\n<!-- packgen-disable-next-line ref-broken: none -->\n\n    code\n",
	})
	got, err := fix(open(t, dir), check(t, dir), false)
	if err != nil || len(got) != 1 || !strings.Contains(got[0].Kept, "something else") {
		t.Errorf("%+v, %v", got, err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "documents", "kettle.md")); !strings.Contains(string(data), "packgen-disable") {
		t.Error("the comment is gone")
	}
}

func TestFixLeavesLinks(t *testing.T) {
	dir := write(t, nil)
	oktest.Check(t, os.Rename(filepath.Join(dir, "documents", "kettle.md"), filepath.Join(dir, "real.md")))
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "real.md"), []byte(document+"\n\n"), 0o666))
	if err := os.Symlink("../real.md", filepath.Join(dir, "documents", "kettle.md")); err != nil {
		t.Skip(err)
	}
	got, err := fix(open(t, dir), check(t, dir), false)
	if err != nil || len(got) != 1 || got[0].Kept != "it is a link" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestIndexFindingsAreAtTheFileOfTheEntry(t *testing.T) {
	ix := &loadout.Index{Version: loadout.Version, Generated: "2026-06-01T08:00:00.000Z", Entries: []loadout.Entry{
		{ID: "kettle-care", Path: "packs/kettle/compiled/splits/kettle/care.md", Keywords: []string{"care", "CARE"}, Priority: loadout.PriorityDomain, Summary: "Care", TokensEst: 5},
		{ID: "kettle-care", Path: "elsewhere.md", Keywords: []string{"x y"}, Priority: "often", Summary: "Care", TokensEst: 5},
	}}
	var got []string
	for _, d := range checkIndex(ix) {
		got = append(got, d.Severity.String()+" "+d.ID+" "+d.Pack+" "+d.Path)
	}
	want := []string{
		"error duplicate-id  elsewhere.md", "error invalid-priority  elsewhere.md",
		"warning unreachable-keyword kettle compiled/splits/kettle/care.md", "warning unreachable-keyword  elsewhere.md",
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// One command fixes all of them, so one finding is enough.
func TestFilesWithTheSameUntidinessAreOneFinding(t *testing.T) {
	files := map[string]string{
		"documents/a.md": "# A\n\nText", "documents/b.md": "# B\n\nText", "documents/c.md": "# C\n\nText\r\n", "documents/d.md": "# D\n\nText\r\n", "documents/e.md": "# E\n\nText\r\n",
		"documents/f.md": "---\nstatus: [done]\n---\n# F\n\nText\n", "documents/g.md": "---\nstatus: [done]\n---\n# G\n\nText\n",
	}
	dir := write(t, files)
	r := check(t, dir)
	var got []string
	for _, d := range r.Diagnostics {
		if d.ID == idUntidy || d.ID == "metadata-foreign" {
			got = append(got, d.Path+" "+d.Message)
		}
	}
	want := []string{
		"documents/a.md the file has no line feed at its end; 4 more files with such faults",
		"documents/f.md the status is a list, not a word; it is ignored; 1 more file with the same",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	fixed, err := fix(open(t, dir), r, false)
	if err != nil || len(fixed) != 5 {
		t.Errorf("%d of 5 files are fixed: %v", len(fixed), err)
	}
}

// Headings of one product all name it, so that it is derived for most entries.
func TestDerivedKeywordsThatManyEntriesShareAreNoFinding(t *testing.T) {
	ix := &loadout.Index{Version: loadout.Version, Generated: "2026-06-01T08:00:00.000Z"}
	for i := range 40 {
		id := fmt.Sprintf("kettle-%d", i)
		ix.Entries = append(ix.Entries, loadout.Entry{
			ID: id, Path: "packs/kettle/compiled/splits/" + id + ".md", Keywords: []string{"kettle", fmt.Sprintf("part%d", i)},
			Priority: loadout.PriorityDomain, Summary: "Part", TokensEst: 5,
		})
	}
	if issues := Issues(ix); len(issues) != len(ix.Entries) {
		t.Fatalf("an index that somebody wrote: %v", issues)
	}
	if got := ids(checkIndex(ix)); len(got) > 0 {
		t.Errorf("%d findings, the first is %s", len(got), got[0])
	}
}

func TestSchemaFaultsNameThePlace(t *testing.T) {
	_, err := schema.DecodeSuite([]byte("{\n  \"pack_name\": 5}"))
	d := eval.SchemaFault("evals/discovery.json", err)
	if d.Line != 2 || d.Column != 16 || !strings.HasPrefix(d.Message, "/pack_name: want a string") || d.Severity != diag.Error {
		t.Errorf("%+v", d)
	}
}

func FuzzTidy(f *testing.F) {
	f.Add([]byte(untidy))
	f.Add([]byte("\r\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		once, _ := tidy(data)
		if twice, what := tidy(once); string(twice) != string(once) || len(what) > 0 {
			t.Errorf("%q, then %q (%v)", once, twice, what)
		}
	})
}

// Of long sections and of links with one scheme the first explains itself, the others
// are counted.
func TestFindingsOfOneKindAreCounted(t *testing.T) {
	long := strings.Repeat("word ", 1300)
	dir := write(t, map[string]string{
		"documents/kettle.md": document, "documents/a.md": "# A\n\n## B\n\n" + long + "\n\n## C\n\n" + long + "\n\n## D\n\n" + long + "\n",
		"documents/b.md": "# B\n\n[x](javascript:a) [y](javascript:b) [z](javascript:c)\n",
	})
	var got []string
	for _, d := range check(t, dir).Diagnostics {
		if d.ID == "split-oversize" || d.ID == "link-dropped" {
			got = append(got, d.Path+" "+d.Message)
		}
	}
	want := []string{
		`documents/a.md the section "B" has about 1628 tokens, and a split should have at most 1200; the pack has 2 more sections above the cap`,
		"documents/b.md the link with the scheme javascript: is left out of the page; 2 more links with the same",
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Two numbers of one pack look like two states: a compile that applies the rules finds the
// warnings and errors of a check, also when it takes units from the store.
func TestACompileCountsTheWarningsOfACheck(t *testing.T) {
	files := map[string]string{
		"KNOWLEDGE.md":            strings.Replace(guide, "profile: document-first", "profile: hybrid", 1) + "\n## Context map\n\n- Fees: `documents/fee.md`\n- A place: `documents/fees.md#nowhere`\n",
		"documents/fees.md":       "# Fees\n\n<!-- packgen-disable no-such-rule: because -->\n\nTwo euros. [late](nothing.md)\n",
		"wiki/index.md":           "# Index\n\n- [Tills](tills.md)\n",
		"wiki/tills.md":           "---\ndate: last tuesday\n---\n# Tills\n\n<!-- packgen-disable ref-broken: known -->\n\nTwo. [x](gone.md)\n",
		"wiki/lonely.md":          "# Tills\n\nNobody links here.\n",
		"wiki/quiet.md":           "<!-- packgen-disable-file page-orphan: on purpose -->\n# Quiet\n\nNobody links here either.\n",
		"wiki/synthesis/asked.md": "---\nquestion: why\n---\n# Asked\n\nBecause.\n",
		"compiled/mine.md":        "# Mine\n\n[gone](../documents/gone.md)\n",
	}
	dir := write(t, files)
	memory := &store.Memory{}
	apply := func() []string {
		t.Helper()
		r := oktest.Value(compiler.Compile(context.Background(), open(t, dir), compiler.Options{Now: clock, Lint: true, Store: memory}))(t)
		return serious(r.Diagnostics)
	}
	first := apply()
	want := serious(check(t, dir).Diagnostics)
	for _, id := range []string{"ref-broken", "page-orphan", "entity-duplicate", "metadata-invalid", "frontmatter-required", "suppression-invalid"} {
		if !slices.ContainsFunc(want, func(s string) bool { return strings.Contains(s, "["+id+"]") }) {
			t.Errorf("the check finds no %s: %q", id, want)
		}
	}
	if !slices.Equal(first, want) || !slices.Equal(apply(), want) {
		t.Errorf("a compile finds\n%s\nand again\n%s\na check\n%s", strings.Join(first, "\n"), strings.Join(apply(), "\n"), strings.Join(want, "\n"))
	}
	files["wiki/index.md"] += "- [Lonely](lonely.md)\n"
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "wiki/index.md"), []byte(files["wiki/index.md"]), 0o600))
	if got, want := apply(), serious(check(t, dir).Diagnostics); !slices.Equal(got, want) || len(want) >= len(first) {
		t.Errorf("after an edit a compile finds\n%s\na check\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// serious lists the errors and warnings.
func serious(list []diag.Diagnostic) []string {
	var out []string
	for _, d := range list {
		if d.Severity > diag.Info {
			out = append(out, fmt.Sprintf("%s: %s [%s] %s", d.Place(), d.Message, d.ID, d.Hint))
		}
	}
	return out
}
