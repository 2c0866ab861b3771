package check_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/exchange"
	"github.com/packgen/packgen/resolver/agent/memory"
	"github.com/packgen/packgen/resolver/agent/rules"
	"github.com/packgen/packgen/resolver/agent/usage"
	"github.com/packgen/packgen/resolver/boot"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/loadout/index"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/resolver/starter"
)

// This file has an example for each rule that is not about the files of one pack; those
// are in sentences_test.go. Each area is a table of inputs, by the rule that finds something
// in one.

// input is what a rule finds something in: files by path. One whose name ends in "->" is a
// symbolic link to what its text says.
type input map[string]string

// area is a part of the program that reports findings.
type area struct {
	name     string
	find     func(t *testing.T, in input) []diag.Diagnostic
	examples map[string]input
}

const entryOfPack = "---\nname: kettle\ndescription: How to use and descale the harbor kettle. Use it for questions about care.\n" +
	"type: domain-reference\nstatus: ready\nprofile: document-first\nmetadata:\n  primaryDocument: documents/kettle.md\n"

// kettleWith is a repository with one pack, whose guide has more lines of metadata and
// which has more files.
func kettleWith(metadata string, more ...string) input {
	in := input{
		"packgen.yaml": "title: T\n", "packs/kettle/KNOWLEDGE.md": entryOfPack + metadata + "---\n# Kettle\n",
		"packs/kettle/documents/kettle.md": "# Kettle\n\n## Care\n\nDescale the harbor kettle every month.\n\n## Safety\n\nSwitch it off first.\n",
	}
	for i := 0; i+1 < len(more); i += 2 {
		in[more[i]] = more[i+1]
	}
	return in
}

// declared is a pack that declares something for the entry of a section.
func declared(values string) input {
	return kettleWith("  loadout:\n    kettle/care:\n      " + values + "\n")
}

// entries is an index with entries, written as JSON.
func entries(list ...string) input {
	return input{"index.json": `{"version":"1.0.0","generated":"2026-01-01","entries":[` + strings.Join(list, ",") + `],"budget":{}}`}
}

// entry is an entry of an index with other values in place of good ones.
func entry(values string) string {
	e := `"id":"a","path":"a.md","keywords":["descale"],"patterns":[],"priority":"domain","summary":"S","triggers":{"task":true,"plan":true,"edit":false},"tokens_est":2,"lines":1`
	return "{" + e + values + "}"
}

// ruleFiles is a directory of rule files with an index of one entry, and more files.
func ruleFiles(values string, more ...string) input {
	in := entries(strings.Replace(entry(values), `"a.md"`, `"r/a.md"`, 1))
	in = input{"r/index.json": in["index.json"], "r/a.md": "---\nid: a\nkeywords: [descale]\npriority: domain\nsummary: S\n---\nS\n"}
	for i := 0; i+1 < len(more); i += 2 {
		in[more[i]] = more[i+1]
	}
	return in
}

func skill(name, description, text string) input {
	return input{"r/" + name + "/SKILL.md": "---\nname: " + name + "\ndescription: " + description + "\n---\n" + text + "\n"}
}

func areas() []area {
	word := "descale"
	many := func(values func(i int) string, n int) input {
		var list []string
		for i := range n {
			list = append(list, strings.Replace(entry(values(i)), `"id":"a"`, fmt.Sprintf(`"id":"a%d"`, i), 1))
		}
		return entries(list...)
	}
	var eleven, shared string
	for i := range 12 {
		eleven += fmt.Sprintf("k%d, ", i)
	}
	for i := range 13 {
		shared += fmt.Sprintf("    kettle/s%d:\n      keywords: [lime scale, own%d]\n", i, i)
	}
	var skills = input{}
	for i := range 20 {
		for name, text := range skill(fmt.Sprintf("s%d", i), fmt.Sprintf("Use when %d. ", i)+strings.Repeat("x", 900), "Text.") {
			skills[name] = text
		}
	}
	return []area{
		{"a role", findInRole, map[string]input{
			"boot-yaml-invalid":    {"boot.yml": "briefs: [\n"},
			"boot-mode-mixed":      {"boot.yml": "briefs: {}\nalways: {}\n"},
			"boot-schema-invalid":  {"boot.yml": "briefs: {say: a.md}\n"},
			"boot-key-unread":      {"boot.yml": "subjct.a: {briefs: {}}\n"},
			"boot-key-unknown":     {"boot.yml": "brief: {}\n"},
			"boot-glob-invalid":    {"boot.yml": "briefs: {say: ['[']}\n"},
			"boot-glob-unmatched":  {"boot.yml": "briefs: {say: [gone.md]}\n"},
			"boot-usecase-invalid": {"boot.yml": "subject.a: {briefs: {say: [a.md]}}\n", "usecase": "b"},
			"boot-twin-orphan":     {"briefs/b.md.min": "x"},
			"boot-link-outside":    {"briefs/x->": "../.."},
			"boot-link-loop":       {"briefs/x->": "../briefs"},
			"boot-limit-exceeded":  {"briefs/" + strings.Repeat("d/", 100) + "a.md": "A.\n"},
			"boot-tag-escaped":     {"briefs/a.md": "A.\n</brief>\n"},
			"boot-budget-exceeded": {"boot.yml": "budget: {tokens: 1}\n"},
			"boot-item-unreached":  {"boot.yml": "always: {briefs: {say: [a.md]}}\nsubject.a: {briefs: {say: [a.md]}}\n", "briefs/b.md": "B.\n"},
			"boot-ref-heavy":       {"boot.yml": "briefs: {say: []}\n", "briefs/a.md": "x"},
		}},
		{"the index of the packs", findInIndex, map[string]input{
			"missing-version":     {"index.json": `{"generated":"2026-01-01","entries":[],"budget":{}}`},
			"missing-generated":   {"index.json": `{"version":"1.0.0","entries":[],"budget":{}}`},
			"invalid-entries":     {"index.json": `{"version":"1.0.0","generated":"2026-01-01","entries":3,"budget":{}}`},
			"negative-budget":     {"index.json": `{"version":"1.0.0","generated":"2026-01-01","entries":[],"budget":{"always_loaded_est":-1}}`},
			"missing-id":          entries(entry(`,"id":""`)),
			"bad-id-format":       entries(entry(`,"id":"A b"`)),
			"duplicate-id":        entries(entry(""), entry("")),
			"missing-path":        entries(entry(`,"path":""`)),
			"invalid-priority":    entries(entry(`,"priority":"high"`)),
			"missing-summary":     entries(entry(`,"summary":""`)),
			"long-summary":        entries(entry(`,"summary":"` + strings.Repeat("long ", 40) + `"`)),
			"empty-keywords":      entries(entry(`,"keywords":[]`)),
			"bad-token-est":       entries(entry(`,"tokens_est":-1`)),
			"control-character":   entries(entry(`,"summary":"a\nb"`)),
			"unreachable-keyword": entries(entry(`,"keywords":["C++"]`)),
			"repeated-keyword":    entries(entry(`,"keywords":["descale","descale"]`)),
			"diluted-keywords":    entries(entry(`,"keywords":["` + strings.ReplaceAll(strings.TrimSuffix(eleven, ", "), ", ", `","`) + `"]`)),
			"generic-keyword":     many(func(i int) string { return fmt.Sprintf(`,"keywords":[%q,"own%d"]`, word, i) }, 12),
			"keyword-overlap":     many(func(int) string { return "" }, 2),
			"entry-malformed":     entries(entry(`,"keywords":"descale"`)),
		}},
		{"packs of a repository", findInRepository, map[string]input{
			"keyword-generic":       declared("keywords: [descale, use]"),
			"keyword-repeated":      declared("keywords: [descale, Descale]"),
			"keywords-diluted":      declared("keywords: [" + eleven + "]"),
			"keyword-unreachable":   declared(`keywords: ["?!", descale]`),
			"summary-control":       declared(`summary: "One\nTwo"`),
			"loadout-unknown":       kettleWith("  loadout:\n    kettle/gone: {priority: core}\n"),
			"entry-unroutable":      kettleWith("", "packs/kettle/documents/d.md", "# 返\n\n## 品\n\n返品\n"),
			"entry-unreached":       kettleWith("", "packs/kettle/evals/routing.yaml", "tasks:\n  - {task: descale it, must: [kettle-kettle-care]}\n"),
			"documents-missing":     {"packgen.yaml": "title: T\n", "packs/kettle/KNOWLEDGE.md": entryOfPack + "---\n# Kettle\n", "packs/kettle/wiki/a.md": "# A\n\nText.\n"},
			"pack-duplicate":        kettleWith("", "packs/pot/KNOWLEDGE.md", entryOfPack+"---\n# Pot\n", "packs/pot/documents/kettle.md", "# Pot\n\nText.\n"),
			"pack-missing":          kettleWith("", "packs/pot/documents/a.md", "# A\n"),
			"pack-linked":           kettleWith("", "pot/KNOWLEDGE.md", entryOfPack+"---\n# Pot\n", "packs/pot->", "../pot"),
			"symlink-broken":        kettleWith("", "packs/kettle/sources/x.md->", "gone.md"),
			"symlink-escape":        kettleWith("", "packs/kettle/sources/x.md->", "../../../elsewhere.md", "elsewhere.md", "x"),
			"symlink-loop":          kettleWith("", "packs/kettle/sources/x.md->", "x.md"),
			"symlink-hidden":        kettleWith("", "packs/kettle/sources/.h.md", "x", "packs/kettle/sources/x.md->", ".h.md"),
			"symlink-output":        kettleWith("", "packs/kettle/compiled/facts.md", "# Facts\n", "packs/kettle/sources/x.md->", "../compiled/facts.md"),
			"symlink-repeated":      kettleWith("", "packs/kettle/assets/d/a.txt", "x", "packs/kettle/sources/x->", "../assets/d", "packs/kettle/sources/y->", "../assets/d"),
			"output-blocked":        kettleWith("", "packs/kettle/compiled", "x"),
			"mapping-invalid":       kettleWith("", "packgen.yaml", "documents:\n  - {pack: packs/kettle, from: gone}\n"),
			"config-invalid":        kettleWith("", "packgen.yaml", "titel: x\n"),
			"published-path":        kettleWith("", "packs/kettle/documents/Kettle.md", "# Kettle\n\nText.\n"),
			"markdown-limit":        kettleWith("", "packs/kettle/documents/d.md", "# D\n\n"+strings.Repeat("> ", 200)+"x\n"),
			"optional-layer-record": kettleWith("", "packs/kettle/ontology/claims.json", "[{\"text\": \"a\"}]\n"),
		}},
		{"a store of memories", findInStore, map[string]input{
			"no-refs":            {"MEMORY.md": "# Memory\n\nNothing.\n"},
			"missing-topic-file": {"MEMORY.md": "- Ship — how to ship → `gone.md`\n"},
			"orphan-topic-file":  {"MEMORY.md": "- Ship — how to ship → `a.md`\n", "a.md": "A.\n", "b.md": "B.\n"},
			"duplicate-ref":      {"MEMORY.md": "- Ship — how to ship → `a.md`\n- Send — how to send → `a.md`\n", "a.md": "A.\n"},
			"topic-outside":      {"MEMORY.md": "- Ship — how to ship → `../../a.md`\n"},
			"topic-unreadable":   {"MEMORY.md": "- Ship — how to ship → `a.md`\n", "a.md": "\xff\xfe\x00"},
			"empty-name":         {"MEMORY.md": "-  — how to ship → `a.md`\n", "a.md": "A.\n"},
			"id-too-long":        {"MEMORY.md": "- " + strings.Repeat("ship ", 40) + "— how → `a.md`\n", "a.md": "A.\n"},
			"prose-arrow":        {"MEMORY.md": "- Ship — how to ship → `a.md`\n- First build → ship\n", "a.md": "A.\n"},
			"index-foreign":      {"MEMORY.md": "- Ship — how to ship → `a.md`\n", "a.md": "A.\n", "index.json": "no index"},
			"index-emptied":      {"MEMORY.md": "# Memory\n", "index.json": `{"version":"1.0.0","generated":"x","source":"MEMORY.md","entries":[` + entry("") + `],"budget":{}}`},
		}},
		{"rule files", findInRules, map[string]input{
			"rule-missing-index":       {"r/a.md": "A.\n"},
			"rule-invalid-index":       {"r/index.json": "{"},
			"rule-missing-ref":         ruleFiles(`,"path":"r/gone.md"`),
			"rule-missing-frontmatter": ruleFiles("", "r/a.md", "no front matter"),
			"rule-drift":               ruleFiles(`,"priority":"core"`),
			"rule-missing-summary":     ruleFiles(`,"summary":""`),
			"rule-long-summary":        ruleFiles(`,"summary":"` + strings.Repeat("long ", 40) + `"`),
			"rule-empty-keywords":      ruleFiles(`,"keywords":[]`),
			"rule-orphan-file":         ruleFiles("", "r/lost.md", ""),
			"rule-duplicate-id":        {"r/index.json": entries(entry(""), entry(""))["index.json"]},
			"rule-duplicate-keyword":   {"r/index.json": entries(entry(""), entry(`,"id":"b"`))["index.json"]},
			"rule-skill-invalid":       skill("claude-x", "y", ""),
			"rule-skill-length":        skill("lines", "Use when x.", strings.Repeat("line\n", 501)),
			"rule-skill-listing":       skills,
		}},
		{"layers", findInLayers, map[string]input{
			"layer-malformed": {"session.json": "{"},
			"layer-missing":   {"x": ""},
			"layers-none":     {"unnamed": ""},
		}},
		{"an archive", findInArchive, map[string]input{
			"archive-path":      {"../x": ""},
			"archive-link":      {"x->": "/etc/passwd"},
			"archive-clash":     {"a": "", "A": ""},
			"archive-empty":     {"a/": ""},
			"archive-special":   {"x|": ""},
			"archive-truncated": {"cut": ""},
			"archive-trailing":  {"more": ""},
			"archive-unknown":   {"none": ""},
			"archive-corrupt":   {"damaged": ""},
			"archive-too-large": {"large": strings.Repeat("x", 2000)},
			"archive-nested":    {"x.tar": "x"},
			"archive-too-many":  {"many/a": "", "many/b": "", "many/c": "", "many/d": ""},
		}},
		{"what was published", findInPublished, map[string]input{
			"published-missing": {"documents/a.md": "-"},
			"published-changed": {"documents/a.md": "another text"},
			"published-extra":   {"documents/more.md": "x"},
			"published-invalid": {"pack.json": "{}"},
			"archive-manifest":  {"pack.json": "{"},
		}},
		{"an export", findInExport, map[string]input{
			"export-limit":      kettleWith("", "packs/kettle/KNOWLEDGE.md", strings.Replace(entryOfPack, "description: How", "description: "+strings.Repeat("\U0001fad6", 600)+" How", 1)+"---\n# Kettle\n"),
			"export-marked":     kettleWith("", "packs/kettle/KNOWLEDGE.md", strings.Replace(entryOfPack, "status: ready", "status: draft", 1)+"---\n# Kettle\n"),
			"export-left-out":   kettleWith("", "packs/kettle/KNOWLEDGE.md", strings.Replace(entryOfPack, "name: kettle", "name: ket--tle", 1)+"---\n# Kettle\n"),
			"export-not-ours":   kettleWith("", "out/kettle/SKILL.md", "mine"),
			"export-name-taken": kettleWith("", "packs/pot/KNOWLEDGE.md", strings.Replace(entryOfPack, "name: kettle", "name: kettle-", 1)+"---\n# Pot\n", "packs/pot/documents/kettle.md", "# Pot\n\nText.\n"),
		}},
		{"an import", findInImport, map[string]input{
			"import-left-out": {"in/SKILL.md": "---\nname: pot\ndescription: Use when x.\n---\nText.\n", "in/scripts/x.sh": "true\n"},
			"import-unusable": {"in/x.txt": ""},
		}},
		{"init", findInInit, map[string]input{"init-blocked": {"packs/kettle/x.md": ""}}},
		{"a large index", func(*testing.T, input) []diag.Diagnostic { return index.Oversize(index.Sizes{Entries: 999_999}) }, map[string]input{"index-oversize": nil}},
		{"usage", func(*testing.T, input) []diag.Diagnostic { return usage.MalformedLines("usage.jsonl", 2) }, map[string]input{"usage-malformed": nil}},
	}
}

// place writes files below a new directory and returns it.
func place(t *testing.T, in input) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	oktest.Check(t, os.MkdirAll(dir, 0o755))
	for name, text := range in {
		link, isLink := strings.CutSuffix(name, "->")
		file := filepath.Join(dir, filepath.FromSlash(link))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		switch {
		case err != nil:
		case isLink:
			err = os.Symlink(text, file)
		default:
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		oktest.Check(t, err)
	}
	return dir
}

func repoOf(t *testing.T, in input) *repo.Repo {
	t.Helper()
	dir := place(t, in)
	return &repo.Repo{Paths: repo.Paths{Dir: dir, Start: dir}, Environment: func(string) string { return "" }}
}

// faultsOf returns the findings that an error is made of; other errors fail the test.
func faultsOf(t *testing.T, err error) []diag.Diagnostic {
	t.Helper()
	var faults *repo.Faults
	if errors.As(err, &faults) {
		return faults.List
	}
	t.Fatal(err)
	return nil
}

func findInRole(t *testing.T, in input) []diag.Diagnostic {
	t.Helper()
	files := input{"briefs/a.md": "A long enough brief about the kettle.\n"}
	for name, text := range in {
		files[name] = text
	}
	role := oktest.Value(boot.Open(place(t, files), boot.OpenOptions{Name: "role"}))(t)
	defer role.Close()
	list := oktest.Value(boot.Check(context.Background(), role))(t)
	if usecase, ok := in["usecase"]; ok {
		r := oktest.Value(role.Boot(context.Background(), boot.Options{Usecases: strings.Split(usecase, ",")}))(t)
		list = append(list, r.Diagnostics...)
	}
	return list
}

func findInIndex(t *testing.T, in input) []diag.Diagnostic {
	t.Helper()
	text := []byte(in["index.json"])
	ix := oktest.Value(indexjson.Read(text))(t)
	return check.IndexFindings("index.json", text, check.Issues(ix))
}

func findInRepository(t *testing.T, in input) []diag.Diagnostic {
	t.Helper()
	w := repoOf(t, in)
	if err := w.Load(); err != nil {
		return faultsOf(t, err)
	}
	c := oktest.Value(check.Run(context.Background(), w, check.RepositoryOptions{Now: time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)}))(t)
	defer c.Close()
	return check.OutcomeOf(c).Findings
}

func findInStore(t *testing.T, in input) []diag.Diagnostic {
	t.Helper()
	w := repoOf(t, in)
	store := oktest.Value(memory.Read(context.Background(), w, memory.Source{}, "MEMORY.md"))(t)
	refusals := oktest.Value(memory.Refusals(w.Paths.Abs("index.json"), store.Index, false, false))(t)
	return append(store.Findings, memory.IssueFindings("index.json", refusals)...)
}

func findInRules(t *testing.T, in input) []diag.Diagnostic {
	t.Helper()
	dir, issues, err := rules.Check(repoOf(t, in), rules.Source{Dir: "r"})
	oktest.Check(t, err)
	return rules.Findings(dir, issues)
}

func findInLayers(t *testing.T, in input) []diag.Diagnostic {
	t.Helper()
	w := repoOf(t, in)
	session, none := w.Paths.Abs("session.json"), ""
	if _, ok := in["unnamed"]; ok {
		session = ""
	}
	s, err := repo.OpenStack(w, layers.Options{SessionPath: &session, OrgPath: &none, Home: w.Paths.Dir, Dir: w.Paths.Dir, Getenv: w.Getenv},
		func(layer string) bool { return layer == "session" && session != "" }, diag.Error)
	oktest.Check(t, err)
	return s.Findings
}

// findInArchive packs the files into a tar archive, damages it where the name of the first says so,
// and unpacks it.
func findInArchive(t *testing.T, in input) []diag.Diagnostic {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	damage := ""
	for name, text := range in {
		damage = name
		h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}
		if link, ok := strings.CutSuffix(name, "->"); ok {
			h.Name, h.Linkname, h.Size, h.Typeflag, text = link, text, 0, tar.TypeSymlink, ""
		}
		if pipe, ok := strings.CutSuffix(name, "|"); ok {
			h.Name, h.Typeflag = pipe, tar.TypeFifo
		}
		if strings.HasSuffix(name, "/") {
			h.Typeflag = tar.TypeDir
		}
		oktest.Check(t, w.WriteHeader(h))
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	oktest.Check(t, w.Close())
	data := b.Bytes()
	switch damage {
	case "cut":
		data = data[:600]
	case "more":
		data = append(data, "more"...)
	case "none":
		data = []byte("no archive")
	case "damaged":
		data = append(slices.Clone(data[:512]), bytes.Repeat([]byte("x"), 1024)...)
	}
	file := filepath.Join(t.TempDir(), "x.tar")
	oktest.Check(t, os.WriteFile(file, data, 0o644))
	_, err := archive.Extract(context.Background(), file, filepath.Join(t.TempDir(), "to"), archive.Options{Limits: archive.Limits{FileBytes: 1000, Files: 3, Nested: 1}})
	return refusalOf(t, err)
}

// refusalOf is the finding that a refusal of an archive is.
func refusalOf(t *testing.T, err error) []diag.Diagnostic {
	t.Helper()
	var r *archive.Refusal
	if !errors.As(err, &r) {
		t.Fatal(err)
	}
	return []diag.Diagnostic{{ID: r.Rule, Severity: diag.Error, Path: cmp.Or(r.Path, r.Archive, "archive"), Message: r.Message, Hint: r.Hint}}
}

// findInPublished publishes a pack of one page and changes files of it; "-" removes one.
func findInPublished(t *testing.T, in input) []diag.Diagnostic {
	t.Helper()
	fsys := fstest.MapFS{"KNOWLEDGE.md": {Data: []byte(entryOfPack + "---\n# Kettle\n")}, "documents/a.md": {Data: []byte("# A\n\nText.\n")}}
	p, _, err := pack.OpenFS(fsys, "kettle")
	oktest.Check(t, err)
	var files []archive.File
	for _, name := range []string{"KNOWLEDGE.md", "documents/a.md"} {
		files = append(files, archive.File{Path: name, Size: int64(len(fsys[name].Data)), SHA256: archive.SHA256(fsys[name].Data)})
	}
	m := oktest.Value(archive.NewManifest(p, nil, files))(t)
	record := oktest.Value(schema.Encode(m))(t)
	fsys["pack.json"] = &fstest.MapFile{Data: record}
	for name, text := range in {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
		if text == "-" {
			delete(fsys, name)
		}
	}
	if _, err := archive.ReadManifest(fsys["pack.json"].Data); err != nil && in["pack.json"] == "{" {
		return refusalOf(t, err)
	}
	v := oktest.Value(archive.Verify(context.Background(), fsys, archive.VerifyOptions{}))(t)
	return v.Diagnostics
}

func findInExport(t *testing.T, in input) []diag.Diagnostic {
	t.Helper()
	w := repoOf(t, in)
	oktest.Check(t, w.Load())
	e := oktest.Value(exchange.Run(context.Background(), w, exchange.Options{Kind: exchange.Skills, Out: w.Paths.Abs("out")}))(t)
	return e.Findings
}

func findInImport(t *testing.T, in input) []diag.Diagnostic {
	t.Helper()
	w := repoOf(t, in)
	done := oktest.Value(exchange.Import(context.Background(), w, exchange.ImportOptions{From: exchange.FromSkills, Dir: w.Paths.Abs("in"), DryRun: true}))(t)
	return done.Findings
}

func findInInit(t *testing.T, in input) []diag.Diagnostic {
	t.Helper()
	w := repoOf(t, in)
	made := oktest.Value(starter.Make(context.Background(), w, ".", starter.Options{Name: "kettle", DryRun: true}))(t)
	return made.Blocked
}

// Findings of every area say what is wrong, where, and what to do.
func TestFindingsOfEveryAreaAreSentences(t *testing.T) {
	t.Parallel()
	for _, a := range areas() {
		for id, in := range a.examples {
			t.Run(a.name+"/"+id, func(t *testing.T) {
				t.Parallel()
				list := a.find(t, in)
				if !slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.ID == id }) {
					t.Errorf("%s is not found, only %v", id, list)
				}
				for i := range list {
					if fault := check.FaultOf(&list[i]); fault != "" {
						t.Errorf("%s: %q with the fix %q %s", list[i].ID, list[i].Message, list[i].Hint, fault)
					}
				}
			})
		}
	}
}

// elsewhere are the rules whose example needs a site, a build, a history or many files, and
// the test that covers each. The list only shrinks.
func elsewhere() map[string]string {
	return map[string]string{
		"archive-layout":      "cmd/packgen: TestScripts/published_path",
		"baseline-lost":       "resolver/check: TestASourceMapByHandIsHeldAgainstThePack",
		"claim-stale":         "compiler/lint: TestClaimStale",
		"dates-unknown":       "cmd/packgen: TestScripts/site_dates",
		"discovery-limit":     "compiler/pack: TestFindStopsAtItsLimit",
		"entry-unknown":       "cmd/packgen: TestScripts/explain",
		"file-unpublished":    "site: TestLinksToFilesThatAreNotPublishedAreOneFinding",
		"pack-oversize":       "none: a pack of a million files",
		"published-too-large": "site: TestPackOfTooManyFilesIsPublishedWithoutAnArchive",
		"site-oversize":       "site/build: TestWhatAHostRefusesIsReportedBeforeTheUpload",
		"special-file":        "compiler/pack: TestPipesAreRefusedAndNeverOpened",
		"svg-refused":         "site: TestRefusedDrawingsLeaveNothingDangling",
	}
}

func TestEveryRuleHasAnExampleOrIsListed(t *testing.T) {
	listed := elsewhere()
	has := map[string]bool{}
	for id := range check.RuleExamples() {
		has[id] = true
	}
	for _, a := range areas() {
		for id := range a.examples {
			has[id] = true
		}
	}
	for _, id := range rulebook.IDs() {
		if (listed[id] != "") == has[id] {
			t.Errorf("%s has an example: %v; is listed as covered by %q", id, has[id], listed[id])
		}
		delete(has, id)
	}
	if len(has) > 0 {
		t.Errorf("there are no such rules: %v", has)
	}
}
